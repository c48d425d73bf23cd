//! Matrix products of many rows, on all cores.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Rows of the left factor that one task multiplies.
const ROW_BLOCK: usize = 1024;

/// The product of row-major matrices `[m, inner]` and `[inner, p]`, row-major `[m, p]`.
pub(crate) fn product(left: &[f64], right: &[f64], inner: usize) -> Vec<f64> {
    let (m, p) = (left.len() / inner, right.len() / inner);
    let mut result = vec![0.0; m * p];
    let right = MatRef::from_row_major_slice(right, inner, p);
    result.par_chunks_mut(ROW_BLOCK * p).zip(left.par_chunks(ROW_BLOCK * inner)).for_each(
        |(target, left)| {
            let rows = left.len() / inner;
            let target = MatMut::from_row_major_slice_mut(target, rows, p);
            let left = MatRef::from_row_major_slice(left, rows, inner);
            matmul(target, Accum::Replace, left, right, 1.0, Par::Seq);
        },
    );
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_product_of_many_rows_is_that_of_nested_loops() {
        let (m, inner, p) = (2 * ROW_BLOCK + 3, 3, 2);
        let left: Vec<f64> = (0..m * inner).map(|i| ((i * 7) % 11) as f64 - 5.0).collect();
        let right: Vec<f64> = (0..inner * p).map(|i| i as f64 - 2.5).collect();
        let result = product(&left, &right, inner);
        assert_eq!(result.len(), m * p);
        for i in 0..m {
            for j in 0..p {
                let naive: f64 = (0..inner).map(|l| left[i * inner + l] * right[l * p + j]).sum();
                assert!((result[i * p + j] - naive).abs() < 1e-10);
            }
        }
    }
}
