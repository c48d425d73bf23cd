//! The comparison in a terminal and on the page.

use burn_nca_program::html::{note, place, section};
use burn_nca_program::terminal::searchable;
use burn_nca_program::{Cell, Table, Terminal};

use super::{MeasureRow, MeasureTable};
use crate::number::counted;
use crate::{Report, Results, Section};

impl MeasureTable {
    fn table<'a>(&'a self, learned: &'a str) -> Table<'a, MeasureRow> {
        let mut table = Table::of("scores", &self.rows)
            .names("method", 48, MeasureRow::name)
            .number("dim", |row| row.dimension.to_string())
            .row_class(move |row| if row.method == learned { "fitted" } else { "" });
        for measure in self.measured() {
            table = table.number(&measure.label, |row| {
                let text = measure.text(row.value(&measure.key));
                Cell::marked(text, "best", self.is_best(row, measure))
            });
        }
        let Some(low) = self.lowest() else { return table };
        let ends = format!(
            "<span class=\"ends\"><span>{:.0} %</span><span>100 %</span></span>",
            100.0 * low
        );
        table
            .page_number("95 % interval", |row| row.interval_text().unwrap_or("–".to_owned()))
            .drawing("range", &ends, move |row| interval(row, low))
    }

    /// The low end of the common scale of the drawn intervals: the lowest end, rounded down to a tenth.
    fn lowest(&self) -> Option<f64> {
        let ends = self.rows.iter().filter_map(|row| row.interval.map(|[low, _]| low));
        let lowest = ends.filter(|low| low.is_finite()).min_by(f64::total_cmp)?;
        Some(((lowest * 10.0 - 1e-9).floor() / 10.0).clamp(0.0, 0.9))
    }

    fn remark(&self, report: &Report) -> String {
        let measured = |key: &str| self.rows.iter().any(|row| row.value(key).is_some());
        let mut text = match report.results {
            Results::Classes(_) => "Share of rows classified correctly. Train: each training row left out in turn.",
            Results::Numbers(_) => {
                "R²: share of the target's variance that is predicted, 1 at best. RMSE and MAE: errors in the \
                 units of the target. Train: each training row left out in turn. Kernel: mean of all training \
                 rows, weighted by p."
            }
            Results::Pairs(_) => {
                "Each pair asks twice, from either end, among all other rows but known partners: how often the \
                 partner is the nearest, or among the 5 or 10 nearest, its median rank, and the mean of 1 / rank."
            }
        }
        .to_owned();
        if measured("soft_test") {
            text.push_str(" Soft: vote of all training rows, weighted by p.");
        }
        if self.has_own_rule() {
            text.push_str(" Own rule: that of the method, in every column.");
        }
        if self.lowest().is_some() {
            text.push_str(
                " The interval is Wilson's, for 1-NN (or the own rule) on the held-out rows.",
            );
        }
        if report.header.data.test == 0 {
            text.push_str(" Nothing was held out; optimistic: these rows were used for training.");
        } else if self.rows.len() > 1 {
            text.push_str(" Best held-out score in bold.");
        }
        text
    }
}

/// The interval as a line on the scale from `low` to 1, with a dot at the share itself.
fn interval(row: &MeasureRow, low: f64) -> String {
    let (Some([from, to]), Some(value)) = (row.interval, row.value("nn_test")) else {
        return String::new();
    };
    let at = |share: f64| ((share - low) / (1.0 - low)).clamp(0.0, 1.0);
    format!(
        "<span class=\"track\"><span class=\"span\" style=\"left:{};width:{}\"></span><span class=\"dot\" \
         style=\"left:{}\"></span></span>",
        place(at(from)),
        place(at(to) - at(from)),
        place(at(value)),
    )
}

impl Section for MeasureTable {
    fn page(&self, report: &Report) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let body = note(&self.remark(report)) + &self.table(&report.header.method).html();
        section("comparison", "Comparison with baselines", &body)
    }

    fn text(&self, report: &Report, terminal: Terminal) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let mut text = self.table(&report.header.method).plain(terminal);
        let test = report.header.data.test;
        if test > 0 && self.rows.len() > 1 {
            let held_out = counted(test, &format!("held-out {}", report.results.noun()));
            text.push_str(&format!(" * best on the {}\n", searchable(&held_out)));
        }
        if self.has_own_rule() {
            text.push_str(" own rule: that of the method, in every column\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_held_out_figure_of_each_column_is_bold_and_ties_share_it() {
        let html = |report: &Report| report.comparison.page(report);
        let classes = html(&Report::example());
        assert_eq!(classes.matches("<b>95.6 %</b>").count(), 2, "LDA and NCA tie on 1-NN");
        assert_eq!(classes.matches("<b>97.8 %</b>").count(), 2, "LDA on 5-NN, NCA on soft");
        assert_eq!(classes.matches("<b>").count(), 4);
        assert!(classes.contains("5-NN test"));
        let numbers = html(&Report::of_numbers());
        assert_eq!(numbers.matches("<b>").count(), 3);
        assert!(numbers.contains("<b>0.871</b>") && numbers.contains("<b>3.27</b>"));
        assert_eq!(numbers.matches("class=\"fitted\"").count(), 2);
    }

    #[test]
    fn columns_without_values_are_not_shown() {
        let report = Report::example().without_test();
        let html = report.comparison.page(&report);
        assert!(html.contains("1-NN train") && !html.contains("1-NN test"));
        assert!(!html.contains("class=\"range\"") && !html.contains("<b>"));
    }
}
