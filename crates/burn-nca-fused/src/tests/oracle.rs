//! The definitions, pair by pair in f64.

use super::sq_distance;
use crate::NeighborSets;

/// Queries `[b, k]` and references `[m, k]` with the sets of each query.
#[derive(Clone, Copy)]
pub(super) struct Oracle<'a> {
    pub(super) queries: &'a [f64],
    pub(super) references: &'a [f64],
    pub(super) k: usize,
    pub(super) columns: &'a NeighborSets,
}

impl Oracle<'_> {
    /// The references that a query sums over.
    pub(super) fn kept(&self, i: usize) -> impl Iterator<Item = usize> {
        let is_in = move |j: &usize| {
            self.columns.left_out(i, &(*j..j + 1)).iter().all(core::ops::Range::is_empty)
        };
        (0..self.columns.references()).filter(is_in)
    }

    pub(super) fn sq_distance(&self, i: usize, j: usize) -> f64 {
        let k = self.k;
        sq_distance(&self.queries[i * k..][..k], &self.references[j * k..][..k])
    }

    /// The sum over the references of each query.
    pub(super) fn sums(&self, of_pair: impl Fn(usize, usize) -> f64) -> Vec<f64> {
        let sum = |i: usize| self.kept(i).map(|j| of_pair(i, j)).sum();
        (0..self.columns.queries()).map(sum).collect()
    }

    /// The least distance of each query, and the logarithm of `Σ_j exp(least_i - d_ij)`.
    pub(super) fn statistics(&self, distance: impl Fn(usize, usize) -> f64) -> [Vec<f64>; 2] {
        let of_row = |i: usize| least_and_log(self.kept(i).map(|j| distance(i, j)).collect());
        (0..self.columns.queries()).map(of_row).map(|[least, log]| (least, log)).unzip().into()
    }

    /// `-2 Σ_j w_ij (q_i - r_j)` of each query and `2 Σ_i w_ij (q_i - r_j)` of each reference.
    pub(super) fn gradients(&self, weight: impl Fn(usize, usize) -> f64) -> [Vec<f64>; 2] {
        let Self { queries, references, k, columns } = *self;
        let (mut dq, mut dr) = (vec![0.0; queries.len()], vec![0.0; references.len()]);
        for i in 0..columns.queries() {
            for j in self.kept(i) {
                let weight = 2.0 * weight(i, j);
                for axis in 0..k {
                    let part = weight * (queries[i * k + axis] - references[j * k + axis]);
                    dq[i * k + axis] -= part;
                    dr[j * k + axis] += part;
                }
            }
        }
        [dq, dr]
    }

    /// The gradients of `Σ_i g_i log Σ_j exp(-||q_i - r_j||²)`.
    pub(super) fn log_sum_gradients(&self, gradient: &[f64]) -> [Vec<f64>; 2] {
        let [least, logs] = self.statistics(|i, j| self.sq_distance(i, j));
        self.gradients(|i, j| gradient[i] * (least[i] - self.sq_distance(i, j) - logs[i]).exp())
    }
}

/// The least of distances, and the logarithm of `Σ_j exp(least - d_j)`; ∞ and -∞ of none.
pub(super) fn least_and_log(distances: Vec<f64>) -> [f64; 2] {
    let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
    [least, distances.iter().map(|d| (least - d).exp()).sum::<f64>().ln()]
}
