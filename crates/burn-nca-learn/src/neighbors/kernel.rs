//! The kernel exp(-d²) over references, in log space: summed over pairs that are never stored, a part at a time.

use std::ops::Range;

use burn_nca::internal::cut;
use burn_nca_fused::{NeighborSets, Number};

use super::excluded::Excluded;
use super::points::Points;
use super::series;

/// References that are stored in f64 at a time, in many dimensions.
pub(super) const PART_ROWS: usize = 1 << 16;

/// Values of a part in few dimensions, 64 MiB: each part takes a pass over all queries.
const PART_VALUES: usize = 1 << 23;

/// The parts of so many references in k dimensions.
pub(super) fn parts(references: usize, k: usize) -> Vec<Range<usize>> {
    cut(0..references, PART_ROWS.max(PART_VALUES / k.max(1)))
}

/// All references of a part but those that are left out, for each of b queries: one range a query, of all references.
pub(super) fn others(
    b: usize,
    left_out: Option<&[Range<usize>]>,
    part: &Range<usize>,
) -> NeighborSets {
    let spans = left_out.map_or_else(|| vec![0..0; b], |spans| of_part(spans, part));
    NeighborSets::outside(spans, part.len())
}

/// Ranges of all references as those of a part.
pub(super) fn of_part(spans: &[Range<usize>], part: &Range<usize>) -> Vec<Range<usize>> {
    let place = |at: usize| at.clamp(part.start, part.end) - part.start;
    spans.iter().map(|span| place(span.start)..place(span.end)).collect()
}

/// The coordinates of points, and where there are heights these as the last of each.
pub(super) fn coordinates(points: &Points, heights: Option<&[f64]>) -> Vec<f64> {
    let Some(heights) = heights else { return points.to_vec() };
    let mut lifted = Vec::with_capacity(points.rows() * (points.dimensions() + 1));
    for (row, height) in heights.iter().enumerate() {
        lifted.extend_from_slice(points.row(row));
        lifted.push(*height);
    }
    lifted
}

/// Weights as one coordinate more: `w exp(-d²) = w_max exp(-(d² + h²))` with the height `h = √log(w_max / w)`.
pub(super) fn heights(weights: &[f64]) -> Vec<f64> {
    let largest = weights.iter().copied().fold(0.0, f64::max);
    weights.iter().map(|weight| (largest.ln() - weight.ln()).max(0.0).sqrt()).collect()
}

/// The entropy in nats of the shares of each query's references but those that it leaves out.
pub(crate) fn entropies(
    queries: &Points,
    references: &Points,
    excluded: Option<&Excluded<'_>>,
) -> Vec<f64> {
    let (m, k) = (references.rows(), references.dimensions());
    let mut order: Vec<usize> = (0..m).collect();
    excluded.iter().for_each(|excluded| excluded.arrange(&mut order, |_| ()));
    let left_out = excluded.map(|excluded| excluded.spans(&order));
    let queries = queries.to_vec();
    let mut found = vec![Entropy::default(); queries.len() / k];
    for part in parts(m, k) {
        let rows = references.select(&order[part.clone()]).to_vec();
        let of_part = sums_and_entropies((&queries, &rows, k), left_out.as_deref(), &part);
        found.iter_mut().zip(of_part).for_each(|(all, of_part)| all.add(of_part));
    }
    found.into_iter().map(|found| found.entropy).collect()
}

/// `log Σ_j exp(-d²_ij)` and the entropy of the terms' shares, of each query `[b, k]` among the references `[m, k]` of a part
/// but those that are [left out](others).
fn sums_and_entropies(
    points: (&[f64], &[f64], usize),
    left_out: Option<&[Range<usize>]>,
    part: &Range<usize>,
) -> Vec<Entropy> {
    let (queries, references, k) = points;
    let b = queries.len() / k;
    let of_part = left_out.map(|spans| of_part(spans, part));
    if let Some((logs, squares)) = series::squares(points, of_part.as_deref()) {
        let entropy = |(log, square): (f64, f64)| match log {
            f64::NEG_INFINITY => Entropy::default(),
            _ => Entropy { log, entropy: log + square },
        };
        return logs.into_iter().zip(squares).map(entropy).collect();
    }
    let found = f64::entropies(queries, references, k, &others(b, left_out, part));
    let entropy =
        |at: usize| Entropy { log: found[b + at] - found[at], entropy: found[2 * b + at] };
    (0..b).map(entropy).collect()
}

/// The logarithm of a sum of exponentials, and the entropy of its shares in nats; summed up by parts.
///
/// ```text
/// L = log Σ_j exp(L_j),   H = Σ_j w_j (H_j - log w_j),   w_j = exp(L_j - L)
/// ```
#[derive(Clone, Copy)]
struct Entropy {
    log: f64,
    entropy: f64,
}

impl Default for Entropy {
    /// Of no term.
    fn default() -> Self {
        Self { log: f64::NEG_INFINITY, entropy: 0.0 }
    }
}

impl Entropy {
    fn add(&mut self, other: Self) {
        let log = log_of_sum(self.log, other.log);
        let part = |of: &Self| {
            let log_share = of.log - log;
            // Of a part without a term there is no share.
            if of.log == f64::NEG_INFINITY {
                0.0
            } else {
                log_share.exp() * (of.entropy - log_share)
            }
        };
        *self = Self { log, entropy: part(self) + part(&other) };
    }
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
            let mut sum = Entropy::default();
            for part in distances.chunks(part) {
                let roots: Vec<f64> = part.iter().map(|d| d.sqrt()).collect();
                let found = sums_and_entropies((&[0.0], &roots, 1), None, &(0..part.len()));
                found.into_iter().for_each(|found| sum.add(found));
            }
            sum.entropy
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
        let own = Some(&[0..1, 5..6, 6..7][..]);
        let counts = |part: Range<usize>| {
            let columns = others(3, own, &part);
            [0, 1, 2].map(|query| columns.count(query))
        };
        assert_eq!(counts(0..6), [5, 5, 6]);
        assert_eq!(counts(6..8), [2, 2, 1]);
        assert_eq!(others(2, None, &(0..4)).count(1), 4);
        assert_eq!(parts(PART_ROWS + 1, 784).last(), Some(&(PART_ROWS..PART_ROWS + 1)));
        assert_eq!(parts(1_000_000, 2).len(), 1);
    }
}
