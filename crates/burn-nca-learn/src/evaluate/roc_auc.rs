//! The area under the receiver operating characteristic of two classes.

use super::accuracy::check_lengths;
use crate::error::{Error, Result};

/// The area under the ROC curve: the probability that a positive row has a higher score than a negative one, ties counted
/// half; 0..1, 0.5 for scores that say nothing.
///
/// ```text
/// AUC = 1 / (|P| |N|) Σ_{i ∈ P} Σ_{j ∈ N} ([s_i > s_j] + [s_i = s_j] / 2)
/// ```
/// It does not depend on how rare the positive rows are, nor on a threshold. Taken from the ranks of the sorted scores
/// (Mann and Whitney's U), in n log n steps. `None` where there are no positive rows, or no negative ones.
///
/// `scores` has one number per row, such as the probability of the positive class; `positive` says which rows are.
///
/// # Examples
/// ```
/// use burn_nca_learn::evaluate::roc_auc;
///
/// assert_eq!(roc_auc(&[0.1, 0.4, 0.4, 0.8], &[false, false, true, true])?, Some(0.875));
/// assert_eq!(roc_auc(&[0.1, 0.4], &[true, true])?, None);
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
///
/// # Errors
/// Another number of scores than of rows, or a score that is NaN.
pub fn roc_auc(scores: &[f64], positive: &[bool]) -> Result<Option<f64>> {
    check_lengths(scores.len(), positive.len())?;
    if let Some(row) = scores.iter().position(|score| score.is_nan()) {
        return Err(Error::data(format!(
            "the score of row {} is NaN; give finite scores",
            row + 1
        )));
    }
    let positives = positive.iter().filter(|positive| **positive).count() as f64;
    let negatives = positive.len() as f64 - positives;
    if positives == 0.0 || negatives == 0.0 {
        return Ok(None);
    }
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_unstable_by(|&a, &b| scores[a].total_cmp(&scores[b]));
    // Pairs, doubled: 2 where the positive row is ahead, 1 for a tie. Sums of whole numbers below 2^53 are exact.
    let (mut doubled, mut below) = (0.0, 0.0);
    for tied in order.chunk_by(|&a, &b| scores[a] == scores[b]) {
        let ahead = tied.iter().filter(|&&row| positive[row]).count() as f64;
        let behind = tied.len() as f64 - ahead;
        doubled += ahead * (2.0 * below + behind);
        below += behind;
    }
    Ok(Some(doubled / (2.0 * positives * negatives)))
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// The sum over all pairs as it is written.
    fn naive(scores: &[f64], positive: &[bool]) -> f64 {
        let rows = || scores.iter().zip(positive);
        let (mut sum, mut pairs) = (0.0, 0.0);
        for (ahead, _) in rows().filter(|(_, positive)| **positive) {
            for (behind, _) in rows().filter(|(_, positive)| !**positive) {
                pairs += 1.0;
                sum += if ahead > behind { 1.0 } else { 0.0 }
                    + if ahead == behind { 0.5 } else { 0.0 };
            }
        }
        sum / pairs
    }

    #[test]
    fn it_is_the_share_of_pairs_in_the_right_order_ties_counted_half() {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        for rows in [2, 3, 10, 60] {
            for levels in [1, 2, 5, 1000] {
                // Both signs of zero are one score.
                let score = |number: usize| if number == 0 { -0.0 } else { number as f64 / 7.0 };
                let mut scores: Vec<f64> =
                    (0..rows).map(|_| score(random.random_range(0..levels))).collect();
                scores[0] = 0.0;
                let mut positive: Vec<bool> = (0..rows).map(|_| random.random_bool(0.3)).collect();
                (positive[0], positive[1]) = (true, false);
                let found = roc_auc(&scores, &positive).unwrap().unwrap();
                let expected = naive(&scores, &positive);
                assert!((found - expected).abs() < 1e-12, "{rows} {levels}: {found} {expected}");
            }
        }
    }

    #[test]
    fn what_has_no_value_is_none() {
        assert_eq!(roc_auc(&[], &[]).unwrap(), None);
        assert_eq!(roc_auc(&[1.0], &[false]).unwrap(), None);
        assert!(roc_auc(&[1.0], &[]).is_err());
    }
}
