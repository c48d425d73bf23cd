//! What a user asks of the preparation of a table, and what is learned for it from the training rows.

use super::column::{Cell, PreparedColumn, Reading, are_booleans};
use super::spelled::{is_date, is_number, number_hints};
use super::{Preparation, list};
use crate::hint::missing_hints;
use crate::tables::agreement_width::median;
use crate::tables::name_key::distinct_names;
use crate::{
    Error, Hint, Message, RawColumn, RawTable, RawValues, Result, Setting, TextValues, quoted,
};
use serde::{Deserialize, Serialize};

/// The most levels of a categorical column, unless set otherwise.
const MAX_LEVELS: usize = 50;

/// Fewer different texts than these may be categories, however few rows there are.
const NAMES: usize = 20;

/// A column of this share of numbers is a column of numbers, and its texts are mistakes.
const NUMBERS: f64 = 0.8;

/// What is done about missing values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// They are refused, with their number per column.
    #[default]
    Refuse,
    /// Rows with a missing value are left out.
    Drop,
    /// The mean of the training rows; in a column of text the most frequent one.
    Mean,
    /// The median of the training rows; in a column of text the most frequent one.
    Median,
    /// The most frequent value of the training rows; the least of several.
    MostFrequent,
}

/// Which columns are categories.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Categorical {
    /// None: text is refused.
    #[default]
    None,
    /// Every column that holds text, but for columns that name rows: of 20 different texts or more, more than half as many as
    /// training rows. These are left out.
    Auto,
    /// The columns of these names, even where they hold numbers; text elsewhere is refused.
    Columns(Vec<String>),
    /// Every column that holds text, and those of these names.
    AutoAnd(Vec<String>),
}

impl Categorical {
    /// The columns that are named.
    pub fn names(&self) -> &[String] {
        match self {
            Self::None | Self::Auto => &[],
            Self::Columns(names) | Self::AutoAnd(names) => names,
        }
    }
}

/// Why a column is left out.
struct LeftOut(String);

/// How a raw table is to become features.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreparationConfig {
    /// What is done about missing values.
    pub missing: Missing,
    /// Whether each column with missing values in the training rows gets a feature that says where they were.
    pub indicators: bool,
    /// Which columns are categories: one feature per level, 0 or 1. Two words such as yes and no are one feature.
    pub categorical: Categorical,
    /// The most levels of such a column; more are refused.
    pub max_levels: usize,
}

impl Default for PreparationConfig {
    fn default() -> Self {
        Self {
            missing: Missing::default(),
            indicators: false,
            categorical: Categorical::default(),
            max_levels: MAX_LEVELS,
        }
    }
}

impl PreparationConfig {
    /// Learns the preparation of all columns of `table` from the rows `train`; where missing values are filled, columns without
    /// any value in these are left out.
    ///
    /// # Errors
    /// No column, no row that can be learned from; a missing value, where they are refused (those of all rows are counted by
    /// column); text that is no category, dates, more than `max_levels` levels; no column that is not left out; a categorical
    /// column that is not there.
    pub fn fit(&self, table: &RawTable, train: &[usize]) -> Result<Preparation> {
        if table.columns().is_empty() {
            return Err(Error::data("the data have no feature column; at least one is needed"));
        }
        self.check_names(table)?;
        if self.missing == Missing::Refuse {
            refuse_holes(table)?;
        }
        if self.indicators && matches!(self.missing, Missing::Refuse | Missing::Drop) {
            return Err(Error::setting(
                "an indicator says which values were filled in, and none are; ask for mean, median or most-frequent, \
                 or leave the indicators out",
            ));
        }
        let (mut left_out, mut used) = (Vec::new(), table.columns().iter().collect::<Vec<_>>());
        let columns = loop {
            let whole = |row: &usize| used.iter().all(|column| !column.is_missing(*row));
            let kept: Vec<usize> = match self.missing {
                Missing::Drop => train.iter().copied().filter(whole).collect(),
                _ => train.to_vec(),
            };
            if kept.is_empty() {
                return Err(Error::data(format!(
                    "each of the {} training rows lacks a value; fill them in (mean, median, most-frequent), or leave the \
                     columns out that lack most",
                    train.len()
                )));
            }
            let (before, mut columns) = (left_out.len(), Vec::new());
            for &raw in &used {
                match self.column(raw, &kept)? {
                    Ok(column) => columns.push(column),
                    Err(LeftOut(reason)) => left_out.push((raw.name(), reason)),
                }
            }
            if self.missing != Missing::Drop || left_out.len() == before {
                break columns;
            }
            // Rows that lack but a value of what is left out are learned from.
            used.retain(|raw| left_out.iter().all(|(name, _)| *name != raw.name()));
        };
        let named = left_out.iter().map(|(name, reason)| format!("{} ({reason})", quoted(name)));
        let left_out: Vec<String> = named.collect();
        if columns.is_empty() {
            return Err(Error::data(format!(
                "no feature column is left: {}; give a column of numbers or of categories",
                list(left_out)
            )));
        }
        Ok(Preparation { missing: self.missing, columns, left_out })
    }

