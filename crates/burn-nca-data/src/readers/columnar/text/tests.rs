//! Tables of Parquet and Arrow files compared with the same tables as CSV.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, StringArray};
use arrow_ipc::writer::StreamWriter;
use proptest::prelude::*;

use crate::readers::temporary::{file, gzip};
use crate::{RawTable, RawValues};

use super::*;
use crate::{CsvOptions, RawOptions, open, open_raw, parse_raw};

const MIXED: &str = "width,count,city,open,note,y
5.126,3,Rome,false,\"say \"\"a\"\"\",u
4.868,7,Oslo,false,\"b\nc\",v
,4,\"São, Paulo\",false,,u
5.105,0,Rome,false,,v
4.464,6,Oslo,false,\"say \"\"a\"\"\",u
5.362,6,\"São, Paulo\",false,\"b\nc\",v
6.304,7,Rome,false,,u
5.947,1,Oslo,false,,v
4.296,0,\"São, Paulo\",false,\"say \"\"a\"\"\",u
3.735,7,Rome,true,\"b\nc\",v
4.377,0,Oslo,true,,u
5.041,4,\"São, Paulo\",true,,v
";

/// The columns, as text: a missing value is not a number, and so is not equal to itself.
fn shown(table: &RawTable) -> Vec<String> {
    let columns = table.columns().iter().map(|column| match column.values() {
        RawValues::Numbers(values) => format!("{} {values:?}", column.name()),
        RawValues::Text(text) => {
            format!("{} {:?}", column.name(), text.iter().collect::<Vec<_>>())
        }
    });
    columns.collect()
}

