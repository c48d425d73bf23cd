//! Soft matches: how far the targets of two points agree.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::AgreementWidth;
use super::sparse_rows::SparseRows;
use crate::{Error, Result};

/// How far the targets of two points agree: `w_ij` in `[0, 1]` for i ≠ j, never as an n x n table.
///
/// ```text
/// labels      w_ij = [y_i = y_j]
/// targets     w_ij = exp(-||t_i - t_j||² / (2 s²))
/// list        w_ij as listed, else 0
/// function    w_ij = f(i, j)
/// ```
/// Agreements need not be symmetric: `w_ij` weighs the chance that point i picks point j as its neighbor.
/// Rows without a target are unlabeled: they agree with no row and make no term of an objective.
///
/// # Examples
/// ```
/// use burn_nca_data::{AgreementWidth, Agreements};
///
/// // Prices, one unknown; 10 apart is one width.
/// let prices = [100.0, 110.0, f64::NAN, 300.0];
/// let agreements = Agreements::of_targets(&prices, 1, AgreementWidth::Given(10.0))?;
/// assert!((agreements.log_agreement(0, 1) + 0.5).abs() < 1e-12);
/// assert_eq!(agreements.agreement(0, 2), 0.0);
/// assert_eq!(agreements.labeled_rows(), [0, 1, 3]);
/// # Ok::<(), burn_nca_data::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Agreements {
    labeled: Vec<bool>,
    rule: AgreementRule,
}

/// Where the agreements come from.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub enum AgreementRule {
    /// The class of each row; of no meaning where the row is unlabeled.
    Labels(Vec<usize>),
    /// The targets, row-major `[n, columns]`; NaN where the row is unlabeled.
    Targets { values: Vec<f64>, columns: usize, width: f64 },
    /// Listed entries.
    List(SparseRows),
    /// A function of the rows' numbers in the whole data.
    Function { rows: Vec<usize>, function: AgreementFunction },
}

/// A user's function of two row numbers.
#[derive(Clone)]
#[doc(hidden)]
pub struct AgreementFunction(Arc<dyn Fn(usize, usize) -> f64 + Send + Sync>);

impl fmt::Debug for AgreementFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a function of two rows")
    }
}

impl AgreementFunction {
    fn at(&self, i: usize, j: usize) -> f64 {
        let weight = (self.0)(i, j);
        assert!(
            (0.0..=1.0).contains(&weight),
            "the agreement of rows {i} and {j} is {weight}; an agreement lies in 0..1"
        );
        weight
    }
}

impl Agreements {
    /// Hard labels: 1 in the same class, else 0. Rows of `None` are unlabeled.
    pub fn of_labels(labels: &[Option<usize>]) -> Self {
        Self {
            labeled: labels.iter().map(Option::is_some).collect(),
            rule: AgreementRule::Labels(labels.iter().map(|label| label.unwrap_or(0)).collect()),
        }
    }

    /// Continuous targets, row-major `[n, columns]`: a Gaussian of their Euclidean distance.
    ///
    /// Rows with a NaN are unlabeled. Several columns should be in comparable units: bring them there
    /// first.
    ///
    /// # Errors
    /// Values that do not fill rows, an infinite value, or a width that cannot serve.
    pub fn of_targets(values: &[f64], columns: usize, width: AgreementWidth) -> Result<Self> {
        if columns == 0 || !values.len().is_multiple_of(columns) {
            return Err(Error::data(format!(
                "{} target values do not fill rows of {columns} columns; give rows x columns values",
                values.len()
            )));
        }
        if let Some(at) = values.iter().position(|value| value.is_infinite()) {
            return Err(Error::data(format!(
                "the target of row {} is {}; correct it, or leave it out as NaN",
                at / columns + 1,
                values[at]
            )));
        }
        let known = |row: &[f64]| !row.iter().any(|value| value.is_nan());
        let labeled: Vec<bool> = values.chunks_exact(columns).map(known).collect();
        let of_labeled: Vec<f64> =
            values.chunks_exact(columns).filter(|row| known(row)).flatten().copied().collect();
        let width = width.resolve(&of_labeled, columns)?;
        Ok(Self {
            labeled,
            rule: AgreementRule::Targets { values: values.to_vec(), columns, width },
        })
    }

