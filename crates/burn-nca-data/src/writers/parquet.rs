//! A table of numbers, and the names of its rows, as a Parquet file: flat columns, plain, not packed.
//!
//! ```text
//! PAR1 | row group: page of column 1, page of column 2, ... | row group ... | footer | its length | PAR1
//! page = header, [which rows have a value], the values one after the other
//! ```
//! What the crate `parquet` would write, without it: it changes the features of a crate that Burn depends on
//! (docs/decisions.md). pyarrow, polars and the crate itself read these files.
//! Source: the specification of the format and its `parquet.thrift`.

use super::Matrix;
use super::thrift::{Structure, unsigned};
use crate::{Error, Result};

/// Rows of a row group: a page of numbers is then a megabyte at most.
const GROUP: usize = 1 << 17;

const MAGIC: &[u8] = b"PAR1";

// Words of parquet.thrift.
const FLOAT: i32 = 4;
const DOUBLE: i32 = 5;
const BYTE_ARRAY: i32 = 6;
const REQUIRED: i32 = 0;
const OPTIONAL: i32 = 1;
const UTF8: i32 = 0;
const PLAIN: i32 = 0;
const RLE: i32 = 3;

/// A matrix as a Parquet file, in its own number type; `names` are those of its columns.
///
/// `places` says for each row of the table which row of the matrix is its; a row without one has no values (null).
/// `ids` are the name of a column of text before the others, and its text for each row of the table.
///
/// # Errors
/// A name that occurs twice, or more than 2 GiB of text in a row group.
pub fn parquet_file(
    ids: Option<(&str, &[String])>,
    (names, matrix): (&[String], &Matrix),
    places: &[Option<usize>],
) -> Result<Vec<u8>> {
    if let Some((id, _)) = ids.filter(|(id, _)| names.iter().any(|name| name == id)) {
        return Err(Error::setting(format!(
            "the column {id:?}, which names the rows, is called like a dimension; rename it"
        )));
    }
    let k = matrix.columns();
    let whole = places.iter().all(Option::is_some);
    let kind = matrix.kind();
    let mut file = MAGIC.to_vec();
    let mut groups = Vec::new();
    for (at, rows) in places.chunks(GROUP).enumerate() {
        let start = file.len();
        let mut chunks = Vec::new();
        if let Some((id, texts)) = ids {
            let mut body = Vec::new();
            for text in &texts[at * GROUP..][..rows.len()] {
                // A page of more bytes than 31 bits can tell is refused.
                body.extend((text.len() as u32).to_le_bytes());
                body.extend(text.as_bytes());
            }
            chunks.push(page(&mut file, (id, BYTE_ARRAY), (rows.len(), body))?);
        }
        for (column, name) in names.iter().enumerate() {
            let mut body = if whole { Vec::new() } else { levels(rows) };
            for place in rows.iter().flatten() {
                matrix.push(&mut body, place * k + column);
            }
            chunks.push(page(&mut file, (name, kind), (rows.len(), body))?);
        }
        let bytes = (file.len() - start) as i64;
        groups.push(
            Structure::default().structures(1, chunks).i64(2, bytes).i64(3, rows.len() as i64),
        );
    }
    let footer = Structure::default()
        .i32(1, 1)
        .structures(2, schema(ids.map(|(id, _)| id), names, (kind, whole)))
        .i64(3, places.len() as i64)
        .structures(4, groups)
        .text(6, "burn-nca")
        .finish();
    let length = (footer.len() as u32).to_le_bytes();
    file.extend(footer);
    file.extend(length);
    file.extend(MAGIC);
    Ok(file)
}

