//! The stochastic rule of the paper, for queries and for each row by the others.

use burn::tensor::Tensor;

use super::points::{Points, check_labels};
use super::probabilities::ClassProbabilities;
use super::stochastic::Labeled;
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
/// Distances and sums in f64 from the values in the tensors, whatever their dtype, in log space class by
/// class: a class so far that its every weight underflows still has a finite log-probability. Only a class
/// without any usable reference has probability 0 (minus infinity). Memory: no number per pair is held. Sums over many
/// pairs in one and two dimensions may be by a Fourier series (feature `fourier`), which is right to 1e-6.
///
/// # Errors
/// No reference that can be used, labels or `own` that do not fit, different dimensions, or a coordinate
/// that is not finite.
///
/// # References
/// \[1\] J. Goldberger et al., Neighborhood Components Analysis, NIPS 2004.
///
/// # Examples
/// ```
/// use burn::tensor::{Device, Tensor};
/// use burn_nca_learn::neighbors::class_probabilities;
///
/// let device = Device::flex();
/// let references = Tensor::<2>::from_floats([[0.0], [1.0]], &device);
/// let queries = Tensor::<2>::from_floats([[0.0]], &device);
/// let probabilities = class_probabilities(&queries, &references, &[0, 1], 2, None)?;
/// assert!((probabilities.probability(0, 0) - 1.0 / (1.0 + (-1f64).exp())).abs() < 1e-12);
/// assert_eq!(probabilities.most_probable(), [0]);
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
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
    check_labels(labels, rows.rows(), classes)?;
    let own: Vec<usize> = (0..rows.rows()).collect();
    let problem = Labeled { references: &rows, labels, classes, weights: None, groups: None };
    problem.probabilities(&rows, Some(&own))
}

#[cfg(test)]
mod tests {
    use burn::tensor::{DType, Device, TensorData};
    use proptest::prelude::*;

    use super::*;

    fn tensor(values: &[f64], k: usize, dtype: DType) -> Tensor<2> {
        let data = TensorData::new(values.to_vec(), [values.len() / k, k]).convert_dtype(dtype);
        Tensor::from_data(data, (&Device::flex(), dtype))
    }

    /// p_ij of equation 1 with nested loops; one row a query, p_ii = 0.
    fn naive(values: &[f64], k: usize) -> Vec<Vec<f64>> {
        let n = values.len() / k;
        let weight = |i: usize, j: usize| {
            let d2: f64 = (0..k).map(|c| (values[i * k + c] - values[j * k + c]).powi(2)).sum();
            if i == j { 0.0 } else { (-d2).exp() }
        };
        (0..n)
            .map(|i| {
                let sum: f64 = (0..n).map(|j| weight(i, j)).sum();
                (0..n).map(|j| weight(i, j) / sum).collect()
            })
            .collect()
    }

    proptest! {
        #[test]
        fn class_probabilities_are_those_of_the_definition(
            values in prop::collection::vec(-2.0f64..2.0, 6..90),
            labels in prop::collection::vec(0usize..4, 30),
        ) {
            let n = values.len() / 3;
            let values = &values[..3 * n];
            let found =
                leave_one_out_probabilities(&tensor(values, 3, DType::F64), &labels[..n], 4).unwrap();
            for (i, p) in naive(values, 3).iter().enumerate() {
                for class in 0..4 {
                    let expected: f64 = (0..n).filter(|j| labels[*j] == class).map(|j| p[j]).sum();
                    let found = found.probability(i, class);
                    prop_assert!((found - expected).abs() < 1e-10, "{} is not {}", found, expected);
                }
            }
        }

        #[test]
        fn rows_of_p_sum_to_one_and_p_is_not_its_transpose(
            values in prop::collection::vec(-2.0f64..2.0, 8..60),
        ) {
            // One class per point: the class probabilities are p_ij itself.
            let n = values.len() / 2;
            let own_class: Vec<usize> = (0..n).collect();
            let points = tensor(&values[..2 * n], 2, DType::F64);
            let p = leave_one_out_probabilities(&points, &own_class, n).unwrap();
            let mut asymmetry: f64 = 0.0;
            for (i, expected) in naive(&values[..2 * n], 2).iter().enumerate() {
                let row: Vec<f64> = (0..n).map(|j| p.probability(i, j)).collect();
                prop_assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                prop_assert_eq!(row[i], 0.0);
                for (j, (found, expected)) in row.iter().zip(expected).enumerate() {
                    prop_assert!((found - expected).abs() < 1e-10);
                    asymmetry = asymmetry.max((found - p.probability(j, i)).abs());
                }
            }
            prop_assert!(asymmetry > 1e-9);
        }

        #[test]
        fn references_that_hold_the_query_give_the_same_as_references_without_it(
            values in prop::collection::vec(-1.0f64..1.0, 12..60),
        ) {
            let n = values.len() / 2;
            let labels: Vec<usize> = (0..n).map(|i| i % 3).collect();
            let (query, others) = (&values[..2], &values[2..2 * n]);
            let query = tensor(query, 2, DType::F64);
            let without =
                class_probabilities(&query, &tensor(others, 2, DType::F64), &labels[1..], 3, None).unwrap();
            let all = tensor(&values[..2 * n], 2, DType::F64);
            let with = class_probabilities(&query, &all, &labels, 3, Some(&[0])).unwrap();
            for class in 0..3 {
                prop_assert!((with.probability(0, class) - without.probability(0, class)).abs() < 1e-14);
            }
        }
    }

