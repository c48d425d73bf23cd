//! Data by one word, as a command line gives it: a set of the catalog, a file, two files, or standard input.

mod source;

pub use source::has_columns;

use crate::readers::csv::{self, CsvOptions, TargetColumn};
use crate::readers::format::Format;
use crate::readers::input::Input;
use crate::readers::raw::{self, RawOptions};
use crate::readers::{idx, npy, npz, sparse_checks, sparse_table};
use crate::{
    Error, Features, Hint, Labeled, Message, RawTable, Result, Setting, Table, TargetKind,
    TextFormat,
};
use source::{Source, find};
use std::path::Path;

/// Opens data by one word, as a command line gives it.
///
/// In this order: the name of a set of the [`catalog`](crate::sets::catalog) (to read a file of that
/// very name, write `./iris`); `-` for standard input; a CSV file, or with the feature `parquet` a Parquet or Arrow
/// file, whose columns are chosen as those of a CSV file; an archive `.npz` of the arrays X and y;
/// `noisy-xor:alpha=.5,noise=.3/.5,seed=1`, a made-up set with options of its own (`irrelevant` and `rows` are the others); a pair `X.npy,Y.npy`; a pair `IMAGES,LABELS` of
/// IDX files; a pair `FILE.mtx,TARGETS.csv`, whose zeros are written out here ([`open_sparse`](crate::open_sparse)
/// leaves them out). The formats are identified by the first bytes, not by the names, and all but the catalog may
/// be gzipped. A file is opened and read once: it may be a pipe.
///
/// # Errors
/// As the reader of the format ([`read_csv`](crate::read_csv), [`read_npy_features`](crate::read_npy_features),
/// [`read_idx`](crate::read_idx)); not one target a row; no such set
/// and no such file (the sets are listed); a NumPy or IDX file without its labels; or column
/// options for a source that is no such table.
///
/// # Examples
/// ```
/// use burn_nca_data::{CsvOptions, open};
///
/// let wine = open("wine", &CsvOptions::default())?.into_labeled()?;
/// assert_eq!(wine.rows(), 178);
/// let error = open("wnie", &CsvOptions::default()).unwrap_err().to_string();
/// assert!(error.contains("did you mean \"wine\"?"));
/// # Ok::<(), burn_nca_data::Error>(())
/// ```
pub fn open(source: &str, options: &CsvOptions) -> Result<Table> {
    let table = match find(source)? {
        Source::Set(set) => classes_of(source, set, options)?,
        Source::Alone(input) if input.format().is_table() => csv::read(input, options)?,
        Source::Alone(input) => {
            if input.format() == Format::Zip {
                refuse_column_options(source, options)?;
            }
            array_with_labels(input, options.task)?
        }
        Source::Pair(x, y) => {
            refuse_column_options(source, options)?;
            open_pair(x, &y, options.task)?
        }
    };
    // Of text they are set apart already.
    Ok(match &options.unlabeled_class {
        Some(class) if options.set_unlabeled_apart => table.set_apart(class),
        _ => table,
    })
}

/// Opens the features alone, for prediction.
///
/// From a CSV, Parquet or Arrow file the columns `expected` are taken, by name and in that order. A NumPy or IDX
/// array is given by itself or with its labels, which are then not read; its columns and those of a
/// set of the catalog come as they are.
///
/// # Errors
/// As [`read_csv_features`](crate::read_csv_features), [`read_npy_features`](crate::read_npy_features) and
/// [`read_idx`](crate::read_idx); or no such set and no such file.
pub fn open_features(source: &str, expected: &[String]) -> Result<Features> {
    Ok(features(source, (expected, false), &TextFormat::default())?.0)
}

/// As [`open_features`], or [in the order](CsvOptions::features_in_order) of the table, from text of this form (arrays
/// and sets of the catalog have none), and what to know of how it was read.
///
/// # Errors
/// As [`open_features`].
pub fn open_features_as(
    source: &str,
    expected: &[String],
    format: &TextFormat,
) -> Result<(Features, Vec<Message>)> {
    features(source, (expected, true), format)
}

