use super::html::escape;
use crate::report::Report;
use crate::report::number::{count, counted, percent, significant};

/// The key figures: value, what it is, and what to hold it against.
pub fn cards(report: &Report) -> String {
    let data = &report.data;
    let train = data.train();
    let mut cards = Vec::new();
    if let Some(test) = report.accuracy.test {
        cards.push(card("1-NN, held out", &percent(Some(test)), &interval(report)));
    }
    cards.push(card(
        "1-NN, training",
        &percent(Some(report.accuracy.train)),
        &format!("{}, each left out in turn", counted(train, "row")),
    ));
    cards.push(card(
        "Expected accuracy, f / n",
        &percent(Some(report.f / train as f64)),
        &format!("f = {} of {}", significant(report.f, 5), count(train as u64)),
    ));
    cards.extend(report.run.cards(report.mean_perplexity));
    format!("<dl class=\"cards\">\n{}</dl>", cards.concat())
}

fn interval(report: &Report) -> String {
    let rows = counted(report.data.test(), "row");
    let learnt = report.comparison.rows.iter().find(|row| row.method == report.method);
    match learnt.and_then(|row| row.nn_test_interval) {
        Some([low, high]) => {
            format!("{:.1} to {}, {rows}", 100.0 * low, percent(Some(high)))
        }
        None => rows,
    }
}

pub fn card(label: &str, value: &str, detail: &str) -> String {
    format!(
        "<div><dt>{}</dt><dd class=\"value\">{}</dd><dd>{}</dd></div>\n",
        escape(label),
        escape(value),
        escape(detail)
    )
}
