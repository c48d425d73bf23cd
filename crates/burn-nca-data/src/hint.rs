//! Messages, and hints that each front end words in its own names.
//!
//! A [`Message`] says what is wrong with which value; its [`Hint`]s say what to do about it, as values. The library words
//! them in its own names ([`Message`]'s `Display`), the program as options on a line `hint:`, the Python package as
//! parameters, the page as its controls. What a front end cannot set, it leaves out.
//!
//! ```text
//! Message { text, hints } ──► Error, notes of a table ──► hint_sentence(hints, words of the front end) ──► one sentence
//! ```

use std::borrow::Cow;
use std::fmt::{self, Display};

use crate::excerpt::quoted;

/// What to do about a message.
#[derive(Clone, Debug, PartialEq)]
pub enum Hint {
    /// An edit of the data, in words that hold for every front end: `correct it`.
    Edit(Cow<'static, str>),
    /// A setting.
    Set(Setting),
}

/// A setting that a hint names, with the value to set.
#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    /// The target is read as classes.
    Classes,
    /// The target is read as numbers.
    Numbers,
    /// Missing values are filled in, or their rows left out.
    MissingRule,
    /// Rows with missing values are left out.
    DropMissing,
    /// This text is a missing value, too.
    MissingValue(String),
    /// The usual spellings of missing values are ordinary words.
    NoMissingValues,
    /// This class marks rows without a class.
    UnlabeledClass(String),
    /// Text becomes features; the column is named where it holds mostly numbers.
    Categorical(Option<String>),
    /// The column is left out.
    Ignore,
    /// The column is the target.
    Target,
    /// The column identifies the rows.
    Id,
    /// A categorical column may have more levels.
    MaxLevels,
    /// The encoding of the file, where it is known.
    Encoding(Option<&'static str>),
    /// Runs of spaces and tabs separate values.
    SeparatorSpace,
    /// Whether the first line holds the names of the columns.
    Header(bool),
    /// A comma precedes the fraction of a number.
    DecimalComma,
    /// The shrinkage of a covariance.
    Shrinkage(f64),
    /// The number of dimensions.
    Dimensions(usize),
    /// A linear encoder.
    LinearEncoder,
    /// The program chooses how sums over pairs are computed.
    AutoSums,
    /// The map starts where the method would have it.
    AutoStart,
    /// The encoder that a saved model was fitted with, which is the user's own.
    OwnEncoder,
}

impl Hint {
    /// `correct it`, as an edit of the data.
    pub fn edit(words: impl Into<Cow<'static, str>>) -> Self {
        Self::Edit(words.into())
    }
}

impl From<Setting> for Hint {
    fn from(setting: Setting) -> Self {
        Self::Set(setting)
    }
}

impl Setting {
    fn words(&self) -> String {
        match self {
            Self::Classes => "read it with TargetKind::Classes".into(),
            Self::Numbers => "read it with TargetKind::Numeric".into(),
            Self::MissingRule => "prepare the table with a rule for missing values".into(),
            Self::DropMissing => "prepare the table with Missing::Drop".into(),
            Self::MissingValue(text) => format!("name {} among the missing values", quoted(text)),
            Self::NoMissingValues => {
                "leave the usual missing values out if such words are values".into()
            }
            Self::UnlabeledClass(class) => {
                let class = quoted(class);
                format!("give the unlabeled class {class} if it marks rows without a class")
            }
            Self::Categorical(Some(name)) => format!("name {} as categorical", quoted(name)),
            Self::Categorical(None) => "name the column as categorical".into(),
            Self::Ignore => "leave the column out".into(),
            Self::Target => "name the column as the target".into(),
            Self::Id => "carry it along as the identifier".into(),
            Self::MaxLevels => "allow more levels".into(),
            Self::Encoding(Some(name)) => format!("read it as {name}"),
            Self::Encoding(None) => "give the encoding of the file".into(),
            Self::SeparatorSpace => "read the file with the separator space".into(),
            Self::Header(true) => "read the first line as names with Header::Yes".into(),
            Self::Header(false) => "read the first line as a row with Header::No".into(),
            Self::DecimalComma => "read the file with a decimal comma".into(),
            Self::Shrinkage(value) => format!("set a shrinkage of {value}"),
            Self::Dimensions(number) => format!("ask for {number} dimensions"),
            Self::LinearEncoder => "choose a linear encoder".into(),
            Self::AutoSums => "choose Sums::Auto".into(),
            Self::AutoStart => "choose Start::Auto".into(),
            Self::OwnEncoder => "load it with `Fitted::load_with` and that encoder".into(),
        }
    }
}

/// What is wrong with which value, and what to do about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Message {
    text: String,
    hints: Vec<Hint>,
}

