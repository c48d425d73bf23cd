//! What the paper's criteria say of single rows: the probability of the own class, and the perplexity.

use core::cmp::Ordering;
use core::ops::Range;

use burn::tensor::Tensor;
use burn_nca::internal::cut;
use burn_nca_fused::{NeighborSets, Number};

use super::knn::check_groups;
use super::{Embedded, perplexities_by};
use crate::error::{Error, Result};
use crate::neighbors::{
    ClassReferences, Entropy, PART_ROWS, Points, Rule, log_of_sum, of_part, series_log_sums,
    sums_and_entropies,
};

/// The terms of f and g, and the perplexity, of some rows of an embedding, each among all rows.
///
/// ```text
/// log p_i = log Σ_{j: y_j = y_i} exp(-d²_ij) - log Σ_{j≠i} exp(-d²_ij)   (equation 2 of [1]),   f = Σ p_i, g = Σ log p_i
/// ```
/// Where the rows have groups, j and l run over the rows of other groups only: neighbors that would not be there for a new
/// group do not count, whatever the objective of the fit summed over.
/// Both from one pass over the pairs; [`perplexities_of`](super::perplexities_of) says what perplexity is, and how exact
/// it is.
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
        let all = Points::read(embedded.points, "embedding's points")?;
        let n = all.rows();
        let Embedded { labels, groups, .. } = embedded;
        if labels.len() != n {
            return Err(Error::data(format!(
                "{} labels for {n} points; give one label per point",
                labels.len()
            )));
        }
        check_groups(embedded)?;
        Asked { labels, groups, rows }.by_parts(n.max(1), |some| Ok(all.select(some).to_vec()))
    }

    /// The terms of `rows` by the rule of a model: `p_ij` is the rule's own where it has one over all rows.
    ///
    /// # Errors
    /// As [`of`](Self::of), or a row that nothing decides about under the rule.
    ///
    /// # Panics
    /// As [`of`](Self::of).
    pub fn of_rule(rule: &Rule, references: ClassReferences<'_>, rows: &[usize]) -> Result<Self> {
        let ClassReferences { embedding, labels, groups, .. } = references;
        match rule {
            Rule::Neighbors => Self::of(Embedded::new(embedding, labels).with_groups(groups), rows),
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

    /// The terms of `rows` among all points of these labels (and groups), which `embed` embeds a part at a time: so many
    /// that they are not to be in f64 together.
    ///
    /// # Errors
    /// What `embed` refuses, or a coordinate that is not finite.
    ///
    /// # Panics
    /// If a row is not below the number of points, or there is not one group per label.
    pub fn in_parts<E: From<Error>>(
        (labels, groups): (&[usize], Option<&[usize]>),
        rows: &[usize],
        embed: impl Fn(&[usize]) -> core::result::Result<Tensor<2>, E>,
    ) -> core::result::Result<Self, E> {
        Asked { labels, groups, rows }.by_parts(PART_ROWS, |some| {
            Ok(Points::read(&embed(some)?, "embedding's points")?.to_vec())
        })
    }
}

/// All points, and those whose terms are asked for.
struct Asked<'a> {
    labels: &'a [usize],
    groups: Option<&'a [usize]>,
    rows: &'a [usize],
}

impl Asked<'_> {
    /// The terms of the rows; `values` gives the coordinates of some points, row-major.
    fn by_parts<E>(
        &self,
        part_rows: usize,
        values: impl Fn(&[usize]) -> core::result::Result<Vec<f64>, E>,
    ) -> core::result::Result<RowTerms, E> {
        if self.rows.is_empty() {
            return Ok(RowTerms { log_p: Vec::new(), perplexity: Vec::new() });
        }
        let queries = values(self.rows)?;
        let mut sums = Sums::new(&queries, self.rows.len());
        // In class order, a class is one range, and what a row does not see of it another.
        let class = |row: usize| (self.labels[row], self.group(row));
        let (order, left_out) = self.ordered(class);
        let same = |row: &usize, other: usize| self.labels[other].cmp(&self.labels[*row]);
        let span = |row: &usize| range(&order, |other| same(row, other));
        let classes: Vec<Range<usize>> = self.rows.iter().map(span).collect();
        for part in cut(0..order.len(), part_rows) {
            let references = values(&order[part.clone()])?;
            sums.add_own(&references, (&classes, &left_out), &part);
            if self.groups.is_none() {
                sums.add_all(&references, &left_out, &part);
            }
        }
        if self.groups.is_some() {
            // A group may have rows of several classes: it is one range in its own order.
            let (order, left_out) = self.ordered(|row| self.group(row));
            for part in cut(0..order.len(), part_rows) {
                sums.add_all(&values(&order[part.clone()])?, &left_out, &part);
            }
        }
        Ok(sums.terms())
    }

    /// What a row does not see: the rows of this number.
    fn group(&self, row: usize) -> usize {
        self.groups.map_or(row, |groups| groups[row])
    }

    /// All rows in the order of a key, and the range of those with the key of each row that is asked for.
    fn ordered<K: Ord>(&self, key: impl Fn(usize) -> K) -> (Vec<usize>, Vec<Range<usize>>) {
        let mut order: Vec<usize> = (0..self.labels.len()).collect();
        order.sort_by_key(|&row| (key(row), row));
        let span = |&row: &usize| range(&order, |other| key(other).cmp(&key(row)));
        let spans = self.rows.iter().map(span).collect();
        (order, spans)
    }
}

