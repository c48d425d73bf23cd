//! What the paper's criteria say of single rows: the probability of the own class, and the perplexity.

use super::knn::{check_groups, check_rows};
use super::{Embedded, perplexities_by};
use crate::error::Result;
use crate::neighbors::{ClassReferences, Rule, fewest_others};

/// The terms of f and g, and the perplexity, of some rows of an embedding, each among all rows.
///
/// ```text
/// log p_i = log Σ_{j: y_j = y_i} exp(-d²_ij) - log Σ_{j≠i} exp(-d²_ij)   (equation 2 of [1]),   f = Σ p_i, g = Σ log p_i
/// ```
/// Where the rows have groups, j and l run over the rows of other groups only: neighbors that would not be there for a new
/// group do not count, whatever the objective of the fit summed over.
/// [`perplexities_of`](super::perplexities_of) says what perplexity is, and how exact it is.
///
/// # References
/// \[1\] J. Goldberger et al., Neighborhood Components Analysis, NIPS 2004.
///
/// # Examples
/// ```
/// use burn::tensor::{Device, Tensor};
/// use burn_nca_learn::evaluate::{Embedded, RowTerms};
///
/// let points = Tensor::<2>::from_floats([[0.0], [1.0], [1.0]], &Device::flex());
/// let terms = RowTerms::of(Embedded::new(&points, &[0, 0, 1]), &[0])?;
/// assert!((terms.log_p[0] - 0.5f64.ln()).abs() < 1e-12);
/// assert!((terms.perplexity[0] - 2.0).abs() < 1e-12);
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RowTerms {
    /// log p_i of each row; `-∞` where it is the only one of its class.
    pub log_p: Vec<f64>,
    /// The perplexity of each row; 1 where there is no other row.
    pub perplexity: Vec<f64>,
}

impl RowTerms {
    /// The terms of `rows` among all points.
    ///
    /// # Errors
    /// A coordinate that is not finite, or not one label (or group) per point.
    ///
    /// # Panics
    /// If a row is not below the number of points.
    pub fn of(embedded: Embedded<'_>, rows: &[usize]) -> Result<Self> {
        check_rows("embedding", embedded)?;
        check_groups(embedded)?;
        let Embedded { points, labels, groups } = embedded;
        let classes = labels.iter().max().map_or(0, |most| most + 1);
        let references =
            ClassReferences { groups, ..ClassReferences::new(points, labels, classes) };
        Self::of_rule(&Rule::Neighbors, references, rows)
    }

    /// The terms of `rows` by the rule of a model: `p_ij` is the rule's own where it has one over all rows.
    ///
    /// # Errors
    /// As [`of`](Self::of), or under a rule of its own a row that nothing decides about.
    ///
    /// # Panics
    /// As [`of`](Self::of).
    pub fn of_rule(rule: &Rule, references: ClassReferences<'_>, rows: &[usize]) -> Result<Self> {
        let ClassReferences { embedding, groups, .. } = references;
        match rule {
            Rule::Neighbors if fewest_others(embedding.dims()[0], groups) == 0 => Ok(Self {
                log_p: vec![f64::NEG_INFINITY; rows.len()],
                perplexity: vec![1.0; rows.len()],
            }),
            Rule::Members(rule) => {
                let [log_p, perplexity] = rule.terms(references, rows)?;
                Ok(Self { log_p, perplexity })
            }
            _ => Ok(Self {
                // A weight counts a term as often; the draw of its neighbor is that of the paper.
                log_p: rule
                    .log_own_probabilities(ClassReferences { weights: None, ..references }, rows)?,
                perplexity: perplexities_by(rule, embedding, rows, groups)?,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::perplexities_of;
    use crate::neighbors::fixture::{log_shares, perplexity, tensor};

    #[test]
    fn rows_of_the_own_group_are_in_no_sum() {
        let values: Vec<f64> = (0..60).map(|i| f64::from(i * i % 37) * 0.2).collect();
        let points = tensor(&values, 2);
        let labels: Vec<usize> = (0..30).map(|i| i * i % 3).collect();
        // Groups of several classes, one of a row alone, and class 1 nowhere but in one of them.
        let groups: Vec<usize> = (0..30).map(|i| if i == 29 { 99 } else { i % 4 }).collect();
        let rows: Vec<usize> = (0..30).rev().collect();
        let found = RowTerms::of(Embedded::new(&points, &labels).with_groups(Some(&groups)), &rows);
        let found = found.unwrap();
        for (at, &i) in rows.iter().enumerate() {
            let in_other_group = |j: usize| f64::from(u8::from(groups[j] != groups[i]));
            let shares = log_shares(&values, 2, i, in_other_group);
            let own = (0..30).filter(|&j| labels[j] == labels[i]);
            let p = own.map(|j| shares[j].exp()).sum::<f64>();
            let near = (found.log_p[at].exp() - p).abs() < 1e-10;
            assert!(near, "row {i}: {} and {p}", found.log_p[at].exp());
            let perplexity = perplexity(&shares);
            assert!((found.perplexity[at] - perplexity).abs() < 1e-9 * perplexity);
            let found = perplexities_of(&points, &[i], Some(&groups)).unwrap()[0];
            assert!((found - perplexity).abs() < 1e-9 * perplexity);
        }
        let one = Embedded::new(&points, &labels).with_groups(Some(&[5; 30]));
        assert!(RowTerms::of(one, &[]).unwrap().log_p.is_empty());
        let found = RowTerms::of(one, &[0, 1]).unwrap();
        assert_eq!((found.log_p, found.perplexity), (vec![f64::NEG_INFINITY; 2], vec![1.0; 2]));
    }
}
