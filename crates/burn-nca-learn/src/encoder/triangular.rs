//! The upper triangular map, `z = L x`.

use burn::module::{Module, Param};
use burn::tensor::{DType, Device, Tensor, assert_shape};
use faer::Mat;

use super::Encoder;
use crate::data::host_values;
use crate::error::{Error, Result};
use burn_nca::internal::product;
use burn_nca::objective::transfer::float_tensor;

/// The upper triangular map of generalized variable-kernel similarity metric learning, `z = L x`.
///
/// ```text
/// A = LᵀL,   d²(x, c) = (x - c)ᵀ A (x - c) = ||L x - L c||²      (1), (2) of [1]
/// ```
/// Every positive definite A has such an L, with `d (d + 1) / 2` numbers instead of d². The parameter is stored as
/// Burn stores a linear layer: `weight` is `[d, d]`, the transpose of L; what is above its diagonal is masked, and
/// so takes part neither in a distance nor in a gradient.
///
/// # References
/// \[1\] J. J. Naudé, M. A. van Wyk, Generalized Similarity Metric Learning for a Variable Kernel Classifier, 2002.
#[derive(Module, Debug)]
pub struct TriangularMap {
    /// The transpose of L, `[d, d]`.
    pub weight: Param<Tensor<2>>,
}

impl TriangularMap {
    /// A map with this L, row-major `[d, d]`; what is below its diagonal is not read.
    ///
    /// # Panics
    /// If the number of values is not d * d.
    pub fn from_rows(rows: &[f64], d: usize, device: &Device, dtype: DType) -> Self {
        assert_eq!(rows.len(), d * d, "a triangular map of {d} features needs d * d values");
        let weight = (0..d * d).map(|at| {
            let (column, row) = (at / d, at % d);
            if row <= column { rows[row * d + column] } else { 0.0 }
        });
        Self { weight: Param::from_tensor(float_tensor(weight.collect(), [d, d], device, dtype)) }
    }

    /// The map with the distances of a given transform T, row-major `[k, d]` with k of d or more: Fourier, Hadamard,
    /// whitening.
    ///
    /// ```text
    /// T = Q L  (QR decomposition)   ⇒   ||T x - T c|| = ||L x - L c||       (section 7 of [1])
    /// ```
    /// The diagonal of L is positive. An orthonormal T turns space and changes no distance: its L is the identity.
    ///
    /// # Errors
    /// Fewer rows than columns, or rows that do not span all directions: L would be singular.
    pub fn of_transform(
        transform: &[f64],
        d: usize,
        device: &Device,
        dtype: DType,
    ) -> Result<Self> {
        let k = transform.len() / d.max(1);
        if d == 0 || transform.len() != k * d || k < d {
            return Err(Error::setting(format!(
                "a transform of {} values was given for {d} features; a triangular map needs {d} rows or more of \
                 {d} values",
                transform.len()
            )));
        }
        let matrix = Mat::from_fn(k, d, |row, column| transform[row * d + column]);
        let decomposition = matrix.qr();
        let upper = decomposition.thin_R();
        let largest = (0..d).map(|i| upper[(i, i)].abs()).fold(0.0, f64::max);
        let mut rows = vec![0.0; d * d];
        for i in 0..d {
            let diagonal = upper[(i, i)];
            if diagonal.is_nan() || diagonal.abs() <= 1e-12 * largest {
                return Err(Error::setting(format!(
                    "the given transform does not span the {d} features (column {} depends on those before it); give \
                     one of full rank",
                    i + 1
                )));
            }
            (i..d).for_each(|j| rows[i * d + j] = diagonal.signum() * upper[(i, j)]);
        }
        Ok(Self::from_rows(&rows, d, device, dtype))
    }

    /// L on the host, row-major `[d, d]`.
    pub fn matrix(&self) -> Vec<f64> {
        host_values(self.lower().without_autodiff().transpose())
    }

    /// The transpose of L, without what is masked.
    fn lower(&self) -> Tensor<2> {
        self.weight.val().tril(0)
    }
}

impl Encoder for TriangularMap {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let weight = self.lower();
        let [d_input, _] = weight.dims();
        assert_shape!(x, [.., d_input]);
        product(x, weight)
    }

    fn d_input(&self) -> Option<usize> {
        Some(self.weight.dims()[0])
    }

    /// The squares off the diagonal, in units of the mean square of a row: what L has that a diagonal map has not.
    ///
    /// ```text
    /// d Σ_{u<v} L_uv² / tr(LᵀL)
    /// ```
    /// It does not depend on the scale of L, as the objective of the variable kernel does not.
    fn squared_norm(&self) -> Option<Tensor<1>> {
        let d = self.weight.dims()[0] as f64;
        let squares = self.lower().square();
        let off_diagonal = squares.clone().tril(-1).sum();
        Some(off_diagonal / squares.sum() * d)
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::TensorData;

    use super::*;

    fn rows(map: &TriangularMap, x: [[f64; 2]; 2]) -> Vec<f64> {
        let x = Tensor::from_data(TensorData::from(x), (&Device::flex(), DType::F64));
        host_values(map.forward(x))
    }

    #[test]
    fn what_stands_below_the_diagonal_is_not_read() {
        let map = TriangularMap::from_rows(&[2.0, 3.0, 99.0, 5.0], 2, &Device::flex(), DType::F64);
        let shown = map.to_string();
        assert!(shown.contains("TriangularMap") && shown.contains("params: 4"), "{shown}");
        assert_eq!(rows(&map, [[1.0, 0.0], [0.0, 1.0]]), [2.0, 0.0, 3.0, 5.0]);
        assert_eq!(map.matrix(), [2.0, 3.0, 0.0, 5.0]);
        // 2 * 9 / (4 + 9 + 25)
        let norm: f64 = map.squared_norm().unwrap().into_scalar();
        assert!((norm - 18.0 / 38.0).abs() < 1e-15, "{norm}");
    }

    #[test]
    fn a_transform_keeps_its_distances() {
        // Three rows of two values: T is no square, and L is.
        let transform = [1.0, 2.0, -3.0, 0.5, 0.0, 4.0];
        let map = TriangularMap::of_transform(&transform, 2, &Device::flex(), DType::F64).unwrap();
        let l = map.matrix();
        assert!(l[0] > 0.0 && l[2] == 0.0 && l[3] > 0.0, "{l:?}");
        for (i, j) in [(0, 0), (0, 1), (1, 1)] {
            let product = |rows: &[f64]| -> f64 { rows.chunks(2).map(|row| row[i] * row[j]).sum() };
            assert!((product(&transform) - product(&l)).abs() < 1e-12);
        }
    }
}
