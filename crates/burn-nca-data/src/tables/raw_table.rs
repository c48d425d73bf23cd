//! A table as it was read: named columns of numbers or of text, with missing values.

use crate::{Error, Message, Result, quoted};
use std::collections::HashMap;
use std::sync::Arc;

use super::{Features, column_numbers};

/// A table as it was read: named columns of numbers or of text, with missing values.
///
/// A [`Preparation`](super::Preparation) makes [`Features`] of it.
///
/// # Examples
/// ```
/// use burn_nca_data::{RawColumn, RawTable};
///
/// let age = RawColumn::numbers("age", vec![31.0, f64::NAN, 54.0]);
/// let city = RawColumn::text("city", [Some("Rome"), Some("Oslo"), None]);
/// let table = RawTable::new(vec![age, city])?;
/// assert_eq!((table.rows(), table.columns().len()), (3, 2));
/// assert_eq!(table.column("city").unwrap().num_missing(), 1);
/// # Ok::<(), burn_nca_data::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawTable {
    columns: Vec<RawColumn>,
    rows: usize,
    notes: Vec<Message>,
}

/// A named column of a [`RawTable`]. Copies share its values.
#[derive(Clone, Debug, PartialEq)]
pub struct RawColumn {
    name: String,
    values: Arc<RawValues>,
}

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum RawValues {
    /// Finite numbers; NaN is a missing value.
    Numbers(Vec<f64>),
    /// Text.
    Text(TextValues),
}

/// Text, each distinct one kept once; with missing values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextValues {
    distinct: Vec<String>,
    codes: Vec<Option<u32>>,
    met: HashMap<String, u32>,
}

impl TextValues {
    /// Adds the text of the next row; `None` is a missing value.
    pub fn push(&mut self, text: Option<&str>) {
        let code = text.map(|text| self.code_of(text));
        self.codes.push(code);
    }

    /// Adds the texts of further rows.
    #[cfg(feature = "readers")]
    pub(crate) fn append(&mut self, rows: &Self) {
        let codes: Vec<u32> = rows.distinct.iter().map(|text| self.code_of(text)).collect();
        self.codes.extend(rows.codes.iter().map(|code| code.map(|code| codes[code as usize])));
    }

    /// The place of a text among the distinct ones, the last if it is new.
    fn code_of(&mut self, text: &str) -> u32 {
        match self.met.get(text) {
            Some(&code) => code,
            None => {
                let code = self.distinct.len() as u32;
                self.distinct.push(text.to_string());
                self.met.insert(text.to_string(), code);
                code
            }
        }
    }

    /// The text of a row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn get(&self, row: usize) -> Option<&str> {
        self.code(row).map(|code| self.distinct[code].as_str())
    }

    pub(crate) fn code(&self, row: usize) -> Option<usize> {
        self.codes[row].map(|code| code as usize)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.codes.len()
    }

    /// The distinct texts, in the order they were met; of a selection of rows there may be some without a row.
    pub fn distinct(&self) -> &[String] {
        &self.distinct
    }

    /// The text of each row.
    pub fn iter(&self) -> impl Iterator<Item = Option<&str>> {
        (0..self.rows()).map(|row| self.get(row))
    }
}

impl<S: AsRef<str>> FromIterator<Option<S>> for TextValues {
    fn from_iter<I: IntoIterator<Item = Option<S>>>(texts: I) -> Self {
        let mut values = Self::default();
        texts.into_iter().for_each(|text| values.push(text.as_ref().map(S::as_ref)));
        values
    }
}

impl RawColumn {
    /// A column of numbers; NaN is a missing value.
    pub fn numbers(name: impl Into<String>, values: Vec<f64>) -> Self {
        Self::new(name, RawValues::Numbers(values))
    }

