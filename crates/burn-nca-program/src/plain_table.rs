//! Tables of names and numbers for a terminal or a file.

use comfy_table::presets::UTF8_HORIZONTAL_ONLY;
use comfy_table::{CellAlignment, Table};

use crate::printable::printable;

/// A table of one name and right-aligned numbers per row, without blanks at the ends of lines; control characters
/// are escaped.
pub fn plain_table(head: Vec<String>, rows: Vec<Vec<String>>) -> String {
    let mut table = Table::new();
    table.force_no_tty().load_style(UTF8_HORIZONTAL_ONLY).set_header(shown(head));
    table.add_rows(rows.into_iter().map(shown));
    table.column_iter_mut().skip(1).for_each(|column| {
        column.set_cell_alignment(CellAlignment::Right);
    });
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

fn shown(cells: Vec<String>) -> Vec<String> {
    cells.iter().map(|cell| printable(cell).into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_at_the_right() {
        let words = |row: [&str; 2]| row.map(String::from).to_vec();
        let text = plain_table(words(["name", "n"]), vec![words(["a", "1"]), words(["b", "100"])]);
        assert!(text.contains("\n a        1\n"), "{text}");
        assert!(text.lines().all(|line| line == line.trim_end()));
        assert!(!plain_table(words(["\u{1b}c", "n"]), Vec::new()).contains('\u{1b}'));
    }
}
