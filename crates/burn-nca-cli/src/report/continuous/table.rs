//! The report in a terminal: verdict, comparison and key figures as plain text.

use comfy_table::{Attribute, Cell, CellAlignment};

use super::verdict::verdict;
use super::{ContinuousReport, Kind};
use crate::report::number::{counted, significant};
use crate::report::table::{Terminal, empty, finished, named_lines, searchable, wrapped};

/// The verdict, the comparison and the key figures, ended by a newline.
pub fn summary(report: &ContinuousReport, terminal: Terminal) -> String {
    let mut text = wrapped(&searchable(&verdict(report)), terminal.width);
    text.push('\n');
    text.push_str(&comparison(report, terminal));
    text.push('\n');
    text.push_str(&key_figures(report, terminal));
    text
}

/// The methods side by side; the best held-out figure of each column carries a star.
pub fn comparison(report: &ContinuousReport, terminal: Terminal) -> String {
    let methods = &report.comparison;
    let measures = methods.measured();
    let mut table = empty(terminal);
    let heads = measures.iter().map(|measure| measure.label.as_str());
    table.set_header(["method", "dim"].into_iter().chain(heads).map(Cell::new).collect::<Vec<_>>());
    for row in &methods.rows {
        let mut cells = vec![Cell::new(row.name()), Cell::new(row.dimension)];
        for measure in &measures {
            let best = methods.is_best(row, measure);
            let text = measure.text(row.value(&measure.key));
            let cell = Cell::new(format!("{}{text}", if best { "*" } else { "" }));
            cells.push(if best { cell.add_attribute(Attribute::Bold) } else { cell });
        }
        table.add_row(cells);
    }
    table.column_iter_mut().skip(1).for_each(|column| {
        column.set_cell_alignment(CellAlignment::Right);
    });
    let mut text = finished(&table);
    if report.data.test > 0 && methods.rows.len() > 1 {
        text.push_str(&format!(
            " * best on the {}\n",
            searchable(&counted(report.data.test, &format!("held-out {}", noun(report.kind))))
        ));
    }
    text
}

/// What is split and held out.
pub fn noun(kind: Kind) -> &'static str {
    match kind {
        Kind::Numbers => "row",
        Kind::Pairs => "pair",
    }
}

fn key_figures(report: &ContinuousReport, terminal: Terminal) -> String {
    let mut lines = vec![("value", format!("{}, minimised", significant(report.value, 6)))];
    lines.extend(report.run.lines(report.mean_perplexity));
    named_lines(lines, terminal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_of_numbers_reads_well() {
        insta::assert_snapshot!(summary(&ContinuousReport::example(), Terminal::PLAIN));
    }

    #[test]
    fn the_summary_of_pairs_reads_well() {
        insta::assert_snapshot!(summary(&ContinuousReport::of_pairs(), Terminal::PLAIN));
    }
}