fn at(name: &str) -> String {
    let folder = if name.ends_with(".parquet") { "parquet" } else { "arrow" };
    format!("{}/tests/corpus/{folder}/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn raw(name: &str) -> RawTable {
    open_raw(&at(name), &RawOptions::default()).unwrap()
}

fn of_text(text: &str) -> Vec<String> {
    shown(&parse_raw("t.csv", text.as_bytes(), &RawOptions::default()).unwrap())
}

#[test]
fn files_of_all_writers_are_the_table_that_their_csv_is() {
    let parquet = ["snappy", "gzip", "lz4", "v2", "polars", "duckdb"];
    let parquet = parquet.map(|writer| format!("mixed-{writer}.parquet"));
    let feather = ["mixed-lz4.feather", "mixed-zstd.feather"].map(String::from);
    let arrow = ["mixed.arrows", "mixed-polars.arrow", "mixed-polars.arrows"].map(String::from);
    for name in parquet.iter().chain(&feather).chain(&arrow) {
        assert_eq!(shown(&raw(name)), of_text(MIXED), "{name}");
    }
}

#[test]
fn packed_files_and_bytes_are_read_as_files_are() {
    for name in ["mixed-snappy.parquet", "mixed.arrows", "mixed-zstd.feather"] {
        let bytes = std::fs::read(at(name)).unwrap();
        let of_bytes = parse_raw(name, &bytes, &RawOptions::default()).unwrap();
        assert_eq!(shown(&of_bytes), of_text(MIXED), "{name}");
        let (_folder, path) = file(name, gzip(&bytes));
        let table = open_raw(&path.display().to_string(), &RawOptions::default()).unwrap();
        assert_eq!(shown(&table), of_text(MIXED), "{name}");
    }
}

#[test]
fn numbers_are_those_of_the_file() {
    for name in ["types.parquet", "types.arrow"] {
        let table = raw(name);
        let column = |name: &str| {
            let RawValues::Numbers(values) = table.column(name).unwrap().values() else { panic!() };
            values.iter().map(f64::to_string).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(column("i8"), "1 -2 NaN");
        assert_eq!(column("u64"), format!("{} 1 2", 2.0_f64.powi(63)));
        assert_eq!(column("f16"), "1.5 2 0.099975586");
        assert_eq!(column("f32"), format!("0.1 {} {}", 1e-30, 3e38));
        assert_eq!(column("f64"), format!("0.1 {} NaN", 5e-324));
        assert_eq!(column("decimal"), "12.3 NaN -0.05");
        // A column of lists is one column per place.
        assert_eq!([column("list[0]"), column("list[1]")], ["1.5 NaN 3", "2 NaN 4"]);
        assert_eq!([column("fixed[0]"), column("fixed[2]")], ["1 4 NaN", "3 6 NaN"]);
        assert_eq!(column("nothing"), "NaN NaN NaN");
    }
    let runs = RawValues::Numbers(vec![1.0, 1.0, 2.0]);
    assert_eq!(raw("types.arrow").column("runs").unwrap().values(), &runs);
}

#[test]
fn text_dates_and_nested_values_are_text() {
    for name in ["types.parquet", "types.arrow"] {
        let table = raw(name);
        let column = |name: &str| {
            let RawValues::Text(text) = table.column(name).unwrap().values() else { panic!() };
            text.iter().map(|text| text.unwrap_or("-").to_string()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(column("date"), "2024-01-31 2024-01-31 2024-01-31");
        assert!(column("time").starts_with("2024-01-31T1"), "{}", column("time"));
        assert_eq!(column("large"), "a b c");
        assert_eq!(column("view"), "a much longer text than twelve b -");
        assert_eq!(column("dictionary"), "x y -");
        assert!(column("struct").starts_with("{a: 1, b: x}"), "{}", column("struct"));
        let is_date = column("date").split(' ').all(crate::tables::is_date);
        assert!(is_date && crate::tables::is_date(column("time").split(' ').next().unwrap()));
    }
}

#[test]
fn an_index_of_pandas_is_where_its_csv_has_it() {
    let names = |name: &str| -> Vec<String> {
        raw(name).columns().iter().map(|column| column.name().to_string()).collect()
    };
    assert_eq!(names("index-unnamed.parquet"), ["width", "count", "city", "y"]);
    assert_eq!(names("index-named.parquet"), ["id", "width", "count", "city", "y"]);
}

#[test]
fn messages_name_rows_and_columns_and_no_lines() {
    for (name, ignore, part) in [
        (
            "mixed-snappy.parquet",
            &["city", "open", "note"][..],
            "1 of 12 rows lacks a value: 1 in column \"width\" (empty in row 3); fill the values in",
        ),
        ("mixed-snappy.parquet", &["width"], ".parquet, row 1, column \"city\": \"Rome\" is not"),
        ("ragged.parquet", &[], "row 2, column \"x\": a list of 1 numbers where the first"),
        ("empty.parquet", &[], "has columns but no rows"),
    ] {
        let ignore = ignore.iter().map(ToString::to_string).collect();
        let options = CsvOptions { ignore, ..CsvOptions::default() };
        let error = open(&at(name), &options).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
    // Names that would be a row of data on the first line of a text.
    assert_eq!(raw("numbers.parquet").columns()[0].name(), "5.1");
}

proptest! {
    /// Any number and any text, as they come back from a file; spaces around a text do not matter, as in CSV.
    #[test]
    fn values_come_back(
        rows in proptest::collection::vec((proptest::option::of(any::<f64>().prop_filter("finite", |x| x.is_finite())), "\\PC*|[a\",\n\r ]{0,6}"), 1..30),
    ) {
        let numbers: Vec<Option<f64>> = rows.iter().map(|row| row.0).collect();
        let texts: Vec<String> = rows.iter().map(|row| format!("t{}", row.1)).collect();
        let columns: [(&str, ArrayRef); 2] = [
            ("x", Arc::new(Float64Array::from(numbers.clone()))),
            ("t", Arc::new(StringArray::from(texts.clone()))),
        ];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let mut bytes = Vec::new();
        let mut writer = StreamWriter::try_new(&mut bytes, &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        drop(writer);
        let table = parse_raw("t.arrows", &bytes, &RawOptions::default()).unwrap();
        let RawValues::Numbers(read) = table.columns()[0].values() else { panic!() };
        let bits = |value: f64| if value.is_nan() { None } else { Some(value.to_bits()) };
        prop_assert_eq!(
            read.iter().map(|value| bits(*value)).collect::<Vec<_>>(),
            numbers.iter().map(|value| value.map(f64::to_bits)).collect::<Vec<_>>()
        );
        let RawValues::Text(read) = table.columns()[1].values() else { panic!() };
        prop_assert_eq!(
            read.iter().map(|text| text.unwrap().to_string()).collect::<Vec<_>>(),
            texts.iter().map(|text| text.trim().to_string()).collect::<Vec<_>>()
        );
    }
}
