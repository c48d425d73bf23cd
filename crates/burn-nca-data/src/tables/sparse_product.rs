//! Products of sparse rows.

use rayon::prelude::*;

/// Rows that one task goes through.
const ROWS: usize = 64;

/// The product of compressed sparse rows (starts, columns, values) of n rows with a row-major matrix `[d, k]`,
/// row-major `[n, k]`.
///
/// # Panics
/// If k is 0, or a column is not below d.
pub(super) fn product(
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

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::product;

    #[test]
    fn products_of_one_task_and_of_several_with_empty_rows_and_columns() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for (n, d, k) in [(0, 3, 2), (1, 1, 1), (63, 5, 1), (64, 7, 3), (65, 7, 2), (300, 40, 5)] {
            let right: Vec<f64> = (0..d * k).map(|_| rng.random_range(-1.0..1.0)).collect();
            let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
            let mut expected = vec![0.0; n * k];
            for row in 0..n {
                // Every third column is empty, and about every third row.
                let chance = rng.random_range(-1.0..1.0);
                for column in 0..d {
                    let x = rng.random_range(-1.0..1.0);
                    if chance > -0.4 && x > 0.2 && column % 3 != 1 {
                        columns.push(column as u32);
                        values.push(x);
                        for axis in 0..k {
                            expected[row * k + axis] += x * right[column * k + axis];
                        }
                    }
                }
                starts.push(values.len());
            }
            let found = product((&starts, &columns, &values), &right, k);
            assert_eq!(found, expected, "{n} x {d} to {k}");
        }
    }
}
