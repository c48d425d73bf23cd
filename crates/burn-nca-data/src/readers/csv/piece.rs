//! Some rows of a file, whose cells were read one way or the other.

use super::cell;
use super::header::Selection;
use crate::hint::{Hint, Message, Setting};
use crate::readers::table::TargetKind;
use crate::tables::TextValues;

/// Some rows that are read together.
#[derive(Default)]
pub(super) struct Piece {
    pub(super) rows: usize,
    pub(super) values: Vec<f64>,
    pub(super) classes: TextValues,
    pub(super) numbers: Vec<f64>,
}

impl Piece {
    /// Adds a row of these cells; gives the columns that lack a value, or that of a bad cell and the reason.
    pub(super) fn push<'c>(
        &mut self,
        cell: impl Fn(usize) -> &'c str,
        selection: &Selection,
        task: TargetKind,
    ) -> Result<Vec<usize>, (usize, Message)> {
        let mut missing = Vec::new();
        let format = (selection.decimal, &selection.missing);
        for &column in &selection.features {
            let number = cell::number(cell(column), format, selection.text_hints(column));
            match number.map_err(|reason| (column, reason))? {
                Some(number) => self.values.push(number),
                None => missing.push(column),
            }
        }
        if let Some(column) = selection.target {
            let cell = cell(column);
            let bad = |reason| (column, reason);
            match task {
                TargetKind::Classes if selection.set_apart && selection.is_unlabeled(cell) => {
                    self.classes.push(None);
                }
                TargetKind::Classes => {
                    let numbers = selection.has_target_of_numbers();
                    match cell::class(cell, &selection.missing, numbers).map_err(bad)? {
                        Some(class) => self.classes.push(Some(&selection.decimal.name(class))),
                        None => missing.push(column),
                    }
                }
                TargetKind::Numeric => {
                    let hints = [Hint::edit("correct it"), Setting::Classes.into()];
                    match cell::number(cell, format, Some(&hints)).map_err(bad)? {
                        Some(number) => self.numbers.push(number),
                        None => missing.push(column),
                    }
                }
            }
        }
        self.rows += 1;
        Ok(missing)
    }
}