    fn check_names(&self, table: &RawTable) -> Result<()> {
        let unknown = self.categorical.names().iter().find(|name| table.column(name).is_none());
        let Some(name) = unknown else { return Ok(()) };
        Err(Error::data(format!(
            "there is no feature column {} to take for a category; the features are {}",
            quoted(name),
            list(table.columns().iter().map(RawColumn::name))
        )))
    }

    fn column(&self, raw: &RawColumn, train: &[usize]) -> Result<Result<PreparedColumn, LeftOut>> {
        let name = raw.name().to_string();
        let missing = train.iter().filter(|&&row| raw.is_missing(row)).count();
        if missing == train.len() {
            return Ok(Err(LeftOut("no value in the training rows".to_string())));
        }
        let reading = match self.reading(raw, train)? {
            Ok(reading) => reading,
            Err(left_out) => return Ok(Err(left_out)),
        };
        let mut column = PreparedColumn {
            name,
            reading,
            fill: None,
            indicator: self.indicators && missing > 0,
            num_missing: missing,
        };
        let cells = column.cells(raw)?;
        column.fill = self.fill(&column.reading, train.iter().map(|&row| cells.get(row)));
        Ok(Ok(column))
    }

    fn reading(&self, raw: &RawColumn, train: &[usize]) -> Result<Result<Reading, LeftOut>> {
        let named = self.categorical.names().iter().any(|name| name == raw.name());
        let texts = match raw.values() {
            RawValues::Numbers(_) if !named => return Ok(Ok(Reading::Number)),
            _ => raw.clone().into_text(),
        };
        if !named {
            if texts.iter().flatten().all(is_number) {
                return Ok(Ok(Reading::Number));
            }
            self.check_text(raw.name(), &texts)?;
            // A word of the rows held out may be the other one of the pair, or no word of it; to a word alone there may be
            // others, as to NO in a table of Spanish.
            if texts.distinct().len() > 1 && are_booleans(texts.distinct()) {
                return Ok(Ok(Reading::Boolean));
            }
        }
        let levels = distinct_names(train.iter().filter_map(|&row| texts.get(row)));
        let rows = train.iter().filter(|&&row| !raw.is_missing(row)).count();
        let said = format!("{} different texts in {rows} training rows", levels.len());
        if !named && levels.len() >= NAMES && 2 * levels.len() > rows {
            return Ok(Err(LeftOut(format!("{said}, unless it is named a category"))));
        }
        if levels.len() > self.max_levels {
            let text = format!(
                "column {} has {said}, more than the {} levels that a categorical column may have",
                quoted(raw.name()),
                self.max_levels
            );
            let settings = [Setting::Ignore, Setting::Id, Setting::MaxLevels].map(Hint::from);
            return Err(Error::data(Message::from(text).with_hints(settings)));
        }
        Ok(Ok(Reading::Levels(levels)))
    }

