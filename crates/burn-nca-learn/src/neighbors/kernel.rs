//! The kernel exp(-d²) over references, in log space: summed over pairs that are never stored, a part at a time.

use std::ops::Range;

use burn_nca::internal::cut;
use burn_nca_fused::{NeighborSets, Number};

use super::excluded::{Eligible, Exclude};
use super::points::Points;
use super::series::{self, Averaged};
use crate::error::Result;

/// References that are stored in f64 at a time, in many dimensions.
pub(super) const PART_ROWS: usize = 1 << 16;

/// Values of a part in few dimensions, 64 MiB: each part takes a pass over all queries.
const PART_VALUES: usize = 1 << 23;

/// The parts of so many references in k dimensions.
pub(super) fn parts(references: usize, k: usize) -> Vec<Range<usize>> {
    cut(0..references, PART_ROWS.max(PART_VALUES / k.max(1)))
}

/// Ranges of all references as those of a part.
pub(super) fn of_part(spans: &[Range<usize>], part: &Range<usize>) -> Vec<Range<usize>> {
    let place = |at: usize| at.clamp(part.start, part.end) - part.start;
    spans.iter().map(|span| place(span.start)..place(span.end)).collect()
}

/// The references that count, in an order in which those that a query leaves out follow each other.
pub(super) struct Arranged<'a> {
    references: &'a Points,
    /// Where each is among the eligible, and its row.
    pub(super) places: Vec<usize>,
    pub(super) rows: Vec<usize>,
    /// Weights as one coordinate more: `w exp(-d²) = w_max exp(-(d² + h²))` with the height `h = √log(w_max / w)`.
    heights: Option<Vec<f64>>,
    /// Where those are that each query leaves out.
    pub(super) left_out: Option<Vec<Range<usize>>>,
}

impl<'a> Arranged<'a> {
    /// Sorts the references by what `order` says of their rows first; what is left out is one range where that is one.
    pub(super) fn new<K: Ord>(
        references: &'a Points,
        eligible: &Eligible<'_>,
        weights: Option<&[f64]>,
        order: impl Fn(usize) -> K,
    ) -> Self {
        let excluded = eligible.excluded.as_ref();
        let mut places: Vec<usize> = (0..eligible.count(references.rows())).collect();
        let key =
            |&at: &usize| (order(eligible.row(at)), excluded.map(|excluded| excluded.key(at)));
        places.sort_by_key(key);
        let rows: Vec<usize> = places.iter().map(|&place| eligible.row(place)).collect();
        let heights = weights.map(|weights| {
            let weights = || rows.iter().map(|&row| weights[row].ln());
            let largest = weights().fold(f64::NEG_INFINITY, f64::max);
            weights().map(|log| (largest - log).max(0.0).sqrt()).collect()
        });
        let left_out = excluded.map(|excluded| excluded.spans(&places));
        Self { references, places, rows, heights, left_out }
    }

    /// The coordinates of a part of the references.
    pub(super) fn coordinates(&self, part: Range<usize>) -> Vec<f64> {
        let mut values = Vec::with_capacity(part.len() * (self.references.dimensions() + 1));
        for at in part {
            values.extend_from_slice(self.references.row(self.rows[at]));
            values.extend(self.heights.as_ref().map(|heights| heights[at]));
        }
        values
    }

    /// The coordinates of queries: their heights are 0.
    pub(super) fn queries(&self, queries: &Points) -> Vec<f64> {
        let height = self.heights.as_ref().map(|_| 0.0);
        let row = |row| queries.row(row).iter().copied().chain(height);
        (0..queries.rows()).flat_map(row).collect()
    }

    /// All references of a part but those that are left out, for each of b queries.
    pub(super) fn others(&self, b: usize, part: &Range<usize>) -> NeighborSets {
        others(self.left_out.as_ref().map(|spans| of_part(spans, part)), b, part.len())
    }
}

/// All of so many references but those that are left out, for each of b queries.
pub(super) fn others(left_out: Option<Vec<Range<usize>>>, b: usize, count: usize) -> NeighborSets {
    NeighborSets::outside(left_out.unwrap_or_else(|| vec![0..0; b]), count)
}

/// The entropy in nats of the shares of each query's references but those that it leaves out.
pub(crate) fn entropies(
    queries: &Points,
    references: &Points,
    exclude: Exclude<'_>,
) -> Result<Vec<f64>> {
    let k = references.dimensions();
    let eligible = exclude.eligible(queries.rows(), references.rows())?;
    let arranged = Arranged::new(references, &eligible, None, |_| ());
    let queries = arranged.queries(queries);
    let mut found = vec![NO_TERM; queries.len() / k];
    for part in parts(references.rows(), k) {
        let left_out = arranged.left_out.as_deref().map(|spans| of_part(spans, &part));
        let rows = arranged.coordinates(part);
        let of_part = sums_and_entropies((&queries, &rows, k), left_out);
        found.iter_mut().zip(of_part).for_each(|(all, of_part)| *all = joined(*all, of_part));
    }
    Ok(found.into_iter().map(|(_, entropy)| entropy).collect())
}

