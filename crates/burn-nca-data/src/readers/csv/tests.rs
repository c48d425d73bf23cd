//! Tests of the CSV reader: what it reads, and what it refuses in which words.

use proptest::prelude::*;

use super::*;
use crate::Header;
use crate::readers::temporary::file;
use crate::{Matrix, csv_field, csv_file};

fn parse(text: &str) -> Result<Table> {
    parse_with(text, &CsvOptions::default())
}

fn parse_with(text: &str, options: &CsvOptions) -> Result<Table> {
    parse_csv("f.csv", text.as_bytes(), options)
}

fn error(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

fn written(format: TextFormat) -> CsvOptions {
    CsvOptions { format, ..CsvOptions::default() }
}

fn classes(text: &str) -> Vec<String> {
    parse(text).unwrap().into_labeled().unwrap().class_names().to_vec()
}

fn rows(separator: &str) -> String {
    let row =
        |row: usize| [format!("{}.5", row % 7), (row % 3).to_string(), "uv"[row % 2..][..1].into()];
    (0..40).map(|at| row(at).join(separator) + "\n").collect()
}

#[test]
fn byte_order_mark_quotes_spaces_line_ends_and_blank_lines_do_not_matter() {
    let plain = parse("a,b,\"kind, of\"\n1,-2e3,\"x \"\"y\"\"\"\n.5,4,z\n").unwrap();
    let untidy = "\u{feff}\r\na , b,\"kind, of\"\r\n1, -2e3 ,\"x \"\"y\"\"\"\r\n\r\n  \r\n\".5\",4,z\r\n\r\n";
    assert_eq!(parse(untidy).unwrap(), plain);
    assert_eq!(
        (plain.features.names(), plain.target_name),
        (&["a".into(), "b".into()][..], "kind, of".into())
    );
    assert_eq!(plain.features.values(), [1.0, -2000.0, 0.5, 4.0]);
    let names = ["x \"y\"", "z"].map(String::from).to_vec();
    assert_eq!(plain.target, Target::Classes { labels: vec![0, 1], names });
    assert_eq!(parse("a,y\n\u{2212}1.5,x\n").unwrap().features.values(), [-1.5]);
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
    assert_eq!(table.features.values(), [4.0, 3.0, 6.0, 5.0]);
    assert_eq!(table.target, Target::Numeric(vec![0.5, 1.5]));
    let all = CsvOptions { features: None, ..options };
    assert_eq!(parse_with(text, &all).unwrap().features.names(), ["b", "a"]);
}

#[test]
fn prediction_takes_its_columns_from_a_file_with_others() {
    let (_folder, path) = file("new.csv", "name,b,label,a\nanna,1,,2\nbert,3,NA,4\n");
    let features = read_csv_features(&path, &["a".into(), "b".into()]).unwrap();
    assert_eq!(features.values(), [2.0, 1.0, 4.0, 3.0]);
    // Columns of an array have no names of their own.
    let read = |in_order| {
        let input = Input::of_bytes("f.csv", b"width,length\n1,2\n").unwrap();
        read_features(input, (&["x1".into(), "x2".into()], in_order), &TextFormat::default())
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
    let long = error(&format!("a,y\n{},x\n", "long ".repeat(1000)));
    assert!(long.contains("…\" is not a number") && long.len() < 300, "{long}");
    for (text, part) in [
        (
            "a,y\n1,x\n1e999,x\n",
            "f.csv, line 3 (row 2), column \"a\": the value is infinite (1e999)",
        ),
        ("a,y\n1,inf\n", "f.csv, line 2 (row 1), column \"y\": the class is infinite (inf)"),
        ("a,y\n1,x\n2,x\0\n", "line 3 (row 2), column \"y\": \"x\\0\" holds a NUL"),
        ("a,b,y\n7\n", "f.csv, line 2 (row 1): 1 value where the header names 3 columns"),
        ("a,y\n1,x,,\n", "4 values where the header names 2 columns"),
        ("a,y\nr1,1,x\nr2,2,z\n", "as R writes them, name that column"),
        ("a,b,y\n1,\"say \\\"hi\\\", then\",x\n", "write a quotation mark within quotation marks"),
        (
            "a,b,y\nmm,s,\n1,2,x\n",
            "row 1), column \"a\": \"mm\" is not a number; remove this row if it is one of units",
        ),
        ("a;b;\n1;2;x\n", "the header line ends with a semicolon"),
        ("a,y\n<0.5,x\n", "a bound (write the limit itself"),
        ("a,y\n5 kg,x\n", "a number with its unit"),
        ("a,y\n5 of 7,x\n", "is not a number; correct it"),
        ("len\twid\tkind\n1.5\t\t2\ta\n", "read the file with the separator space"),
        // A byte order mark after a blank line is text.
        ("\n\u{feff}a,b\n1,x\n2\n", "f.csv, line 4 (row 2): 1 value where"),
    ] {
        assert!(error(text).contains(part), "{}", error(text));
    }
    assert_eq!(classes("a,y\n1,inf\n2,red\n3,blue\n"), ["blue", "inf", "red"]);
}

#[test]
fn missing_values_are_counted_by_column() {
    assert_eq!(
        error("a,b,y\n1,,x\n3,4,x\nNA,n/a,z\n"),
        "f.csv: 2 of 3 rows lack a value: 1 in column \"a\" (\"NA\" on line 4, row 3), 2 in column \"b\" (the first: \
         empty on line 2, row 1); fill the values in, remove the rows, or prepare the table with a rule for missing \
         values"
    );
    let spellings = "#N/A|#N/A N/A|#NA|-1.#IND|-1.#QNAN|-NaN|-nan|1.#IND|1.#QNAN|<NA>|N/A|NA|NULL|NaN|None|n/a|nan|null|?|NAN|\"\"||\\N|(null)|NaT|#DIV/0!|#VALUE!";
    for spelling in spellings.split('|') {
        for text in [format!("a,y\n1,x\n{spelling},x\n"), format!("a,y\n1,x\n2,{spelling}\n")] {
            let error = error(&text);
            assert!(error.starts_with("f.csv: 1 of 2 rows lacks a value: 1 in column"), "{error}");
        }
    }
    // Words among words, no numbers among numbers.
    for spelling in ["-", ".", "na", "NIL", "Missing"] {
        let error = error(&format!("a,y\n1,u\n{spelling},v\n"));
        assert!(error.contains("1 of 2 rows lacks a value: 1 in column \"a\""), "{error}");
        assert!(classes(&format!("a,y\n1,u\n2,{spelling}\n")).contains(&spelling.to_string()));
    }
    let wide: Vec<String> = (0..20).map(|column| format!("c{column}")).collect();
    let error = error(&format!("{},y\n{},x\n", wide.join(","), vec!["NA"; 20].join(",")));
    assert!(
        error.contains("\"c7\" (\"NA\" on line 2, row 1), and 12 columns more; fill"),
        "{error}"
    );
}

#[test]
fn missing_values_are_those_that_are_named() {
    let with = |text: &str, missing: &[&str]| {
        let missing = Some(missing.iter().map(ToString::to_string).collect());
        let format = TextFormat { missing, ..TextFormat::default() };
        parse_with(text, &CsvOptions { set_unlabeled_apart: true, ..written(format) })
    };
    let read = with("a,y\n1,NA\n2,null\n3,NaN\n", &[]).unwrap();
    assert_eq!(read.into_labeled().unwrap().class_names(), ["NA", "NaN", "null"]);
    let error = with("a,y\n1,x\n999.0,x\n", &["999"]).unwrap_err().to_string();
    assert!(error.contains("1 of 2 rows lacks a value: 1 in column \"a\" (\"999.0\""), "{error}");
    assert_eq!(with("a,y\n1,x\n2,999\n3,x\n", &["999"]).unwrap().without_class.unwrap().rows, [1]);
}

#[test]
fn quotes_that_are_never_closed_or_stray_are_refused_with_their_lines() {
    for (text, part) in [
        ("a,\"y\n1,x\n", "f.csv, line 1: the quote that opens value 2"),
        ("a,y\n1,\"\n", "f.csv, line 2: the quote"),
        ("a,y\n\n\"1\n\",\"x\n2", "f.csv, line 4: the quote"),
        ("a,y\r\n1,\"", "f.csv, line 2: the quote"),
        (
            "a,note,y\n1,\"red,x\n2,blue,x\n4,\"white,z\n",
            "f.csv, line 4: text follows the quote that closes the value from line 2; if a quote was lost, add it, \
             and write a quote within a value twice (\"\")",
        ),
        ("a,y\n1,\"red\n2,\"blue\"\n3,\"red\"\n", "f.csv, line 3: text follows the quote"),
    ] {
        assert!(error(text).starts_with(part), "{}", error(text));
    }
    let text = format!("a,y\n1,\"{}", "k0\n".repeat(100));
    assert!(
        error(&text).ends_with("is never closed, the file ends inside it; close it, or remove it")
    );
    assert!(error(&text).len() < 300);
    let quoted = "a,y\n1,\"two\nlines, \"\"really\"\"\"\n2,\"5\"\" pipe\"\n3,\"5\"pipe\n4,\"x\"";
    assert_eq!(classes(quoted), ["5\" pipe", "5pipe", "two\nlines, \"really\"", "x"]);
}

#[test]
fn a_row_without_end_is_refused_at_the_limit() {
    let mut text = b"a,b,c\n1,2,x\n".to_vec();
    text.resize(text.len() + (65 << 20), b'x');
    for (text, part) in [
        (&text[..], "f.csv, line 3: the row has more than 64 MiB, the limit; end each row"),
        (&[b','; (1 << 22) + 5], "f.csv, line 1: the row has more than 4194304 values, the limit"),
    ] {
        let error = parse_csv("f.csv", text, &CsvOptions::default()).unwrap_err().to_string();
        assert!(error.starts_with(part), "{error}");
    }
}

#[test]
fn lines_are_counted_as_an_editor_counts_them() {
    for end in ["\n", "\r\n", "\r"] {
        let error = error(&["a,y", "", "1,x", "", "", "b,x", ""].join(end));
        assert!(error.starts_with("f.csv, line 6 (row 2), column \"a\""), "{error}");
    }
    assert!(error("a,y\n1,\"two\nlines\"\nb,x\n").starts_with("f.csv, line 4 (row 2)"));
}

#[test]
fn one_column_is_enough_without_a_target() {
    let options = CsvOptions { target: TargetColumn::None, ..CsvOptions::default() };
    let table = parse_with("a\n1\n2\n\n", &options).unwrap();
    assert_eq!((table.features.values(), table.target), (&[1.0, 2.0][..], Target::None));
    let error = parse_with("a\n1\n\n2\n", &options).unwrap_err().to_string();
    assert!(error.starts_with("f.csv, line 3 is blank; in a file of one column give"), "{error}");
}

#[test]
fn lines_above_the_names_are_left_out() {
    let rows = format!("a;b;y\n{}", rows(";"));
    let table = parse(&rows).unwrap();
    for above in ["sep=;\n", "\"sep=;\"\r\n", "\u{feff}SEP=;\n"] {
        assert_eq!(parse(&format!("{above}{rows}")).unwrap(), table, "{above}");
    }
    for above in ["Measured in 2024\n\n", "Measured in 2024;;\n;;\n", "# logger 3\n# mm; s\n"] {
        let read = parse(&format!("{above}{rows}")).unwrap();
        assert_eq!((&read.features, &read.target), (&table.features, &table.target), "{above}");
        assert!(read.notes[0].text().contains("above the names"), "{:?}", read.notes);
    }
    let error = error(&format!("Measured in 2024\n\n{rows}red;1;u\n"));
    assert!(error.starts_with("f.csv, line 44 (row 41), column \"a\""), "{error}");
}

#[test]
fn a_first_line_that_may_be_names_or_a_row_is_refused_until_it_is_said() {
    for text in ["1,5,2\n3,4,1\n", "2.5,x\n3,y\n"] {
        let first = text.lines().next().unwrap().replace(',', ", ");
        let expected =
            format!("the first line of f.csv looks like a row of data ({first}), and may hold");
        assert!(error(text).starts_with(&expected), "{}", error(text));
        let with = |header| {
            parse_with(text, &written(TextFormat { header, ..TextFormat::default() })).unwrap()
        };
        assert_eq!(with(Header::Yes).features.rows(), 1);
        let table = with(Header::No);
        assert_eq!((table.features.rows(), table.features.names()[0].as_str()), (2, "x1"));
    }
}

#[test]
fn a_file_without_names_keeps_its_first_row() {
    for end in ["\n", "\r\n", "\r"] {
        let table = parse(&rows(",").replace('\n', end)).unwrap();
        assert_eq!((table.features.rows(), table.features.row(1)), (40, &[1.5, 1.0][..]));
        assert_eq!(
            (table.features.names(), &*table.target_name),
            (&["x1".into(), "x2".into()][..], "x3")
        );
        let note = table.notes[0].text();
        assert!(note.starts_with("f.csv: the first line (0.5, 0, u) is like the rows below"));
    }
    // Rows and lines are counted from the first.
    let error = error(&format!("{}red,1,u\n", rows(",")));
    assert!(error.starts_with("f.csv, line 41 (row 41), column \"x1\": \"red\""), "{error}");
}

#[test]
fn a_separator_at_the_end_of_lines_makes_no_column() {
    let plain = parse("a,b,y\n1,2,x\n3,4,z\n").unwrap();
    for text in [
        "a,b,y,\n1,2,x,\n3,4,z,\n",
        "a,b,y,\n1,2,x\n3,4,z\n",
        "a,b,y\n1,2,x,\n3,4,z\n",
        "a,b,y\n1,2,x, \r\n3,4,z\n",
        "a;b;y;\n1;2;x;\n3;4;z;\n",
        "a\tb\ty\n1\t2\tx\n3\t4\tz\n",
        "a b y\n1 2 x\n3 4 z\n",
        "   a  b y\n  1     2    x\n   3     4    z",
    ] {
        assert_eq!(parse(text).unwrap(), plain, "{text}");
    }
    let spaces = TextFormat { separator: Some(' '), ..TextFormat::default() };
    assert_eq!(parse_with("a\t  b \ty\n1\t\t2\tx  \n3  4  z", &written(spaces)).unwrap(), plain);
    let target = TargetColumn::Name("y".into());
    let options = CsvOptions { target, ignore: vec![String::new()], ..CsvOptions::default() };
    assert!(parse_with("a,b,y,\n1,2,x,\n", &options).is_ok());
}

proptest! {
    /// A table of any numbers and classes, written and read back.
    #[test]
    fn a_written_table_reads_back(
        (columns, values) in (1_usize..5, 1_usize..20).prop_flat_map(|(columns, rows)| {
            let value = any::<f64>().prop_filter("finite", |value| value.is_finite());
            (Just(columns), prop::collection::vec(value, columns * rows))
        }),
        classes in prop::collection::vec("k[a-z \",;\n\u{e9}]{0,6}[a-z]", 20),
    ) {
        let names: Vec<String> = (0..columns).map(|column| format!("col, \"{column}\"")).collect();
        let text = csv_file(&names, &Matrix::F64 { values: values.clone(), columns });
        let classes = std::iter::once("the class").chain(classes.iter().map(String::as_str));
        let text = String::from_utf8(text).unwrap();
        let lines = text.lines().zip(classes.clone());
        let text: String = lines.map(|(line, class)| format!("{line},{}\n", csv_field(class))).collect();
        let table = parse(&text).unwrap();
        prop_assert_eq!((table.features.names(), table.features.values()), (&names[..], &values[..]));
        let Target::Classes { labels, names } = table.target else { panic!("classes") };
        for (label, class) in labels.iter().zip(classes.skip(1)) {
            prop_assert_eq!(&names[*label], class);
        }
    }
}
