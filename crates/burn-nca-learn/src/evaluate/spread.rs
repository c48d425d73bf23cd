//! The spread of an embedding, and whether it has collapsed.

use burn::tensor::Tensor;
use faer::MatRef;

use crate::error::Result;
use crate::neighbors::Points;

/// Mean squared distances below this leave all weights exp(-d²) equal within a few thousandths.
const POINT_VARIANCE: f64 = 1e-3;

/// An effective rank below this means that one direction holds at least 97.5 % of the variance.
const LINE_RANK: f64 = 1.05;

/// How an embedding is spread: the sign of collapse, the most common complaint of metric learning.
///
/// ```text
/// total variance   V = tr C = Σ_a λ_a            C = the covariance (population), in squared units of z
/// effective rank   R = (tr C)² / tr C² = (Σ λ_a)² / Σ λ_a²        the participation ratio, 1..k
/// ```
/// 2 V is the mean squared distance of two rows drawn at random, on the scale of the kernel exp(-d²).
///
/// # Examples
/// ```
/// use burn::tensor::{Device, Tensor};
/// use burn_nca_learn::evaluate::{Collapse, Spread};
///
/// let points = Tensor::<2>::from_floats([[0., 0.], [2., 0.], [0., 2.], [2., 2.]], &Device::flex());
/// let spread = Spread::of(&points)?.expect("there are rows");
/// assert_eq!(spread.total_variance, 2.0);
/// assert!(spread.effective_rank.is_some_and(|rank| (rank - 2.0).abs() < 1e-12));
/// assert_eq!(spread.collapse(), None);
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The total variance V, in squared units of the embedding.
    pub total_variance: f64,
    /// The effective rank R, from 1 to the number of dimensions; `None` where all rows are equal.
    pub effective_rank: Option<f64>,
    /// Number of dimensions of the embedding, k.
    pub dimensions: usize,
}

/// What an embedding has collapsed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collapse {
    /// One point: the total variance is below 0.001, so that two rows drawn at random are at a mean squared
    /// distance below 0.002 and the kernel exp(-d²) gives every neighbor practically the same weight.
    Point,
    /// A line, in an embedding of two or more dimensions: the effective rank is below 1.05, that is, one
    /// direction holds at least 97.5 % of the variance. Two classes may need no more than a line.
    Line,
}

impl Spread {
    /// The spread of the rows of `points`, `[n, k]`; `None` without rows.
    ///
    /// In f64 from the values in the tensor.
    ///
    /// # Errors
    /// A coordinate that is not finite.
    pub fn of(points: &Tensor<2>) -> Result<Option<Self>> {
        let rows = Points::read(points, "embedding's points")?;
        let (n, k) = (rows.rows(), rows.dimensions());
        if n == 0 {
            return Ok(None);
        }
        let mean = rows.mean();
        let centered: Vec<f64> = (0..n)
            .flat_map(|row| rows.row(row).iter().zip(&mean).map(|(x, mean)| x - mean))
            .collect();
        let total = centered.iter().map(|x| x * x).sum::<f64>() / n as f64;
        let effective_rank = (total > 0.0).then(|| {
            // To a total variance of 1: the fourth powers of large coordinates would overflow.
            let unit: Vec<f64> = centered.iter().map(|x| x / (total * n as f64).sqrt()).collect();
            // Rounding may lead just below 1, which no spread has.
            (1.0 / squared_norm_of_scatter(&unit, n, k)).max(1.0)
        });
        Ok(Some(Self { total_variance: total, effective_rank, dimensions: k }))
    }

    /// What the embedding has collapsed to; `None` where it has not.
    pub fn collapse(&self) -> Option<Collapse> {
        match self.effective_rank {
            _ if self.total_variance < POINT_VARIANCE => Some(Collapse::Point),
            Some(rank) if self.dimensions > 1 && rank < LINE_RANK => Some(Collapse::Line),
            _ => None,
        }
    }
}

/// `||ZᵀZ||²` (Frobenius) of the row-major `[n, k]` matrix Z, as `||ZZᵀ||²` where that is smaller.
fn squared_norm_of_scatter(values: &[f64], n: usize, k: usize) -> f64 {
    let z = MatRef::from_row_major_slice(values, n, k);
    let scatter = if k <= n { z.transpose() * z } else { z * z.transpose() };
    scatter.squared_norm_l2()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::neighbors::fixture::tensor;

    fn spread(values: &[f64], k: usize) -> Spread {
        Spread::of(&tensor(values, k)).unwrap().unwrap()
    }

    /// Total variance and participation ratio by the covariance, with nested loops.
    fn naive(values: &[f64], k: usize) -> (f64, f64) {
        let n = values.len() / k;
        let mean = |a: usize| (0..n).map(|i| values[i * k + a]).sum::<f64>() / n as f64;
        let covariance = |a: usize, b: usize| {
            let product = |i: usize| (values[i * k + a] - mean(a)) * (values[i * k + b] - mean(b));
            (0..n).map(product).sum::<f64>() / n as f64
        };
        let trace: f64 = (0..k).map(|a| covariance(a, a)).sum();
        let squares: f64 = (0..k)
            .flat_map(|a| (0..k).map(move |b| (a, b)))
            .map(|(a, b)| covariance(a, b).powi(2))
            .sum();
        (trace, trace * trace / squares)
    }

    proptest! {
        #[test]
        fn variance_and_rank_are_those_of_the_covariance(
            values in prop::collection::vec(-3.0f64..3.0, 12..60),
            k in prop::sample::select(vec![1usize, 2, 3, 6]),
        ) {
            let values = &values[..values.len() / k * k];
            let found = spread(values, k);
            let (variance, rank) = naive(values, k);
            prop_assert!((found.total_variance - variance).abs() < 1e-10 * variance);
            prop_assert!((found.effective_rank.unwrap() - rank).abs() < 1e-10 * rank);
        }
    }

    #[test]
    fn collapse_to_a_point_and_to_a_line_is_told() {
        assert_eq!(spread(&[5.0; 8], 2).collapse(), Some(Collapse::Point));
        assert_eq!(spread(&[5.0; 8], 2).effective_rank, None);
        assert_eq!(spread(&[0.0, 0.01, 0.01, 0.0, 0.0, 0.0], 2).collapse(), Some(Collapse::Point));
        let line: Vec<f64> = (0..10).flat_map(|i| [f64::from(i), 2.0 * f64::from(i)]).collect();
        assert_eq!(spread(&line, 2).collapse(), Some(Collapse::Line));
        assert_eq!(spread(&line, 1).collapse(), None);
        assert_eq!(spread(&[0.0, 0.0, 2.0, 0.0, 0.0, 2.0, 2.0, 2.0], 2).collapse(), None);
    }
}
