//! Products of sparse rows.

use rayon::prelude::*;

/// Rows that one task goes through.
const ROWS: usize = 64;

/// The product of compressed sparse rows (starts, columns, values) of n rows with a row-major matrix `[d, k]`,
/// row-major `[n, k]`.
///
/// # Panics
/// If k is 0, or a column is not below d.
pub fn product(
    (starts, columns, values): (&[usize], &[u32], &[f64]),
    right: &[f64],
    k: usize,
) -> Vec<f64> {
    let rows = starts.len() - 1;
    let mut result = vec![0.0; rows * k];
    result.par_chunks_mut(ROWS * k).enumerate().for_each(|(block, target)| {
        for (at, target) in target.chunks_exact_mut(k).enumerate() {
            let span = starts[block * ROWS + at]..starts[block * ROWS + at + 1];
            for (column, value) in columns[span.clone()].iter().zip(&values[span]) {
                let row = &right[*column as usize * k..][..k];
                target.iter_mut().zip(row).for_each(|(sum, x)| *sum += value * x);
            }
        }
    });
    result
}