/// What the columns are: names of rows, and numbers of this kind, in `whole` columns for every row.
fn schema(id: Option<&str>, names: &[String], (kind, whole): (i32, bool)) -> Vec<Structure> {
    let ids = id.map(|id| {
        let logical = Structure::default().structure(1, Structure::default());
        let column = Structure::default().i32(1, BYTE_ARRAY).i32(3, REQUIRED).text(4, id);
        column.i32(6, UTF8).structure(10, logical)
    });
    let repetition = if whole { REQUIRED } else { OPTIONAL };
    let number = |name| Structure::default().i32(1, kind).i32(3, repetition).text(4, name);
    let columns: Vec<Structure> =
        ids.into_iter().chain(names.iter().map(|name| number(name))).collect();
    let root = Structure::default().text(4, "schema").i32(5, columns.len() as i32);
    std::iter::once(root).chain(columns).collect()
}

/// Adds a page to the file, the only one of its column in the row group, and gives what the footer says of it.
fn page(
    file: &mut Vec<u8>,
    (name, kind): (&str, i32),
    (rows, body): (usize, Vec<u8>),
) -> Result<Structure> {
    let size = i32::try_from(body.len()).map_err(|_| {
        Error::data(format!("the column {name:?} has more than 2 GiB in {rows} rows"))
    })?;
    let values = Structure::default().i32(1, rows as i32).i32(2, PLAIN).i32(3, RLE).i32(4, RLE);
    let header = Structure::default().i32(1, 0).i32(2, size).i32(3, size).structure(5, values);
    let start = file.len();
    file.extend(header.finish());
    file.extend(body);
    let bytes = (file.len() - start) as i64;
    let column = Structure::default()
        .i32(1, kind)
        .i32s(2, &[PLAIN, RLE])
        .texts(3, &[name])
        .i32(4, 0)
        .i64(5, rows as i64)
        .i64(6, bytes)
        .i64(7, bytes)
        .i64(9, start as i64);
    Ok(Structure::default().i64(2, start as i64).structure(3, column))
}

/// Which rows have a value, in runs of equal ones.
fn levels(rows: &[Option<usize>]) -> Vec<u8> {
    let mut runs = Vec::new();
    for run in rows.chunk_by(|a, b| a.is_some() == b.is_some()) {
        unsigned(&mut runs, (run.len() as u64) << 1);
        runs.push(u8::from(run[0].is_some()));
    }
    let mut body = (runs.len() as u32).to_le_bytes().to_vec();
    body.extend(runs);
    body
}

impl Matrix {
    fn kind(&self) -> i32 {
        match self {
            Self::F32 { .. } => FLOAT,
            Self::F64 { .. } => DOUBLE,
        }
    }

    fn push(&self, body: &mut Vec<u8>, at: usize) {
        match self {
            Self::F32 { values, .. } => body.extend(values[at].to_le_bytes()),
            Self::F64 { values, .. } => body.extend(values[at].to_le_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> [String; 2] {
        ["z1".to_string(), "z2".to_string()]
    }

    /// Another reader's test holds the values of this file: `crates/burn-nca-python/tests/test_parquet.py`.
    #[test]
    fn a_file_is_byte_for_byte_one_that_pyarrow_and_polars_read() {
        let matrix = Matrix::F64 { values: vec![0.5, -2.0, 1e-7, 3.0], columns: 2 };
        let ids = ["a".to_string(), "b, \"ü\"".to_string(), String::new()];
        let rows = [Some(0), None, Some(1)];
        let file = parquet_file(Some(("plant", &ids)), (&names(), &matrix), &rows).unwrap();
        let expected = include_bytes!("../../tests/parquet/embedding.parquet");
        assert_eq!(file, expected, "{:?}", String::from_utf8_lossy(&file));
    }

    #[test]
    fn rows_beyond_a_group_begin_another() {
        let matrix = Matrix::F32 { values: vec![0.0; 2], columns: 2 };
        let rows = vec![Some(0); GROUP + 1];
        let file = parquet_file(None, (&names(), &matrix), &rows).unwrap();
        let page = 4 * GROUP;
        // Two pages of a whole group, two of a row, headers and footer.
        assert!((2 * page + 8..2 * page + 600).contains(&file.len()), "{}", file.len());
        assert_eq!((&file[..4], &file[file.len() - 4..]), (MAGIC, MAGIC));
        assert!(parquet_file(None, (&names(), &matrix), &[]).unwrap().len() < 120);
    }
}
