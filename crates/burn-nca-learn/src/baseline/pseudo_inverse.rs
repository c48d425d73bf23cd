//! The pseudo-inverse of a scatter matrix.

use super::eigen::SymmetricEigen;
use super::product::product;
use super::projection::transposed;
use crate::error::Result;

/// The share of the largest eigenvalue below which a direction counts as one without variance.
const NO_VARIANCE: f64 = 1e-12;

/// The pseudo-inverse of a symmetric positive semi-definite matrix, row-major `[d, d]`.
///
/// Directions of less than 1e-12 of the largest variance are left out: constant and repeated columns.
pub(crate) fn pseudo_inverse(matrix: &[f64], d: usize) -> Result<Vec<f64>> {
    let eigen = SymmetricEigen::new(matrix, d)?;
    let least = NO_VARIANCE * eigen.values[0];
    let rank = eigen.values.iter().filter(|value| **value > least).count();
    if rank == 0 {
        return Ok(vec![0.0; d * d]);
    }
    let vectors = eigen.leading(rank);
    let mut scaled = transposed(&vectors, rank);
    for (row, value) in scaled.chunks_exact_mut(d).zip(&eigen.values) {
        row.iter_mut().for_each(|x| *x /= value);
    }
    Ok(product(&vectors, &scaled, rank))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::fixture::assert_close;

    #[test]
    fn it_inverts_what_varies_and_leaves_the_rest_out() {
        // Columns 1 and 2 repeat each other, column 4 is constant.
        let matrix =
            [2.0, 2.0, 1.0, 0.0, 2.0, 2.0, 1.0, 0.0, 1.0, 1.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let inverse = pseudo_inverse(&matrix, 4).unwrap();
        let back = product(&product(&matrix, &inverse, 4), &matrix, 4);
        assert_close(&back, &matrix, 1e-12);
        assert!(inverse[12..].iter().all(|value| *value == 0.0));
        assert_eq!(pseudo_inverse(&[0.0; 4], 2).unwrap(), [0.0; 4]);
    }
}
