//! Plain rows, on all cores: lines without a quote, each of whose cells is a value.
//!
//! Most large files hold nothing else. Whatever a line of another kind may mean (a quote, a missing value, a row of
//! another length, text that is none), it is left to the reader of records, which knows what to say of it.

use std::collections::HashMap;

use rayon::prelude::*;

use super::cell;
use super::header::Selection;
use crate::readers::table::TargetKind;
use crate::readers::text_format::DecimalSign;

/// Bytes that a task reads at least.
const TASK: usize = 1 << 16;

/// What the columns of a file are, as far as plain rows go.
pub(super) struct PlainRows<'a> {
    selection: &'a Selection,
    task: TargetKind,
    separator: u8,
    /// What each column is.
    roles: Vec<Role>,
}

#[derive(Clone, Copy)]
enum Role {
    Ignored,
    /// The feature of this place.
    Feature(usize),
    Target,
}

/// The rows of some lines.
#[derive(Default)]
pub(super) struct Piece<'t> {
    /// The bytes of the lines.
    pub(super) bytes: usize,
    /// Number of rows.
    pub(super) rows: usize,
    /// The features, row-major.
    pub(super) values: Vec<f64>,
    /// The target as numbers.
    pub(super) numbers: Vec<f64>,
    /// The target as classes, by their places among the names.
    pub(super) classes: Vec<usize>,
    /// The names of the classes, each once.
    pub(super) names: Vec<&'t str>,
}

impl<'a> PlainRows<'a> {
    /// For a file of `columns` columns; `None` for one of a single column, whose blank lines may be values.
    pub(super) fn new(
        columns: usize,
        separator: u8,
        (selection, task): (&'a Selection, TargetKind),
    ) -> Option<Self> {
        let mut roles = vec![Role::Ignored; columns];
        for (place, &column) in selection.features.iter().enumerate() {
            roles[column] = Role::Feature(place);
        }
        if let Some(target) = selection.target {
            roles[target] = Role::Target;
        }
        (columns > 1).then_some(Self { selection, task, separator, roles })
    }

    /// The plain rows at the start of these whole lines, in their order.
    pub(super) fn read<'t>(&self, lines: &'t [u8]) -> Vec<Piece<'t>> {
        let pieces = pieces(lines);
        let read: Vec<Option<Piece<'t>>> =
            pieces.par_iter().map(|piece| self.piece(piece)).collect();
        read.into_iter().map_while(|piece| piece).collect()
    }

    /// The rows of some lines; `None` where one of them is not plain.
    fn piece<'t>(&self, lines: &'t [u8]) -> Option<Piece<'t>> {
        let is_lone = |at: usize| lines[at] == b'\r' && lines.get(at + 1) != Some(&b'\n');
        if lines.contains(&b'"') || lines.contains(&b'\r') && (0..lines.len()).any(is_lone) {
            return None;
        }
        let mut piece = Piece { bytes: lines.len(), ..Piece::default() };
        let mut places = HashMap::new();
        for line in std::str::from_utf8(lines).ok()?.split('\n') {
            let line = line.strip_suffix('\r').unwrap_or(line);
            if !line.is_empty() {
                self.row(line, &mut piece, &mut places)?;
            }
        }
        Some(piece)
    }

    fn row<'t>(
        &self,
        line: &'t str,
        piece: &mut Piece<'t>,
        places: &mut HashMap<&'t str, usize>,
    ) -> Option<()> {
        let first = piece.values.len();
        piece.values.resize(first + self.selection.features.len(), 0.0);
        let values = &mut piece.values[first..];
        let mut start = 0;
        for (at, role) in self.roles.iter().enumerate() {
            let rest = line.get(start..)?;
            let end = rest.bytes().position(|byte| byte == self.separator);
            // The last column ends with the line, and no other does.
            if end.is_none() != (at + 1 == self.roles.len()) {
                return None;
            }
            let cell = end.map_or(rest, |end| &rest[..end]);
            match (role, self.task) {
                (Role::Ignored, _) => {}
                (Role::Feature(place), _) => values[*place] = self.number(cell)?,
                (Role::Target, TargetKind::Numeric) => piece.numbers.push(self.number(cell)?),
                (Role::Target, TargetKind::Classes) => {
                    let name = cell.trim();
                    let class = match places.get(name) {
                        Some(&class) => class,
                        None => {
                            if self.selection.is_unlabeled(name) {
                                return None;
                            }
                            let numbers = self.selection.has_target_of_numbers();
                            cell::class(name, &self.selection.missing, numbers).ok()?;
                            piece.names.push(name);
                            places.insert(name, piece.names.len() - 1);
                            piece.names.len() - 1
                        }
                    };
                    piece.classes.push(class);
                }
            }
            start += cell.len() + 1;
        }
        piece.rows += 1;
        Some(())
    }

    /// The finite number that a cell spells.
    fn number(&self, cell: &str) -> Option<f64> {
        if self.selection.missing.is_named(cell.trim()) {
            return None;
        }
        let plain = match self.selection.decimal {
            DecimalSign::Point => cell.parse().ok(),
            DecimalSign::Comma => None,
        };
        let number = match plain {
            Some(number) => number,
            None => self.selection.decimal.parse(cell.trim())?,
        };
        f64::is_finite(number).then_some(number)
    }
}

