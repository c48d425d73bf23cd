//! The names of the columns: in the first line of a file, or nowhere.

use super::*;
use crate::readers::text_format::Header;

#[test]
fn a_first_line_that_may_be_names_or_a_row_is_refused_until_it_is_said() {
    for text in ["1,5,2\n3,4,1\n", "2.5,x\n3,y\n", "1,5,2\n3,4,1\n2,6,2\n"] {
        let lines = text.lines().count();
        let error = error(text);
        let first = text.lines().next().unwrap().replace(',', ", ");
        assert!(
            error.starts_with(&format!(
                "the first line of f.csv looks like a row of data ({first}), and may hold the names"
            )),
            "{error}"
        );
        let with =
            |header| parse_with(text, &written(TextFormat { header, ..TextFormat::default() }));
        assert_eq!(with(Header::Yes).unwrap().features.rows(), lines - 1);
        let table = with(Header::No).unwrap();
        assert_eq!((table.features.rows(), table.features.names()[0].as_str()), (lines, "x1"));
        assert_eq!((table.target_name.len(), table.notes), (2, Vec::new()));
    }
}

#[test]
fn a_file_without_names_keeps_its_first_row() {
    let rows: String =
        (0..40).map(|row| format!("{}.5,{},{}\n", row % 7, row % 3, ["u", "v"][row % 2])).collect();
    for end in ["\n", "\r\n", "\r"] {
        let table = parse(&rows.replace('\n', end)).unwrap();
        assert_eq!((table.features.rows(), table.features.row(1)), (40, &[1.5, 1.0][..]));
        assert_eq!(
            (table.features.names(), table.target_name.as_str()),
            (&["x1".into(), "x2".into()][..], "x3")
        );
        let note = table.notes[0].text();
        assert!(note.starts_with("f.csv: the first line (0.5, 0, u) is like the rows below"));
    }
    // Rows and lines are counted from the first.
    let error = error(&format!("{rows}red,1,u\n"));
    assert!(error.starts_with("f.csv, line 41 (row 41), column \"x1\": \"red\""), "{error}");
    // The header of another file asks for its own names.
    let named = format!("x1,x2,x3\n{rows}");
    assert_eq!(parse(&named).unwrap().features.rows(), 40);
}

#[test]
fn numbers_that_can_only_be_names_make_a_header() {
    for header in ["0,1,2,label", "1,2,3", "1000,1002.5,1005,1010,1020,kind", "9,7,5,4,2,kind"] {
        let row = vec!["1"; header.split(',').count()].join(",");
        assert!(parse(&format!("{header}\n{row}\n")).is_ok(), "{header}");
    }
}
