//! A column while it is read: numbers as long as there is nothing else, or text.

use super::RawOptions;
use super::chosen::Kind;
use crate::readers::csv::{Spellings, class_hints, infinite, infinite_class, with_nul};
use crate::{DecimalSign, Message, RawColumn, RawValues, TextValues, name_key, quoted};

/// Distinct numbers whose spelling is kept, should a text follow: a column with more is no category.
const SPELLED: usize = 512;

pub(super) struct Builder<'a> {
    kind: Kind,
    decimal: DecimalSign,
    missing: &'a Spellings,
    unlabeled: Option<&'a str>,
    among_numbers: bool,
    /// The numbers, as long as there is nothing else.
    numbers: Option<Vec<f64>>,
    /// Whether a number is missing that would be a word in text.
    word: bool,
    text: Option<TextValues>,
}

impl<'a> Builder<'a> {
    /// A column without a cell; `among_numbers` where the first rows hold numbers, but for a few.
    pub(super) fn new(
        kind: Kind,
        options: &'a RawOptions,
        missing: &'a Spellings,
        among_numbers: bool,
    ) -> Self {
        Self {
            kind,
            decimal: options.format.decimal,
            missing,
            unlabeled: options.unlabeled_class.as_deref(),
            among_numbers,
            numbers: (kind == Kind::Any).then(Vec::new),
            word: false,
            text: Some(TextValues::default()),
        }
    }

    pub(super) fn push(&mut self, cell: &str) -> Result<(), Message> {
        if cell.contains('\0') {
            return Err(with_nul(cell).into());
        }
        let name = self.decimal.name(cell);
        let mut missing = self.missing.is_missing(cell);
        if self.kind == Kind::Classes {
            let unlabeled = self.unlabeled.is_some_and(|class| name_key(class) == name_key(&name));
            if missing && !unlabeled && !cell.is_empty() && !self.missing.is_named(cell) {
                let text = format!("{} is how a missing value is spelled", quoted(cell));
                return Err(Message::from(text).with_hints(class_hints(cell)));
            }
            missing |= unlabeled;
            if let Some(reason) = infinite_class(cell, !missing && self.among_numbers) {
                return Err(reason);
            }
        }
        if let Some(numbers) = &mut self.numbers {
            match self.decimal.parse(cell) {
                _ if self.missing.is_missing_number(cell) => {
                    self.word |= !missing;
                    numbers.push(f64::NAN);
                }
                Some(number) if number.is_finite() => numbers.push(number),
                Some(_) => return Err(infinite("value", cell)),
                None => self.turn_to_text(),
            }
        }
        if let Some(text) = &mut self.text {
            let name = if self.kind == Kind::Text { cell } else { &*name };
            text.push((!missing).then_some(name));
            if self.numbers.is_some() && text.distinct().len() > SPELLED {
                self.text = None;
            }
        }
        Ok(())
    }

    /// Continues as text; of many numbers the spelling is no longer known.
    fn turn_to_text(&mut self) {
        let numbers = self.numbers.take().unwrap_or_default();
        let text = self.text.take();
        self.text = Some(text.unwrap_or_else(|| RawColumn::numbers("", numbers).into_text()));
    }

    pub(super) fn values(mut self) -> RawValues {
        // Words alone are text.
        if self.word && self.numbers.iter().flatten().all(|number| number.is_nan()) {
            self.turn_to_text();
        }
        match (self.numbers, self.text.unwrap_or_default()) {
            (Some(numbers), _) => RawValues::Numbers(numbers),
            (None, text) if self.kind == Kind::Levels => {
                let is_missing = |text: &str| self.missing.is_missing_code(text);
                let number = |text: &str| self.decimal.parse(text).is_some_and(f64::is_finite);
                if !text.distinct().iter().all(|text| is_missing(text) || number(text)) {
                    return RawValues::Text(text);
                }
                let levels = text.iter().map(|text| text.filter(|text| !is_missing(text)));
                RawValues::Text(levels.collect())
            }
            (None, text) => RawValues::Text(text),
        }
    }
}
