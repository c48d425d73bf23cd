//! Sums of products of rows: covariances, by blocks of rows and on all cores.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use crate::data::Features;

/// Rows that enter the sum of products at once.
const ROW_BLOCK: usize = 1024;
/// Rows of the covariance that one task updates.
const STRIPE: usize = 64;

/// `target = row - center`, of row `row` of the features.
pub(super) fn deviation(features: &Features, row: usize, center: &[f64], target: &mut [f64]) {
    features.copy_row(row, target);
    target.iter_mut().zip(center).for_each(|(x, center)| *x -= center);
}

/// `Σ_r u_r u_rᵀ` over the rows that `fill` writes, row-major `[d, d]`: block after block of rows, tasks by stripes of the
/// result, so that the order of every sum is fixed and no task needs a d x d matrix of its own.
pub(super) fn sum_of_products(
    rows: usize,
    d: usize,
    fill: impl Fn(usize, &mut [f64]) + Sync,
) -> Vec<f64> {
    let mut sum = vec![0.0; d * d];
    let mut block = vec![0.0; ROW_BLOCK.min(rows) * d];
    for start in (0..rows).step_by(ROW_BLOCK) {
        let count = ROW_BLOCK.min(rows - start);
        let block = &mut block[..count * d];
        let targets = block.par_chunks_mut(d).with_min_len(64).enumerate();
        targets.for_each(|(row, target)| fill(start + row, target));
        let block = MatRef::from_row_major_slice(&*block, count, d);
        sum.par_chunks_mut(STRIPE * d).enumerate().for_each(|(stripe, target)| {
            let (first, height) = (stripe * STRIPE, target.len() / d);
            let lower = first + height;
            let target = MatMut::from_row_major_slice_mut(target, height, d).subcols_mut(0, lower);
            let left = block.subcols(first, height).transpose();
            matmul(target, Accum::Add, left, block.subcols(0, lower), 1.0, Par::Seq);
        });
    }
    (0..d).for_each(|i| (0..i).for_each(|j| sum[j * d + i] = sum[i * d + j]));
    sum
}

/// Sets the covariances of columns without variance but for rounding to zero: whitening would scale the noise up.
pub(super) fn clear_constant_columns(covariance: &mut [f64], rounding: &[f64]) {
    let d = rounding.len();
    for (j, level) in rounding.iter().enumerate() {
        if covariance[j * d + j].sqrt() <= *level {
            covariance[j * d..(j + 1) * d].fill(0.0);
            covariance.iter_mut().skip(j).step_by(d).for_each(|value| *value = 0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::Groups;
    use crate::baseline::fixture::{assert_close, random_labeled, total_covariance};
    use crate::data::Labeled;

    /// The sums of the definitions with nested loops: total, within, between.
    fn naive(data: &Labeled) -> [Vec<f64>; 3] {
        let (n, d, c) = (data.rows(), data.features().columns(), data.classes());
        let x = |i: usize, j: usize| data.features().row(i)[j];
        let (labels, counts) = (data.labels(), data.class_counts());
        let (mut mean, mut class_mean) = (vec![0.0; d], vec![0.0; c * d]);
        for (i, j) in (0..n).flat_map(|i| (0..d).map(move |j| (i, j))) {
            mean[j] += x(i, j) / n as f64;
            class_mean[labels[i] * d + j] += x(i, j) / counts[labels[i]] as f64;
        }
        let mut sums = [vec![0.0; d * d], vec![0.0; d * d], vec![0.0; d * d]];
        for i in 0..n {
            let own = &class_mean[labels[i] * d..][..d];
            for a in 0..d {
                for b in 0..d {
                    sums[0][a * d + b] += (x(i, a) - mean[a]) * (x(i, b) - mean[b]) / n as f64;
                    sums[1][a * d + b] += (x(i, a) - own[a]) * (x(i, b) - own[b]) / n as f64;
                    sums[2][a * d + b] += (own[a] - mean[a]) * (own[b] - mean[b]) / n as f64;
                }
            }
        }
        sums
    }

    #[test]
    fn scatter_is_that_of_nested_loops_for_many_blocks_and_stripes() {
        for (n, d, c) in [(7, 3, 2), (2 * ROW_BLOCK + 5, 3, 4), (50, 2 * STRIPE + 3, 3)] {
            let data = random_labeled(n, d, c, 5);
            let [total, within, between] = naive(&data);
            let groups = Groups::of_classes(&data);
            assert_close(&total_covariance(data.features()), &total, 1e-12);
            assert_close(&groups.within_covariance(), &within, 1e-12);
            assert_close(&groups.between_covariance(), &between, 1e-12);
        }
    }

    #[test]
    fn a_column_that_is_constant_has_exactly_no_variance_at_any_offset() {
        let mut values = Vec::new();
        for row in 0..60_000 {
            values.extend([0.1, 1e9 + 0.3, f64::from(row % 2)]);
        }
        let features = Features::unnamed(values, 3).unwrap();
        let covariance = total_covariance(&features);
        assert_close(&covariance, &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.25], 1e-15);
        assert!(covariance[..8].iter().all(|value| *value == 0.0));
    }

    #[test]
    fn a_small_variance_survives_a_large_offset() {
        let features = Features::unnamed(vec![1e6, 1e6 + 2e-3, 1e6 + 4e-3], 1).unwrap();
        let expected = 8e-6 / 3.0;
        assert!((total_covariance(&features)[0] - expected).abs() < 1e-6 * expected);
    }
}