    /// Refuses the text of a column that is not named as a category where it is none: dates, numbers that are not read,
    /// mistakes among numbers, or any if text is refused.
    fn check_text(&self, name: &str, texts: &TextValues) -> Result<()> {
        let rows = || texts.iter().enumerate().filter_map(|(row, text)| Some((row + 1, text?)));
        let others = || rows().filter(|(_, text)| !is_number(text));
        let Some((row, text)) = others().next() else { return Ok(()) };
        let first = format!("{} in row {row}", quoted(text));
        let (all, others) = (rows().count(), others().count());
        let mut not_numbers = texts.distinct().iter().filter(|text| !is_number(text));
        let (holds, hints) = if not_numbers.all(|text| is_date(text)) {
            let edit = "write what matters of them as numbers (the year, the day of the week, days since a start)";
            let hints = vec![Hint::edit(edit), Setting::Ignore.into()];
            (format!("dates or times, such as {first}"), hints)
        } else if let Some(mut hints) = hints_of_numbers(texts) {
            hints.push(Setting::Ignore.into());
            (format!("numbers that are not read, such as {first}"), hints)
        } else if (all - others) as f64 >= NUMBERS * all as f64 {
            let numbers = counted(all - others, "number");
            let others = counted(others, "text");
            let levels = Setting::Categorical(Some(name.to_string())).into();
            let missing = Setting::MissingValue(text.to_string()).into();
            let hints = vec![Hint::edit("correct it"), levels, missing];
            (format!("{numbers} and {others}, the first {first}"), hints)
        } else if let Categorical::None | Categorical::Columns(_) = self.categorical {
            let hints = vec![Setting::Categorical(None).into(), Setting::Ignore.into()];
            (format!("text, such as {first}"), hints)
        } else {
            return Ok(());
        };
        let said = format!("column {} holds {holds}", quoted(name));
        Err(Error::data(Message::from(said).with_hints(hints)))
    }

    fn fill<'a>(&self, reading: &Reading, cells: impl Iterator<Item = Cell<'a>>) -> Option<f64> {
        let value = |cell| if let Cell::Value(value) = cell { Some(value) } else { None };
        let mut values: Vec<f64> = cells.filter_map(value).collect();
        let number = *reading == Reading::Number;
        match self.missing {
            Missing::Refuse | Missing::Drop => None,
            Missing::Mean if number => {
                // Each value over n: a sum of large ones would overflow.
                let n = values.len() as f64;
                Some(values.iter().map(|value| value / n).sum())
            }
            Missing::Median if number => Some(median(&mut values)),
            Missing::Mean | Missing::Median | Missing::MostFrequent => most_frequent(&values),
        }
    }
}

/// What to do about a column whose every text spells a number, some in a way that is not read: its texts are no levels.
fn hints_of_numbers(texts: &TextValues) -> Option<Vec<Hint>> {
    let others = texts.distinct().iter().filter(|text| !is_number(text));
    let hints: Option<Vec<Vec<Hint>>> = others.map(|text| number_hints(text)).collect();
    hints?.into_iter().next()
}

/// `1 number`, `3 numbers`
fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// The most frequent value; the least of several.
fn most_frequent(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let mut counts = sorted.chunk_by(|a, b| a == b).map(|run| (run.len(), run[0]));
    let first = counts.next()?;
    Some(counts.fold(first, |best, next| if next.0 > best.0 { next } else { best }).1)
}

/// Refuses missing values, counted by column.
fn refuse_holes(table: &RawTable) -> Result<()> {
    let mut columns: Vec<&RawColumn> = table.columns().iter().collect();
    columns.retain(|column| column.num_missing() > 0);
    if columns.is_empty() {
        return Ok(());
    }
    columns.sort_unstable_by_key(|column| column.name());
    let lack = |row: &usize| columns.iter().any(|column| column.is_missing(*row));
    let rows = (0..table.rows()).filter(lack).count();
    let has_text = columns.iter().any(|column| matches!(column.values(), RawValues::Text(_)));
    let counted = columns.iter().map(|column| {
        let (name, count) = (quoted(column.name()), column.num_missing());
        let before = (0..column.rows()).take_while(|&row| !column.is_missing(row)).count();
        format!("{count} in column {name} (the first in row {})", before + 1)
    });
    let text = format!(
        "{rows} of {} rows {} a value: {}",
        table.rows(),
        if rows == 1 { "lacks" } else { "lack" },
        list(counted)
    );
    Err(Error::data(Message::from(text).with_hints(missing_hints(has_text))))
}
