//! The report in a terminal: the comparison and the key figures as plain text.

use comfy_table::presets::NOTHING;
use comfy_table::{
    Attribute, Cell, CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Table,
    TableStyle, Width,
};

use super::number::{count, counted, duration, percent, significant};
use super::verdict::verdict;
use super::{ComparisonRow, Report, Tuning};

/// What the terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// Columns of text, or `None` for a file or pipe: as wide as the table wants.
    pub width: Option<u16>,
    /// Whether bold text may be used.
    pub styled: bool,
    /// Whether lines may be drawn beyond ASCII.
    pub unicode: bool,
}

impl Terminal {
    /// For files, pipes and tests: any width, no styles.
    pub const PLAIN: Self = Self { width: None, styled: false, unicode: true };

    /// A terminal that says it has so many columns; containers and `expect` say 0 where nobody knows.
    pub fn of_width(columns: Option<u16>, styled: bool) -> Self {
        Self { width: columns.filter(|columns| *columns > 0), styled, unicode: true }
    }
}

/// The verdict, the comparison and the key figures, ended by a newline.
pub fn summary(report: &Report, terminal: Terminal) -> String {
    let mut text = wrapped(&searchable(&verdict(report)), terminal.width);
    if !report.comparison.rows.is_empty() {
        text.push('\n');
        text.push_str(&comparison(report, terminal));
    }
    if let Some(tuning) = &report.tuning {
        text.push('\n');
        text.push_str(&trials(tuning, terminal));
    }
    text.push('\n');
    text.push_str(&key_figures(report, terminal));
    text
}

/// The candidates of a search that a terminal shows; the others are in the JSON and on the page.
const SHOWN_TRIALS: usize = 10;

/// The best candidates of the search for settings, the chosen one first.
fn trials(tuning: &Tuning, terminal: Terminal) -> String {
    let mut table = empty(terminal);
    let heads = ["tried", "l2", "start", "dim", "steps", "1-NN", "± s.e."];
    table.set_header(heads.map(Cell::new));
    for row in tuning.trials.iter().take(SHOWN_TRIALS) {
        let mark = if row.chosen { "*" } else { "" };
        table.add_row([
            format!("{mark}{}", row.criterion),
            row.l2.to_string(),
            row.start.clone(),
            row.dimension.to_string(),
            row.steps(),
            percent(Some(row.accuracy)),
            percent(Some(row.standard_error)),
        ]);
    }
    for column in table.column_iter_mut().filter(|column| ![0, 2].contains(&column.index)) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let (tried, all) = (tuning.trials.len(), counted(tuning.candidates, "candidate"));
    let remark = format!(
        "* chosen among {tried} of {all}, by {} each inside the training rows, in {}. {}",
        counted(tuning.folds, "fit"),
        duration(tuning.seconds),
        tuning.reason
    );
    finished(&table)
        + " "
        + &wrapped(&searchable(&remark), terminal.width.map(|width| width.saturating_sub(1)))
}

/// The methods side by side; the best held-out figure of each column carries a star.
pub fn comparison(report: &Report, terminal: Terminal) -> String {
    type Read = fn(&ComparisonRow) -> Option<f64>;
    let rows = &report.comparison.rows;
    let columns: [(String, Read, bool); 4] = [
        ("1-NN train".to_owned(), |row| row.nn_train, false),
        ("1-NN test".to_owned(), |row| row.nn_test, true),
        (format!("{}-NN test", report.comparison.neighbors), |row| row.knn_test, true),
        ("soft test".to_owned(), |row| row.soft_test, true),
    ];
    let columns: Vec<_> = columns
        .into_iter()
        .filter(|(_, read, _)| rows.iter().any(|row| read(row).is_some()))
        .collect();
    let mut table = empty(terminal);
    let heads = columns.iter().map(|(head, _, _)| Cell::new(head));
    let heads = [Cell::new("method"), Cell::new("dim")].into_iter().chain(heads);
    table.set_header(heads.collect::<Vec<_>>());
    for row in rows {
        let mut cells = vec![Cell::new(&row.method), Cell::new(row.dimension)];
        for (_, read, held_out) in &columns {
            let best = *held_out && row.is_best(rows, *read);
            let text = format!("{}{}", if best { "*" } else { "" }, percent(read(row)));
            let cell = Cell::new(text);
            cells.push(if best { cell.add_attribute(Attribute::Bold) } else { cell });
        }
        table.add_row(cells);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
        // Narrow terminals break the heads, never a number: `*100.0 %` and a blank at each side.
        let least = if column.index == 1 { 5 } else { 10 };
        column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(least)));
    }
    let longest =
        rows.iter().map(|row| row.method.chars().count()).max().unwrap_or(0).min(18) as u16;
    if let Some(column) = table.column_mut(0) {
        column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(longest + 2)));
    }
    let mut text = finished(&table);
    if report.data.test() > 0 && rows.len() > 1 {
        text.push_str(&format!(
            " * best on the {}\n",
            searchable(&counted(report.data.test(), "held-out row"))
        ));
    }
    text
}