    proptest! {
        #[test]
        fn few_and_many_dimensions_give_the_same(
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
            weights[0] = 1.0;
            weights[n - 1] = 2.0;
            let own: Vec<usize> = asked.into_iter().map(|row| row % n).collect();
            let rows = |values: &[f64], k: usize| {
                let some = own.iter().flat_map(|row| values[row * k..(row + 1) * k].to_vec());
                (tensor(&some.collect::<Vec<_>>(), k, DType::F64), tensor(values, k, DType::F64))
            };
            let (narrow, wide) = (rows(&values, 2), rows(&wide, 72));
            for weights in [None, Some(weights.as_slice())] {
                for own in [None, Some(own.as_slice())] {
                    let voters = Voters::new(&labels, 4, weights).unwrap();
                    let a = voters.probabilities(&narrow.0, &narrow.1, own).unwrap();
                    let b = voters.probabilities(&wide.0, &wide.1, own).unwrap();
                    for query in 0..narrow.0.dims()[0] {
                        let both = a.log_probabilities(query).iter().zip(b.log_probabilities(query));
                        for (a, b) in both {
                            let bound = 1e-10 * (1.0 + b.abs());
                            prop_assert!(a == b || (a - b).abs() < bound, "{} {}", a, b);
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
            let found =
                leave_one_out_probabilities(&tensor(&values, 3, DType::F32), &labels, 4).unwrap();
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
        let far = tensor(&[0.0, 1000f64.sqrt(), -(1016f64.sqrt())], 1, DType::F64);
        let found = leave_one_out_probabilities(&far, &[0, 0, 1], 2).unwrap();
        assert!(
            (found.log_probabilities(0)[1] - (-16.0 - (1.0 + (-16f64).exp()).ln())).abs() < 1e-9
        );
    }

    #[test]
    fn only_a_class_without_usable_references_has_probability_zero() {
        let points = tensor(&[0.0, 1.0, 3.0], 1, DType::F64);
        let found = leave_one_out_probabilities(&points, &[0, 1, 1], 3).unwrap();
        assert_eq!(found.log_probabilities(0), [f64::NEG_INFINITY, 0.0, f64::NEG_INFINITY]);
        assert!(found.probability(1, 0) > 0.0);
        assert_eq!(found.most_probable(), [1, 0, 1]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let points = tensor(&[0.0, 1.0], 1, DType::F64);
        assert!(leave_one_out_probabilities(&points, &[0], 1).is_err());
        assert!(leave_one_out_probabilities(&points, &[0, 2], 2).is_err());
        assert!(class_probabilities(&points, &points, &[0, 0], 1, Some(&[0])).is_err());
        let single = tensor(&[0.0], 1, DType::F64);
        let error = leave_one_out_probabilities(&single, &[0], 1).unwrap_err().to_string();
        assert!(error.contains("no reference other than the query itself"), "{error}");
    }
}
