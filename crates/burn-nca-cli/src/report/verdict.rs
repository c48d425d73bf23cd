use super::number::{counted, percent};
use super::{ComparisonRow, Report};

/// One or two sentences, in plain words, on what the fit is worth.
///
/// Held-out rows decide; without them the training rows speak, and the reader is told that they flatter.
pub fn verdict(report: &Report) -> String {
    let held_out = report.data.test();
    match report.accuracy.test {
        Some(learnt) if held_out > 0 => {
            let rows = counted(held_out, "held-out row");
            let share = |row: &ComparisonRow| row.nn_test;
            format!("1-NN on {rows}: {}.", compared(report, learnt, share, held_out))
        }
        _ => {
            let train = report.data.train();
            let share = |row: &ComparisonRow| row.nn_train;
            format!(
                "1-NN on {}, each left out in turn: {}. The metric was learnt from these rows; rows it has \
                 not seen usually do less well.",
                counted(train, "training row"),
                compared(report, report.accuracy.train, share, train)
            )
        }
    }
}

/// The row of the comparison without any learning.
fn euclidean(report: &Report) -> Option<&ComparisonRow> {
    report.comparison.rows.iter().find(|row| row.method.eq_ignore_ascii_case("euclidean"))
}

/// Both shares, each with the dimensions it was reached in; `share` reads the one of Euclidean distance.
fn compared(
    report: &Report,
    learnt: f64,
    share: impl Fn(&ComparisonRow) -> Option<f64>,
    rows: usize,
) -> String {
    let mut text = format!("{} right with the learnt metric", percent(Some(learnt)));
    if let Some(row) = report.comparison.rows.last() {
        text.push_str(&format!(" in {}", counted(row.dimension, "dimension")));
    }
    let Some((plain, row)) = euclidean(report).and_then(|row| Some((share(row)?, row))) else {
        return text;
    };
    // Accuracies are counts over `rows`: the difference in rows says more than a tenth of a percent.
    let more = ((learnt - plain) * rows as f64).round() as i64;
    let difference = match more {
        0 => "no difference".to_owned(),
        more => {
            let size = counted(more.unsigned_abs() as usize, "row");
            format!("{size} {}", if more > 0 { "more" } else { "fewer" })
        }
    };
    format!(
        "{text}, {} with Euclidean distance in {} ({difference})",
        percent(Some(plain)),
        row.dimension
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn held_out_rows_decide() {
        assert_eq!(
            verdict(&Report::example()),
            "1-NN on 45 held-out rows: 95.6 % right with the learnt metric in 2 dimensions, 93.3 % with \
             Euclidean distance in 4 (1 row more)."
        );
    }

    #[test]
    fn without_held_out_rows_the_reader_is_warned() {
        let sentence = verdict(&Report::example().without_test());
        assert!(sentence.starts_with("1-NN on 105 training rows, each left out in turn:"));
        assert!(sentence.contains("usually do less well"), "{sentence}");
    }

    #[test]
    fn a_metric_that_does_harm_is_called_so() {
        let mut report = Report::example();
        report.accuracy.test = Some(40.0 / 45.0);
        assert!(verdict(&report).ends_with("(2 rows fewer)."));
        report.comparison.rows.clear();
        assert!(verdict(&report).ends_with("88.9 % right with the learnt metric."));
    }
}
