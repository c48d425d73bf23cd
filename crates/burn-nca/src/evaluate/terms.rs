//! What the paper's criteria say of single rows: the probability of the own class, and the perplexity.

use burn::tensor::Tensor;
use burn_nca_kernels::{Columns, Number};

use super::perplexity::of_rows;
use crate::error::{Error, Result};
use crate::neighbors::Points;

/// The terms of f and g, and the perplexity, of some rows of an embedding, each among all rows.
///
/// ```text
/// log p_i = log Σ_{j: y_j = y_i} exp(-d²_ij) - log Σ_{j≠i} exp(-d²_ij)   (equation 2 of [1]),   f = Σ p_i, g = Σ log p_i
/// ```
/// Both from one pass over the pairs; [`perplexities_of`](super::perplexities_of) says what perplexity is, and how exact
/// it is.
///
/// # References
/// \[1\] J. Goldberger et al., Neighbourhood Components Analysis, NIPS 2004.
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
    /// A coordinate that is not finite, or not one label a point.
    ///
    /// # Panics
    /// If a row is not below the number of points.
    pub fn of(points: &Tensor<2>, labels: &[usize], rows: &[usize]) -> Result<Self> {
        let all = Points::read(points, "embedding's points")?;
        let n = all.rows();
        if labels.len() != n {
            return Err(Error::data(format!(
                "{} labels for {n} points; give one label a point",
                labels.len()
            )));
        }
        if rows.is_empty() {
            return Ok(Self { log_p: Vec::new(), perplexity: Vec::new() });
        }
        // In class order, a class is one range.
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|&row| (labels[row], row));
        let mut place = vec![0; n];
        order.iter().enumerate().for_each(|(at, &row)| place[row] = at);
        let own: Vec<usize> = rows.iter().map(|&row| place[row]).collect();
        let (queries, references) = (all.select(rows).to_vec(), all.select(&order).to_vec());
        let class = |label: usize| {
            let start = order.partition_point(|&row| labels[row] < label);
            start..order.partition_point(|&row| labels[row] <= label)
        };
        let k = all.dimensions();
        let (among_all, perplexity) = of_rows((&queries, &references, k), &own);
        // Of its class, those before a row and those after it.
        let spans = rows.iter().zip(&own).map(|(&row, &own)| (class(labels[row]), own));
        let before = spans.clone().map(|(class, own)| class.start..own);
        let after = spans.map(|(class, own)| own + 1..class.end);
        let columns = Columns::within(before.chain(after).collect(), n);
        let b = rows.len();
        let found = f64::statistics(&queries.repeat(2), &references, k, &columns);
        let (least, logs) = found.split_at(2 * b);
        let log_sum = |at: usize| logs[at] - least[at];
        let log_p = |(at, among_all): (usize, &f64)| {
            (log_of_sum(log_sum(at), log_sum(b + at)) - among_all).min(0.0)
        };
        let log_p = among_all.iter().enumerate().map(log_p).collect();
        Ok(Self { log_p, perplexity })
    }
}

/// `log(exp(a) + exp(b))`.
fn log_of_sum(a: f64, b: f64) -> f64 {
    let (low, high) = (a.min(b), a.max(b));
    if low == f64::NEG_INFINITY { high } else { high + (low - high).exp().ln_1p() }
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
    fn labels_that_do_not_fit_are_refused_and_no_row_has_no_term() {
        let points = Tensor::<2>::from_floats([[0.0], [1.0]], &Device::flex());
        assert!(RowTerms::of(&points, &[0], &[0]).is_err());
        assert!(RowTerms::of(&points, &[0, 0], &[]).unwrap().log_p.is_empty());
    }
}