fn features(
    source: &str,
    expected: (&[String], bool),
    format: &TextFormat,
) -> Result<(Features, Vec<Message>)> {
    match find(source)? {
        Source::Alone(input) | Source::Pair(input, _) if input.format().is_table() => {
            csv::read_features(input, expected, format)
        }
        found => Ok((found.features()?, Vec::new())),
    }
}

/// Opens all columns as features, for learning without labels, and says what to know of how they were read.
///
/// Features, ignored columns of a table (an identifier, say) and the form of its text are as the options say; a target is
/// not looked for. The labels of a set of the catalog or of a pair of arrays are not read; an array may be given alone.
///
/// # Errors
/// As [`open`]; or options of columns for a source that is no such table.
pub fn open_unlabeled(source: &str, options: &CsvOptions) -> Result<(Features, Vec<Message>)> {
    let options = &CsvOptions {
        target: TargetColumn::None,
        task: TargetKind::Classes,
        set_unlabeled_apart: false,
        unlabeled_class: None,
        ..options.clone()
    };
    match find(source)? {
        Source::Alone(input) | Source::Pair(input, _) if input.format().is_table() => {
            let table = csv::read(input, options)?;
            Ok((table.features, table.notes))
        }
        _ if *options != (CsvOptions { target: TargetColumn::None, ..CsvOptions::default() }) => {
            Err(Error::setting(format!(
                "columns can be chosen or ignored in a CSV, Parquet or Arrow file only, and {source:?} is none; leave \
                 that option out"
            )))
        }
        found => Ok((found.features()?, Vec::new())),
    }
}

fn classes_of(source: &str, set: Labeled, options: &CsvOptions) -> Result<Table> {
    refuse_column_options(source, options)?;
    if options.task == TargetKind::Numeric {
        let text = format!("the data set {source:?} has classes, not a numeric target");
        let other = Hint::edit("give a table with a numeric target");
        let message = Message::from(text).with_hint(Setting::Classes).with_hint(other);
        return Err(Error::setting(message));
    }
    Ok(set.into())
}

/// Opens a table as it is, with text and missing values.
///
/// A set of the catalog, or a pair of arrays, comes with its classes as the last column; of an archive or an array the
/// features alone, if no target is asked for. NaN in an array is a missing value.
///
/// # Errors
/// As [`parse_raw`](crate::parse_raw) and [`open`]; or options of columns for a source that is no such table.
pub fn open_raw(source: &str, options: &RawOptions) -> Result<RawTable> {
    let input = match find(source)? {
        Source::Alone(input) if input.format().is_table() => return raw::read(input, options),
        found => found,
    };
    if options.are_of_table() {
        return Err(Error::setting(format!(
            "columns can be chosen, and their text be read, in a CSV, Parquet or Arrow file only, and {source:?} is none; \
             leave these options out"
        )));
    }
    let task = options.target.as_ref().map(|(_, task)| *task);
    match (input, task) {
        (Source::Alone(input), task) if input.format() == Format::Zip => npz::read_raw(input, task),
        (Source::Alone(input), None) if input.format() == Format::Npy => {
            npy::read_raw_features(input)
        }
        (Source::Pair(x, y), task) if x.format() == Format::Npy => {
            npy::read_raw_inputs(x, Input::open(&y)?, task.unwrap_or(TargetKind::Classes))
        }
        (Source::Alone(input), Some(task)) => array_with_labels(input, task)?.into_raw(),
        (array @ Source::Alone(_), None) => Ok((&array.features()?).into()),
        (Source::Set(set), _) => Table::from(set).into_raw(),
        (Source::Pair(x, y), task) => {
            open_pair(x, &y, task.unwrap_or(TargetKind::Classes))?.into_raw()
        }
    }
}

