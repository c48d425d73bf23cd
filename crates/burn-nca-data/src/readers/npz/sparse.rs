//! Sparse tables as `scipy.sparse.save_npz` writes them.

use std::path::Path;

use crate::{Error, Result, SparseFeatures};

use super::Archive;
use crate::excerpt::short;
use crate::readers::input::{Input, name_file};
use crate::readers::npy;
use crate::readers::sparse_checks::check_emptiness;

/// The first array of such an archive, by its format.
const FIRST: [&[u8]; 5] = [b"indices.npy", b"row.npy", b"col.npy", b"offsets.npy", b"coords.npy"];

/// Where a zip archive has the length of the name of its first file, and the name.
const NAME_LENGTH: usize = 26;
const NAME: usize = 30;

/// Whether an archive holds a sparse table. One of other arrays is known by the name of the first, and not read.
pub(crate) fn is_sparse(input: Input<'_>) -> bool {
    begins_as_sparse(input.start()) && Archive::open(input).is_ok_and(|archive| archive.is_sparse())
}

fn begins_as_sparse(start: &[u8]) -> bool {
    let Some(&[low, high]) = start.get(NAME_LENGTH..NAME_LENGTH + 2) else { return false };
    let end = NAME + usize::from(u16::from_le_bytes([low, high]));
    start.get(NAME..end).is_some_and(|name| FIRST.contains(&name))
}

/// Reads a sparse table, rows x columns, from an archive of `scipy.sparse.save_npz`: compressed rows (CSR), compressed
/// columns (CSC) or entries (COO).
///
/// # Errors
/// The file cannot be read or is damaged, holds no such table or one of another format (BSR, DIA), or what
/// [`SparseFeatures::new`] refuses.
pub fn read_sparse_npz(path: impl AsRef<Path>) -> Result<SparseFeatures> {
    read(Input::open(path.as_ref())?)
}

pub(crate) fn read(input: Input<'_>) -> Result<SparseFeatures> {
    let archive = Archive::open(input)?;
    if archive.is_sparse() {
        return archive.sparse();
    }
    Err(Error::data(format!(
        "{} holds arrays, not a sparse table with its format; an archive of the arrays X and y is given alone, and a sparse \
         table is saved with scipy.sparse.save_npz",
        archive.origin
    )))
}

impl Archive {
    pub(super) fn is_sparse(&self) -> bool {
        let has = |name: &str| self.arrays.iter().any(|member| member.name == name);
        has("format") && has("shape") && has("data")
    }

    pub(super) fn sparse(&self) -> Result<SparseFeatures> {
        let format = npy::read_text(self.array("format")?)?;
        let shape = self.whole_numbers("shape")?;
        let &[rows, columns] = &shape[..] else {
            return Err(Error::data(format!(
                "{} has {} dimensions; save rows and columns",
                self.origin,
                shape.len()
            )));
        };
        let values = npy::read_numbers(self.array("data")?)?;
        check_emptiness(&self.origin, [rows, columns], values.len())?;
        let (of_rows, of_columns) = match format.as_str() {
            "csr" | "csc" => {
                let (starts, of) = (self.whole_numbers("indptr")?, self.whole_numbers("indices")?);
                let in_order = starts.windows(2).all(|two| two[0] <= two[1]);
                let ends = (starts.first(), starts.last()) == (Some(&0), Some(&values.len()));
                let lines = if format == "csr" { rows } else { columns };
                if starts.len() != lines + 1 || !in_order || !ends || of.len() != values.len() {
                    return Err(self.contradiction());
                }
                if format == "csr" {
                    return SparseFeatures::from_csr(columns, starts, of, values)
                        .map_err(|error| name_file(&self.origin, error));
                }
                let lines = starts.windows(2).enumerate();
                let lines = lines.flat_map(|(line, two)| vec![line; two[1] - two[0]]).collect();
                (of, lines)
            }
            "coo" => (self.whole_numbers("row")?, self.whole_numbers("col")?),
            other => {
                return Err(Error::data(format!(
                    "{}: its format is {}, and csr, csc and coo are read; save it with .tocsr()",
                    self.origin,
                    short(other)
                )));
            }
        };
        if of_rows.len() != values.len() || of_columns.len() != values.len() {
            return Err(self.contradiction());
        }
        let entries = of_rows.into_iter().zip(of_columns).zip(values);
        let entries = entries.map(|((row, column), value)| (row, column, value));
        SparseFeatures::new([rows, columns], entries.collect())
            .map_err(|error| name_file(&self.origin, error))
    }

    fn array(&self, name: &'static str) -> Result<Input<'_>> {
        let found = self.arrays.iter().find(|member| member.name == name);
        let member = found.ok_or_else(|| {
            Error::data(format!(
                "{} lacks the array {name} of a sparse table; save it with scipy.sparse.save_npz",
                self.origin
            ))
        })?;
        self.input(member)
    }

    fn whole_numbers(&self, name: &'static str) -> Result<Vec<usize>> {
        let input = self.array(name)?;
        let origin = input.origin();
        let whole = |value: f64| {
            if value >= 0.0 && value.fract() == 0.0 && value < 2.0_f64.powi(53) {
                return Ok(value as usize);
            }
            Err(Error::data(format!("{origin} holds {value}, not a place; save the table again")))
        };
        npy::read_numbers(input)?.into_iter().map(whole).collect()
    }

    fn contradiction(&self) -> Error {
        Error::data(format!(
            "{}: the lengths of its arrays contradict each other; save the table again",
            self.origin
        ))
    }
}