impl Message {
    /// The message with one more hint.
    pub fn with_hint(mut self, hint: impl Into<Hint>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// The message with more hints.
    pub fn with_hints(mut self, hints: impl IntoIterator<Item = Hint>) -> Self {
        self.hints.extend(hints);
        self
    }

    /// The message with another text, made of its own.
    pub fn map_text(self, text: impl FnOnce(String) -> String) -> Self {
        Self { text: text(self.text), hints: self.hints }
    }

    /// What is wrong, without the hints.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What to do about it.
    pub fn hints(&self) -> &[Hint] {
        &self.hints
    }
}

/// The hints as one sentence: `a`, `a, or b`, `a, b, or c`; `words` says a setting in the names of a front end, which has
/// no words for what it cannot set.
pub fn hint_sentence<'a>(
    hints: impl IntoIterator<Item = &'a Hint>,
    words: impl Fn(&Setting) -> Option<String>,
) -> Option<String> {
    let said = hints.into_iter().filter_map(|hint| match hint {
        Hint::Edit(edit) => Some(edit.to_string()),
        Hint::Set(setting) => words(setting),
    });
    let said: Vec<String> = said.collect();
    match &said[..] {
        [] => None,
        [only] => Some(only.clone()),
        [first @ .., last] => Some(format!("{}, or {last}", first.join(", "))),
    }
}

/// A text and what to do about it in one line: `text; hint`.
pub fn in_one_line(text: String, hint: Option<String>) -> String {
    match hint {
        Some(hint) => format!("{text}; {hint}"),
        None => text,
    }
}

/// What to do about missing values of features; `are_words` where some are spelled by a word.
pub(crate) fn missing_hints(are_words: bool) -> Vec<Hint> {
    let words = are_words.then_some(Setting::NoMissingValues);
    [Hint::edit("fill the values in"), Hint::edit("remove the rows"), Setting::MissingRule.into()]
        .into_iter()
        .chain(words.map(Hint::from))
        .collect()
}

impl Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hint = hint_sentence(&self.hints, |setting| Some(setting.words()));
        f.write_str(&in_one_line(self.text.clone(), hint))
    }
}

impl From<String> for Message {
    fn from(text: String) -> Self {
        Self { text, hints: Vec::new() }
    }
}

impl From<&str> for Message {
    fn from(text: &str) -> Self {
        text.to_string().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_front_end_words_the_settings_that_it_has() {
        let message = Message::from("\"x\" is not a number").with_hint(Hint::edit("correct it"));
        let message = message.with_hint(Setting::Ignore).with_hint(Setting::Target);
        let words = "correct it, leave the column out, or name the column as the target";
        assert_eq!(message.to_string(), format!("\"x\" is not a number; {words}"));
        let option = |setting: &Setting| {
            (*setting == Setting::Ignore).then(|| "--ignore the column".to_string())
        };
        let said = hint_sentence(message.hints(), option);
        assert_eq!(said.unwrap(), "correct it, or --ignore the column");
        assert_eq!(hint_sentence(&message.hints()[2..], option), None);
    }
}
