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
    macro_rules! check {
        ($($dtype:literal $number:ty),+) => {$(
            let values = [1, 2, 3, 0, 0, 1].map(|x: u8| <$number>::from(x));
            for (order, bytes) in [
                ("<", values.map(<$number>::to_le_bytes).as_flattened()),
                (">", values.map(<$number>::to_be_bytes).as_flattened()),
            ] {
                let dtype = format!("{order}{}", $dtype);
                let read = features(&npy(&dtype, "False", "(2, 3)", bytes)).unwrap();
                assert_eq!(read.values(), [1.0, 2.0, 3.0, 0.0, 0.0, 1.0], "{dtype}");
                assert_eq!(read.names(), ["x1", "x2", "x3"]);
            }
        )+};
    }
    check!("f2" half::f16, "f4" f32, "f8" f64, "i2" i16, "i4" i32, "i8" i64);
    check!("u1" u8, "u2" u16, "u4" u32, "u8" u64);
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
fn a_header_is_not_believed() {
    let of = |shape: &str, data: &[u8]| npy("<f8", "False", shape, data);
    let nested = format!("({}1,{}", "(".repeat(5000), ")".repeat(5000));
    for (bytes, part) in [
        (of("(1, 1)", &[0; 9]), "promises 1 x 1 values of 8 bytes, the file holds more"),
        (of("(4294967296, 2147483648)", &[]), "values of 8 bytes, which no file holds"),
        (of(&nested, &[]), "is not a NumPy array (its header is no dictionary: "),
        (
            [&b"\x93NUMPY\x02\x00\xff\xff\xff\xff{"[..], &[b' '; 100]].concat(),
            "(its header is of 4294967295 bytes)",
        ),
    ] {
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