/// Sums over pairs of the rows that are asked for, part by part.
struct Sums<'a> {
    queries: &'a [f64],
    all: Vec<Entropy>,
    own: Vec<f64>,
}

impl<'a> Sums<'a> {
    fn new(queries: &'a [f64], rows: usize) -> Self {
        Self { queries, all: vec![Entropy::default(); rows], own: vec![f64::NEG_INFINITY; rows] }
    }

    /// Number of coordinates.
    fn dimensions(&self) -> usize {
        self.queries.len() / self.own.len()
    }

    /// Adds all of a part but what each row does not see.
    fn add_all(&mut self, references: &[f64], left_out: &[Range<usize>], part: &Range<usize>) {
        let points = (self.queries, references, self.dimensions());
        let found = sums_and_entropies(points, Some(left_out), part);
        self.all.iter_mut().zip(found).for_each(|(all, found)| all.add(found));
    }

    /// Adds of a part what is of the class of each row, before and after what it does not see.
    fn add_own(
        &mut self,
        references: &[f64],
        (classes, left_out): (&[Range<usize>], &[Range<usize>]),
        part: &Range<usize>,
    ) {
        let b = self.own.len();
        let [of_class, out] = [classes, left_out].map(|spans| of_part(spans, part));
        let points = (self.queries, references, self.dimensions());
        if let Some(found) = series_log_sums(points, &of_class, Some(&out)) {
            let sums = self.own.iter_mut().zip(found);
            return sums.for_each(|(sum, found)| *sum = log_of_sum(*sum, found));
        }
        let spans = of_class.iter().zip(&out);
        let before = spans.clone().map(|(class, out)| class.start..out.start);
        let after = spans.map(|(class, out)| out.end..class.end);
        let columns = NeighborSets::within(before.chain(after).collect(), part.len());
        let queries = self.queries.repeat(2);
        let found = f64::statistics(&queries, references, self.dimensions(), &columns);
        let (least, logs) = found.split_at(2 * b);
        let log_sum = |at: usize| logs[at] - least[at];
        for (at, sum) in self.own.iter_mut().enumerate() {
            *sum = log_of_sum(*sum, log_of_sum(log_sum(at), log_sum(b + at)));
        }
    }

    fn terms(self) -> RowTerms {
        let log_p = self.own.iter().zip(&self.all).map(|(own, all)| match *own {
            // Of its class there is no other, though perhaps none at all.
            f64::NEG_INFINITY => f64::NEG_INFINITY,
            own => (own - all.log).min(0.0),
        });
        let perplexity = self.all.iter().map(|all| all.entropy.exp()).collect();
        RowTerms { log_p: log_p.collect(), perplexity }
    }
}

