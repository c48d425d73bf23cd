//! Sums over references in one and two dimensions by a Fourier series, where that is predicted to be faster than pairs.

use std::ops::Range;

/// Queries `[b, k]` and references `[m, k]` in k dimensions.
type Coordinates<'a> = (&'a [f64], &'a [f64], usize);

/// Log sums of each query, and means under their terms.
type Found = (Vec<f64>, Vec<f64>);

/// What is averaged with the sums.
#[cfg_attr(not(feature = "fourier"), expect(dead_code))]
pub(super) enum Averaged<'a> {
    Nothing,
    /// Values `[m, c]`.
    Values(&'a [f64], usize),
    /// Squared distances.
    Squares,
}

/// `log Σ_j exp(-d²_ij)` of each query over a range of the references but those that it leaves out, and means under these
/// terms; `None` where pairs are faster, or some query leaves out several references.
#[cfg(feature = "fourier")]
pub(super) fn sums(
    (queries, references, k): Coordinates<'_>,
    range: Range<usize>,
    left_out: Option<&[Range<usize>]>,
    averaged: Averaged<'_>,
) -> Option<Found> {
    use burn_nca_fourier::{Limits, Moments, Points, Sets, cost, with_moments};

    /// The tolerance of the series.
    const TOLERANCE: f64 = 1e-9;
    /// What the error of a sum is a part of it at most.
    const ERROR: f64 = 1e-6;
    /// Pairs from which the series may be faster.
    const MANY: f64 = 4e6;
    /// What a fused pair takes of the time of one that is summed in log space (`cargo bench -p bench-pairs --bench fourier`).
    const FUSED: f64 = 0.15;

    if !matches!(k, 1 | 2) {
        return None;
    }
    let (b, m) = (queries.len() / k, references.len() / k);
    let pairs = range.len() as f64 * b as f64;
    if pairs < MANY {
        return None;
    }
    let spans = vec![range; b];
    let sets = Sets::new(&spans, m, None);
    let sets = match left_out {
        None => sets,
        Some(left_out) if left_out.iter().all(|span| span.len() <= 1) => {
            let own = |span: &Range<usize>| if span.is_empty() { m } else { span.start };
            sets.without(left_out.iter().map(own).collect())
        }
        Some(_) => return None,
    };
    let (moments, columns) = match averaged {
        Averaged::Values(values, c) => (Moments::Values(values, c), c),
        Averaged::Squares => (Moments::Squares, 0),
        Averaged::Nothing => (Moments::None, 0),
    };
    let points = Points { queries, references, k, sets: &sets, tolerance: TOLERANCE };
    let predicted = cost(&points, columns, false);
    let exact = FUSED * predicted.pairs - predicted.series;
    let found = (exact > 0.0)
        .then(|| with_moments(&points, moments, Limits { relative: ERROR, exact }))
        .flatten();
    let way = found.as_ref().map_or("pair by pair".into(), |(sums, _)| {
        format!("by a Fourier series, {} of them exactly", sums.exact())
    });
    log::debug!("sums of {b} rows over {pairs:e} pairs: {way}");
    found.map(|(sums, means)| (sums.values, means))
}

#[cfg(not(feature = "fourier"))]
pub(super) fn sums(
    _: Coordinates<'_>,
    _: Range<usize>,
    _: Option<&[Range<usize>]>,
    _: Averaged<'_>,
) -> Option<Found> {
    None
}

#[cfg(feature = "fourier")]
#[cfg(test)]
mod tests {
    use burn::tensor::Tensor;

    use super::{Averaged, Range, sums};
    use crate::evaluate::perplexities;
    use crate::neighbors::fixture::tensor;
    use crate::neighbors::{
        Numbers, class_probabilities, kernel_means, leave_one_out_kernel_means,
        leave_one_out_probabilities,
    };

    const CLASSES: usize = 5;

