//! A raw table becomes features.

use super::column::{Cell, Cells, PreparedColumn, Reading};
use super::config::Missing;
use super::{Preparation, list};
use crate::hint::missing_hints;
use crate::{
    Error, Features, FeaturesBuilder, Message, RawTable, Result, are_same_letters, quoted,
};

/// What a preparation made of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepared {
    /// The features of the rows that were kept.
    pub features: Features,
    /// Which rows of the table these are, ascending: all, unless rows with missing values are left out.
    pub rows: Vec<usize>,
    /// What a user should know, a sentence each: levels that the training rows did not have, rows left out.
    pub remarks: Vec<String>,
}

impl Preparation {
    /// The features of a table, whose columns are found by their names; others are not looked at.
    ///
    /// # Errors
    /// A column that is not there, text where a number is wanted, a missing value where they are refused, or no value in every
    /// row where such rows are left out.
    pub fn apply(&self, table: &RawTable) -> Result<Prepared> {
        let mut remarks = Vec::new();
        let mut cells = Vec::with_capacity(self.columns.len());
        for column in &self.columns {
            let Some(raw) = table.column(&column.name) else {
                return Err(Error::data(format!(
                    "there is no column {}, which the model was fitted on; the columns are {}",
                    quoted(&column.name),
                    list(table.columns().iter().map(|column| column.name()))
                )));
            };
            let read = column.cells(raw)?;
            remarks.extend(about_unseen(column, &read, table.rows()));
            cells.push(read);
        }
        let rows = self.kept(&cells, table.rows(), &mut remarks)?;
        let width = self.columns.iter().map(PreparedColumn::width).sum::<usize>();
        let mut values = FeaturesBuilder::with_capacity(rows.len() * width);
        for &row in &rows {
            let mut of_row = vec![0.0; width];
            let mut rest = &mut of_row[..];
            for (column, cells) in self.columns.iter().zip(&cells) {
                let (own, others) = rest.split_at_mut(column.width());
                column.write(cells.get(row), own);
                rest = others;
            }
            values.extend_from_slice(&of_row);
        }
        Ok(Prepared { features: values.build(self.feature_names())?, rows, remarks })
    }

    fn kept(
        &self,
        cells: &[Cells<'_>],
        rows: usize,
        remarks: &mut Vec<String>,
    ) -> Result<Vec<usize>> {
        let lacks = |row: &usize| cells.iter().any(|column| column.is_missing(*row));
        match self.missing {
            Missing::Refuse => {
                let Some(row) = (0..rows).find(lacks) else { return Ok((0..rows).collect()) };
                let lacking = self.columns.iter().zip(cells);
                let lacking = lacking.filter(|(_, cells)| cells.is_missing(row));
                let names: Vec<String> = lacking.map(|(column, _)| quoted(&column.name)).collect();
                let lost = (0..rows).filter(lacks).count();
                let text = format!(
                    "{lost} of {rows} rows {} a value, the first is row {}, column {}",
                    if lost == 1 { "lacks" } else { "lack" },
                    row + 1,
                    list(names)
                );
                Err(Error::data(Message::from(text).with_hints(missing_hints(false))))
            }
            Missing::Drop => {
                let kept: Vec<usize> = (0..rows).filter(|row| !lacks(row)).collect();
                if kept.is_empty() && rows > 0 {
                    return Err(Error::data(format!(
                        "each of the {rows} rows lacks a value, so that none is left; give rows with values"
                    )));
                }
                if kept.len() < rows {
                    let lost = rows - kept.len();
                    let rows = format!("{lost} of {rows} rows");
                    remarks.push(match lost {
                        1 => format!("{rows} lacks a value and is left out"),
                        _ => format!("{rows} lack a value and are left out"),
                    });
                }
                Ok(kept)
            }
            Missing::Mean | Missing::Median | Missing::MostFrequent => {
                let columns = self.columns.iter().zip(cells);
                let complete = columns.filter(|(column, _)| column.num_missing == 0);
                let unexpected = complete.filter_map(|(column, cells)| {
                    let missing = (0..rows).filter(|&row| cells.is_missing(row)).count();
                    (missing > 0).then(|| format!("{} ({missing})", quoted(&column.name)))
                });
                let unexpected: Vec<String> = unexpected.collect();
                if !unexpected.is_empty() {
                    remarks.push(format!(
                        "values are missing where none was in the training rows, and are filled in: {}",
                        list(unexpected)
                    ));
                }
                Ok((0..rows).collect())
            }
        }
    }
}

fn about_unseen(column: &PreparedColumn, cells: &Cells<'_>, rows: usize) -> Option<String> {
    let unseen = || {
        (0..rows).filter_map(|row| match cells.get(row) {
            Cell::Unseen(text) => Some(text),
            _ => None,
        })
    };
    let rows = unseen().count();
    if rows == 0 {
        return None;
    }
    let mut texts: Vec<String> = unseen().map(quoted).collect();
    texts.sort_unstable();
    texts.dedup();
    Some(format!(
        "column {} holds in {rows} {} a level that the training rows did not have ({}): all of its features are 0 \
         there{}",
        quoted(&column.name),
        if rows == 1 { "row" } else { "rows" },
        list(texts),
        unseen().find_map(|text| same_but_for_case(column, text)).unwrap_or_default()
    ))
}

/// The level of the training rows that an unseen one is but for case, the spaces around it, or the encoding of accents.
fn same_but_for_case(column: &PreparedColumn, text: &str) -> Option<String> {
    let Reading::Levels(levels) = &column.reading else { return None };
    let plain = |text: &str| text.trim().to_lowercase();
    let [level, text] = match levels.iter().find(|level| plain(level) == plain(text)) {
        Some(level) => [quoted(level), quoted(text)],
        None => {
            let meant = |level: &&String| are_same_letters(&plain(level), &plain(text));
            let level = quoted(levels.iter().find(meant)?);
            return Some(format!("; {} is {level} but for the encoding of accents", quoted(text)));
        }
    };
    Some(format!("; {text} is {level} but for case or spaces"))
}

impl PreparedColumn {
    fn write(&self, cell: Cell<'_>, features: &mut [f64]) {
        let value = match cell {
            Cell::Value(value) => Some(value),
            Cell::Missing => self.fill,
            Cell::Unseen(_) => None,
        };
        if let Some(value) = value {
            match self.reading {
                Reading::Number | Reading::Boolean => features[0] = value,
                Reading::Levels(_) => features[value as usize] = 1.0,
            }
        }
        if self.indicator && matches!(cell, Cell::Missing) {
            features[features.len() - 1] = 1.0;
        }
    }
}
