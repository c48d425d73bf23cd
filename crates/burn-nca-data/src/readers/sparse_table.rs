//! Sparse rows with a target each: a Matrix Market file or an archive of scipy.sparse, and a file with one class or
//! number a row.

use crate::{
    Error, Message, RawColumn, RawValues, Result, SparseFeatures, Target, TargetKind, quoted,
};
use std::path::Path;

use crate::readers::format::Format;
use crate::readers::input::Input;
use crate::readers::raw::{self, RawOptions};
use crate::readers::sparse_checks::missing_labels_error;
use crate::readers::{matrix_market, npz};

/// Sparse rows with a target each.
#[derive(Clone, Debug)]
pub struct SparseTable {
    /// The rows that have a target.
    pub features: SparseFeatures,
    /// The name of the target: the header of its column.
    pub target_name: String,
    /// The target of each row.
    pub target: Target,
    /// Which rows of the file have no class, counted from 0.
    pub without_class: Vec<usize>,
    /// What to know of how the targets were read.
    pub notes: Vec<Message>,
}

impl SparseTable {
    /// The same without the rows of a class, as rows without one ([`Table::set_apart`](crate::Table::set_apart)).
    #[must_use]
    pub fn set_apart(self, class: &str) -> Self {
        let all = self.features.rows() + self.without_class.len();
        let known = |row: &usize| self.without_class.binary_search(row).is_err();
        let places: Vec<usize> = (0..all).filter(known).collect();
        let (target, kept) = self.target.without(class);
        let is_apart = |row: &usize| {
            places.binary_search(row).map_or(true, |at| kept.binary_search(&at).is_err())
        };
        let without_class = (0..all).filter(is_apart).collect();
        Self { features: self.features.select(&kept), target, without_class, ..self }
    }
}

/// Whether a source is a Matrix Market file or an archive of `scipy.sparse.save_npz`, alone or before a comma and the
/// file of its targets.
///
/// The first bytes of regular files tell; a pipe, which gives its bytes only once, is none.
pub fn is_sparse(source: &str) -> bool {
    let path = Path::new(parts(source).0);
    path.is_file()
        && Input::open(path).is_ok_and(|input| match input.format() {
            Format::MatrixMarket => true,
            Format::Zip => npz::is_sparse(input),
            _ => false,
        })
}

fn read_rows(input: Input<'_>) -> Result<SparseFeatures> {
    if input.format() == Format::Zip { npz::read_sparse(input) } else { matrix_market::read(input) }
}

/// Opens the rows of a Matrix Market file or of an archive of `scipy.sparse.save_npz`, without a target.
///
/// # Errors
/// As [`read_matrix_market`](crate::read_matrix_market) and [`read_sparse_npz`](crate::read_sparse_npz).
pub fn open_sparse_features(source: &str) -> Result<SparseFeatures> {
    read_rows(Input::open(Path::new(parts(source).0))?)
}

/// Opens `FILE.mtx,TARGETS.csv` or `FILE.npz,TARGETS.csv`: sparse rows, and the last column of a CSV file with a row for each.
///
/// # Errors
/// As [`open_sparse_features`] and [`parse_raw`](crate::parse_raw); no file of targets, another
/// number of them than rows, a number that is missing or none.
pub fn open_sparse(source: &str, task: TargetKind) -> Result<SparseTable> {
    let (rows, targets) = parts(source);
    let Some(targets) = targets else { return Err(missing_labels_error(rows)) };
    read(Input::open(Path::new(rows))?, targets, task)
}

/// A file of sparse rows with the file of its targets.
pub(crate) fn read(rows: Input<'_>, targets: &str, task: TargetKind) -> Result<SparseTable> {
    let origin = rows.origin();
    let features = read_rows(rows)?;
    let table = raw::read(Input::open(Path::new(targets))?, &RawOptions::default())?;
    let notes = table.notes().to_vec();
    let Some(column) = table.columns().last().cloned() else {
        return Err(Error::data(format!("{targets} has no column; write the classes into one")));
    };
    if column.rows() != features.rows() {
        return Err(Error::data(format!(
            "{origin} has {} rows and {targets} has {}; give the targets of these rows, a line each below a header",
            features.rows(),
            column.rows()
        )));
    }
    let target_name = column.name().to_string();
    let (kept, target) = target_of(column, task, targets)?;
    let mut without_class: Vec<usize> = (0..features.rows()).collect();
    without_class.retain(|row| kept.binary_search(row).is_err());
    let features = if without_class.is_empty() { features } else { features.select(&kept) };
    Ok(SparseTable { features, target_name, target, without_class, notes })
}

fn target_of(column: RawColumn, task: TargetKind, origin: &str) -> Result<(Vec<usize>, Target)> {
    if task == TargetKind::Classes {
        return Ok(Target::of_text(&column.into_text()));
    }
    match column.values() {
        RawValues::Numbers(values) if column.num_missing() == 0 => {
            Ok(((0..values.len()).collect(), Target::Numeric(values.clone())))
        }
        _ => Err(Error::data(format!(
            "{origin}: column {} holds text or missing values, and numbers are needed; correct it, or read it as classes",
            quoted(column.name())
        ))),
    }
}

/// The file of the rows, and that of the targets where one is named.
fn parts(source: &str) -> (&str, Option<&str>) {
    if Path::new(source).exists() {
        return (source, None);
    }
    match source.split_once(',') {
        Some((rows, targets)) => (rows.trim(), Some(targets.trim())),
        None => (source, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CsvOptions, open, open_features};

    fn place() -> (tempfile::TempDir, impl Fn(&str, &str) -> String) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_path_buf();
        let write = move |name: &str, text: &str| {
            let path = root.join(name);
            std::fs::write(&path, text).unwrap();
            path.display().to_string()
        };
        (folder, write)
    }

    const ROWS: &str =
        "%%MatrixMarket matrix coordinate integer general\n3 4 3\n1 4 5\n2 1 1\n3 2 2\n";

    #[test]
    fn rows_come_with_their_classes_and_those_without_are_told() {
        let (_folder, write) = place();
        let (rows, topics) = (write("a.mtx", ROWS), write("a.csv", "id,topic\n7,b\n8,\n9,a\n"));
        let source = format!("{rows},{topics}");
        assert!(is_sparse(&source) && is_sparse(&rows) && !is_sparse(&topics));
        let table = open_sparse(&source, TargetKind::Classes).unwrap();
        assert_eq!((table.features.rows(), table.without_class), (2, vec![1]));
        assert!(matches!(table.target, Target::Classes { labels, .. } if labels == [1, 0]));
        assert_eq!(open_sparse_features(&rows).unwrap().rows(), 3);
        // Those who ask for a dense table get one.
        assert_eq!(open_features(&rows, &[]).unwrap().columns(), 4);
        let full = write("b.csv", "topic\nb\na\na\n");
        let table = open(&format!("{rows},{full}"), &CsvOptions::default()).unwrap();
        assert_eq!(table.into_labeled().unwrap().rows(), 3);
    }

    #[test]
    fn numbers_are_read() {
        let (_folder, write) = place();
        let (rows, prices) = (write("a.mtx", ROWS), write("a.csv", "price\n1.5\n2\n3\n"));
        let table = open_sparse(&format!("{rows},{prices}"), TargetKind::Numeric).unwrap();
        assert!(matches!(table.target, Target::Numeric(values) if values == [1.5, 2.0, 3.0]));
    }
}
