//! The first records of a file, to find out how it is written: what separates the values, what is above the names.

use super::records::Records;
use crate::DecimalSign;
use crate::readers::input::{Input, START};
use crate::readers::spaces::SPACES;
use crate::tables::is_number;

const MOST: usize = 500;
/// The share of numbers in a column of which other text is a flaw.
pub(super) const MOSTLY: f64 = 0.8;

/// The first records of a file that are not blank, as far as its start shows them whole.
pub(super) struct Sample {
    pub(super) rows: Vec<Vec<String>>,
}

impl Sample {
    /// The records of `start`, the first bytes of a file; none after one that cannot be read.
    pub(super) fn of(start: &[u8], separator: u8) -> Self {
        let mut rows: Vec<Vec<String>> = Vec::new();
        let records = Input::of_bytes("", start).and_then(|input| Records::new(input, separator));
        if let Ok(mut records) = records {
            while let Ok(Some(record)) = records.read_filled() {
                rows.push(record.fields().map(String::from).collect());
                if rows.len() == MOST {
                    return Self { rows };
                }
            }
        }
        if let Some(at) = names_after_mark(&rows) {
            unmark(&mut rows[at]);
        }
        // The last record of a longer file is cut off; a line that names the separator may be gone from its start.
        if start.len() + 16 > START {
            rows.pop();
        }
        Self { rows }
    }

    /// Whether the header line and the first row, if that can be read, are cut into two values or more.
    fn is_cut(&self) -> bool {
        self.rows.first().is_some_and(|names| names.len() > 1)
            && self.rows.get(1).is_none_or(|row| row.len() > 1)
    }

    /// Whether the first record is cut into two values or more and all others into as many, numbers in one of the places;
    /// or into one more, where these begin with the names of rows, as R writes them.
    fn is_table(&self, row_names: bool) -> bool {
        let Some((first, below)) = self.rows.split_first() else { return false };
        let width = first.len() + usize::from(row_names);
        // Of two columns the first: `class 1` may well be the name of a class.
        let mut columns = 0..if width == 2 { 1 } else { width };
        let is_number = |cell: &str| is_number(cell) || DecimalSign::Comma.parse(cell).is_some();
        first.len() > 1
            && !below.is_empty()
            && below.iter().all(|row| row.len() == width)
            && columns.any(|column| below.iter().all(|row| is_number(&row[column])))
    }

    /// Of which columns the records below the first hold numbers, but for one in five.
    pub(super) fn mostly_numbers(&self, decimal: DecimalSign) -> Vec<bool> {
        let Some((first, below)) = self.rows.split_first() else { return Vec::new() };
        let mostly = |column: usize| {
            let cells =
                below.iter().filter_map(|row| row.get(column)).filter(|cell| !cell.is_empty());
            let numbers = cells.clone().filter(|cell| decimal.parse(cell).is_some()).count();
            numbers > 0 && numbers as f64 >= MOSTLY * cells.count() as f64
        };
        (0..first.len()).map(mostly).collect()
    }

    /// A value of each column whose records below the first are codes: digits, as many in all, some with leading zeros.
    pub(super) fn codes(&self) -> Vec<Option<String>> {
        let Some((first, below)) = self.rows.split_first() else { return Vec::new() };
        let code = |column: usize| {
            let mut cells = below.iter().filter_map(|row| row.get(column));
            let length = cells.clone().next()?.len();
            let is_digits = |cell: &String| {
                cell.len() == length && cell.bytes().all(|byte| byte.is_ascii_digit())
            };
            // Months, days and hours have two digits.
            let are_codes = length > 2 && cells.clone().all(is_digits);
            cells.find(|cell| are_codes && cell.starts_with('0')).cloned()
        };
        (0..first.len()).map(code).collect()
    }

