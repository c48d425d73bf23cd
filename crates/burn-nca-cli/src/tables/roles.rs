//! Columns that are no features: what names, weighs, splits and groups the rows.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use burn_nca_learn::data::{Labeled, RawColumn, RawTable, RawValues, TextValues, name_key};

use crate::failure::hinted;
use crate::output::short_name;
use crate::source::Columns;

/// What is known of each row in addition to its features and its target.
#[derive(Debug, Default)]
pub struct Roles {
    pub weights: Option<Vec<f64>>,
    pub is_test: Option<Vec<bool>>,
    pub groups: Option<Vec<usize>>,
    pub ids: Option<Vec<String>>,
}

impl Roles {
    pub fn take(raw: &mut RawTable, columns: &Columns) -> Result<Self> {
        let column =
            |name: &Option<String>| name.as_deref().and_then(|name| raw.column(name).cloned());
        let roles = Self {
            weights: column(&columns.weights).map(weights).transpose()?,
            is_test: column(&columns.split).map(is_test).transpose()?,
            groups: column(&columns.groups).map(groups),
            ids: column(&columns.id).map(|column| {
                column.into_text().iter().map(|id| id.unwrap_or_default().to_string()).collect()
            }),
        };
        for name in
            [&columns.id, &columns.weights, &columns.split, &columns.groups].into_iter().flatten()
        {
            raw.take(name);
        }
        Ok(roles)
    }

    /// One factor per row, of mean 1 over the training rows; each class the same in all where they are to be balanced.
    pub fn factors(
        &mut self,
        data: &Labeled,
        train: &[usize],
        balanced: bool,
    ) -> Result<Option<Vec<f64>>> {
        let given = self.weights.take();
        if given.is_none() && !balanced {
            return Ok(None);
        }
        let mut weights = given.unwrap_or_else(|| vec![1.0; data.rows()]);
        let labels = data.labels();
        let mut of_class = vec![0.0; data.classes()];
        train.iter().for_each(|&row| of_class[labels[row]] += weights[row]);
        if balanced {
            for (weight, &class) in weights.iter_mut().zip(labels) {
                if of_class[class] > 0.0 {
                    *weight /= of_class[class];
                }
            }
        }
        with_mean_1(weights, train).map(Some)
    }
}

/// The weights of all rows, scaled to a mean of 1 over the training rows.
pub fn with_mean_1(mut weights: Vec<f64>, train: &[usize]) -> Result<Vec<f64>> {
    let total: f64 = train.iter().map(|&row| weights[row]).sum();
    if total.is_nan() || total <= 0.0 {
        bail!(hinted(
            format!("none of the {} training rows has a positive weight", train.len()),
            "give some rows a positive weight"
        ));
    }
    let mean = total / train.len() as f64;
    weights.iter_mut().for_each(|weight| *weight /= mean);
    Ok(weights)
}

fn weights(column: RawColumn) -> Result<Vec<f64>> {
    let name = short_name(column.name());
    let RawValues::Numbers(values) = column.values() else {
        let text = column.into_text();
        let word = text.iter().flatten().find(|text| text.parse::<f64>().is_err());
        bail!(hinted(
            format!(
                "the column \"{name}\" of --weights holds text, such as \"{}\"",
                short_name(word.unwrap_or_default())
            ),
            "give a column of numbers of 0 or more"
        ))
    };
    if let Some(row) = values.iter().position(|weight| weight.is_nan() || *weight < 0.0) {
        let found =
            if values[row].is_nan() { "missing".to_string() } else { values[row].to_string() };
        bail!(hinted(
            format!("the weight of row {} (column \"{name}\") is {found}", row + 1),
            "give a number of 0 or more"
        ));
    }
    // The sum of very large ones would be infinite.
    let largest = values.iter().copied().fold(1.0, f64::max);
    let unit = if values.iter().sum::<f64>().is_finite() { 1.0 } else { largest };
    Ok(values.iter().map(|weight| weight / unit).collect())
}

fn is_test(column: RawColumn) -> Result<Vec<bool>> {
    let name = short_name(column.name());
    let text = column.into_text();
    let part = |(row, text): (usize, Option<&str>)| match text.map(str::to_lowercase).as_deref() {
        Some("train" | "training") => Ok(false),
        Some("test") => Ok(true),
        found => {
            let found =
                found.map_or("empty".to_string(), |found| format!("{:?}", short_name(found)));
            bail!(hinted(
                format!("row {}, column \"{name}\" of --split is {found}", row + 1),
                "write train or test"
            ))
        }
    };
    text.iter().enumerate().map(part).collect()
}

/// A number for each group, however its name is spelled (`7`, `7.0`); a row without one is a group by itself.
fn groups(column: RawColumn) -> Vec<usize> {
    let text: TextValues = column.into_text();
    let named = text.distinct().len();
    let mut known = BTreeMap::new();
    let group = |(row, text): (usize, Option<&str>)| match text {
        None => named + row,
        Some(name) => {
            let next = known.len();
            *known.entry(name_key(name).into_owned()).or_insert(next)
        }
    };
    text.iter().enumerate().map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_one_however_they_are_spelled_and_weights_may_be_large() {
        assert_eq!(groups(RawColumn::text("c", [Some("a"), None, Some("a"), None])), [0, 2, 0, 4]);
        let spelled = ["7", "7.0", "A", "a", "07"].map(Some);
        assert_eq!(groups(RawColumn::text("c", spelled)), [0, 0, 1, 2, 3]);
        let large = RawColumn::numbers("w", vec![1e308, 0.0, 1e308]);
        assert_eq!(weights(large).unwrap(), [1.0, 0.0, 1.0]);
    }
}
