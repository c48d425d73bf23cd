//! How well the plane tells the pose of people who were never seen.

mod correlation;
mod polar;
mod regression;

pub use correlation::correlation;
pub use polar::{PolarMap, PolarScores};
pub use regression::{PoseError, direct_error, neighbor_error};

use anyhow::Result;
use burn::tensor::{DType, Tensor};
use burn_nca_learn::encoder::Encoder;

/// A point of the plane.
pub type Point = [f64; 2];

/// Faces that are embedded at once: bounds the memory of a convolution.
const CHUNK: usize = 512;

/// The points of the faces `x`, `[n, PIXELS]`, in the plane.
///
/// # Errors
/// A device that cannot give its results.
pub fn embed<E: Encoder>(network: &E, x: Tensor<2>) -> Result<Vec<Point>> {
    let [n, _] = x.dims();
    let mut points = Vec::with_capacity(n);
    for start in (0..n).step_by(CHUNK) {
        let rows = x.clone().slice([start..(start + CHUNK).min(n)]);
        points.extend(read_points(network.forward(rows))?);
    }
    Ok(points)
}

/// The rows of a tensor `[n, 2]`.
///
/// # Errors
/// A device that cannot give its results.
pub fn read_points(z: Tensor<2>) -> Result<Vec<Point>> {
    let data = z.try_into_data()?.convert_dtype(DType::F64);
    let values = data.try_to_vec::<f64>()?;
    Ok(values.chunks_exact(2).map(|point| [point[0], point[1]]).collect())
}