/// f, g, perplexity, the solver's work and why it stopped.
pub fn key_figures(report: &Report, terminal: Terminal) -> String {
    let train = report.data.train();
    let mut lines = vec![
        (
            "f",
            format!("{} of {} rows expected right", significant(report.f, 6), count(train as u64)),
        ),
        ("g", significant(report.g, 6)),
    ];
    lines.extend(report.run.lines(report.mean_perplexity));
    named_lines(lines, terminal)
}

/// A name and a sentence a line.
pub(super) fn named_lines(lines: Vec<(&str, String)>, terminal: Terminal) -> String {
    let mut table = Table::new();
    table.force_no_tty().load_style(NOTHING);
    fit_width(&mut table, terminal);
    for (name, value) in lines {
        table.add_row([name, value.as_str()]);
    }
    finished(&table)
}

pub(super) fn empty(terminal: Terminal) -> Table {
    let mut table = Table::new();
    let rule = LineStyle::none().fill(if terminal.unicode { '─' } else { '-' });
    table.load_style(TableStyle::new().header_separator(rule));
    if terminal.styled {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    fit_width(&mut table, terminal);
    table
}

fn fit_width(table: &mut Table, terminal: Terminal) {
    if let Some(width) = terminal.width {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    }
}

/// The table without trailing blanks, ended by a newline.
pub(super) fn finished(table: &Table) -> String {
    table.lines().map(|line| format!("{}\n", searchable(line.trim_end()))).collect()
}

/// The page's minus, dash and fixed blank as the letters people type and search for.
pub(super) fn searchable(text: &str) -> String {
    text.replace(['−', '–'], "-").replace('\u{a0}', " ")
}

/// The sentence broken at blanks to the terminal's width, ended by a newline.
pub(super) fn wrapped(sentence: &str, width: Option<u16>) -> String {
    let width = width.map_or(usize::MAX, usize::from);
    let mut text = String::new();
    let mut line = 0;
    for word in sentence.split(' ') {
        let length = word.chars().count();
        if line > 0 && line + 1 + length > width {
            text.push('\n');
            line = 0;
        } else if line > 0 {
            text.push(' ');
            line += 1;
        }
        text.push_str(word);
        line += length;
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_reads_well() {
        insta::assert_snapshot!(summary(&Report::example(), Terminal::PLAIN));
    }

    #[test]
    fn a_narrow_terminal_breaks_text_and_never_a_number() {
        let narrow = Terminal { width: Some(60), styled: false, unicode: false };
        let text = summary(&Report::example(), narrow);
        assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
        insta::assert_snapshot!(text);
    }

    #[test]
    fn a_terminal_of_no_columns_is_one_of_unknown_width() {
        let terminal = Terminal::of_width(Some(0), false);
        let plain = summary(&Report::example(), Terminal::PLAIN);
        assert_eq!(summary(&Report::example(), terminal), plain);
        assert_eq!(Terminal::of_width(Some(70), false).width, Some(70));
        // So narrow that nothing fits: every word has its line, and nothing panics.
        assert!(!summary(&Report::example(), Terminal::of_width(Some(1), false)).is_empty());
    }

    #[test]
    fn nothing_held_out_leaves_the_training_column() {
        insta::assert_snapshot!(comparison(&Report::example().without_test(), Terminal::PLAIN));
    }

    #[test]
    fn styles_are_only_for_terminals() {
        let styled = Terminal { styled: true, ..Terminal::PLAIN };
        assert!(comparison(&Report::example(), styled).contains('\u{1b}'));
        assert!(!summary(&Report::example(), Terminal::PLAIN).contains('\u{1b}'));
    }
}
