//! The kernel exp(-d²) over the references of one query, in log space.

use std::ops::Range;

use super::candidate_filter::FilteredRow;
use super::selection::{at_most, position_of_minimum};

/// The squared distances to those references of `range` that carry weight under the kernel exp(-d²).
///
/// A reference whose squared distance exceeds the smallest of the m in `range` by more than
/// `40 + log m` is left out: all that are left out together weigh less than e^-40 (4e-18) of the nearest
/// one, below the rounding of f64. Empty when `range` holds no reference but the query itself.
pub(crate) fn weighty_sq_distances(row: &FilteredRow, range: Range<usize>) -> Vec<f64> {
    weighty_references(row, range).into_iter().map(|(_, sq_distance)| sq_distance).collect()
}

/// The references of `range` that carry weight, as in [`weighty_sq_distances`], each with its distance.
pub(super) fn weighty_references(row: &FilteredRow, range: Range<usize>) -> Vec<(usize, f64)> {
    let estimates = &row.estimates()[range.clone()];
    let Some(near) = position_of_minimum(estimates) else {
        return Vec::new();
    };
    let window = 40.0 + (estimates.len() as f64).ln();
    let limit = row.limit(row.sq_distance(range.start + near) + window);
    let weighty = at_most(estimates, limit).into_iter();
    let reference = weighty.map(|at| range.start + at as usize);
    reference.map(|reference| (reference, row.sq_distance(reference))).collect()
}

/// `log Σ_j exp(-d²_j)`; minus infinity for no distance.
pub(crate) fn log_sum(sq_distances: &[f64]) -> f64 {
    let nearest = sq_distances.iter().copied().fold(f64::INFINITY, f64::min);
    if nearest == f64::INFINITY {
        return f64::NEG_INFINITY;
    }
    let sum: f64 = sq_distances.iter().map(|d| (nearest - d).exp()).sum();
    sum.ln() - nearest
}

/// `log(exp(a) + exp(b))`.
pub(crate) fn log_of_sum(a: f64, b: f64) -> f64 {
    let (low, high) = (a.min(b), a.max(b));
    if low == f64::NEG_INFINITY { high } else { high + (low - high).exp().ln_1p() }
}

/// The entropy, in nats, of the weights `p_j = exp(-d²_j) / Σ_l exp(-d²_l)`; 0 for no distance.
///
/// ```text
/// H = -Σ_j p_j log p_j = log S + Σ_j t_j exp(-t_j) / S,   t_j = d²_j - min d²,   S = Σ_j exp(-t_j)
/// ```
/// The logarithm of the weights' sum less their mean logit, with the nearest distance taken out of both:
/// every term is positive, so nothing cancels.
pub(crate) fn entropy(sq_distances: &[f64]) -> f64 {
    let nearest = sq_distances.iter().copied().fold(f64::INFINITY, f64::min);
    if nearest == f64::INFINITY {
        return 0.0;
    }
    let (mut sum, mut weighted) = (0.0, 0.0);
    for d in sq_distances {
        let t = d - nearest;
        let weight = (-t).exp();
        sum += weight;
        weighted += t * weight;
    }
    sum.ln() + weighted / sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_survive_distances_whose_exponentials_underflow() {
        assert!((log_sum(&[1e12, 1e12]) - (2f64.ln() - 1e12)).abs() < 1e-3);
        assert!((log_sum(&[0.5, 1.5]) - ((-0.5f64).exp() + (-1.5f64).exp()).ln()).abs() < 1e-15);
        assert_eq!(log_sum(&[]), f64::NEG_INFINITY);
    }

    #[test]
    fn the_entropy_is_that_of_the_weights() {
        let distances = [0.3, 0.9, 2.5, 0.0];
        let sum: f64 = distances.iter().map(|d: &f64| (-d).exp()).sum();
        let expected: f64 = distances.iter().map(|d| (-d).exp() / sum).map(|p| -p * p.ln()).sum();
        assert!((entropy(&distances) - expected).abs() < 1e-15);
        assert!((entropy(&[1e9; 5]) - 5f64.ln()).abs() < 1e-15);
        assert_eq!(entropy(&[7.0]), 0.0);
        assert_eq!(entropy(&[0.0, 1e6]), 0.0);
        assert_eq!(entropy(&[]), 0.0);
    }
}
