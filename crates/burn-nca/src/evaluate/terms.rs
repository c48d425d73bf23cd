//! What the paper's criteria say of single rows: the probability of the own class, and the perplexity.

use core::ops::Range;

use burn::tensor::Tensor;
use burn_nca_fused::{Columns, Number};

use crate::error::{Error, Result};
use crate::neighbors::{Entropy, PART_ROWS, Points, log_of_sum, others, sums_and_entropies};

/// The terms of f and g, and the perplexity, of some rows of an embedding, each among all rows.
///
/// ```text
/// log p_i = log Σ_{j: y_j = y_i} exp(-d²_ij) - log Σ_{j≠i} exp(-d²_ij)   (equation 2 of [1]),   f = Σ p_i, g = Σ log p_i
/// ```
/// Both from one pass over the pairs; [`perplexities_of`](super::perplexities_of) says what perplexity is, and how exact
/// it is.
///
/// # References
/// \[1\] J. Goldberger et al., Neighborhood Components Analysis, NIPS 2004.
///
/// # Examples
/// ```
/// use burn::tensor::{Device, Tensor};
/// use burn_nca::evaluate::RowTerms;
///
/// let points = Tensor::<2>::from_floats([[0.0], [1.0], [1.0]], &Device::flex());
/// let terms = RowTerms::of(&points, &[0, 0, 1], &[0])?;
/// assert!((terms.log_p[0] - 0.5f64.ln()).abs() < 1e-12);
/// assert!((terms.perplexity[0] - 2.0).abs() < 1e-12);
/// # Ok::<(), burn_nca::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RowTerms {
    /// log p_i of each row; `-∞` where it is the only one of its class.
    pub log_p: Vec<f64>,
    /// The perplexity of each row; 1 where there is no other row.
    pub perplexity: Vec<f64>,
}

impl RowTerms {
    /// The terms of `rows` among all points `[n, k]`, of which each has a label.
    ///
    /// # Errors
    /// A coordinate that is not finite, or not one label per point.
    ///
    /// # Panics
    /// If a row is not below the number of points.
    pub fn of(points: &Tensor<2>, labels: &[usize], rows: &[usize]) -> Result<Self> {
        let all = Points::read(points, "embedding's points")?;
        let n = all.rows();
        if labels.len() != n {
            return Err(Error::data(format!(
                "{} labels for {n} points; give one label per point",
                labels.len()
            )));
        }
        Self::by_parts((labels, rows), n.max(1), |some| Ok(all.select(some).to_vec()))
    }

    /// The terms of `rows` among all points of these labels, which `embed` embeds a part at a time: so many that they are
    /// not to stand in f64 together.
    ///
    /// # Errors
    /// What `embed` refuses, or a coordinate that is not finite.
    ///
    /// # Panics
    /// If a row is not below the number of points.
    pub fn in_parts<E: From<Error>>(
        (labels, rows): (&[usize], &[usize]),
        embed: impl Fn(&[usize]) -> core::result::Result<Tensor<2>, E>,
    ) -> core::result::Result<Self, E> {
        Self::by_parts((labels, rows), PART_ROWS, |some| {
            Ok(Points::read(&embed(some)?, "embedding's points")?.to_vec())
        })
    }

