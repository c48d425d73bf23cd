//! Sparse tables in the Matrix Market format (`.mtx`, gzipped or not).

use std::path::Path;

use crate::{Error, Result, SparseFeatures, quoted};

use crate::readers::input::{Input, name_file};
use crate::readers::sparse_checks::check_emptiness;

/// The longest line that is no comment, in bytes; of a longer comment the rest is passed over.
const LONGEST: usize = 4096;

/// Reads a sparse table, rows x columns, in the Matrix Market coordinate format.
///
/// ```text
/// %%MatrixMarket matrix coordinate integer general      real, integer or pattern; general or symmetric
/// % comments
/// 2225 9635 286774                                      rows, columns, entries
/// 1 1 1                                                 row and column, counted from 1, and the value
/// ```
/// Entries may come in any order, each once; those that are left out are 0. Of a pattern every entry is 1.
///
/// # Errors
/// The file cannot be read or is damaged; it is no Matrix Market file or one of complex or dense values; a line that
/// is no entry, an entry outside, one that occurs twice, or a value that is not finite (the line is named); or
/// another number of entries than the header promises.
pub fn read_matrix_market(path: impl AsRef<Path>) -> Result<SparseFeatures> {
    read(Input::open(path.as_ref())?)
}

pub(crate) fn read(input: Input<'_>) -> Result<SparseFeatures> {
    let origin = input.origin();
    let mut lines = Lines { input, line: Vec::new(), number: 0 };
    let banner = lines.next()?.map(str::to_owned).unwrap_or_default();
    let kind = Kind::of(&banner).map_err(|flaw| Error::data(format!("{origin}: {flaw}")))?;
    let mut size: Option<[usize; 3]> = None;
    let mut entries = Vec::new();
    while let Some(line) = lines.next()? {
        if line.starts_with('%') || line.trim().is_empty() {
            continue;
        }
        let outcome = match size {
            None => read_size(line, &kind).map(|found| size = Some(found)),
            Some([rows, columns, count]) if entries.len() < count => {
                read_entry(line, [rows, columns], &kind).map(|entry| entries.push(entry))
            }
            Some([_, _, count]) => Err(format!(
                "the header promises {count} entries, and there are more; correct either"
            )),
        };
        if let Err(flaw) = outcome {
            return Err(Error::data(format!("{origin}, line {}: {flaw}", lines.number)));
        }
    }
    let Some([rows, columns, count]) = size else {
        return Err(Error::data(format!(
            "{origin} has no line with its size; write rows, columns and the number of entries"
        )));
    };
    if entries.len() != count {
        return Err(Error::data(format!(
            "the header of {origin} promises {count} entries, the file holds {}; fetch or save it again",
            entries.len()
        )));
    }
    check_emptiness(&origin, [rows, columns], count)?;
    if kind.symmetric {
        let mirrored = |&(row, column, value): &(usize, usize, f64)| (column, row, value);
        let off = entries.iter().filter(|entry| entry.0 != entry.1);
        let off: Vec<_> = off.map(mirrored).collect();
        entries.extend(off);
    }
    SparseFeatures::new([rows, columns], entries).map_err(|error| name_file(&origin, error))
}

struct Lines<'a> {
    input: Input<'a>,
    line: Vec<u8>,
    /// The number of the line that was read last, counted from 1.
    number: usize,
}

impl Lines<'_> {
    /// The next line without its end; none at the end.
    fn next(&mut self) -> Result<Option<&str>> {
        self.line = self.input.read_line(LONGEST + 1)?;
        if self.line.is_empty() {
            return Ok(None);
        }
        self.number += 1;
        let (origin, number) = (self.input.origin(), self.number);
        let is_cut = |part: &[u8]| part.len() > LONGEST && !part.ends_with(b"\n");
        if self.line.starts_with(b"%") {
            let mut rest = is_cut(&self.line);
            while rest {
                rest = is_cut(&self.input.read_line(LONGEST + 1)?);
            }
            self.line.truncate(LONGEST);
            // Comments may be in any encoding.
            if number > 1 {
                return Ok(Some("%"));
            }
        } else if is_cut(&self.line) {
            return Err(Error::data(format!(
                "{origin}, line {number} is longer than {LONGEST} bytes; write one entry per line"
            )));
        }
        match std::str::from_utf8(&self.line) {
            Ok(line) => Ok(Some(line.trim_end())),
            Err(_) => Err(Error::data(format!(
                "{origin}, line {number} is no text; give a Matrix Market file"
            ))),
        }
    }
}

