//! Where results go, and how matrices are written.

mod parquet;
mod thrift;

use std::fmt::{Display, LowerExp};
use std::io::{IsTerminal, stdout};
use std::path::Path;

use anyhow::{Context, Result, bail};
use burn::tensor::{DType, Tensor};
use burn_nca_files::{is_regular, write_stdout};
use burn_nca_program::printable;
pub use burn_nca_program::{print, short_name, tell, write_file};
use burn_nca_report::Warning;
use npyz::{AutoSerialize, WriteOptions, WriterBuilder};
pub use parquet::matrix_parquet;
use serde::Serialize;

/// Prints text for people, its control characters escaped.
///
/// # Errors
/// A closed stdout.
pub fn print_text(text: &str) -> Result<()> {
    print(&printable(text))
}

/// Prints CSV: byte for byte into a file or a pipe, with its control characters escaped on a terminal.
///
/// # Errors
/// A closed stdout.
pub fn print_csv(text: &str) -> Result<()> {
    if stdout().is_terminal() { print_text(text) } else { print(text) }
}

/// Writes bytes that are no text to stdout, into a file or a pipe.
///
/// # Errors
/// A terminal, which would show them as they are, or a closed stdout.
pub fn print_bytes(bytes: &[u8]) -> Result<()> {
    if stdout().is_terminal() {
        bail!(
            "these are bytes, not text for a terminal; give --out FILE, or send stdout to a file"
        );
    }
    write_stdout(bytes).context("writing to stdout")
}

/// Prints one JSON document.
///
/// # Errors
/// A closed stdout.
pub fn print_json(document: &impl Serialize) -> Result<()> {
    print_json_text(&format!("{}\n", serde_json::to_string_pretty(document)?))
}

/// Prints JSON that is text already.
///
/// # Errors
/// A closed stdout.
pub fn print_json_text(text: &str) -> Result<()> {
    print(&escaped_json(text))
}

/// The same document with all control characters escaped. JSON itself asks it for those below U+0020 only, and a
/// terminal obeys U+007F to U+009F, too; outside of strings there are none.
fn escaped_json(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\u{7f}'..='\u{9f}' => escaped.push_str(&format!("\\u{:04x}", u32::from(letter))),
            _ => escaped.push(letter),
        }
    }
    escaped
}

/// Tells the user what is worth knowing, on stderr.
pub fn warn(message: &str) {
    tell(&format!("warning: {message}"));
}

/// Tells on stderr what a JSON document holds as its warnings.
pub fn warn_of(warnings: &[Warning]) {
    warnings.iter().for_each(|warning| warn(&warning.text));
}

/// How a table is written into a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFormat {
    /// Comma-separated text.
    Csv,
    /// A NumPy array.
    Npy,
    /// A Parquet file.
    Parquet,
    /// One JSON document.
    Json,
}

