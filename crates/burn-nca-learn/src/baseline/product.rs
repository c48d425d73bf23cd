//! Matrix products of many rows, on all cores.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Rows of the left factor that one task multiplies.
pub(super) const ROW_BLOCK: usize = 1024;

/// Blocks of rows at most that are multiplied by each other at once.
const CROSS_BLOCKS: usize = 16;

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

/// `Lᵀ R` of row-major matrices `[n, p]` and `[n, q]`, row-major `[p, q]`.
///
/// Blocks of rows are added up in order: any number of threads gives the same.
pub(crate) fn cross_product(left: &[f64], right: &[f64], [p, q]: [usize; 2]) -> Vec<f64> {
    let block = |(left, right): (&[f64], &[f64])| {
        let rows = left.len() / p;
        let mut part = vec![0.0; p * q];
        let left = MatRef::from_row_major_slice(left, rows, p).transpose();
        let right = MatRef::from_row_major_slice(right, rows, q);
        let target = MatMut::from_row_major_slice_mut(&mut part, p, q);
        matmul(target, Accum::Replace, left, right, 1.0, Par::Seq);
        part
    };
    // Few blocks, as each holds a matrix of its own.
    let rows = (left.len() / p).div_ceil(CROSS_BLOCKS).max(ROW_BLOCK);
    let blocks = left.par_chunks(rows * p).zip(right.par_chunks(rows * q));
    let mut sum = vec![0.0; p * q];
    for part in blocks.map(block).collect::<Vec<_>>() {
        sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::transposed;

    /// The product in nested loops.
    fn naive(left: &[f64], right: &[f64], inner: usize) -> Vec<f64> {
        let (m, p) = (left.len() / inner, right.len() / inner);
        let entry = |i: usize, j: usize| -> f64 {
            (0..inner).map(|l| left[i * inner + l] * right[l * p + j]).sum()
        };
        (0..m * p).map(|at| entry(at / p, at % p)).collect()
    }

    #[test]
    fn products_of_many_rows_are_those_of_nested_loops() {
        // Sums of halves, which f64 holds exactly.
        let n = 2 * ROW_BLOCK + 3;
        let left: Vec<f64> = (0..n * 3).map(|i| ((i * 7) % 11) as f64 - 5.0).collect();
        let right: Vec<f64> = (0..3 * 2).map(|i| i as f64 - 2.5).collect();
        assert_eq!(product(&left, &right, 3), naive(&left, &right, 3));
        let right: Vec<f64> = (0..n * 2).map(|i| ((i * 5) % 13) as f64 - 6.0).collect();
        let expected = naive(&transposed(&left, 3), &right, n);
        assert_eq!(cross_product(&left, &right, [3, 2]), expected);
    }
}