    /// Points in clusters that lie on a spiral, one class a cluster, each of a width of 1 times the scale.
    fn points(n: usize, scale: f64) -> (Vec<f64>, Vec<usize>) {
        let noise = |i: usize| {
            let waves = [0.618_033_988_7, 0.414_213_562_3, 0.732_050_807_5];
            waves.iter().map(|wave| (i as f64 * wave).fract() - 0.5).sum::<f64>()
        };
        let place = |i: usize| {
            let cluster = (i % 7) as f64;
            let center = [(2.1 * cluster).cos() * cluster, (2.1 * cluster).sin() * cluster];
            [center[0] + noise(i), center[1] + noise(i * i % 10_007)].map(|x| scale * x)
        };
        ((0..n).flat_map(place).collect(), (0..n).map(|i| i % 7 % CLASSES).collect())
    }

    /// The points in two dimensions, and with a third in which all are at the same place.
    fn tensors(values: &[f64]) -> [Tensor<2>; 2] {
        let flat: Vec<f64> = values.chunks(2).flat_map(|row| [row[0], row[1], 1.0]).collect();
        [tensor(values, 2), tensor(&flat, 3)]
    }

    #[test]
    fn predictions_by_series_are_those_of_the_pairs() {
        for scale in [0.1, 1.0, 3.0, 30.0] {
            let (values, labels) = points(9000, scale);
            let (queries, references) = values.split_at(2 * 3000);
            let (queries, references) = (tensors(queries), tensors(references));
            let [found, expected] = [0, 1].map(|at| {
                let (queries, references) = (&queries[at], &references[at]);
                class_probabilities(queries, references, &labels[3000..], CLASSES, None).unwrap()
            });
            for row in 0..3000 {
                for class in 0..CLASSES {
                    let off = found.probability(row, class) - expected.probability(row, class);
                    assert!(off.abs() < 1e-6, "{scale}, {row}, {class}: {off:e}");
                    let [a, b] = [&found, &expected].map(|of| of.log_probabilities(row)[class]);
                    assert!((a - b).abs() < 1e-5, "{scale}, {row}, {class}: {a} {b}");
                }
            }
            assert_eq!(found.most_probable(), expected.most_probable());
            let numbers: Vec<f64> = (0..6000).map(|i| 1e3 + (i % 7) as f64).collect();
            let [found, expected] = [0, 1].map(|at| {
                let (queries, references) = (&queries[at], &references[at]);
                kernel_means(queries, references, Numbers::new(&numbers, 1), None).unwrap()
            });
            for (row, (a, b)) in found.iter().zip(&expected).enumerate() {
                assert!((a - b).abs() < 1e-5, "{scale}, {row}: {a} {b}");
            }
        }
    }

    #[test]
    fn rows_without_themselves_have_the_sums_of_the_pairs() {
        for scale in [0.1, 1.0, 3.0, 30.0] {
            let (values, labels) = points(4000, scale);
            let both = tensors(&values);
            let [found, expected] = both.each_ref().map(|points| {
                let probabilities = leave_one_out_probabilities(points, &labels, CLASSES).unwrap();
                let p = (0..4000).map(|row| probabilities.probability(row, labels[row]));
                let numbers: Vec<f64> = labels.iter().map(|label| *label as f64).collect();
                let means = leave_one_out_kernel_means(points, Numbers::new(&numbers, 1)).unwrap();
                let perplexities = perplexities(points).unwrap().into_iter().map(f64::ln);
                p.chain(means).chain(perplexities).collect::<Vec<f64>>()
            });
            for (at, (a, b)) in found.iter().zip(&expected).enumerate() {
                assert!((a - b).abs() < 1e-5, "{scale}, {at}: {a} {b}");
            }
        }
    }

    #[test]
    fn a_series_is_used_where_it_is_faster() {
        let (values, _) = points(9000, 1.0);
        let (queries, references) = values.split_at(2 * 3000);
        let is_used = |queries, k, range: Range<usize>, left_out: Option<&[Range<usize>]>| {
            sums((queries, references, k), range, left_out, Averaged::Nothing).is_some()
        };
        assert!(is_used(queries, 2, 0..6000, None));
        assert!(!is_used(queries, 3, 0..4000, None));
        assert!(!is_used(&queries[..20], 2, 0..6000, None));
        assert!(!is_used(queries, 2, 0..6000, Some(&vec![0..2; 3000])));
    }
}