impl TableFormat {
    /// The format that this file's name asks for, among those offered; CSV for stdout, a device or a FIFO.
    ///
    /// # Errors
    /// A name that asks for another format.
    pub fn of(path: Option<&Path>, offered: &[Self]) -> Result<Self> {
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
        bail!(
            "--out {}: a table is written as .{} here; name the file so",
            path.display(),
            either(&extensions)
        )
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

/// A matrix as CSV, with these column names; every value in the fewest digits that read back to it.
pub fn matrix_csv(names: &[String], matrix: &Tensor<2>) -> Vec<u8> {
    let [_, columns] = matrix.dims();
    let mut text = names.iter().map(|name| csv_field(name)).collect::<Vec<_>>().join(",");
    text.push('\n');
    let cells = decimal_cells(matrix);
    for row in cells.chunks_exact(columns) {
        text.push_str(&row.join(","));
        text.push('\n');
    }
    text.into_bytes()
}

/// A matrix as a NumPy file (format 1.0), in its own number type.
pub fn matrix_npy(matrix: &Tensor<2>) -> Vec<u8> {
    let shape = matrix.dims().map(|size| size as u64);
    match floats(matrix) {
        Floats::F32(values) => npy_file(&shape, values),
        Floats::F64(values) => npy_file(&shape, values),
    }
}

fn npy_file<T: AutoSerialize>(shape: &[u64], values: Vec<T>) -> Vec<u8> {
    let mut file = Vec::new();
    let write = |file| {
        let mut writer =
            WriteOptions::new().default_dtype().shape(shape).writer(file).begin_nd()?;
        writer.extend(values)?;
        writer.finish()
    };
    write(&mut file)
        .expect("memory takes every byte, and there are as many values as the shape says");
    file
}

/// A cell of a CSV file, quoted where it must be.
pub fn csv_field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) || text.trim() != text {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text.to_string()
}

/// A number of a CSV file in the fewest digits that read back to it, with an exponent where zeros would lead or follow.
pub fn csv_number<T: Display + LowerExp + Into<f64> + Copy>(value: T) -> String {
    let size = value.into().abs();
    if size == 0.0 || (1e-5..1e16).contains(&size) {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

enum Floats {
    F32(Vec<f32>),
    F64(Vec<f64>),
}

fn floats(matrix: &Tensor<2>) -> Floats {
    let data = matrix.clone().into_data();
    const CONVERTED: &str = "data that were just converted have that type";
    if data.dtype() == DType::F64 {
        Floats::F64(data.try_to_vec().expect(CONVERTED))
    } else {
        Floats::F32(data.convert::<f32>().try_to_vec().expect(CONVERTED))
    }
}

fn decimal_cells(matrix: &Tensor<2>) -> Vec<String> {
    match floats(matrix) {
        Floats::F32(values) => values.into_iter().map(csv_number).collect(),
        Floats::F64(values) => values.into_iter().map(csv_number).collect(),
    }
}

#[cfg(test)]
mod tests {
    use burn_nca::device;

    use super::*;

    #[test]
    fn escaped_json_is_the_same_document() {
        let name = "a\u{9b}31m\u{7f}\u{1b}é\u{a0}";
        let text = escaped_json(&serde_json::to_string(name).unwrap());
        assert!(!text.contains(char::is_control), "{text:?}");
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), name);
    }

    #[test]
    fn the_name_of_a_file_says_how_it_is_written() {
        let format = |path: &str, offered: &[TableFormat]| {
            TableFormat::of(Some(path.as_ref()), offered).map_err(|error| error.to_string())
        };
        let both = [TableFormat::Csv, TableFormat::Npy];
        assert_eq!(format("z.NPY", &both), Ok(TableFormat::Npy));
        assert_eq!(format("z.csv", &both[..1]), Ok(TableFormat::Csv));
        assert_eq!(format("/dev/stdout", &both), Ok(TableFormat::Csv));
        assert!(format("z.xlsx", &both).unwrap_err().contains(".csv or .npy"));
        let all = [TableFormat::Csv, TableFormat::Npy, TableFormat::Parquet];
        assert_eq!(format("z.parquet", &all), Ok(TableFormat::Parquet));
        assert!(format("z.xlsx", &all).unwrap_err().contains("as .csv, .npy or .parquet here"));
        assert!(format("z.npy", &both[..1]).unwrap_err().contains("as .csv here"));
        assert!(format("z", &both[..1]).is_err());
    }

    #[test]
    fn a_matrix_is_written_in_the_digits_of_its_type() {
        let host = device::host().unwrap();
        let matrix = Tensor::<2>::from_data([[0.1f32, -2.0], [1e-7, 3.0]], (&host, DType::F32));
        let names = ["z1".to_string(), "a,b".to_string()];
        let text = String::from_utf8(matrix_csv(&names, &matrix)).unwrap();
        assert_eq!(text, "z1,\"a,b\"\n0.1,-2\n1e-7,3\n");
        let bytes = matrix_npy(&matrix);
        assert_eq!((bytes.len() - 16) % 64, 0);
        assert_eq!(bytes[bytes.len() - 4..], 3f32.to_le_bytes());
    }
}