/// Where an order is equal, by how its rows compare.
fn range(order: &[usize], compare: impl Fn(usize) -> Ordering) -> Range<usize> {
    let start = order.partition_point(|&row| compare(row).is_lt());
    start..order.partition_point(|&row| compare(row).is_le())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::{perplexities, perplexities_of};
    use crate::neighbors::fixture::{line, log_shares, perplexity, tensor};
    use crate::neighbors::leave_one_out_probabilities;

    #[test]
    fn terms_are_those_of_the_stochastic_rule_and_of_perplexity() {
        for spread in [0.1, 1.0, 30.0] {
            let values: Vec<f64> = (0..90).map(|i| f64::from(i * i % 37) * spread).collect();
            let points = tensor(&values, 3);
            // The last row is alone in its class.
            let labels: Vec<usize> = (0..30).map(|i| if i == 29 { 7 } else { i % 4 }).collect();
            let rows = [28, 3, 11, 29];
            let found = RowTerms::of(Embedded::new(&points, &labels), &rows).unwrap();
            let expected = leave_one_out_probabilities(&points, &labels, 8).unwrap();
            let perplexity = perplexities(&points).unwrap();
            for (at, &row) in rows.iter().enumerate() {
                let log_p = expected.log_probabilities(row)[labels[row]];
                let (found, of) = (found.log_p[at], found.perplexity[at]);
                let equal = found == log_p || (found - log_p).abs() < 1e-9 * (1.0 + log_p.abs());
                assert!(equal, "row {row}: {found} and {log_p}");
                assert!((of - perplexity[row]).abs() < 1e-10 * of, "row {row}");
            }
        }
    }

    #[test]
    fn parts_add_up_to_the_terms_of_the_whole() {
        let values: Vec<f64> = (0..90).map(|i| f64::from(i * i % 37) * 0.3).collect();
        let labels: Vec<usize> = (0..30).map(|i| if i == 29 { 7 } else { i * i % 4 }).collect();
        let points = tensor(&values, 3);
        let rows: Vec<usize> = (0..30).rev().collect();
        let whole = RowTerms::of(Embedded::new(&points, &labels), &rows).unwrap();
        for part_rows in [1, 4, 29, 30] {
            let asked = Asked { labels: &labels, groups: None, rows: &rows };
            let parts = asked.by_parts(part_rows, |some| {
                let row = |&row: &usize| values[3 * row..3 * row + 3].to_vec();
                Ok::<_, Error>(some.iter().flat_map(row).collect())
            });
            let parts = parts.unwrap();
            let pairs = |of: fn(&RowTerms) -> &Vec<f64>| of(&whole).iter().zip(of(&parts));
            let pairs = pairs(|terms| &terms.log_p).chain(pairs(|terms| &terms.perplexity));
            for (expected, found) in pairs {
                let near = (found - expected).abs() < 1e-12 * (1.0 + expected.abs());
                assert!(found == expected || near, "{part_rows}: {found} and {expected}");
            }
        }
        let select = |some: &[usize]| {
            let row = |&row: &usize| points.clone().slice([row..row + 1]);
            Ok::<_, Error>(Tensor::cat(some.iter().map(row).collect(), 0))
        };
        assert_eq!(RowTerms::in_parts((&labels, None), &rows, select).unwrap(), whole);
    }

    #[test]
    fn rows_of_the_own_group_are_in_no_sum() {
        let values: Vec<f64> = (0..60).map(|i| f64::from(i * i % 37) * 0.2).collect();
        let points = tensor(&values, 2);
        let labels: Vec<usize> = (0..30).map(|i| i * i % 3).collect();
        // Groups of several classes, one of a row alone, and class 1 nowhere but in one of them.
        let groups: Vec<usize> = (0..30).map(|i| if i == 29 { 99 } else { i % 4 }).collect();
        let rows: Vec<usize> = (0..30).rev().collect();
        for part_rows in [1, 7, 30] {
            let asked = Asked { labels: &labels, groups: Some(&groups), rows: &rows };
            let select = |some: &[usize]| {
                let row = |&row: &usize| values[2 * row..2 * row + 2].to_vec();
                Ok::<_, Error>(some.iter().flat_map(row).collect())
            };
            let found = asked.by_parts(part_rows, select).unwrap();
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
        }
        let one = Embedded::new(&points, &labels).with_groups(Some(&[5; 30]));
        let found = RowTerms::of(one, &[0, 1]).unwrap();
        assert_eq!((found.log_p, found.perplexity), (vec![f64::NEG_INFINITY; 2], vec![1.0; 2]));
    }

    #[test]
    fn labels_that_do_not_fit_are_refused_and_no_row_has_no_term() {
        let points = line(&[0.0, 1.0]);
        let of = |labels, rows| RowTerms::of(Embedded::new(&points, labels), rows);
        assert!(of(&[0], &[0]).is_err());
        assert!(of(&[0, 0], &[]).unwrap().log_p.is_empty());
    }
}
