use std::path::PathBuf;

use super::*;
use crate::{CsvOptions, open, open_features, open_unlabelled};

fn corpus(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/npz").join(name)
}

fn at(name: &str) -> String {
    corpus(name).display().to_string()
}

fn error<T>(outcome: Result<T>) -> String {
    outcome.err().unwrap().to_string()
}

/// The bytes of an archive of the corpus, changed, in a file.
fn changed(name: &str, change: impl Fn(&mut Vec<u8>)) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("changed.npz");
    let mut bytes = std::fs::read(corpus(name)).unwrap();
    change(&mut bytes);
    std::fs::write(&path, bytes).unwrap();
    (folder, path.display().to_string())
}

#[test]
fn arrays_of_stored_and_deflated_archives_are_read_by_name() {
    for (name, classes) in [("stored.npz", 2), ("deflated.npz", 3)] {
        let data = open(&at(name), &CsvOptions::default()).unwrap().into_labelled().unwrap();
        assert_eq!((data.rows(), data.features().columns(), data.classes()), (5, 2, classes));
        assert_eq!(data.features().row(4), [4.0, 4.5]);
        assert_eq!(open_features(&at(name), &[]).unwrap().row(1), [1.0, 1.5]);
        assert_eq!(read_npz(corpus(name), Task::Classes).unwrap().features.rows(), 5);
    }
    let numbers = CsvOptions { task: Task::Numeric, ..CsvOptions::default() };
    let (_, y) = open(&at("stored.npz"), &numbers).unwrap().into_numeric().unwrap();
    assert_eq!(y, [0.0, 1.0, 0.0, 1.0, 1.0]);
}

#[test]
fn an_array_that_is_alone_needs_no_name() {
    assert_eq!(open_unlabelled(&at("alone.npz"), &[]).unwrap().columns(), 2);
    assert_eq!(read_npz_features(corpus("alone.npz")).unwrap().rows(), 5);
    let error = error(open(&at("alone.npz"), &CsvOptions::default()));
    assert!(error.contains("holds the arrays \"arr_0\"") && error.contains("X=X, y=y"), "{error}");
}

#[test]
fn arrays_of_other_names_are_listed() {
    let error = error(open(&at("others.npz"), &CsvOptions::default()));
    assert!(
        error.contains("\"x_train\", \"y_train\"") && error.contains("called x, data, features"),
        "{error}"
    );
}

#[test]
fn damage_is_told_with_the_array() {
    // A value of X, which is stored: the checksum differs.
    let (_folder, path) = changed("stored.npz", |bytes| bytes[180] ^= 1);
    let error = error(open(&path, &CsvOptions::default()));
    assert!(error.contains("changed.npz: X: the zip data are damaged"), "{error}");
    let (_folder, path) = changed("stored.npz", |bytes| bytes.truncate(300));
    let error = super::tests::error(open(&path, &CsvOptions::default()));
    assert!(error.contains("the zip archive is damaged"), "{error}");
}

#[test]
fn an_archive_of_something_else_is_refused() {
    let (_folder, path) = changed("others.npz", |bytes| {
        for at in 0..bytes.len() - 4 {
            if bytes[at..at + 4] == *b".npy" {
                bytes[at..at + 4].copy_from_slice(b".xml");
            }
        }
    });
    let error = error(open(&path, &CsvOptions::default()));
    assert!(error.contains("without a NumPy array (3 other files; .xlsx?)"), "{error}");
}
