//! Where each row is in the picture: three coordinates at most, and axes that do not jump between slices.

use burn::tensor::Tensor;
use burn_nca_learn::Result;
use burn_nca_learn::baseline::{PcaConfig, Projection};
use burn_nca_learn::data::{Features, TensorFeatures};

/// Coordinates of a row in the picture.
pub(crate) const AXES: usize = 3;

/// A view of an embedding: all of it up to three dimensions, else its principal directions.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// The directions of the last picture, `[axes, k]`; empty where the embedding is shown as it is.
    directions: Vec<f64>,
}

impl View {
    /// The rows of an embedding `[n, k]` in the picture, row-major `[n, 3]`; coordinates beyond k are 0.
    ///
    /// Principal directions keep the sign and order that is nearest to those of the last picture.
    ///
    /// # Errors
    /// An embedding that is not finite.
    pub fn of(&mut self, embedding: &Tensor<2>, axes: usize) -> Result<Vec<f32>> {
        let embedding = Features::from_tensor(embedding.clone())?;
        let (n, k) = (embedding.rows(), embedding.columns());
        let shown = if k <= AXES {
            self.directions.clear();
            embedding
        } else {
            let pca = PcaConfig::new(axes.min(AXES)).fit(&embedding)?;
            let directions = aligned(pca.projection.matrix(), &self.directions, k);
            let projection = Projection::from_matrix(&directions, [directions.len() / k, k]);
            self.directions = directions;
            projection.apply(&embedding)?
        };
        Ok(padded(&shown, n))
    }

    /// Other rows of the same embedding under the directions of the last picture, row-major `[m, 3]`.
    ///
    /// # Errors
    /// An embedding that is not finite.
    pub fn project(&self, embedding: &Tensor<2>) -> Result<Vec<f32>> {
        let embedding = Features::from_tensor(embedding.clone())?;
        let (m, k) = (embedding.rows(), embedding.columns());
        if self.directions.is_empty() {
            return Ok(padded(&embedding, m));
        }
        let size = [self.directions.len() / k, k];
        Ok(padded(&Projection::from_matrix(&self.directions, size).apply(&embedding)?, m))
    }
}

/// Rows with zeros for the axes that they lack.
fn padded(rows: &Features, n: usize) -> Vec<f32> {
    let mut points = vec![0.0; n * AXES];
    for (row, point) in points.chunks_exact_mut(AXES).enumerate() {
        point.iter_mut().zip(rows.row(row)).for_each(|(to, from)| *to = *from as f32);
    }
    points
}

/// The rows of `now`, `[axes, k]`, each with the sign that is nearer to that of `before`.
fn aligned(mut now: Vec<f64>, before: &[f64], k: usize) -> Vec<f64> {
    if before.len() != now.len() {
        return now;
    }
    for (row, old) in now.chunks_exact_mut(k).zip(before.chunks_exact(k)) {
        let dot: f64 = row.iter().zip(old).map(|(a, b)| a * b).sum();
        if dot < 0.0 {
            row.iter_mut().for_each(|a| *a = -*a);
        }
    }
    now
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;

    #[test]
    fn two_dimensions_are_shown_as_they_are() {
        let z = Tensor::<2>::from_floats([[1.0, 2.0], [3.0, 4.0]], &Device::flex());
        assert_eq!(View::default().of(&z, 2).unwrap(), [1.0, 2.0, 0.0, 3.0, 4.0, 0.0]);
    }

    #[test]
    fn principal_directions_keep_their_sign() {
        let rows = [[0.0, 0.0, 0.0, 0.0], [4.0, 1.0, 0.0, 0.0], [8.0, 0.0, 0.0, 0.1]];
        let z = Tensor::<2>::from_floats(rows, &Device::flex());
        let mut view = View::default();
        let first = view.of(&z, 2).unwrap();
        view.directions.iter_mut().for_each(|a| *a = -*a);
        let mirrored = view.of(&z, 2).unwrap();
        assert!(first.iter().zip(&mirrored).all(|(a, b)| (a + b).abs() < 1e-5));
    }
}