/// Whole lines in pieces, some for each thread.
fn pieces(lines: &[u8]) -> Vec<&[u8]> {
    let wanted = (lines.len() / TASK).min(4 * rayon::current_num_threads()).max(1);
    let mut pieces = Vec::with_capacity(wanted);
    let mut start = 0;
    for piece in 1..=wanted {
        let least = (piece * lines.len() / wanted).max(start + 1).min(lines.len());
        // From the last byte that must be in it on: that may be the line end.
        let end = lines[least - 1..].iter().position(|byte| *byte == b'\n');
        let end = end.map_or(lines.len(), |end| least + end);
        if end > start {
            pieces.push(&lines[start..end]);
        }
        start = end;
        if start == lines.len() {
            break;
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readers::csv::{CsvOptions, parse_csv};
    use crate::readers::table::{Table, Target};

    #[test]
    fn pieces_are_whole_lines_and_all_of_them() {
        for (length, line) in [(3 * TASK, "1,2\n"), (3 * TASK, "1,22,x\r\n"), (5, "1,2\n")] {
            let lines = line.repeat(length / line.len());
            let pieces = pieces(lines.as_bytes());
            assert_eq!(pieces.concat(), lines.as_bytes());
            assert!(pieces.iter().all(|piece| piece.ends_with(b"\n")));
            assert_eq!(pieces.len() > 1, length > TASK);
        }
        assert!(pieces(b"1,2").concat() == b"1,2");
    }

    /// A file that is longer than a block, with one line of its own at the end of it.
    fn long(last: &str) -> (String, usize) {
        let rows: String =
            (0..40_000).map(|row| format!("{row}.5,{},c{}\n", -row, row % 3)).collect();
        (format!("a,b,y\n{rows}{last}"), 40_000)
    }

    fn read(text: &str) -> Result<Table, String> {
        parse_csv("f", text.as_bytes(), &CsvOptions::default()).map_err(|error| error.to_string())
    }

    #[test]
    fn rows_beyond_the_plain_ones_are_read_as_ever() {
        for (last, values, class) in [
            ("", [39_999.5, -39_999.0], "c0"),
            ("\"1\",2,\"c\"\"1\"", [1.0, 2.0], "c\"1"),
            ("\r\n 7 ,8 , c2 \r\n\r\n", [7.0, 8.0], "c2"),
            ("\n\n3,4,ä", [3.0, 4.0], "ä"),
        ] {
            let (text, rows) = long(last);
            let table = read(&text).unwrap();
            let rows = rows + usize::from(!last.is_empty());
            assert_eq!((table.features.rows(), table.features.row(rows - 1)), (rows, &values[..]));
            assert_eq!(table.features.row(20_000), [20_000.5, -20_000.0]);
            let Target::Classes { labels, names } = table.target else { panic!() };
            assert_eq!((names[labels[rows - 1]].as_str(), labels.len()), (class, rows));
        }
    }

    #[test]
    fn errors_name_the_line_and_the_row_after_many_plain_rows() {
        for (last, expected) in [
            ("1,x,c0\n", "f, line 40002 (row 40001), column \"b\": \"x\" is not a number"),
            ("\n1\n", "f, line 40003 (row 40001): 1 value where the header names 3 columns"),
            ("1,2,\"c\n", "f, line 40002: the quote that opens value 3"),
            (
                "1,NA,c0\n",
                "1 of 40001 rows lacks a value: 1 in column \"b\" (\"NA\" on line 40002, row 40001)",
            ),
            ("1,inf,c0\n", "f, line 40002 (row 40001), column \"b\": the value is infinite"),
            ("1,2\r3,c0\n", "f, line 40002 (row 40001): 2 values where"),
        ] {
            let error = read(&long(last).0).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let (text, rows) = long("");
        assert!(text.len() > 8 * TASK);
        for numeric in [false, true] {
            let text = if numeric { text.replace(",c", ",") } else { text.clone() };
            // Errors in two pieces: the first is named.
            let bad = text.replacen("\n9000.5,", "\nx,", 1).replacen("\n30000.5,", "\ny,", 1);
            let task = if numeric { TargetKind::Numeric } else { TargetKind::Classes };
            let options = CsvOptions { task, ..CsvOptions::default() };
            let read = |text: &str, threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let read = || parse_csv("f", text.as_bytes(), &options);
                pool.install(read).map_err(|error| error.to_string())
            };
            let one = read(&text, 1);
            assert_eq!(one.as_ref().unwrap().features.rows(), rows);
            let refused = read(&bad, 1);
            assert!(refused.as_ref().unwrap_err().contains("\"x\" is not a number"), "{refused:?}");
            for threads in [2, 64] {
                assert!(one == read(&text, threads), "{threads} threads");
                assert!(refused == read(&bad, threads), "{threads} threads");
            }
        }
    }

    mod against_records {
        use proptest::prelude::*;
        use proptest::sample::select;

        use super::*;

        fn cell() -> impl Strategy<Value = &'static str> {
            let odd = "| |NA|?|x|inf|-inf|nan|1e999|1_0|0x1|+1|1,5| 7 |\t8|\u{a0}9|ä|1e-400|-0|.5|5.|--1|\u{feff}1|\0|1;2";
            let odd: Vec<&str> = odd.split('|').collect();
            prop_oneof![8 => select(&["1", "2.5", "-3e2", "0", "1000000"][..]), 1 => select(odd)]
        }

        fn line() -> impl Strategy<Value = String> {
            let cells = prop_oneof![9 => Just(3_usize), 1 => 0..5_usize];
            let end =
                prop_oneof![8 => Just("\n"), 2 => Just("\r\n"), 1 => Just("\r"), 1 => Just("\n\n")];
            let cells = cells.prop_flat_map(|cells| proptest::collection::vec(cell(), cells));
            (cells, end).prop_map(|(cells, end)| cells.join(",") + end)
        }

        proptest! {
            /// A quote in the first row leaves all rows to the reader of records.
            #[test]
            fn plain_rows_are_what_the_reader_of_records_makes_of_them(
                lines in proptest::collection::vec(line(), 0..12),
                numeric: bool,
                set_unlabeled_apart: bool,
            ) {
                let task = if numeric { TargetKind::Numeric } else { TargetKind::Classes };
                let options = CsvOptions { task, set_unlabeled_apart, ..CsvOptions::default() };
                let read = |first: &str| {
                    let text = format!("a,b,y\n{first},2,3\n{}", lines.concat());
                    parse_csv("f", text.as_bytes(), &options).map_err(|error| error.to_string())
                };
                prop_assert_eq!(read("1"), read("\"1\""));
            }
        }
    }
}