    /// A column of text; `None` is a missing value.
    pub fn text<'a>(
        name: impl Into<String>,
        values: impl IntoIterator<Item = Option<&'a str>>,
    ) -> Self {
        Self::new(name, RawValues::Text(values.into_iter().collect()))
    }

    /// A column of these values.
    pub fn new(name: impl Into<String>, values: RawValues) -> Self {
        Self { name: name.into(), values: Arc::new(values) }
    }

    /// The same values under another name.
    #[must_use]
    pub fn renamed(&self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self.clone() }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its values.
    pub fn values(&self) -> &RawValues {
        &self.values
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self.values() {
            RawValues::Numbers(numbers) => numbers.len(),
            RawValues::Text(text) => text.rows(),
        }
    }

    /// Whether a row has no value.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn is_missing(&self, row: usize) -> bool {
        match self.values() {
            RawValues::Numbers(numbers) => numbers[row].is_nan(),
            RawValues::Text(text) => text.codes[row].is_none(),
        }
    }

    /// Number of rows without a value.
    pub fn num_missing(&self) -> usize {
        (0..self.rows()).filter(|&row| self.is_missing(row)).count()
    }

    /// The value of each row as text; numbers in the fewest digits that read back to them.
    pub fn into_text(self) -> TextValues {
        match Arc::unwrap_or_clone(self.values) {
            RawValues::Text(text) => text,
            RawValues::Numbers(numbers) => {
                let spelled = |number: f64| (!number.is_nan()).then(|| (number + 0.0).to_string());
                numbers.into_iter().map(spelled).collect()
            }
        }
    }

    fn select(&self, rows: &[usize]) -> Self {
        let values = match self.values() {
            RawValues::Numbers(numbers) => {
                RawValues::Numbers(rows.iter().map(|&row| numbers[row]).collect())
            }
            RawValues::Text(text) => RawValues::Text(TextValues {
                codes: rows.iter().map(|&row| text.codes[row]).collect(),
                ..text.clone()
            }),
        };
        Self::new(&self.name, values)
    }
}

impl RawTable {
    /// A table of these columns.
    ///
    /// # Errors
    /// Columns of different lengths, a name that occurs twice, or an infinite number.
    pub fn new(columns: Vec<RawColumn>) -> Result<Self> {
        let rows = columns.first().map_or(0, RawColumn::rows);
        if let Some(other) = columns.iter().find(|column| column.rows() != rows) {
            return Err(Error::data(format!(
                "column {} has {} rows, column {} has {rows}; give columns of one length",
                quoted(&other.name),
                other.rows(),
                quoted(&columns[0].name)
            )));
        }
        let mut names: Vec<&str> = columns.iter().map(RawColumn::name).collect();
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Error::data(format!(
                "duplicate column name {}; rename one of the two columns",
                quoted(twice[0])
            )));
        }
        for column in &columns {
            let RawValues::Numbers(numbers) = column.values() else { continue };
            if let Some(row) = numbers.iter().position(|number| number.is_infinite()) {
                return Err(Error::data(format!(
                    "row {}, column {} is infinite; write a finite number or remove the row",
                    row + 1,
                    quoted(&column.name)
                )));
            }
        }
        Ok(Self { columns, rows, notes: Vec::new() })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The same with what to know of how it was read.
    #[must_use]
    pub fn with_notes(self, notes: Vec<Message>) -> Self {
        Self { notes, ..self }
    }

    /// What to know of how it was read.
    pub fn notes(&self) -> &[Message] {
        &self.notes
    }

    /// The columns, in the order of the table.
    pub fn columns(&self) -> &[RawColumn] {
        &self.columns
    }

    /// The column of this name.
    pub fn column(&self, name: &str) -> Option<&RawColumn> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The same with columns `x1`, `x2`, … under these names; none where they are not as many, or where not so many
    /// `others` follow them.
    #[doc(hidden)]
    pub fn renamed(&self, names: &[String], others: usize) -> Option<Self> {
        let (first, rest) = self.columns.split_at_checked(names.len())?;
        let own = first.iter().map(|column| &column.name);
        if rest.len() != others || !own.eq(&column_numbers(names.len())) {
            return None;
        }
        let named = first.iter().zip(names).map(|(column, name)| column.renamed(name));
        let columns = named.chain(rest.iter().cloned()).collect();
        Some(Self { columns, rows: self.rows, notes: self.notes.clone() })
    }

    /// Takes the column of this name out of the table.
    pub fn take(&mut self, name: &str) -> Option<RawColumn> {
        let at = self.columns.iter().position(|column| column.name == name)?;
        Some(self.columns.remove(at))
    }

    /// The rows `rows`, in that order.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        let columns = self.columns.iter().map(|column| column.select(rows)).collect();
        Self { columns, rows: rows.len(), notes: self.notes.clone() }
    }

    /// The rows of this table and then those of `other`, whose columns are found by name.
    ///
    /// # Errors
    /// A column that `other` lacks.
    pub fn followed_by(self, mut other: Self) -> Result<Self> {
        let rows = self.rows + other.rows;
        let notes = [&self.notes[..], &other.notes[..]].concat();
        let mut columns = Vec::with_capacity(self.columns.len());
        for column in self.columns {
            let Some(more) = other.take(&column.name) else {
                return Err(Error::data(format!(
                    "the second table has no column {}; give a table of the same columns",
                    quoted(&column.name)
                )));
            };
            let name = column.name.clone();
            columns.push(match (column.values(), more.values()) {
                (RawValues::Numbers(first), RawValues::Numbers(second)) => {
                    RawColumn::numbers(name, [&first[..], second].concat())
                }
                _ => {
                    let mut text = column.into_text();
                    more.into_text().iter().for_each(|next| text.push(next));
                    RawColumn::new(name, RawValues::Text(text))
                }
            });
        }
        Ok(Self { columns, rows, notes })
    }
}