/// An archive; any other array lacks its labels.
fn array_with_labels(input: Input<'_>, task: TargetKind) -> Result<Table> {
    let (kind, pair) = match input.format() {
        Format::Zip => return npz::read_table(input, task),
        Format::MatrixMarket => return Err(sparse_checks::missing_labels_error(&input.origin())),
        Format::Npy => ("a NumPy array", "X.npy,Y.npy"),
        _ => ("an IDX array", "IMAGES,LABELS"),
    };
    let text = format!("{} is {kind} without its labels; give the pair {pair}", input.origin());
    Err(Error::data(text))
}

fn open_pair(x: Input<'_>, y: &Path, task: TargetKind) -> Result<Table> {
    match (x.format(), task) {
        (Format::Npy, _) => npy::read_inputs(x, Input::open(y)?, task),
        (Format::Idx, TargetKind::Classes) => idx::read_pair(x, y),
        (Format::Idx, TargetKind::Numeric) => {
            let text = format!("{} holds images, whose labels are classes", x.origin());
            let pair = Hint::edit("give a pair X.npy,Y.npy");
            Err(Error::setting(Message::from(text).with_hint(Setting::Classes).with_hint(pair)))
        }
        (Format::MatrixMarket | Format::Zip, task) => {
            let table = sparse_table::read(x, &y.display().to_string(), task)?;
            let dense = Table::new(table.features.to_dense()?, table.target_name, table.target);
            Ok(Table { notes: table.notes, ..dense })
        }
        (other, _) => {
            // Whatever begins like no other format may be text; or an array whose first bytes are damaged.
            let kind = match other {
                Format::Text => "begins like",
                _ => &format!("is {},", other.name()),
            };
            Err(Error::data(format!(
                "{} {kind} neither a NumPy nor an IDX array; a pair is X.npy,Y.npy or IMAGES,LABELS, and \
                 a CSV, Parquet or Arrow file or an .npz archive is given alone",
                x.origin(),
            )))
        }
    }
}

fn refuse_column_options(source: &str, options: &CsvOptions) -> Result<()> {
    let columns_only = CsvOptions {
        task: options.task,
        set_unlabeled_apart: options.set_unlabeled_apart,
        unlabeled_class: options.unlabeled_class.clone(),
        features_in_order: options.features_in_order,
        ..CsvOptions::default()
    };
    if *options == columns_only {
        return Ok(());
    }
    Err(Error::setting(format!(
        "a target column, ignored columns or feature columns can be chosen in a CSV, Parquet or Arrow file only, and \
         {source:?} is none; leave these options out"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn features_open_with_and_without_labels() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        let header = b"\x93NUMPY\x01\x00\x44\x00{'descr': '|u1', 'fortran_order': False, 'shape': (2,1), }         \n";
        fs::write(at("t.csv"), "id,a,b\nx,1,2\ny,3,4\n").unwrap();
        fs::write(at("x.npy"), [&header[..], &[7, 9]].concat()).unwrap();
        fs::write(at("images"), [0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 1, 7, 9]).unwrap();
        let values = open_features(&at("t.csv"), &["b".into()]).unwrap();
        assert_eq!(values.values(), [2.0, 4.0]);
        for source in [at("x.npy"), at("images"), format!("{},{}", at("x.npy"), at("none.npy"))] {
            assert_eq!(open_features(&source, &[]).unwrap().values(), [7.0, 9.0]);
            let (features, _) = open_unlabeled(&source, &CsvOptions::default()).unwrap();
            assert_eq!(features.values(), [7.0, 9.0]);
        }
        let ignore = CsvOptions { ignore: vec!["id".into()], ..CsvOptions::default() };
        let (features, _) = open_unlabeled(&at("t.csv"), &ignore).unwrap();
        assert_eq!(features.values(), [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(open_unlabeled("iris", &CsvOptions::default()).unwrap().0.columns(), 4);
        assert!(open_unlabeled("iris", &ignore).is_err());
    }
}
