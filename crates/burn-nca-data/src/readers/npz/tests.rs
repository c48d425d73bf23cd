//! Archives as numpy and scipy write them, and what is refused of others.

use super::*;
use crate::readers::temporary::file;
use crate::{CsvOptions, RawOptions, is_sparse, open, open_features, open_raw, open_sparse};

fn at(name: &str) -> String {
    format!("{}/tests/corpus/npz/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn arrays_of_stored_and_deflated_archives_are_read_by_name() {
    for (name, classes) in [("stored.npz", 2), ("deflated.npz", 3)] {
        let data = open(&at(name), &CsvOptions::default()).unwrap().into_labeled().unwrap();
        assert_eq!((data.rows(), data.features().columns(), data.classes()), (5, 2, classes));
        assert_eq!(data.features().row(4), [4.0, 4.5]);
        assert_eq!(open_features(&at(name), &[]).unwrap().row(1), [1.0, 1.5]);
        assert!(!is_sparse(&at(name)));
    }
    let numbers = CsvOptions { task: TargetKind::Numeric, ..CsvOptions::default() };
    let (_, y) = open(&at("stored.npz"), &numbers).unwrap().into_numeric().unwrap();
    assert_eq!(y, [0.0, 1.0, 0.0, 1.0, 1.0]);
}

#[test]
fn an_array_that_is_alone_needs_no_name() {
    assert_eq!(open_features(&at("alone.npz"), &[]).unwrap().columns(), 2);
}

#[test]
fn sparse_tables_of_every_format_are_one_table() {
    let rows = read_sparse_npz(at("csr.npz")).unwrap();
    assert_eq!((rows.rows(), rows.columns(), rows.entries()), (5, 4, 7));
    assert_eq!(rows.row(1).collect::<Vec<_>>(), [(0, 4.0), (3, 1.5)]);
    let (_folder, topics) = file("topics.csv", "topic\na\nb\na\nb\na\n");
    for name in ["csr.npz", "csc.npz", "coo.npz"] {
        assert_eq!(read_sparse_npz(at(name)).unwrap(), rows, "{name}");
        assert!(is_sparse(&at(name)));
        let pair = format!("{},{}", at(name), topics.display());
        let table = open_sparse(&pair, TargetKind::Classes).unwrap();
        assert_eq!((table.features, table.target_name.as_str()), (rows.clone(), "topic"));
        // Those who ask for a dense table get one.
        assert_eq!(open_features(&at(name), &[]).unwrap(), rows.to_dense().unwrap());
        assert_eq!(open_raw(&at(name), &RawOptions::default()).unwrap().columns().len(), 4);
        assert_eq!(open(&pair, &CsvOptions::default()).unwrap().features.rows(), 5);
    }
}