struct Kind {
    pattern: bool,
    symmetric: bool,
}

impl Kind {
    fn of(banner: &str) -> Result<Self, String> {
        let words: Vec<String> = banner.split_whitespace().map(str::to_lowercase).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words[..] {
            ["%%matrixmarket", "matrix", "coordinate", field, symmetry] => {
                if !["real", "integer", "double", "pattern"].contains(&field) {
                    return Err(format!(
                        "its values are {}, not real, integer or pattern; save it as real",
                        quoted(field)
                    ));
                }
                if !["general", "symmetric"].contains(&symmetry) {
                    return Err(format!(
                        "its symmetry is {}, not general or symmetric; save it as general",
                        quoted(symmetry)
                    ));
                }
                Ok(Self { pattern: field == "pattern", symmetric: symmetry == "symmetric" })
            }
            ["%%matrixmarket", "matrix", "array", ..] => {
                Err("it holds a dense array; save it as coordinates, or as .npy or .csv"
                    .to_string())
            }
            _ => Err(format!(
                "its first line is {}, not %%MatrixMarket matrix coordinate real general; give a Matrix Market \
                 file",
                quoted(banner)
            )),
        }
    }
}

fn read_size(line: &str, kind: &Kind) -> Result<[usize; 3], String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [rows, columns, entries] = words[..] else {
        return Err(format!(
            "{} is no size; write rows, columns and the number of entries",
            quoted(line)
        ));
    };
    let number = |word: &str| {
        word.parse::<u32>().map(|number| number as usize).map_err(|_| {
            format!("{} is no size; give a whole number below {}", quoted(word), u32::MAX)
        })
    };
    let [rows, columns, entries] = [number(rows)?, number(columns)?, number(entries)?];
    if kind.symmetric && rows != columns {
        return Err(format!(
            "it is called symmetric and is {rows} x {columns}; save it as general"
        ));
    }
    Ok([rows, columns, entries])
}

fn read_entry(
    line: &str,
    [rows, columns]: [usize; 2],
    kind: &Kind,
) -> Result<(usize, usize, f64), String> {
    let mut words = line.split_whitespace();
    let (row, column) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let (value, rest) = match kind.pattern {
        true => ("1", words.next()),
        false => (words.next().unwrap_or(""), words.next()),
    };
    if value.is_empty() || rest.is_some() {
        let expected = if kind.pattern { "row and column" } else { "row, column and value" };
        return Err(format!("{} is no entry; write {expected}", quoted(line)));
    }
    let place = |word: &str, name: &str, most: usize| match word.parse::<usize>() {
        Ok(number) if (1..=most).contains(&number) => Ok(number - 1),
        _ => Err(format!("{} is no {name}; give a whole number from 1 to {most}", quoted(word))),
    };
    let value = match value.parse::<f64>() {
        Ok(value) if value.is_finite() => value,
        _ => return Err(format!("{} is no value; give a finite number", quoted(value))),
    };
    Ok((place(row, "row", rows)?, place(column, "column", columns)?, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readers::temporary::file;

    fn read(text: &str) -> Result<SparseFeatures> {
        let (_folder, path) = file("counts.mtx", text);
        read_matrix_market(path)
    }

    const GENERAL: &str = "%%MatrixMarket matrix coordinate real general\n";

    #[test]
    fn entries_of_every_kind_are_read_in_any_order() {
        let table = read(&format!("{GENERAL}% made up\n\n2 3 3\n2 1 1e1\n1 3 -0.5\r\n1 1 4\n"));
        assert_eq!(table.unwrap().to_dense().unwrap().values(), [4.0, 0.0, -0.5, 10.0, 0.0, 0.0]);
        let table = read("%%matrixmarket MATRIX coordinate pattern symmetric\n2 2 2\n1 1\n2 1");
        assert_eq!(table.unwrap().to_dense().unwrap().values(), [1.0, 1.0, 1.0, 0.0]);
    }

    #[test]
    fn a_line_without_an_end_takes_no_memory() {
        let error = read(&format!("{GENERAL}{}", "1".repeat(1 << 16))).unwrap_err().to_string();
        assert!(error.contains("line 2") && error.contains("longer than"), "{error}");
        let comment = format!("{GENERAL}%{}\n1 1 1\n1 1 7\n", "x".repeat(1 << 17));
        assert_eq!(read(&comment).unwrap().entries(), 1);
    }
}