/// `log Σ_j exp(-d²_ij)` and the entropy of the terms' shares, of each query `[b, k]` among the references `[m, k]` but those
/// that it leaves out.
fn sums_and_entropies(
    points: (&[f64], &[f64], usize),
    left_out: Option<Vec<Range<usize>>>,
) -> Vec<Entropy> {
    let (queries, references, k) = points;
    let (b, m) = (queries.len() / k, references.len() / k);
    if let Some((logs, squares)) =
        series::sums(points, 0..m, left_out.as_deref(), Averaged::Squares)
    {
        let entropy = |(log, square): (f64, f64)| match log {
            f64::NEG_INFINITY => NO_TERM,
            _ => (log, log + square),
        };
        return logs.into_iter().zip(squares).map(entropy).collect();
    }
    let found = f64::entropies(queries, references, k, &others(left_out, b, m));
    (0..b).map(|at| (found[b + at] - found[at], found[2 * b + at])).collect()
}

/// The logarithm of a sum of exponentials, and the entropy of its shares in nats.
type Entropy = (f64, f64);

const NO_TERM: Entropy = (f64::NEG_INFINITY, 0.0);

/// That of two sums together.
///
/// ```text
/// L = log Σ_j exp(L_j),   H = Σ_j w_j (H_j - log w_j),   w_j = exp(L_j - L)
/// ```
fn joined(a: Entropy, b: Entropy) -> Entropy {
    let log = log_of_sum(a.0, b.0);
    let part = |(of_part, entropy): Entropy| {
        let log_share = of_part - log;
        // Of a part without a term there is no share.
        if of_part == f64::NEG_INFINITY { 0.0 } else { log_share.exp() * (entropy - log_share) }
    };
    (log, part(a) + part(b))
}

/// `log Σ_j exp(l_j)`; minus infinity for no term.
pub(super) fn log_sum(logs: &[f64]) -> f64 {
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return f64::NEG_INFINITY;
    }
    largest + logs.iter().map(|log| (log - largest).exp()).sum::<f64>().ln()
}

/// `log(exp(a) + exp(b))`.
pub(super) fn log_of_sum(a: f64, b: f64) -> f64 {
    let (low, high) = (a.min(b), a.max(b));
    if low == f64::NEG_INFINITY { high } else { high + (low - high).exp().ln_1p() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_survive_distances_whose_exponentials_underflow() {
        assert!((log_sum(&[-1e12, -1e12]) - (2f64.ln() - 1e12)).abs() < 1e-3);
        assert!((log_sum(&[-0.5, -1.5]) - ((-0.5f64).exp() + (-1.5f64).exp()).ln()).abs() < 1e-15);
        assert_eq!(log_sum(&[]), f64::NEG_INFINITY);
    }

    #[test]
    fn the_entropy_is_that_of_the_weights() {
        let entropy = |distances: &[f64], part: usize| {
            let of_part = |part: &[f64]| {
                let roots: Vec<f64> = part.iter().map(|d| d.sqrt()).collect();
                sums_and_entropies((&[0.0], &roots, 1), None)[0]
            };
            distances.chunks(part).map(of_part).fold(NO_TERM, joined).1
        };
        let distances = [0.3, 0.9, 2.5, 0.0];
        let sum: f64 = distances.iter().map(|d: &f64| (-d).exp()).sum();
        let expected: f64 = distances.iter().map(|d| (-d).exp() / sum).map(|p| -p * p.ln()).sum();
        for part in 1..5 {
            assert!((entropy(&distances, part) - expected).abs() < 1e-14);
        }
        assert!((entropy(&[1e8; 5], 5) - 5f64.ln()).abs() < 1e-14);
        assert_eq!(entropy(&[7.0], 1), 0.0);
        assert_eq!(entropy(&[0.0, 1e6], 1), 0.0);
        assert_eq!(entropy(&[], 1), 0.0);
    }

    #[test]
    fn a_query_is_left_out_of_the_part_that_it_is_in() {
        let counts = |part: Range<usize>| {
            let columns = others(Some(of_part(&[0..1, 5..6, 6..7], &part)), 3, part.len());
            [0, 1, 2].map(|query| columns.count(query))
        };
        assert_eq!(counts(0..6), [5, 5, 6]);
        assert_eq!(counts(6..8), [2, 2, 1]);
        assert_eq!(parts(PART_ROWS + 1, 784).last(), Some(&(PART_ROWS..PART_ROWS + 1)));
        assert_eq!(parts(1_000_000, 2).len(), 1);
    }
}
