//! Where results go, and how matrices are written.

use std::io::{IsTerminal, stdout};
use std::path::Path;

use anyhow::{Context, Result, bail};
use burn::tensor::{DType, Tensor};
use burn_nca_data::Matrix;
use burn_nca_files::{is_regular, write_stdout};
use burn_nca_program::printable;
pub use burn_nca_program::{eprint_line, print, short_name, write_file};
use burn_nca_report::{Warning, WarningCode};
use serde::Serialize;

use crate::failure::hinted;

/// Prints text for people, its control characters escaped.
pub fn print_text(text: &str) -> Result<()> {
    print(&printable(text))
}

pub fn print_json(document: &impl Serialize) -> Result<()> {
    print_json_text(&format!("{}\n", serde_json::to_string_pretty(document)?))
}

pub fn print_json_text(text: &str) -> Result<()> {
    print(&escaped_json(text))
}

/// The same document with all control characters escaped. JSON itself asks it for those below U+0020 only, and a
/// terminal obeys U+007F to U+009F, too; outside of strings there are none.
fn escaped_json(text: &str) -> String {
    ('\u{7f}'..='\u{9f}').fold(text.to_string(), |text, letter| match text.contains(letter) {
        true => text.replace(letter, &format!("\\u{:04x}", u32::from(letter))),
        false => text,
    })
}

/// A warning of this code, with a text as of `format!`.
macro_rules! warning {
    ($code:ident, $($text:tt)+) => {
        burn_nca_report::Warning::new(burn_nca_report::WarningCode::$code, format!($($text)+))
    };
}

macro_rules! warning_if {
    ($holds:expr, $($warning:tt)+) => {
        $holds.then(|| crate::output::warning!($($warning)+))
    };
}
pub(crate) use {warning, warning_if};

pub fn warn(message: &str) {
    eprint_line(&format!("warning: {message}"));
}

/// Says on stderr what to do about the message before.
pub fn hint(hint: Option<&str>) {
    if let Some(hint) = hint {
        eprint_line(&format!("hint: {hint}"));
    }
}

/// Reports on stderr what a JSON document holds as its warnings.
pub fn warn_of<'a>(warnings: impl IntoIterator<Item = &'a Warning>) {
    emit(warnings, &[WarningCode::ReadAs]);
}

/// Reports warnings on stderr, those of some codes as notes, which are no cause for alarm.
pub fn emit<'a>(warnings: impl IntoIterator<Item = &'a Warning>, notes: &[WarningCode]) {
    for warning in warnings {
        let kind = if notes.contains(&warning.code) { "note" } else { "warning" };
        eprint_line(&format!("{kind}: {}", warning.text));
        hint(warning.hint.as_deref());
    }
}

/// The names, each short, and the first of more than `most`.
pub fn listed<S: AsRef<str>>(names: &[S], most: usize) -> String {
    first_of(&names.iter().map(|name| short_name(name.as_ref())).collect::<Vec<_>>(), most)
}

pub fn first_of(texts: &[String], most: usize) -> String {
    let shown = texts[..texts.len().min(most)].join(", ");
    if texts.len() > most { format!("{shown}, … ({} in all)", texts.len()) } else { shown }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFormat {
    Csv,
    Npy,
    Parquet,
    Json,
}

impl TableFormat {
    /// The format that is given, or else the one that the file's name asks for, among those offered.
    pub fn chosen(given: Option<Self>, path: Option<&Path>, offered: &[Self]) -> Result<Self> {
        let by_name =
            Self::of_option("--out", path, given.as_ref().map_or(offered, std::slice::from_ref))?;
        Ok(given.unwrap_or(by_name))
    }

    /// The format that the name of an option's file asks for, among those offered; CSV for stdout, a device or a FIFO.
    pub fn of_option(option: &str, path: Option<&Path>, offered: &[Self]) -> Result<Self> {
        let Some(path) = path else { return Ok(Self::Csv) };
        let extension = path.extension().unwrap_or_default();
        let named = |format: &&Self| extension.eq_ignore_ascii_case(format.extension());
        if let Some(format) = offered.iter().find(named) {
            return Ok(*format);
        }
        if !is_regular(path) {
            return Ok(Self::Csv);
        }
        let extensions: Vec<&str> = offered.iter().map(|format| format.extension()).collect();
        bail!(hinted(
            format!(
                "{option} {}: a table is written as .{} here",
                path.display(),
                either(&extensions)
            ),
            "name the file so"
        ))
    }

    /// Writes a table into a file, or to stdout, where CSV has its control characters escaped on a terminal.
    pub fn write(self, table: &[u8], out: Option<&Path>) -> Result<()> {
        let text = || String::from_utf8_lossy(table);
        let is_shown = out.is_none() && stdout().is_terminal();
        match (out, self) {
            (Some(path), _) => write_file(path, table),
            (None, Self::Json) => print_json_text(&text()),
            (None, Self::Csv) if is_shown => print_text(&text()),
            (None, Self::Npy | Self::Parquet) if is_shown => bail!(hinted(
                "these are bytes, not text for a terminal",
                "give --out FILE, or send stdout to a file"
            )),
            (None, _) => write_stdout(table).context("writing to stdout"),
        }
    }

    fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Npy => "npy",
            Self::Parquet => "parquet",
            Self::Json => "json",
        }
    }
}

/// `csv, .npy or .parquet`
fn either(extensions: &[&str]) -> String {
    match extensions {
        [first @ .., last] if !first.is_empty() => format!("{} or .{last}", first.join(", .")),
        _ => extensions.concat(),
    }
}

/// The numbers of a tensor, in its own number type.
pub fn matrix(tensor: &Tensor<2>) -> Matrix {
    const CONVERTED: &str = "data that were just converted have that type";
    let ([_, columns], data) = (tensor.dims(), tensor.clone().into_data());
    if data.dtype() == DType::F64 {
        Matrix::F64 { values: data.try_to_vec().expect(CONVERTED), columns }
    } else {
        Matrix::F32 { values: data.convert::<f32>().try_to_vec().expect(CONVERTED), columns }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_json_is_the_same_document() {
        let name = "a\u{9b}31m\u{7f}\u{1b}é\u{a0}";
        let text = escaped_json(&serde_json::to_string(name).unwrap());
        assert!(!text.contains(char::is_control), "{text:?}");
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), name);
    }
}
