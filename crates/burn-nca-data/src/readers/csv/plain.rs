//! Some rows of a file, read one by one or, where they are plain, on all cores.
//!
//! Plain is a line without a quote, each of whose cells is a value. Whatever a line of another kind may mean, it is left to
//! the reader of records, which knows what to say of it.

use rayon::prelude::*;

use super::cell;
use super::header::Selection;
use crate::{Hint, Message, Setting, TargetKind, TextValues};

const TASK: usize = 1 << 16;

#[derive(Default)]
pub(super) struct Piece {
    pub(super) rows: usize,
    pub(super) values: Vec<f64>,
    pub(super) classes: TextValues,
    pub(super) numbers: Vec<f64>,
}

impl Piece {
    /// Adds a row of these cells; gives the columns that lack a value, or that of a bad cell and the reason.
    pub(super) fn push<'c>(
        &mut self,
        cell: impl Fn(usize) -> &'c str,
        selection: &Selection,
        task: TargetKind,
    ) -> Result<Vec<usize>, (usize, Message)> {
        let mut missing = Vec::new();
        let format = (selection.decimal, &selection.missing);
        for &column in &selection.features {
            let number = cell::number(cell(column), format, selection.text_hints(column));
            match number.map_err(|reason| (column, reason))? {
                Some(number) => self.values.push(number),
                None => missing.push(column),
            }
        }
        if let Some(column) = selection.target {
            let cell = cell(column);
            let bad = |reason| (column, reason);
            match task {
                TargetKind::Classes if selection.set_apart && selection.is_unlabeled(cell) => {
                    self.classes.push(None);
                }
                TargetKind::Classes => {
                    let numbers = selection.has_target_of_numbers();
                    match cell::class(cell, &selection.missing, numbers).map_err(bad)? {
                        Some(class) => self.classes.push(Some(&selection.decimal.name(class))),
                        None => missing.push(column),
                    }
                }
                TargetKind::Numeric => {
                    let hints = [Hint::edit("correct it"), Setting::Classes.into()];
                    match cell::number(cell, format, Some(&hints)).map_err(bad)? {
                        Some(number) => self.numbers.push(number),
                        None => missing.push(column),
                    }
                }
            }
        }
        self.rows += 1;
        Ok(missing)
    }
}

pub(super) struct PlainRows<'a> {
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
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::readers::csv::{CsvOptions, parse_csv};
    use crate::readers::table::{Table, Target};

    fn long(last: &str) -> String {
        let rows: String =
            (0..40_000).map(|row| format!("{row}.5,{},c{}\n", -row, row % 3)).collect();
        format!("a,b,y\n{rows}{last}")
    }

    fn read(text: &str, task: TargetKind) -> Result<Table, String> {
        let options = CsvOptions { task, ..CsvOptions::default() };
        parse_csv("f", text.as_bytes(), &options).map_err(|error| error.to_string())
    }

    #[test]
    fn rows_beyond_the_plain_ones_are_read_as_ever() {
        for (last, values, class) in [
            ("\"1\",2,\"c\"\"1\"", [1.0, 2.0], "c\"1"),
            ("\r\n 7 ,8 , c2 \r\n\r\n", [7.0, 8.0], "c2"),
            ("\n\n3,4,ä", [3.0, 4.0], "ä"),
        ] {
            let table = read(&long(last), TargetKind::Classes).unwrap();
            assert_eq!((table.features.rows(), table.features.row(40_000)), (40_001, &values[..]));
            assert_eq!(table.features.row(20_000), [20_000.5, -20_000.0]);
            let Target::Classes { labels, names } = table.target else { panic!() };
            assert_eq!((names[labels[40_000]].as_str(), labels.len()), (class, 40_001));
        }
        for (last, expected) in [
            ("1,x,c0\n", "f, line 40002 (row 40001), column \"b\": \"x\" is not a number"),
            ("\n1\n", "f, line 40003 (row 40001): 1 value where the header names 3 columns"),
            ("1,2,\"c\n", "f, line 40002: the quote that opens value 3"),
            (
                "1,NA,c0\n",
                "1 of 40001 rows lacks a value: 1 in column \"b\" (\"NA\" on line 40002, row",
            ),
            ("1,2\r3,c0\n", "f, line 40002 (row 40001): 2 values where"),
        ] {
            let error = read(&long(last), TargetKind::Classes).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let text = long("").replace(",c", ",");
        assert!(text.len() > 8 * TASK);
        // Errors in two pieces: the first is named.
        let bad = text.replacen("\n9000.5,", "\nx,", 1).replacen("\n30000.5,", "\ny,", 1);
        for task in [TargetKind::Classes, TargetKind::Numeric] {
            let read = |text: &str, threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| read(text, task))
            };
            let (one, refused) = (read(&text, 1), read(&bad, 1));
            assert_eq!(one.as_ref().unwrap().features.rows(), 40_000);
            assert!(refused.as_ref().unwrap_err().contains("\"x\" is not a number"), "{refused:?}");
            for threads in [2, 64] {
                assert!(one == read(&text, threads) && refused == read(&bad, threads), "{threads}");
            }
        }
    }

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
