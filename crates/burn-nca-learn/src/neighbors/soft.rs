//! The stochastic rule of the paper, for queries and for each row by the others.

use burn::tensor::Tensor;

use super::points::Points;
use super::probabilities::ClassProbabilities;
use super::voters::Voters;
use crate::error::Result;

/// The stochastic rule of the paper: class probabilities of queries given labeled references.
///
/// ```text
/// P(c | x_i) = Σ_{j: y_j = c} exp(-d²_ij) / Σ_l exp(-d²_il),   d²_ij = ||z_i - z_j||²    (section 2 of [1])
/// ```
/// `own[i]` is the reference row that is query i, left out of both sums (p_ii = 0). The bandwidth is that of
/// the embedding itself, as learned.
///
/// # Shapes
/// - queries: `[n, k]`, references: `[m, k]`, labels: m classes below `classes`
///
/// # Numerics
/// In f64 and in log space class by class: only a class without any usable reference has probability 0 (minus infinity).
/// Memory: no number per pair is held. Sums over many pairs in one and two dimensions may be by a Fourier series (feature
/// `fourier`), which is right to 1e-6.
///
/// # Errors
/// No reference that can be used, labels or `own` that do not fit, different dimensions, or a coordinate
/// that is not finite.
///
/// # References
/// \[1\] J. Goldberger et al., Neighborhood Components Analysis, NIPS 2004.
pub fn class_probabilities(
    queries: &Tensor<2>,
    references: &Tensor<2>,
    labels: &[usize],
    classes: usize,
    own: Option<&[usize]>,
) -> Result<ClassProbabilities> {
    Voters::new(labels, classes, None)?.probabilities(queries, references, own)
}

/// The class probabilities of each row of `points` given all other rows.
///
/// The probability of a row's own class is the p_i of the paper (equation 2).
///
/// # Errors
/// As [`class_probabilities`].
pub fn leave_one_out_probabilities(
    points: &Tensor<2>,
    labels: &[usize],
    classes: usize,
) -> Result<ClassProbabilities> {
    let rows = Points::read(points, "points")?;
    let own: Vec<usize> = (0..rows.rows()).collect();
    Voters::new(labels, classes, None)?.among(&[rows.clone(), rows], Some(&own))
}

#[cfg(test)]
mod tests {
    use burn::tensor::DType;
    use proptest::prelude::*;

    use super::super::fixture::{log_shares, log_sum, tensor, tensor_of};
    use super::*;

    proptest! {
        #[test]
        fn class_probabilities_are_those_of_the_definition_in_few_and_many_dimensions(
            values in prop::collection::vec(-3.0f64..3.0, 12..120),
            weights in prop::collection::vec(0.0f64..4.0, 60),
            scale in 0.1f64..30.0,
            asked in prop::collection::vec(0usize..60, 1..40),
        ) {
            // Further dimensions in which all are at the same place change no distance.
            let n = values.len() / 2;
            let values: Vec<f64> = values[..2 * n].iter().map(|x| x * scale).collect();
            let wide: Vec<f64> =
                values.chunks(2).flat_map(|row| [row, &[1.0; 70]].concat()).collect();
            let labels: Vec<usize> = (0..n).map(|i| i * i % 4).collect();
            let mut weights = weights[..n].to_vec();
            (weights[0], weights[1], weights[n - 1]) = (1.0, 0.0, 2.0);
            let asked: Vec<usize> = asked.into_iter().map(|row| row % n).collect();
            for (weights, own) in [
                (None, None),
                (None, Some(&asked[..])),
                (Some(&weights[..]), None),
                (Some(&weights[..]), Some(&asked[..])),
            ] {
                let voters = Voters::new(&labels, 4, weights).unwrap();
                let [narrow, wide] = [(&values, 2), (&wide, 72)].map(|(values, d)| {
                    let queries = asked.iter().flat_map(|row| &values[row * d..][..d]).copied();
                    let queries = tensor(&queries.collect::<Vec<f64>>(), d);
                    voters.probabilities(&queries, &tensor(values, d), own).unwrap()
                });
                for (query, &i) in asked.iter().enumerate() {
                    let shares = log_shares(&values, 2, i, |j| {
                        let left_out = own.is_some() && i == j;
                        if left_out { 0.0 } else { weights.map_or(1.0, |weights| weights[j]) }
                    });
                    for class in 0..4 {
                        let of_class = (0..n).filter(|&j| labels[j] == class).map(|j| shares[j]);
                        let expected = log_sum(&of_class.collect::<Vec<f64>>());
                        for found in [&narrow, &wide] {
                            let found = found.log_probabilities(query)[class];
                            let bound = 1e-10 * (1.0 + expected.abs());
                            let close = found == expected || (found - expected).abs() < bound;
                            prop_assert!(close, "{found} is not {expected}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn logs_are_finite_at_every_scale_in_f32_and_when_every_weight_underflows() {
        for exponent in -6..=6 {
            let scale = 10f64.powi(exponent);
            let values: Vec<f64> = (0..60).map(|i| f64::from(i * i % 37) * scale).collect();
            let labels: Vec<usize> = (0..20).map(|i| i % 4).collect();
            let found = leave_one_out_probabilities(&tensor_of(&values, 3, DType::F32), &labels, 4)
                .unwrap();
            for row in 0..20 {
                let logs = found.log_probabilities(row);
                assert!(
                    logs.iter().all(|log| log.is_finite() && *log <= 0.0),
                    "1e{exponent}: {logs:?}"
                );
                assert!((logs.iter().map(|log| log.exp()).sum::<f64>() - 1.0).abs() < 1e-9);
            }
        }
        // exp(-1000) is 0 in f64; the ratio of the classes is e^-16 all the same.
        let far = tensor(&[0.0, 1000f64.sqrt(), -(1016f64.sqrt())], 1);
        let found = leave_one_out_probabilities(&far, &[0, 0, 1], 2).unwrap();
        assert!(
            (found.log_probabilities(0)[1] - (-16.0 - (1.0 + (-16f64).exp()).ln())).abs() < 1e-9
        );
    }
}
