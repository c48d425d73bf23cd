//! One column of a raw table: how it is read, and how its missing values are filled.

use crate::{Error, RawColumn, RawValues, Result, TextValues, name_key, quoted};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// What the two values of a column of booleans are spelled like, in any case.
const BOOLEANS: [(&str, &str); 4] = [("false", "true"), ("f", "t"), ("no", "yes"), ("n", "y")];

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct PreparedColumn {
    pub(super) name: String,
    pub(super) reading: Reading,
    /// The fill value: a number, or the place of a level. `None` where missing values are not filled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) fill: Option<f64>,
    /// Whether a column says where values were missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) indicator: bool,
    #[serde(default, rename = "holes")]
    pub(super) num_missing: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reading {
    Number,
    /// 0 or 1, by one of two texts.
    Boolean,
    /// One feature per level: 1 where the cell is that level, or the same number ([`name_key`]).
    Levels(Vec<String>),
}

/// What a cell came to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cell<'a> {
    Missing,
    /// A number, or the place of a level.
    Value(f64),
    /// A text that no training row had.
    Unseen(&'a str),
}

pub(super) enum Cells<'a> {
    /// Numbers as they are; NaN is a missing value.
    Numbers(&'a [f64]),
    /// Text, and what each distinct one is read as; of an unseen one nothing.
    Text { text: Cow<'a, TextValues>, read: Vec<Option<Cell<'static>>> },
}

impl Cells<'_> {
    pub(super) fn get(&self, row: usize) -> Cell<'_> {
        match self {
            Self::Numbers(numbers) if numbers[row].is_nan() => Cell::Missing,
            Self::Numbers(numbers) => Cell::Value(numbers[row]),
            Self::Text { text, read } => text.code(row).map_or(Cell::Missing, |code| {
                read[code].unwrap_or(Cell::Unseen(&text.distinct()[code]))
            }),
        }
    }

    pub(super) fn is_missing(&self, row: usize) -> bool {
        matches!(self.get(row), Cell::Missing)
    }
}

/// The number that a text stands for in a column of booleans.
pub(super) fn boolean(text: &str) -> Option<f64> {
    let text = text.to_lowercase();
    BOOLEANS.iter().find_map(|(no, yes)| {
        let is = |word: &str| text == word;
        (is(no) || is(yes)).then(|| if is(yes) { 1.0 } else { 0.0 })
    })
}

/// Whether these are the words of one pair, or some of them.
pub(super) fn are_booleans(texts: &[String]) -> bool {
    BOOLEANS.iter().any(|(no, yes)| {
        texts.iter().all(|text| text.eq_ignore_ascii_case(no) || text.eq_ignore_ascii_case(yes))
    })
}

impl PreparedColumn {
    pub(super) fn feature_names(&self) -> Vec<String> {
        let mut names = match &self.reading {
            Reading::Number | Reading::Boolean => vec![self.name.clone()],
            Reading::Levels(levels) => {
                levels.iter().map(|level| format!("{}={level}", self.name)).collect()
            }
        };
        if self.indicator {
            names.push(format!("{} is missing", self.name));
        }
        names
    }

    pub(super) fn width(&self) -> usize {
        let own = if let Reading::Levels(levels) = &self.reading { levels.len() } else { 1 };
        own + usize::from(self.indicator)
    }

    /// What each row of the column `raw` says.
    pub(super) fn cells<'a>(&self, raw: &'a RawColumn) -> Result<Cells<'a>> {
        let text = match (raw.values(), &self.reading) {
            (RawValues::Numbers(numbers), Reading::Number) => return Ok(Cells::Numbers(numbers)),
            (RawValues::Text(text), _) => Cow::Borrowed(text),
            (RawValues::Numbers(_), _) => Cow::Owned(raw.clone().into_text()),
        };
        let read: Vec<_> = text.distinct().iter().map(|text| self.cell(text)).collect();
        let wrong = |row: usize| Some((row, text.code(row)?, read[text.code(row)?].err()?));
        if let Some((row, code, wanted)) = (0..text.rows()).find_map(wrong) {
            return Err(Error::data(format!(
                "row {}, column {}: {} is {wanted}; correct it",
                row + 1,
                quoted(&self.name),
                quoted(&text.distinct()[code])
            )));
        }
        let read = read.into_iter().map(|read| read.unwrap_or_default()).collect();
        Ok(Cells::Text { text, read })
    }

    /// What a text says; nothing where it is a level that is not known.
    fn cell(&self, text: &str) -> Result<Option<Cell<'static>>, &'static str> {
        let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
        match &self.reading {
            Reading::Levels(levels) => {
                let key = name_key(text);
                let place = levels.iter().position(|level| name_key(level) == key);
                Ok(place.map(|place| Cell::Value(place as f64)))
            }
            Reading::Boolean => boolean(text)
                .or(number.filter(|number| *number == 0.0 || *number == 1.0))
                .map(|value| Some(Cell::Value(value)))
                .ok_or("neither true nor false"),
            Reading::Number => number.map(|number| Some(Cell::Value(number))).ok_or("not a number"),
        }
    }

    pub(super) fn check(&self) -> Result<(), String> {
        let name = &self.name;
        match (&self.reading, self.fill) {
            (Reading::Levels(levels), _) if levels.is_empty() => {
                Err(format!("preparation: column {name:?} has no level"))
            }
            (Reading::Levels(levels), Some(fill))
                if !(0..levels.len()).any(|level| level as f64 == fill) =>
            {
                let levels = levels.len();
                Err(format!("preparation fills column {name:?} with level {fill} of {levels}"))
            }
            (Reading::Number | Reading::Boolean, Some(fill)) if !fill.is_finite() => {
                Err(format!("preparation fills column {name:?} with {fill}"))
            }
            _ => Ok(()),
        }
    }
}