impl From<&Features> for RawTable {
    fn from(features: &Features) -> Self {
        let rows = features.rows();
        let column = |at: usize| (0..rows).map(|row| features.value(row, at)).collect();
        let names = features.names().iter().enumerate();
        let columns = names.map(|(at, name)| RawColumn::numbers(name, column(at))).collect();
        Self { columns, rows, notes: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(values: [f64; 2], cities: [Option<&str>; 2]) -> RawTable {
        let a = RawColumn::numbers("a", values.to_vec());
        RawTable::new(vec![a, RawColumn::text("city", cities)]).unwrap()
    }

    #[test]
    fn rows_are_selected_and_tables_follow_each_other_by_name() {
        let first = table([1.0, f64::NAN], [Some("x"), None]);
        let second = RawTable::new(vec![
            RawColumn::text("city", [Some("y")]),
            RawColumn::numbers("a", vec![7.0]),
        ]);
        let all = first.followed_by(second.unwrap()).unwrap();
        let RawValues::Text(city) = all.column("city").unwrap().values() else { panic!() };
        assert_eq!(city.iter().collect::<Vec<_>>(), [Some("x"), None, Some("y")]);
        assert_eq!(all.column("a").unwrap().num_missing(), 1);
        assert_eq!(
            all.select(&[2, 0]).column("a").unwrap().values(),
            &RawValues::Numbers(vec![7.0, 1.0])
        );
        let some = all.select(&[2, 0]).take("city").unwrap().into_text();
        assert_eq!(some.iter().collect::<Vec<_>>(), [Some("y"), Some("x")]);
    }

    #[test]
    fn numbers_become_text_where_they_meet_text() {
        let numbers = RawTable::new(vec![RawColumn::numbers("k", vec![1.0, 2.5])]).unwrap();
        let text = RawTable::new(vec![RawColumn::text("k", [Some("b")])]).unwrap();
        let all = numbers.followed_by(text).unwrap().take("k").unwrap().into_text();
        assert_eq!(all.iter().collect::<Vec<_>>(), [Some("1"), Some("2.5"), Some("b")]);
    }
}