    /// How many records are above the names: a title, remarks, lines of separators alone.
    pub(super) fn titles(&self) -> usize {
        let Some((last, above)) = self.rows.split_last() else { return 0 };
        let is_above = |at: &usize| {
            // As many words as columns are names that another separator cuts, unless names follow.
            let names_follow = numbers(&self.rows[at + 1]) < numbers(last);
            is_title(&above[*at], last.len(), names_follow)
        };
        (0..above.len()).take_while(is_above).count()
    }
}

/// The separators that are looked for, the likeliest first.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// The separator that cuts header line and first row, or lines below a title; else runs of spaces, where they make a table
/// with numbers; else a comma. No comma where it is the decimal sign.
pub(crate) fn separator_of(start: &[u8], decimal: DecimalSign) -> u8 {
    let possible = SEPARATORS.into_iter().skip(usize::from(decimal == DecimalSign::Comma));
    let likeliest = possible.clone().next().unwrap_or(b',');
    let sample = |separator| Sample::of(start, separator);
    let below_titles = |separator: &u8| {
        let mut sample = sample(*separator);
        let titles = sample.titles();
        sample.rows.drain(..titles);
        titles > 0 && sample.is_table(false)
    };
    let spaced = sample(SPACES);
    // Some tabs between any two values, to align them.
    let aligned = |separator: u8| {
        let is_unnamed = |names: &Vec<String>| names.iter().any(String::is_empty);
        separator == b'\t'
            && sample(separator).rows.first().is_some_and(is_unnamed)
            && spaced.is_table(false)
    };
    possible
        .clone()
        .find(|separator| sample(*separator).is_cut() && !aligned(*separator))
        .or_else(|| possible.clone().find(below_titles))
        .or_else(|| {
            let is_spaced =
                spaced.is_table(false) || spaced.is_table(true) || below_titles(&SPACES);
            is_spaced.then_some(SPACES)
        })
        .unwrap_or(likeliest)
}

/// What messages call it.
pub(super) fn separator_name(separator: u8) -> &'static str {
    match separator {
        b',' => "comma",
        b';' => "semicolon",
        b'\t' => "tab",
        b'|' => "bar",
        b' ' => "space",
        _ => "separator",
    }
}

/// The record of names behind a mark of remarks, as NumPy writes them below its remarks: `# a b y`, or `# a`, `b`, `y`.
fn names_after_mark(rows: &[Vec<String>]) -> Option<usize> {
    let is_marked =
        |row: &Vec<String>| row.first().is_some_and(|cell| cell.starts_with(['#', '%']));
    let at = rows.iter().take_while(|row| is_marked(row)).count().checked_sub(1)?;
    let [names, row, .., last] = &rows[at..] else { return None };
    let mut unmarked = names.clone();
    unmark(&mut unmarked);
    let is_shorter = unmarked != *names && unmarked.len() == row.len();
    (is_shorter && numbers(&unmarked) == 0 && numbers(row) >= numbers(last)).then_some(at)
}

/// Names without the mark before the first.
pub(super) fn unmark(names: &mut Vec<String>) {
    match &names[..] {
        [first, _, ..] if is_mark(first) => drop(names.remove(0)),
        [first, ..] => {
            let name = first.strip_prefix("# ").or(first.strip_prefix("% "));
            if let Some(name) = name.map(str::trim_start).map(String::from) {
                names[0] = name;
            }
        }
        [] => {}
    }
}

fn numbers(row: &[String]) -> usize {
    row.iter().filter(|cell| is_number(cell)).count()
}

fn is_mark(cell: &str) -> bool {
    matches!(cell, "#" | "%")
}

