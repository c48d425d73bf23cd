//! Tables of names and numbers for a terminal or a file.

use crate::printable::printable;
use crate::table::{set_columns, under_a_rule};
use crate::terminal::Terminal;

/// A table of one name and right-aligned numbers per row, without blanks at the ends of lines; control characters
/// are escaped, and nothing is styled.
pub fn plain_table(head: Vec<String>, rows: Vec<Vec<String>>, terminal: Terminal) -> String {
    let rows: Vec<Vec<String>> = rows.into_iter().map(shown).collect();
    let longest = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max()
    };
    let columns: Vec<(bool, usize)> =
        (0..head.len()).map(|column| (column > 0, longest(column).unwrap_or(0))).collect();
    let mut table = under_a_rule(terminal);
    table.set_header(shown(head)).add_rows(rows);
    set_columns(&mut table, columns);
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

fn shown(cells: Vec<String>) -> Vec<String> {
    cells.iter().map(|cell| printable(cell).into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_at_the_right_under_one_rule() {
        let words = |row: [&str; 2]| row.map(String::from).to_vec();
        let rows = vec![words(["a", "1"]), words(["b", "100"])];
        let text = plain_table(words(["name", "n"]), rows, Terminal::PLAIN);
        assert_eq!(text, " name    n\n───────────\n a       1\n b     100\n");
        let escaped = plain_table(words(["\u{1b}c", "n"]), Vec::new(), Terminal::PLAIN);
        assert!(!escaped.contains('\u{1b}'));
    }

    #[test]
    fn a_narrow_terminal_breaks_names_and_no_number() {
        let words = |row: [&str; 2]| row.map(String::from).to_vec();
        let rows = vec![words(["a name of many words that go on", "123456.75"])];
        let narrow = Terminal { width: Some(34), ..Terminal::PLAIN };
        let text = plain_table(words(["name", "n"]), rows, narrow);
        assert!(text.lines().all(|line| line.chars().count() <= 34), "{text}");
        assert!(text.contains("123456.75"), "{text}");
    }
}