    /// Listed agreements `(i, j, w_ij)` among `points` rows, numbered from 0; all others are 0.
    ///
    /// Taken as given: list (j, i) too where the agreement is mutual.
    ///
    /// # Errors
    /// A row out of range, a row with itself, an entry listed twice, or a weight outside 0..1.
    pub fn of_list(points: usize, list: Vec<(usize, usize, f64)>) -> Result<Self> {
        for &(i, j, weight) in &list {
            if i >= points || j >= points {
                return Err(Error::data(format!(
                    "the agreement of rows {i} and {j} is listed, but there are {points} rows, numbered \
                     from 0; correct the entry"
                )));
            }
            if i == j {
                return Err(Error::data(format!(
                    "the agreement of row {i} with itself is listed; remove the entry"
                )));
            }
            if !(0.0..=1.0).contains(&weight) {
                return Err(Error::data(format!(
                    "the agreement of rows {i} and {j} is {weight}; give a number from 0 to 1"
                )));
            }
        }
        let positive = list.into_iter().filter(|entry| entry.2 > 0.0).collect();
        let table = SparseRows::new(points, positive);
        for i in 0..points {
            let columns = &table.columns()[table.starts()[i]..table.starts()[i + 1]];
            if let Some(&[j, _]) = columns.windows(2).find(|pair| pair[0] == pair[1]) {
                return Err(Error::data(format!(
                    "the agreement of rows {i} and {j} is listed twice; keep one entry"
                )));
            }
        }
        Ok(Self { labeled: vec![true; points], rule: AgreementRule::List(table) })
    }

    /// A function of two different row numbers below `points`, with values in 0..1.
    ///
    /// It is called on the host for each pair at each evaluation; what is slow should be tabulated.
    pub fn of_function(
        points: usize,
        function: impl Fn(usize, usize) -> f64 + Send + Sync + 'static,
    ) -> Self {
        let function = AgreementFunction(Arc::new(function));
        let rule = AgreementRule::Function { rows: (0..points).collect(), function };
        Self { labeled: vec![true; points], rule }
    }

    /// The same agreements with the rows `rows` unlabeled.
    ///
    /// # Errors
    /// A row out of range.
    pub fn with_unlabeled(mut self, rows: &[usize]) -> Result<Self> {
        for &row in rows {
            let points = self.points();
            let Some(labeled) = self.labeled.get_mut(row) else {
                return Err(Error::data(format!(
                    "row {row} cannot be marked as unlabeled: there are {points} rows, numbered from 0; \
                     correct the number"
                )));
            };
            *labeled = false;
        }
        Ok(self)
    }

    /// Number of rows, n, labeled or not.
    pub fn points(&self) -> usize {
        self.labeled.len()
    }

    /// The labeled rows, ascending.
    pub fn labeled_rows(&self) -> Vec<usize> {
        (0..self.points()).filter(|&row| self.labeled[row]).collect()
    }

    /// The width s of Gaussian agreements.
    pub fn width(&self) -> Option<f64> {
        match &self.rule {
            AgreementRule::Targets { width, .. } => Some(*width),
            _ => None,
        }
    }

    /// `w_ij`; 0 for i = j and where one of them is unlabeled.
    ///
    /// # Panics
    /// If a row is out of range, or the user's function gives a value outside 0..1.
    pub fn agreement(&self, i: usize, j: usize) -> f64 {
        self.log_agreement(i, j).exp()
    }

    /// `log w_ij`, which does not underflow for distant targets; -∞ where `w_ij` is 0.
    ///
    /// # Panics
    /// As [`agreement`](Self::agreement).
    pub fn log_agreement(&self, i: usize, j: usize) -> f64 {
        if i == j || !(self.labeled[i] && self.labeled[j]) {
            return f64::NEG_INFINITY;
        }
        match &self.rule {
            AgreementRule::Labels(labels) if labels[i] == labels[j] => 0.0,
            AgreementRule::Labels(_) => f64::NEG_INFINITY,
            AgreementRule::Targets { values, columns, width } => {
                let (a, b) =
                    (&values[i * columns..][..*columns], &values[j * columns..][..*columns]);
                let scaled = |(a, b): (&f64, &f64)| ((a - b) / width).powi(2);
                -0.5 * a.iter().zip(b).map(scaled).sum::<f64>()
            }
            AgreementRule::List(table) => table.weight(i, j).ln(),
            AgreementRule::Function { rows, function } => function.at(rows[i], rows[j]).ln(),
        }
    }