/// Whether a record is one remark, where rows have `body` values; `names_follow` where names seem to be below it.
fn is_title(row: &[String], body: usize, names_follow: bool) -> bool {
    let first = row.first().map_or("", String::as_str);
    let filled = row.iter().filter(|cell| !cell.is_empty()).count();
    let remark =
        first.starts_with(['#', '%', '|']) && row.len() != body || is_mark(first) && names_follow;
    let words = first.split_whitespace().count();
    let cut = first.contains([',', ';', '\t', '|']) || words == body && !names_follow;
    let alone = filled == 1 && !first.is_empty() && first.parse::<f64>().is_err() && !cut;
    body > 1 && (remark || row.len() > 2 && filled == 0 || row.len() != 2 && alone)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(text: &str) -> usize {
        Sample::of(text.as_bytes(), b',').titles()
    }

    #[test]
    fn a_mark_before_the_names_is_none_of_them() {
        let names = |text: &str, separator| {
            let sample = Sample::of(text.as_bytes(), separator);
            sample.rows[sample.titles()].join(" ")
        };
        let below = "1 2 0\n2 1 1\n1 1 0\n";
        for remarks in ["", "# made by X\n", "# by X\n# in the year 2024\n"] {
            assert_eq!(names(&format!("{remarks}# a b y\n{below}"), SPACES), "a b y");
            let commas = format!("{remarks}# a,b,y\n{}", below.replace(' ', ","));
            assert_eq!(names(&commas, b','), "a b y");
        }
        assert_eq!(names("#,b,y\n1,2,0\n2,1,1\n3,1,1\n", b','), "# b y");
        assert_eq!(names("#a,b,y\n1,2,0\n2,1,1\n3,1,1\n", b','), "#a b y");
    }

    #[test]
    fn titles_and_remarks_are_told_from_names() {
        assert_eq!(titles("Measurements of 2024\n\na,b,y\n1,2,x\n"), 1);
        assert_eq!(titles("Measurements of 2024,,\n,,\na,b,y\n1,2,x\n"), 2);
        assert_eq!(titles("# by logger 3\n# unit: mm, s\na,b,y\n1,2,x\n"), 2);
        assert_eq!(titles("|1x3 Cross validator\na,b,y\n1,2,x\n"), 1);
        let names = "a,b,y\n1,2,x\n~,y\n0,a\n~a,\n1,x\n~a;b;y\n1,2,x\n~a b y\n1,2,x\n~7\n1,2,x\n~a,b\n~y\nx\n~\
                     #a,b,y\n1,2,x\n~# a,b,y\n1,2,x\n~a\n";
        for names in names.split('~') {
            assert_eq!(titles(names), 0, "{names:?}");
        }
    }

    #[test]
    fn the_separator_is_the_one_that_cuts_header_and_row() {
        for (separator, texts) in [
            (
                b',',
                "a,b,y\n1,2,x\n~\"a;b\",y\n1,x\n~a,b,y\n7\n~y\nx\n~y\na;b\n~~\
              the class\nred wine\nwhite wine\n~the class\nclass 1\nclass 2\n~\
              y\nclass 1\nclass 2\n",
            ),
            (
                b';',
                "a;b;y\n1,5;2,5;x\n~\"a,b\";y\n1;x\n~a;b;y\n~\n \na;y\n\n1;x\n~\
              Made in 2024\n\na;b;y\n1;2;x\n3;4;z\n",
            ),
            (b'\t', "a\tb\ty\n1\t2\tx\n~width, cm\theight, cm\ty\n1\t2\tx\n~\ta\ty\n0\t1\tx\n"),
            (b'|', "a|b|y\n1|2|x\n"),
            (
                b' ',
                "a b y\n1 2 x\n~   a     b  y\n 1.5   2.5  x\n  10     3  z\n~\
              a b y\n\"1\" 1.5 2.5 x\n\"2\" 2 3 z\n~\
              # by logger 3\na  b  y\n1  2  x\n3  4  z\n~\
              # a logger\na  b  y\n1  2  x\n3  4  z\n~# a b y\n1 2 x\n3 4 z\n~\
              a  b\n1,5  x\n2,5  z\n~a\t\tb\t\ty\n1\t\t2\t\tx\n",
            ),
        ] {
            for text in texts.split('~') {
                assert_eq!(
                    separator_of(text.as_bytes(), DecimalSign::Point),
                    separator,
                    "{text:?}"
                );
            }
        }
        assert_eq!(separator_of(b"a;y\n1,5;2,5\n", DecimalSign::Comma), b';');
    }
}
