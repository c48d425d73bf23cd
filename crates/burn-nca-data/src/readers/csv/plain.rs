//! Plain rows, on all cores: lines without a quote, each of whose cells is a value.
//!
//! Most large files hold nothing else. Whatever a line of another kind may mean (a quote, a missing value, a row of
//! another length, text that is none), it is left to the reader of records, which knows what to say of it.

use rayon::prelude::*;

use super::header::Selection;
use super::piece::Piece;
use crate::readers::table::TargetKind;

/// Bytes that a task reads at least.
const TASK: usize = 1 << 16;

/// What plain rows are read by.
pub(super) struct PlainRows<'a> {
    /// The columns of the file.
    pub(super) columns: usize,
    pub(super) separator: u8,
    pub(super) selection: &'a Selection,
    pub(super) task: TargetKind,
}

impl PlainRows<'_> {
    /// The plain rows at the start of these whole lines, in their order: pieces of so many bytes.
    pub(super) fn read(&self, lines: &[u8]) -> Vec<(usize, Piece)> {
        let pieces = pieces(lines);
        let read: Vec<Option<Piece>> = pieces.par_iter().map(|piece| self.piece(piece)).collect();
        let bytes = pieces.into_iter().map(<[u8]>::len);
        bytes.zip(read).map_while(|(bytes, piece)| Some((bytes, piece?))).collect()
    }

    /// The rows of some lines; `None` where one of them is not plain.
    fn piece(&self, lines: &[u8]) -> Option<Piece> {
        let is_lone = |at: usize| lines[at] == b'\r' && lines.get(at + 1) != Some(&b'\n');
        if lines.contains(&b'"') || lines.contains(&b'\r') && (0..lines.len()).any(is_lone) {
            return None;
        }
        let mut piece = Piece::default();
        let mut cells = Vec::with_capacity(self.columns);
        for line in std::str::from_utf8(lines).ok()?.split('\n') {
            let line = line.strip_suffix('\r').unwrap_or(line);
            if line.is_empty() {
                continue;
            }
            cells.clear();
            let mut rest = line;
            // Cells are short: looking for the next separator byte by byte is faster than `split`.
            while let Some(end) = rest.bytes().position(|byte| byte == self.separator) {
                cells.push(rest[..end].trim());
                rest = &rest[end + 1..];
            }
            cells.push(rest.trim());
            if cells.len() != self.columns {
                return None;
            }
            let missing = piece.push(|column| cells[column], self.selection, self.task).ok()?;
            if !missing.is_empty() {
                return None;
            }
        }
        Some(piece)
    }
}

/// Whole lines in pieces, some for each thread.
fn pieces(lines: &[u8]) -> Vec<&[u8]> {
    let wanted = (lines.len() / TASK).min(4 * rayon::current_num_threads()).max(1);
    let least = lines.len().div_ceil(wanted);
    let (mut pieces, mut rest) = (Vec::with_capacity(wanted), lines);
    while !rest.is_empty() {
        // From the last byte that must be in it on: that may be the line end.
        let least = least.min(rest.len());
        let end = rest[least - 1..].iter().position(|byte| *byte == b'\n');
        let (piece, others) = rest.split_at(end.map_or(rest.len(), |end| least + end));
        pieces.push(piece);
        rest = others;
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
