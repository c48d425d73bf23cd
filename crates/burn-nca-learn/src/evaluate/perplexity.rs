//! The perplexity of each point.

use burn::tensor::Tensor;

use crate::error::Result;
use crate::neighbors::{ClassReferences, Exclude, Points, Rule, entropies, manhattan_perplexities};

/// The perplexity of each point of an embedding: how many neighbors its kernel effectively counts.
///
/// ```text
/// exp(H_i),   H_i = -Σ_j p_ij log p_ij,   p_ij = exp(-d²_ij) / Σ_{l≠i} exp(-d²_il),   p_ii = 0    (eq. 1 of [1])
/// ```
/// From 1 (one neighbor has all the weight) to n - 1 (all others weigh the same).
///
/// # Shapes
/// - points: `[n, k]`; the result has n entries, none for fewer than two points
///
/// # Numerics
/// In f64 and in log space, finite and right at every scale. Memory by blocks, never n x n. In one and two dimensions a
/// Fourier series may be used, as by [`class_probabilities`](crate::neighbors::class_probabilities).
///
/// # Errors
/// A coordinate that is not finite.
///
/// # References
/// \[1\] J. Goldberger et al., Neighborhood Components Analysis, NIPS 2004.
pub fn perplexities(points: &Tensor<2>) -> Result<Vec<f64>> {
    let all: Vec<usize> = (0..points.dims()[0]).collect();
    perplexities_of(points, &all, None)
}

/// The perplexity of some of the points of an embedding, among all of them: see [`perplexities`].
///
/// Where the points have groups, each is among those of other groups only; without any, its perplexity is 1.
///
/// # Errors
/// A coordinate that is not finite.
///
/// # Panics
/// If a row is not below the number of points, or there is not a group for each.
pub fn perplexities_of(
    points: &Tensor<2>,
    rows: &[usize],
    groups: Option<&[usize]>,
) -> Result<Vec<f64>> {
    let all = Points::read(points, "embedding's points")?;
    if all.rows() < 2 {
        return Ok(Vec::new());
    }
    let others = Exclude::own(rows).with_groups(groups);
    let found = entropies(&all.select(rows), &all, others)?;
    Ok(found.into_iter().map(f64::exp).collect())
}

/// The perplexity of the `p_ij` of a model's rule: of NCA's where the rule has none over all rows.
///
/// See [`perplexities_of`].
///
/// # Errors
/// A coordinate that is not finite, or under a rule with its own `p_ij` a row without another to decide about it.
///
/// # Panics
/// As [`perplexities_of`].
pub fn perplexities_by(
    rule: &Rule,
    points: &Tensor<2>,
    rows: &[usize],
    groups: Option<&[usize]>,
) -> Result<Vec<f64>> {
    match rule {
        _ if points.dims()[0] < 2 => Ok(Vec::new()),
        Rule::Manhattan => manhattan_perplexities(points, rows, groups),
        Rule::Members(rule) => {
            let alike = vec![0; points.dims()[0]];
            let references = ClassReferences { groups, ..ClassReferences::new(points, &alike, 1) };
            let [_, perplexity] = rule.terms(references, rows)?;
            Ok(perplexity)
        }
        _ => perplexities_of(points, rows, groups),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::neighbors::fixture::{log_shares, others, perplexity, tensor};

    proptest! {
        #[test]
        fn perplexities_are_those_of_the_definition(
            values in prop::collection::vec(-2.0f64..2.0, 6..90),
        ) {
            let values = &values[..values.len() / 3 * 3];
            let found = perplexities(&tensor(values, 3)).unwrap();
            for (i, found) in found.iter().enumerate() {
                let expected = perplexity(&log_shares(values, 3, i, others(i)));
                prop_assert!((found - expected).abs() < 1e-10 * expected, "{found} is not {expected}");
            }
        }
    }

    #[test]
    fn few_and_equal_points_have_a_perplexity_too() {
        assert!(perplexities(&tensor(&[3.0], 1)).unwrap().is_empty());
        assert_eq!(perplexities(&tensor(&[0.0, 900.0], 1)).unwrap(), [1.0, 1.0]);
        for p in perplexities(&tensor(&[2.5; 8], 1)).unwrap() {
            assert!((p - 7.0).abs() < 1e-13);
        }
    }
}
