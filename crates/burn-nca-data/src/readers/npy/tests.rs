//! Tests of the NPY reader: number types, orders, and damaged headers.

use super::*;
use crate::readers::temporary::file;

fn npy(dtype: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let mut header =
        format!("{{'descr': '{dtype}', 'fortran_order': {fortran}, 'shape': {shape}, }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let length = (header.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00".as_slice(), &length, header.as_bytes(), data].concat()
}

fn floats(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn features(bytes: &[u8]) -> Result<Features> {
    let (_folder, path) = file("x.npy", bytes);
    read_npy_features(path)
}

/// Reads four rows of one column with the target `y`.
fn pair(y: &[u8], task: TargetKind) -> Result<Table> {
    let x = npy("<f8", "False", "(4, 1)", &floats(&[1.0, 2.0, 3.0, 4.0]));
    let input = |name, bytes| Input::of_bytes(name, bytes);
    read_inputs(input("x.npy", &x)?, input("y.npy", y)?, task)
}

fn classes(y: &[u8]) -> (Vec<usize>, Vec<String>) {
    let data = pair(y, TargetKind::Classes).unwrap().into_labeled().unwrap();
    (data.labels().to_vec(), data.class_names().to_vec())
}

#[test]
fn every_number_type_and_byte_order_reads_alike() {
    let values = [1_u8, 2, 3, 0, 0, 1];
    let wide = |width: usize, big: bool| -> Vec<u8> {
        let bytes = values.iter().flat_map(|value| {
            let mut bytes = vec![0; width];
            bytes[if big { width - 1 } else { 0 }] = *value;
            bytes
        });
        bytes.collect()
    };
    let expected = values.map(f64::from);
    for kind in ["i", "u"] {
        for width in [1, 2, 4, 8] {
            for big in [false, true] {
                let order = if big { ">" } else { "<" };
                let bytes =
                    npy(&format!("{order}{kind}{width}"), "False", "(2, 3)", &wide(width, big));
                let read = features(&bytes).unwrap();
                assert_eq!(read.values(), expected, "{order}{kind}{width}");
                assert_eq!(read.names(), ["x1", "x2", "x3"]);
            }
        }
    }
    let single: Vec<u8> = expected.iter().flat_map(|value| (*value as f32).to_be_bytes()).collect();
    assert_eq!(features(&npy(">f4", "False", "(2, 3)", &single)).unwrap().values(), expected);
    let half = [0x3c00_u16, 0x4000, 0x4200, 0, 0, 0x3c00];
    for (order, bytes) in [("<", half.map(u16::to_le_bytes)), (">", half.map(u16::to_be_bytes))] {
        let bytes = npy(&format!("{order}f2"), "False", "(2, 3)", bytes.as_flattened());
        assert_eq!(features(&bytes).unwrap().values(), expected, "{order}f2");
    }
    let flags = features(&npy("|b1", "False", "(2, 2)", &[1, 0, 0, 1])).unwrap();
    assert_eq!(flags.values(), [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(features(&npy("|i1", "False", "(1, 1)", &[0xff])).unwrap().values(), [-1.0]);
}

#[test]
fn fortran_order_gives_the_same_rows() {
    let by_row = features(&npy("<f8", "False", "(2, 3)", &floats(&[1., 2., 3., 4., 5., 6.])));
    let by_column = features(&npy("<f8", "True", "(2, 3)", &floats(&[1., 4., 2., 5., 3., 6.])));
    assert_eq!(by_row.unwrap(), by_column.unwrap());
}

#[test]
fn other_types_and_headers_that_promise_too_much_are_named() {
    let of = |dtype: &str, shape: &str, data: &[u8]| npy(dtype, "False", shape, data);
    let nested = format!("({}1,{}", "(".repeat(5000), ")".repeat(5000));
    let long = [b"\x93NUMPY\x02\x00\xff\xff\xff\xff{".as_slice(), &[b' '; 100]].concat();
    let complex = "values of type '<c16', not real numbers of at most 64 bits; save it with";
    let cases: [(Vec<u8>, &str); 8] = [
        (of("<f8", "()", &floats(&[1.])), "of shape (), and"),
        (of("<c16", "(1, 1)", &[0; 16]), complex),
        (of("<U1", "(1, 1)", &[65, 0, 0, 0]), "values of type '<U1'"),
        // The header is not believed.
        (of("<f8", "(1, 1)", &[0; 9]), "promises 1 x 1 values of 8 bytes, the file holds more"),
        (
            of("<f8", "(4294967296, 4294967296)", &[]),
            "promises 4294967296 x 4294967296 values of 8 bytes, which no file",
        ),
        (of("<f8", "(4294967296, 2147483648)", &[]), "which no file holds"),
        (of("<f8", &nested, &[]), "is not a NumPy array (its header is no dictionary: "),
        (long, "(its header is of 4294967295 bytes)"),
    ];
    for (bytes, part) in cases {
        let error = features(&bytes).unwrap_err().to_string();
        assert!(error.contains(part), "{part}: {error}");
    }
}

#[test]
fn classes_may_be_integers_text_booleans_or_whole_floats() {
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    let integers: Vec<u8> = [10_i64, -2, 10, 3].iter().flat_map(|y| y.to_le_bytes()).collect();
    let expected = (vec![2, 0, 2, 1], names(&["-2", "3", "10"]));
    assert_eq!(classes(&npy("<i8", "False", "(4,)", &integers)), expected);
    let floats = floats(&[10.0, -2.0, 10.0, 3.0]);
    assert_eq!(classes(&npy("<f8", "False", "(4, 1)", &floats)), expected);
    let letters: Vec<u8> = "badb".chars().flat_map(|y| (y as u32).to_le_bytes()).collect();
    let expected = (vec![1, 0, 2, 1], names(&["a", "b", "d"]));
    assert_eq!(classes(&npy("<U1", "False", "(4,)", &letters)), expected);
    assert_eq!(classes(&npy("|S2", "False", "(4,)", b"b\0a\0d\0b\0")), expected);
    let expected = (vec![1, 0, 0, 1], names(&["false", "true"]));
    assert_eq!(classes(&npy("|b1", "False", "(4,)", &[1, 0, 0, 1])), expected);
}

#[test]
fn one_column_per_class_holds_one_1_and_zeros() {
    let mut rows = [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]];
    let array = |rows: [[f64; 3]; 4]| npy("<f8", "False", "(4, 3)", &floats(rows.as_flattened()));
    assert_eq!(classes(&array(rows)).0, [1, 0, 2, 1]);
    for row in [[0.0, 1.0, 0.5], [0.0, 0.0, 0.5], [0.0, 1.0, 1.0]] {
        rows[3] = row;
        assert!(pair(&array(rows), TargetKind::Classes).is_err(), "{row:?}");
    }
}

#[test]
fn a_numeric_target_is_kept_as_it_is() {
    let y = npy("<f8", "False", "(4,)", &floats(&[0.5, -1.0, 2.25, 0.0]));
    let (_, values) = pair(&y, TargetKind::Numeric).unwrap().into_numeric().unwrap();
    assert_eq!(values, [0.5, -1.0, 2.25, 0.0]);
    let error = pair(&y, TargetKind::Classes).unwrap_err().to_string();
    assert!(error.contains("y.npy: value 1 is 0.5, and a class is a whole number"), "{error}");
}

#[test]
fn nan_is_a_missing_value_of_a_raw_table_and_no_class_in_text() {
    let folder = tempfile::tempdir().unwrap();
    let [x, y] = ["x.npy", "y.npy"].map(|name| folder.path().join(name));
    let rows = npy("<f8", "True", "(2, 2)", &floats(&[1.0, f64::NAN, 3.0, 4.0]));
    std::fs::write(&x, rows).unwrap();
    std::fs::write(&y, npy("|S3", "False", "(2,)", b"nanred")).unwrap();
    let source = format!("{},{}", x.display(), y.display());
    let raw = crate::open_raw(&source, &crate::RawOptions::default()).unwrap();
    let missing: Vec<usize> = raw.columns().iter().map(crate::RawColumn::num_missing).collect();
    assert_eq!(missing, [1, 0, 1]);
    assert!(raw.column("x1").unwrap().is_missing(1), "the array is in Fortran order");
    assert!(raw.notes()[0].text().contains("\"nan\" is read as no class"), "{:?}", raw.notes());
    std::fs::write(&x, npy("<f8", "False", "(2, 1)", &floats(&[1.0, 2.0]))).unwrap();
    let table = crate::open(&source, &crate::CsvOptions::default()).unwrap();
    assert_eq!(table.without_class.unwrap().rows, [0]);
}
