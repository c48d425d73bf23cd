//! Tests of the CSV reader: what it reads, and what it refuses in which words.

use super::*;
use crate::readers::temporary::file;

mod names;
mod odd_files;
mod round_trip;
mod separators;

fn parse(text: &str) -> Result<Table> {
    parse_with(text, &CsvOptions::default())
}

fn parse_with(text: &str, options: &CsvOptions) -> Result<Table> {
    parse_csv("f.csv", text.as_bytes(), options)
}

fn error(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

fn error_with(text: &str, options: &CsvOptions) -> String {
    parse_with(text, options).unwrap_err().to_string()
}

fn written(format: TextFormat) -> CsvOptions {
    CsvOptions { format, ..CsvOptions::default() }
}

fn untargeted() -> CsvOptions {
    CsvOptions { target: TargetColumn::None, ..CsvOptions::default() }
}

#[test]
fn the_last_column_is_the_class_unless_told() {
    let table = parse("a,b,c\n1,2,x\n3,4,y\n5,6,x\n").unwrap();
    assert_eq!(table.features.names(), ["a", "b"]);
    assert_eq!(table.features.values(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(table.target_name, "c");
    let names = vec!["x".to_string(), "y".to_string()];
    assert_eq!(table.target, Target::Classes { labels: vec![0, 1, 0], names });
}

#[test]
fn byte_order_mark_quotes_spaces_line_ends_and_blank_lines_do_not_matter() {
    let plain = parse("a,b,\"kind, of\"\n1,-2e3,\"x \"\"y\"\"\"\n.5,4,z\n").unwrap();
    let untidy = "\u{feff}\r\na , b,\"kind, of\"\r\n1, -2e3 ,\"x \"\"y\"\"\"\r\n\r\n  \r\n\".5\",4,z\r\n\r\n";
    assert_eq!(parse(untidy).unwrap(), plain);
    assert_eq!(plain.features.values(), [1.0, -2000.0, 0.5, 4.0]);
    let Target::Classes { names, .. } = plain.target else { panic!("classes were asked for") };
    assert_eq!(names, ["x \"y\"", "z"]);
}

#[test]
fn the_order_of_the_rows_does_not_renumber_the_classes() {
    let one = parse("a,y\n1,10\n2,9\n").unwrap();
    let other = parse("a,y\n2,9\n1,10\n").unwrap();
    let (one, other) = (one.into_labeled().unwrap(), other.into_labeled().unwrap());
    assert_eq!(one.class_names(), ["9", "10"]);
    assert_eq!(one.class_names(), other.class_names());
    assert_eq!(one.select(&[1, 0]), other);
}

#[test]
fn columns_are_chosen_by_name() {
    let text = "id,y,b,a\nr1,0.5,3,4\nr2,1.5,5,6\n";
    let options = CsvOptions {
        target: TargetColumn::Name("y".into()),
        task: TargetKind::Numeric,
        ignore: vec!["id".into()],
        features: Some(vec!["a".into(), "b".into()]),
        ..CsvOptions::default()
    };
    let table = parse_with(text, &options).unwrap();
    assert_eq!(table.features.names(), ["a", "b"]);
    assert_eq!(table.features.values(), [4.0, 3.0, 6.0, 5.0]);
    assert_eq!(table.target, Target::Numeric(vec![0.5, 1.5]));
    let all = CsvOptions { features: None, ..options };
    assert_eq!(parse_with(text, &all).unwrap().features.names(), ["b", "a"]);
}

#[test]
fn prediction_takes_its_columns_from_a_file_with_others() {
    let (_folder, path) = file("new.csv", "name,b,label,a\nanna,1,,2\nbert,3,NA,4\n");
    let expected = ["a".to_string(), "b".to_string()];
    let features = read_csv_features(&path, &expected).unwrap();
    assert_eq!(features.names(), expected);
    assert_eq!(features.values(), [2.0, 1.0, 4.0, 3.0]);
    // Columns of an array have no names of their own.
    let expected = ["x1".to_string(), "x2".to_string()];
    let read = |in_order| {
        let input = Input::of_bytes("f.csv", b"width,length\n1,2\n").unwrap();
        read_features(input, (&expected, in_order), &TextFormat::default())
    };
    assert_eq!(read(true).unwrap().0.values(), [1.0, 2.0]);
    assert!(read(false).is_err());
}

#[test]
fn a_bad_cell_is_named_by_file_line_row_and_column() {
    assert_eq!(
        error("a,b,y\r\n1,2,x\r\n\r\n3,red,x\r\n"),
        "f.csv, line 4 (row 2), column \"b\": \"red\" is not a number; correct it, name the column as \
         categorical, or leave the column out"
    );
    // Where the last column holds numbers, the text may be the target.
    assert_eq!(
        error("a,b,y\n1,red,2\n"),
        "f.csv, line 2 (row 1), column \"b\": \"red\" is not a number; correct it, name the column as categorical, \
         leave the column out, or name the column as the target"
    );
    for cell in ["-inf", "1e999"] {
        assert_eq!(
            error(&format!("a,y\n1,x\n{cell},x\n")),
            format!(
                "f.csv, line 3 (row 2), column \"a\": the value is infinite ({cell}); write a finite one or remove \
                 the row"
            )
        );
    }
    let long = error(&format!("a,y\n{},x\n", "long ".repeat(1000)));
    assert!(long.contains("…\" is not a number") && long.len() < 300, "{long}");
}

#[test]
fn missing_values_are_counted_by_column() {
    assert_eq!(
        error("a,b,y\n1,,x\n3,4,x\nNA,n/a,z\n"),
        "f.csv: 2 of 3 rows lack a value: 1 in column \"a\" (\"NA\" on line 4, row 3), 2 in column \"b\" (the first: \
         empty on line 2, row 1); fill the values in, remove the rows, or prepare the table with a rule for missing \
         values"
    );
    let pandas = "#N/A,#N/A N/A,#NA,-1.#IND,-1.#QNAN,-NaN,-nan,1.#IND,1.#QNAN,<NA>,N/A,NA,NULL,NaN,None,n/a,nan,null";
    let others = ["?", "NAN", "\"\"", "", "\\N", "(null)", "NaT", "#DIV/0!", "#VALUE!"];
    for spelling in pandas.split(',').chain(others) {
        for text in [format!("a,y\n1,x\n{spelling},x\n"), format!("a,y\n1,x\n2,{spelling}\n")] {
            let error = error(&text);
            assert!(error.starts_with("f.csv: 1 of 2 rows lacks a value: 1 in column"), "{error}");
        }
    }
    for (columns, others) in [(8, ""), (20, ", and 12 columns more")] {
        let wide: Vec<String> = (0..columns).map(|column| format!("c{column}")).collect();
        let error = error(&format!("{},y\n{},x\n", wide.join(","), vec!["NA"; columns].join(",")));
        let end = format!("\"c7\" (\"NA\" on line 2, row 1){others}; fill");
        assert!(error.contains(&end), "{error}");
    }
}

#[test]
fn a_quote_that_is_never_closed_is_refused_with_its_line() {
    let mut rows: Vec<String> =
        (1..=180).map(|row| format!("{row},{},k{}", row % 7, row % 3)).collect();
    rows[59] = rows[59].replace("k", "\"k");
    let text = format!("a,b,y\n{}\n", rows.join("\n"));
    let expected = "f.csv, line 61: the quote that opens value 3 (\"k0\\n61,5,k1\\n62,";
    let found = error(&text);
    assert!(found.starts_with(expected) && found.len() < 300, "{found}");
    assert!(found.ends_with("is never closed, the file ends inside it; close it, or remove it"));
    assert!(error(&text.replace('\n', "\r\n")).starts_with("f.csv, line 61: the quote"));
    for (text, line) in
        [("a,\"y\n1,x\n", 1), ("a,y\n1,\"\n", 2), ("a,y\n\n\"1\n\",\"x\n2", 4), ("a,y\n1,\"", 2)]
    {
        let error = error(text);
        assert!(error.starts_with(&format!("f.csv, line {line}: the quote that opens")), "{error}");
    }
    assert!(parse("a,y\n1,\"x\"").is_ok());
}

#[test]
fn two_stray_quotes_do_not_swallow_the_rows_between_them() {
    let text = "a,note,y\n1,\"red,x\n2,blue,x\n3,green,z\n4,\"white,z\n";
    let options = CsvOptions { ignore: vec!["note".into()], ..CsvOptions::default() };
    assert_eq!(
        error_with(text, &options),
        "f.csv, line 5: text follows the quote that closes the value from line 2; if a quote was lost, add it, and \
         write a quote within a value twice (\"\")"
    );
    let lost = "a,y\n1,\"red\n2,\"blue\"\n3,\"red\"\n";
    assert!(error(lost).starts_with("f.csv, line 3: text follows the quote"), "{}", error(lost));
    let quoted = "a,y\n1,\"two\nlines, \"\"really\"\"\"\n2,\"5\"\" pipe\"\n3,\"5\"pipe\n";
    let names = parse(quoted).unwrap().into_labeled().unwrap();
    assert_eq!(names.class_names(), ["5\" pipe", "5pipe", "two\nlines, \"really\""]);
}

#[test]
fn a_row_without_end_is_refused_at_the_limit() {
    let mut text = b"a,b,c\n1,2,x\n".to_vec();
    text.resize(text.len() + (65 << 20), b'x');
    let error = parse_csv("f.csv", &text, &CsvOptions::default()).unwrap_err().to_string();
    assert_eq!(
        error,
        "f.csv, line 3: the row has more than 64 MiB, the limit; end each row with a line end, and close every quote"
    );
    let header = parse_csv("f.csv", &[b','; (1 << 22) + 5], &CsvOptions::default());
    let error = header.unwrap_err().to_string();
    assert!(
        error.starts_with("f.csv, line 1: the row has more than 4194304 values, the limit"),
        "{error}"
    );
}

#[test]
fn a_bad_target_is_named_too() {
    let at = "f.csv, line 2 (row 1), column \"y\": ";
    let none = error("a,y\n1,None\n");
    assert!(none.ends_with("leave the usual missing values out if such words are values"));
    assert!(error("a,y\n1,inf\n").starts_with(&format!("{at}the class is infinite (inf)")));
    let words = parse("a,y\n1,inf\n2,red\n3,blue\n").unwrap().into_labeled().unwrap();
    assert_eq!(words.class_names(), ["blue", "inf", "red"]);
}

#[test]
fn a_ragged_row_is_named_with_its_counts() {
    assert_eq!(
        error("a,b,y\n1,2,x\n1,2\n"),
        "f.csv, line 3 (row 2): 2 values where the header names 3 columns; give the row one value \
         per column"
    );
    assert!(error("a,b,y\n7\n").contains("line 2 (row 1): 1 value where"));
}

#[test]
fn lines_are_counted_as_an_editor_counts_them() {
    for end in ["\n", "\r\n", "\r"] {
        let text = ["a,y", "", "1,x", "", "", "b,x", ""].join(end);
        let error = error(&text);
        assert!(error.starts_with("f.csv, line 6 (row 2), column \"a\""), "{error}");
    }
    assert!(error("a,y\n1,\"two\nlines\"\nb,x\n").starts_with("f.csv, line 4 (row 2)"));
}

#[test]
fn a_byte_order_mark_after_a_blank_line_is_text() {
    assert!(error("\n\u{feff}").contains("f.csv has only one column"));
    assert!(error("\n\u{feff}a,b\n1,x\n2\n").starts_with("f.csv, line 4 (row 2): 1 value where"));
}

#[test]
fn one_column_is_enough_without_a_target() {
    let table = parse_with("a\n1\n2\n\n", &untargeted()).unwrap();
    assert_eq!((table.features.values(), table.target), ([1.0, 2.0].as_slice(), Target::None));
    assert_eq!(
        error_with("a\n1\n\n2\n", &untargeted()),
        "f.csv, line 3 is blank; in a file of one column give every line a value"
    );
}

#[test]
fn lines_above_the_names_are_left_out() {
    let rows: String =
        (0..20).map(|row| format!("{row};{};{}\n", row % 3, ["u", "v"][row % 2])).collect();
    let table = parse(&format!("a;b;y\n{rows}")).unwrap();
    for above in ["sep=;\n", "\"sep=;\"\r\n", "\u{feff}SEP=;\n"] {
        assert_eq!(parse(&format!("{above}a;b;y\n{rows}")).unwrap(), table, "{above}");
    }
    for above in ["Measured in 2024\n\n", "Measured in 2024;;\n;;\n", "# logger 3\n# mm; s\n"] {
        let read = parse(&format!("{above}a;b;y\n{rows}")).unwrap();
        assert_eq!((&read.features, &read.target), (&table.features, &table.target), "{above}");
        assert!(read.notes[0].text().contains("above the names"), "{:?}", read.notes);
    }
    let text = format!("Measured in 2024\n\na;b;y\n{rows}red;1;u\n");
    assert!(error(&text).starts_with("f.csv, line 24 (row 21), column \"a\""), "{}", error(&text));
}

#[test]
fn missing_values_are_those_that_are_named() {
    let format = TextFormat { missing: Some(Vec::new()), ..TextFormat::default() };
    let read = parse_with("a,y\n1,NA\n2,null\n3,NaN\n", &written(format)).unwrap();
    assert_eq!(read.into_labeled().unwrap().class_names(), ["NA", "NaN", "null"]);
    let format = TextFormat { missing: Some(vec!["999".into()]), ..TextFormat::default() };
    let options = CsvOptions { set_unlabeled_apart: true, ..written(format) };
    let error = error_with("a,y\n1,x\n999.0,x\n", &options);
    assert!(error.contains("1 of 2 rows lacks a value: 1 in column \"a\" (\"999.0\""), "{error}");
    let read = parse_with("a,y\n1,x\n2,999\n3,x\n", &options).unwrap();
    assert_eq!(read.without_class.unwrap().rows, [1]);
}

#[test]
fn a_dash_among_numbers_is_missing_and_a_class_is_not() {
    for spelling in ["-", ".", "na", "NIL", "Missing"] {
        let error = error(&format!("a,y\n1,u\n{spelling},v\n"));
        assert!(error.contains("1 of 2 rows lacks a value: 1 in column \"a\""), "{error}");
        let table = parse(&format!("a,y\n1,u\n2,{spelling}\n")).unwrap().into_labeled().unwrap();
        assert!(table.class_names().contains(&spelling.to_string()), "{spelling}");
    }
}
