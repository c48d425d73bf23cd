//! What makes features of a raw table: missing values filled, text turned into columns of 0 and 1, the same way on new rows.

mod apply;
mod column;
mod config;
mod remarks;
mod spelled;

pub use apply::Prepared;
pub use config::{Categorical, Missing, PreparationConfig};
#[cfg(feature = "readers")]
pub(crate) use spelled::is_number;
pub use spelled::{is_date, number_hints};

use crate::excerpt::first_of;
use column::{PreparedColumn, Reading};
use serde::{Deserialize, Serialize};

/// How a raw table becomes features, learned on training rows; made by [`PreparationConfig::fit`].
///
/// It is saved with a model (`Fitted::with_preparation` of burn-nca), so that a prediction
/// needs the raw table alone.
///
/// # Examples
/// ```
/// use burn_nca_data::{Categorical, Missing, PreparationConfig, RawColumn, RawTable};
///
/// let table = RawTable::new(vec![
///     RawColumn::numbers("age", vec![30.0, f64::NAN, 50.0]),
///     RawColumn::text("city", [Some("Rome"), Some("Oslo"), Some("Rome")]),
/// ])?;
/// let config = PreparationConfig {
///     missing: Missing::Mean,
///     categorical: Categorical::Auto,
///     ..PreparationConfig::default()
/// };
/// let preparation = config.fit(&table, &[0, 1, 2])?;
/// let prepared = preparation.apply(&table)?;
/// assert_eq!(prepared.features.names(), ["age", "city=Oslo", "city=Rome"]);
/// assert_eq!(prepared.features.row(1), [40.0, 1.0, 0.0]);
/// // A level that the training rows did not have is zero throughout, and said.
/// let new = RawTable::new(vec![
///     RawColumn::text("city", [Some("Bonn")]),
///     RawColumn::numbers("age", vec![20.0]),
/// ])?;
/// let prepared = preparation.apply(&new)?;
/// assert_eq!(prepared.features.row(0), [20.0, 0.0, 0.0]);
/// assert_eq!(prepared.remarks.len(), 1);
/// # Ok::<(), burn_nca_data::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Preparation {
    missing: Missing,
    columns: Vec<PreparedColumn>,
    /// Columns of the table that are not looked at, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<String>,
}

impl Preparation {
    /// Columns of numbers as they are; missing values are refused.
    pub fn of_numbers(names: &[String]) -> Self {
        let columns = names.iter().map(|name| PreparedColumn {
            name: name.clone(),
            reading: Reading::Number,
            fill: None,
            indicator: false,
            num_missing: 0,
        });
        Self { missing: Missing::Refuse, columns: columns.collect(), left_out: Vec::new() }
    }

    /// What is done about missing values.
    pub fn missing(&self) -> Missing {
        self.missing
    }

    /// The columns that a raw table must have.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// The columns of a raw table that hold text, of the same names as in the table.
    pub fn text_columns(&self) -> impl Iterator<Item = &str> {
        let text = self.columns.iter().filter(|column| !matches!(column.reading, Reading::Number));
        text.map(|column| column.name.as_str())
    }

    /// The names of the features that it makes.
    pub fn feature_names(&self) -> Vec<String> {
        self.columns.iter().flat_map(PreparedColumn::feature_names).collect()
    }

    /// What contradicts itself, as after an edit of a saved one.
    #[doc(hidden)]
    pub fn check(&self) -> Result<(), String> {
        self.columns.iter().try_for_each(PreparedColumn::check)
    }
}

/// Names in a sentence, the first of very many.
fn list(names: impl IntoIterator<Item = impl Into<String>>) -> String {
    first_of(names, 8)
}

#[cfg(test)]
mod tests;