    /// Labeled rows whose agreements with all other rows are 0, ascending.
    ///
    /// Their p_i is 0 whatever the metric, like that of the only point of a class: they add nothing to an
    /// objective and stay neighbors of the others.
    ///
    /// # Panics
    /// As [`agreement`](Self::agreement).
    pub fn without_agreement(&self) -> Vec<usize> {
        let rows = self.labeled_rows();
        let mut members = BTreeMap::new();
        if let AgreementRule::Labels(labels) = &self.rule {
            for &row in &rows {
                *members.entry(labels[row]).or_insert(0) += 1;
            }
        }
        let alone = |i: usize| match &self.rule {
            AgreementRule::Labels(labels) => members[&labels[i]] == 1,
            AgreementRule::Targets { .. } => rows.len() < 2,
            AgreementRule::List(table) => !table.row(i).any(|(j, _)| self.labeled[j]),
            AgreementRule::Function { .. } => {
                rows.iter().all(|&j| self.log_agreement(i, j) == f64::NEG_INFINITY)
            }
        };
        rows.iter().copied().filter(|&i| alone(i)).collect()
    }

    /// The agreements of the distinct rows `rows` alone, numbered in that order; the width stays.
    ///
    /// # Panics
    /// If a row is out of range.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        let rule = match &self.rule {
            AgreementRule::Labels(labels) => {
                AgreementRule::Labels(rows.iter().map(|&row| labels[row]).collect())
            }
            AgreementRule::Targets { values, columns, width } => {
                let of_row = |row: &usize| &values[row * columns..][..*columns];
                let values = rows.iter().flat_map(of_row).copied().collect();
                AgreementRule::Targets { values, columns: *columns, width: *width }
            }
            AgreementRule::List(table) => AgreementRule::List(table.select(rows)),
            AgreementRule::Function { rows: all, function } => AgreementRule::Function {
                rows: rows.iter().map(|&row| all[row]).collect(),
                function: function.clone(),
            },
        };
        Self { labeled: rows.iter().map(|&row| self.labeled[row]).collect(), rule }
    }

    /// Where the agreements come from.
    #[doc(hidden)]
    pub fn rule(&self) -> &AgreementRule {
        &self.rule
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaussian_agreements_are_in_the_units_of_the_target() {
        let targets = [0.0, 0.0, 3.0, 4.0, 0.0, f64::NAN];
        let agreements = Agreements::of_targets(&targets, 2, AgreementWidth::Given(5.0)).unwrap();
        assert!((agreements.agreement(0, 1) - (-0.5_f64).exp()).abs() < 1e-15);
        assert_eq!((agreements.agreement(1, 1), agreements.agreement(0, 2)), (0.0, 0.0));
        assert_eq!(agreements.labeled_rows(), [0, 1]);
        assert_eq!(agreements.width(), Some(5.0));
        assert!(agreements.without_agreement().is_empty());
        assert_eq!(agreements.select(&[2, 0]).without_agreement(), [1]);
    }

    #[test]
    fn distant_targets_keep_their_logarithm() {
        let far = Agreements::of_targets(&[0.0, 1e3], 1, AgreementWidth::Given(1.0)).unwrap();
        assert_eq!((far.agreement(0, 1), far.log_agreement(0, 1)), (0.0, -5e5));
        assert!(far.without_agreement().is_empty());
    }

    #[test]
    fn rows_without_agreement_are_reported() {
        let labels = Agreements::of_labels(&[Some(0), Some(1), None, Some(0), Some(2)]);
        assert_eq!(labels.without_agreement(), [1, 4]);
        let list = Agreements::of_list(4, vec![(0, 1, 0.5), (1, 3, 1.0), (2, 0, 0.0)]).unwrap();
        assert_eq!(list.without_agreement(), [2, 3]);
        assert_eq!(list.with_unlabeled(&[1]).unwrap().without_agreement(), [0, 2, 3]);
        let parity =
            Agreements::of_function(4, |i, j| if i % 2 == 0 && j == 3 { 0.5 } else { 0.0 });
        assert_eq!(parity.without_agreement(), [1, 3]);
    }

    #[test]
    fn a_selection_keeps_width_and_row_numbers() {
        let product = Agreements::of_function(5, |i, j| (i * j) as f64 / 20.0);
        assert_eq!(product.select(&[4, 1, 3]).agreement(0, 2), 0.6);
        let list = Agreements::of_list(5, vec![(4, 1, 0.5), (1, 4, 0.25), (0, 1, 1.0)]).unwrap();
        let part = list.select(&[1, 4]);
        assert_eq!((part.agreement(0, 1), part.agreement(1, 0)), (0.25, 0.5));
        let targets = Agreements::of_targets(&[0.0, 1.0, 5.0], 1, AgreementWidth::Median).unwrap();
        assert_eq!(targets.select(&[2, 0]).width(), Some(4.0));
    }
}
