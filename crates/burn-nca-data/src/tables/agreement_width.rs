//! The width of the kernel that turns distances of targets into soft matches.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// Up to this many pairs of rows the median distance is that of all pairs; above, of as many drawn ones.
const MEDIAN_PAIRS: usize = 1 << 20;

/// The width s of a Gaussian agreement of targets, in the units of the targets.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq)]
pub enum AgreementWidth {
    /// This width.
    Given(f64),
    /// The median distance between the targets of two labeled rows.
    ///
    /// Exact up to 1448 labeled rows. Above, the median of 2^20 pairs drawn with a fixed seed: its rank is
    /// off by 0.05 % of all pairs (one standard deviation), and it is the same on every machine.
    Median,
}

impl AgreementWidth {
    /// The width for these targets, row-major `[rows, columns]`, all finite.
    pub(super) fn resolve(self, targets: &[f64], columns: usize) -> Result<f64> {
        match self {
            Self::Given(width) if width > 0.0 && width.is_finite() => Ok(width),
            Self::Given(width) => Err(Error::setting(format!(
                "the width of the agreement is {width}; give a positive finite number in the units of \
                 the target, or take the median distance"
            ))),
            Self::Median => {
                let rows = targets.len() / columns;
                if rows < 2 {
                    return Err(Error::data(format!(
                        "{rows} of the rows have a target, and the median distance needs 2; give the \
                         width, or more targets"
                    )));
                }
                let width = median_distance(targets, columns);
                if width > 0.0 && width.is_finite() {
                    return Ok(width);
                }
                Err(Error::data(format!(
                    "the median distance of the targets is {width}, which is no width (0: more than \
                     half of all pairs of rows have equal targets); give the width in the units of the \
                     target"
                )))
            }
        }
    }
}

fn distance(targets: &[f64], columns: usize, i: usize, j: usize) -> f64 {
    let (a, b) = (&targets[i * columns..][..columns], &targets[j * columns..][..columns]);
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

fn median_distance(targets: &[f64], columns: usize) -> f64 {
    let rows = targets.len() / columns;
    let mut distances = Vec::with_capacity(MEDIAN_PAIRS.min(rows * (rows - 1) / 2));
    if rows * (rows - 1) / 2 <= MEDIAN_PAIRS {
        for i in 0..rows {
            distances.extend((i + 1..rows).map(|j| distance(targets, columns, i, j)));
        }
    } else {
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        distances.extend((0..MEDIAN_PAIRS).map(|_| {
            let i = rng.random_range(0..rows);
            let other = rng.random_range(0..rows - 1);
            let j = if other < i { other } else { other + 1 };
            distance(targets, columns, i, j)
        }));
    }
    median(&mut distances)
}

/// The median; the mean of the middle two of an even number.
pub(super) fn median(values: &mut [f64]) -> f64 {
    let middle = values.len() / 2;
    let even = values.len().is_multiple_of(2);
    let (below, &mut upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    if even {
        let lower = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // Halves, since the sum of two large numbers may be infinite.
        lower / 2.0 + upper / 2.0
    } else {
        upper
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_of_all_pairs_of_a_small_set() {
        // Distances of 0, 1, 3, 7: 1, 2, 3, 4, 6, 7.
        assert_eq!(AgreementWidth::Median.resolve(&[0.0, 1.0, 3.0, 7.0], 1).unwrap(), 3.5);
        // Distances of (0, 0), (3, 4), (0, 4): 5, 4, 3.
        let plane = [0.0, 0.0, 3.0, 4.0, 0.0, 4.0];
        assert_eq!(AgreementWidth::Median.resolve(&plane, 2).unwrap(), 4.0);
    }

    #[test]
    fn the_median_of_a_large_set_is_sampled_closely_and_always_alike() {
        // |u - v| of two uniform numbers has the median 1 - sqrt(1/2).
        let n = 20_000;
        let targets: Vec<f64> = (0..n).map(|i| (i as f64 + 0.5) / n as f64).collect();
        let width = AgreementWidth::Median.resolve(&targets, 1).unwrap();
        assert!((width - (1.0 - 0.5_f64.sqrt())).abs() < 2e-3, "{width}");
        assert_eq!(AgreementWidth::Median.resolve(&targets, 1).unwrap(), width);
    }
}