    /// The terms of `rows`; `values` gives the coordinates of some points, row-major.
    fn by_parts<E>(
        (labels, rows): (&[usize], &[usize]),
        part_rows: usize,
        values: impl Fn(&[usize]) -> core::result::Result<Vec<f64>, E>,
    ) -> core::result::Result<Self, E> {
        if rows.is_empty() {
            return Ok(Self { log_p: Vec::new(), perplexity: Vec::new() });
        }
        // In class order, a class is one range.
        let mut order: Vec<usize> = (0..labels.len()).collect();
        order.sort_by_key(|&row| (labels[row], row));
        let mut place = vec![0; labels.len()];
        order.iter().enumerate().for_each(|(at, &row)| place[row] = at);
        let own: Vec<usize> = rows.iter().map(|&row| place[row]).collect();
        drop(place);
        let class = |label: usize| {
            let start = order.partition_point(|&row| labels[row] < label);
            start..order.partition_point(|&row| labels[row] <= label)
        };
        let classes: Vec<Range<usize>> = rows.iter().map(|&row| class(labels[row])).collect();
        let queries = values(rows)?;
        let (b, k) = (rows.len(), queries.len() / rows.len());
        let mut among_all = vec![Entropy::default(); b];
        let mut among_own = vec![f64::NEG_INFINITY; b];
        for start in (0..order.len()).step_by(part_rows) {
            let end = (start + part_rows).min(order.len());
            let references = values(&order[start..end])?;
            let within = |span: Range<usize>| {
                span.start.clamp(start, end) - start..span.end.clamp(start, end) - start
            };
            let others = others(b, Some(&own), &(start..end));
            let found = sums_and_entropies((&queries, &references, k), &others);
            among_all.iter_mut().zip(found).for_each(|(all, found)| all.add(found));
            // Of its class, those before a row and those after it.
            let spans = classes.iter().zip(&own);
            let before = spans.clone().map(|(class, &own)| within(class.start..own));
            let after = spans.map(|(class, &own)| within(own + 1..class.end));
            let columns = Columns::within(before.chain(after).collect(), end - start);
            let found = f64::statistics(&queries.repeat(2), &references, k, &columns);
            let (least, logs) = found.split_at(2 * b);
            let log_sum = |at: usize| logs[at] - least[at];
            for (at, sum) in among_own.iter_mut().enumerate() {
                *sum = log_of_sum(*sum, log_of_sum(log_sum(at), log_sum(b + at)));
            }
        }
        let log_p = among_own.iter().zip(&among_all).map(|(own, all)| (own - all.log).min(0.0));
        let perplexity = among_all.iter().map(|all| all.entropy.exp()).collect();
        Ok(Self { log_p: log_p.collect(), perplexity })
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::{DType, Device, TensorData};

    use super::*;
    use crate::evaluate::perplexities;
    use crate::neighbors::leave_one_out_probabilities;

    #[test]
    fn terms_are_those_of_the_stochastic_rule_and_of_perplexity() {
        for spread in [0.1, 1.0, 30.0] {
            let values: Vec<f64> = (0..90).map(|i| f64::from(i * i % 37) * spread).collect();
            let data = TensorData::new(values, [30, 3]);
            let points = Tensor::<2>::from_data(data, (&Device::flex(), DType::F64));
            // The last row is alone in its class.
            let labels: Vec<usize> = (0..30).map(|i| if i == 29 { 7 } else { i % 4 }).collect();
            let rows = [28, 3, 11, 29];
            let found = RowTerms::of(&points, &labels, &rows).unwrap();
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
        let data = TensorData::new(values.clone(), [30, 3]);
        let points = Tensor::<2>::from_data(data, (&Device::flex(), DType::F64));
        let rows: Vec<usize> = (0..30).rev().collect();
        let whole = RowTerms::of(&points, &labels, &rows).unwrap();
        for part_rows in [1, 4, 29, 30] {
            let parts = RowTerms::by_parts((&labels, &rows), part_rows, |some| {
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
            let rows = Tensor::<1, burn::tensor::Int>::from_ints(
                some.iter().map(|&row| row as i32).collect::<Vec<_>>().as_slice(),
                &Device::flex(),
            );
            Ok::<_, Error>(points.clone().select(0, rows))
        };
        assert_eq!(RowTerms::in_parts((&labels, &rows), select).unwrap(), whole);
    }

    #[test]
    fn labels_that_do_not_fit_are_refused_and_no_row_has_no_term() {
        let points = Tensor::<2>::from_floats([[0.0], [1.0]], &Device::flex());
        assert!(RowTerms::of(&points, &[0], &[0]).is_err());
        assert!(RowTerms::of(&points, &[0, 0], &[]).unwrap().log_p.is_empty());
    }
}
