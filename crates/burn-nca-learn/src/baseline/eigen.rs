//! Eigenvectors of a symmetric matrix, in a fixed order and with fixed signs.

use faer::{MatRef, Side};

use crate::error::{Error, Result};

/// The eigen-decomposition of a symmetric matrix, by falling eigenvalue and with fixed signs.
pub(super) struct SymmetricEigen {
    /// The eigenvalues, falling.
    pub values: Vec<f64>,
    /// Column j, a unit vector, belongs to `values[j]`; row-major `[d, d]`.
    pub vectors: Vec<f64>,
}

impl SymmetricEigen {
    /// Decomposes a symmetric matrix, row-major `[d, d]`; of each pair of entries the lower counts.
    pub fn new(matrix: &[f64], d: usize) -> Result<Self> {
        let eigen = MatRef::from_row_major_slice(matrix, d, d)
            .self_adjoint_eigen(Side::Lower)
            .map_err(|_| not_converged(d))?;
        let ascending = eigen.S().column_vector();
        let values: Vec<f64> = (0..d).rev().map(|j| ascending[j]).collect();
        if values.iter().any(|value| !value.is_finite()) {
            return Err(not_converged(d));
        }
        let places = (0..d).flat_map(|i| (0..d).rev().map(move |j| (i, j)));
        let mut vectors = places.map(|at| eigen.U()[at]).collect::<Vec<f64>>();
        fix_signs(&mut vectors, d);
        Ok(Self { values, vectors })
    }

    /// The first `count` eigenvectors as columns, row-major `[d, count]`.
    pub fn leading(&self, count: usize) -> Vec<f64> {
        let d = self.values.len();
        self.vectors.chunks_exact(d).flat_map(|row| &row[..count]).copied().collect()
    }
}

/// The error of a decomposition that did not converge.
pub(super) fn not_converged(d: usize) -> Error {
    Error::data(format!(
        "the eigenvectors of the {d} x {d} covariance did not converge; bring the features to one scale \
         first (standardize them)"
    ))
}

/// Turns each of the `columns` columns of a row-major matrix so that its largest entry (of those of equal magnitude up to
/// rounding the first) is positive.
pub(super) fn fix_signs(matrix: &mut [f64], columns: usize) {
    for j in 0..columns {
        let column = || matrix.iter().skip(j).step_by(columns);
        let largest = column().fold(0.0_f64, |largest, x| largest.max(x.abs()));
        let decisive = column().find(|x| x.abs() >= (1.0 - 1e-9) * largest);
        if decisive.is_some_and(|x| *x < 0.0) {
            matrix.iter_mut().skip(j).step_by(columns).for_each(|x| *x = -*x);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_entry_of_a_column_is_positive_and_the_first_of_equals_decides() {
        let mut matrix = [-3.0, 0.5, 2.0, -0.5 * (1.0 + 1e-12), 1.0, 0.1];
        fix_signs(&mut matrix, 2);
        assert_eq!(matrix, [3.0, 0.5, -2.0, -0.5 * (1.0 + 1e-12), -1.0, 0.1]);
    }

    #[test]
    fn values_that_are_not_finite_are_an_error_not_a_panic() {
        let error = SymmetricEigen::new(&[f64::INFINITY, 0.0, 0.0, 1.0], 2).err().unwrap();
        assert!(error.to_string().contains("did not converge"), "{error}");
    }
}
