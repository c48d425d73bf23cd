//! A table of any numbers and classes, written and read back.

use super::*;
use proptest::prelude::*;

fn csv_bytes(names: &[String], rows: &[Vec<f64>], classes: &[String]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(names.iter().map(String::as_str).chain(["the class"])).unwrap();
    for (row, class) in rows.iter().zip(classes) {
        let cells = row.iter().map(f64::to_string).chain([class.clone()]);
        writer.write_record(cells).unwrap();
    }
    writer.into_inner().unwrap()
}

proptest! {
    #[test]
    fn a_written_table_reads_back(
        (columns, rows) in (1_usize..5).prop_flat_map(|columns| {
            let value = any::<f64>().prop_filter("finite", |value| value.is_finite());
            let row = prop::collection::vec(value, columns);
            (Just(columns), prop::collection::vec(row, 1..20))
        }),
        classes in prop::collection::vec("k[a-z \",;\n\u{e9}]{0,6}[a-z]", 20),
    ) {
        let names: Vec<String> =
            (0..columns).map(|column| format!("col, \"{column}\"")).collect();
        let bytes = csv_bytes(&names, &rows, &classes);
        let table = parse_csv("t.csv", &bytes, &CsvOptions::default()).unwrap();
        prop_assert_eq!(table.features.names(), names);
        prop_assert_eq!(table.features.values(), rows.concat());
        let Target::Classes { labels, names } = table.target else { panic!("classes") };
        for (label, class) in labels.iter().zip(&classes) {
            prop_assert_eq!(&names[*label], class);
        }
    }
}
