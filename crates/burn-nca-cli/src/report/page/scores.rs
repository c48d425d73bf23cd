use super::html::{escape, note, place, section as section_of};
use crate::report::number::percent;
use crate::report::{ComparisonRow, Report};

/// A column of accuracies: its heading, how to read it from a row, and whether its best is marked.
struct Column {
    heading: String,
    read: fn(&ComparisonRow) -> Option<f64>,
    held_out: bool,
}

/// The methods side by side, with the intervals drawn on one scale.
pub fn section(report: &Report) -> String {
    let rows = &report.comparison.rows;
    if rows.is_empty() {
        return String::new();
    }
    let columns = columns(report);
    let scale = Scale::of(rows);
    let mut head = String::from(
        "<th scope=\"col\">Method</th><th scope=\"col\" class=\"n\"><abbr title=\"Dimensions of the space\">Dim.</abbr></th>",
    );
    for column in &columns {
        head.push_str(&format!("<th scope=\"col\" class=\"n\">{}</th>", column.heading));
    }
    if let Some(scale) = &scale {
        head.push_str(&format!(
            "<th scope=\"col\" class=\"n\">95 % interval</th><th class=\"range\" aria-hidden=\"true\">\
             <span class=\"ends\"><span>{:.0} %</span><span>100 %</span></span></th>",
            100.0 * scale.low
        ));
    }
    let body: String =
        rows.iter().map(|row| line(row, rows, &columns, scale.as_ref(), &report.method)).collect();
    let remark = note(&remark(report));
    section_of(
        "comparison",
        "Beside the baselines",
        &format!(
            "{remark}<div class=\"scroll\"><table class=\"scores\"><thead><tr>{head}</tr></thead>\n\
             <tbody>\n{body}</tbody></table></div>"
        ),
    )
}

fn remark(report: &Report) -> String {
    let mut text =
        "Share of rows classified correctly. Train: each training row left out in turn.".to_owned();
    let rows = &report.comparison.rows;
    if report.data.test() == 0 {
        text.push_str(" Nothing was held out, so there is no test column.");
        return text;
    }
    if rows.iter().any(|row| row.soft_test.is_some()) {
        text.push_str(" Soft: vote of all training rows, weighted by p.");
    }
    if rows.iter().any(|row| row.nn_test_interval.is_some()) {
        text.push_str(" The interval is Wilson's, for 1-NN on the held-out rows.");
    }
    if rows.len() > 1 {
        text.push_str(" Best on held-out rows in bold.");
    }
    text
}

fn columns(report: &Report) -> Vec<Column> {
    let k = report.comparison.neighbors;
    let all = [
        Column { heading: "1-NN train".to_owned(), read: |row| row.nn_train, held_out: false },
        Column { heading: "1-NN test".to_owned(), read: |row| row.nn_test, held_out: true },
        Column { heading: format!("{k}-NN test"), read: |row| row.knn_test, held_out: true },
        Column { heading: "Soft test".to_owned(), read: |row| row.soft_test, held_out: true },
    ];
    let measured =
        |column: &Column| report.comparison.rows.iter().any(|row| (column.read)(row).is_some());
    all.into_iter().filter(measured).collect()
}

fn line(
    row: &ComparisonRow,
    rows: &[ComparisonRow],
    columns: &[Column],
    scale: Option<&Scale>,
    learnt: &str,
) -> String {
    let mut cells = format!(
        "<th scope=\"row\">{}</th><td class=\"n\">{}</td>",
        escape(&row.method),
        row.dimension
    );
    for column in columns {
        let text = percent((column.read)(row));
        if column.held_out && row.is_best(rows, column.read) {
            cells.push_str(&format!(
                "<td class=\"n\"><b>{text}</b><span class=\"hidden\"> (best)</span></td>"
            ));
        } else {
            cells.push_str(&format!("<td class=\"n\">{text}</td>"));
        }
    }
    if let Some(scale) = scale {
        cells.push_str(&scale.cell(row));
    }
    let class = if row.method == learnt { " class=\"learnt\"" } else { "" };
    format!("<tr{class}>{cells}</tr>\n")
}

/// The common scale of the drawn intervals, from `low` to 1.
struct Scale {
    low: f64,
}

impl Scale {
    /// From the lowest end, rounded down to a tenth; `None` without any interval.
    fn of(rows: &[ComparisonRow]) -> Option<Self> {
        let lowest = rows
            .iter()
            .filter_map(|row| row.nn_test_interval.map(|[low, _]| low))
            .filter(|low| low.is_finite())
            .min_by(f64::total_cmp)?;
        Some(Self { low: ((lowest * 10.0 - 1e-9).floor() / 10.0).clamp(0.0, 0.9) })
    }

    fn cell(&self, row: &ComparisonRow) -> String {
        let (Some([low, high]), Some(value)) = (row.nn_test_interval, row.nn_test) else {
            return "<td class=\"n\">–</td><td></td>".to_owned();
        };
        let at = |share: f64| ((share - self.low) / (1.0 - self.low)).clamp(0.0, 1.0);
        format!(
            "<td class=\"n interval\">{:.1} to {}</td><td class=\"range\" aria-hidden=\"true\"><span \
             class=\"track\"><span class=\"span\" style=\"left:{};width:{}\"></span><span class=\"dot\" \
             style=\"left:{}\"></span></span></td>",
            100.0 * low,
            percent(Some(high)),
            place(at(low)),
            place(at(high) - at(low)),
            place(at(value)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_held_out_figure_of_each_column_is_bold_and_ties_share_it() {
        let html = section(&Report::example());
        assert_eq!(html.matches("<b>95.6 %</b>").count(), 2, "LDA and NCA tie on 1-NN");
        assert_eq!(html.matches("<b>97.8 %</b>").count(), 2, "LDA on 5-NN, NCA on soft");
        assert_eq!(html.matches("<b>").count(), 4);
        assert!(html.contains("5-NN test"));
    }

    #[test]
    fn columns_nobody_measured_are_not_shown() {
        let html = section(&Report::example().without_test());
        assert!(html.contains("1-NN train") && !html.contains("1-NN test"));
        assert!(!html.contains("class=\"range\"") && !html.contains("<b>"));
    }
}
