//! Train and test rows of repeated trials, from a file.

use std::path::Path;

use crate::{Error, Features, Result, Split, quoted};

use crate::readers::csv::{CsvOptions, TargetColumn, read_csv};

/// Reads the train and test rows of repeated trials, for runs that are paired with those of others.
///
/// ```text
/// s00,s01,s02        one column per split
/// 1,2,1              one line per row of the data: 1 = train, 2 = test, 0 = not used
/// ```
/// `rows` is the number of rows of the data.
///
/// # Errors
/// As [`read_csv`]; another number of lines than `rows`, another mark than 0, 1 and 2, or a split
/// without a row to train on or to test on.
pub fn read_splits(path: impl AsRef<Path>, rows: usize) -> Result<Vec<Split>> {
    let path = path.as_ref();
    let options = CsvOptions { target: TargetColumn::None, ..CsvOptions::default() };
    let marks = read_csv(path, &options)?.features;
    if marks.rows() != rows {
        return Err(Error::data(format!(
            "{} marks {} rows, the data have {rows}; give the splits of these data",
            path.display(),
            marks.rows()
        )));
    }
    (0..marks.columns()).map(|column| read_split(path, &marks, column)).collect()
}

fn read_split(path: &Path, marks: &Features, column: usize) -> Result<Split> {
    let name = quoted(&marks.names()[column]);
    let mut split = Split { train: Vec::new(), test: Vec::new() };
    for row in 0..marks.rows() {
        let mark = marks.row(row)[column];
        if mark == 1.0 {
            split.train.push(row);
        } else if mark == 2.0 {
            split.test.push(row);
        } else if mark != 0.0 {
            return Err(Error::data(format!(
                "{}: row {}, split {name} is marked {mark}; mark it 1 (train), 2 (test) or 0 \
                 (not used)",
                path.display(),
                row + 1
            )));
        }
    }
    for (rows, mark, part) in [(&split.train, 1, "train"), (&split.test, 2, "test")] {
        if rows.is_empty() {
            return Err(Error::data(format!(
                "{}: split {name} has no {part} row; mark at least one row {mark}",
                path.display()
            )));
        }
    }
    Ok(split)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readers::temporary::file;

    fn read(text: &str, rows: usize) -> Result<Vec<Split>> {
        let (_folder, path) = file("s.csv", text);
        read_splits(path, rows)
    }

    #[test]
    fn marks_become_rows() {
        let splits = read("s0,s1\n1,2\n2,1\n0,1\n1,2\n", 4).unwrap();
        assert_eq!(splits[0], Split { train: vec![0, 3], test: vec![1] });
        assert_eq!(splits[1], Split { train: vec![1, 2], test: vec![0, 3] });
        assert_eq!(read("s0\n1\n2\n", 2).unwrap().len(), 1);
    }

    #[test]
    fn splits_of_other_data_other_marks_and_empty_parts_are_refused() {
        for (text, rows, expected) in [
            ("s0\n1\n2\n", 150, " marks 2 rows, the data have 150; give the splits of these data"),
            (
                "s0,s1\n1,1\n2,3\n",
                2,
                ": row 2, split \"s1\" is marked 3; mark it 1 (train), 2 (test) or 0 (not used)",
            ),
            ("s0,s1\n1,1\n2,0\n", 2, ": split \"s1\" has no test row; mark at least one row 2"),
            ("s0\n2\n0\n", 2, ": split \"s0\" has no train row; mark at least one row 1"),
        ] {
            let error = read(text, rows).unwrap_err().to_string();
            assert!(error.ends_with(&format!("s.csv{expected}")), "{error}");
        }
        // As these messages ask for it.
        assert!(read("s0,s1\n1,1\n2,2\n", 2).is_ok());
        let long = "s".repeat(2000);
        let error = read(&format!("{long}\n1\n3\n"), 2).unwrap_err().to_string();
        assert!(error.len() < 300 && error.contains("is marked 3"), "{error}");
    }
}
