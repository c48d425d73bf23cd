use super::html::escape;
use crate::report::Report;
use crate::report::number::{bytes, count, counted, duration, percent, significant};

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
    cards.push(card(
        "Mean perplexity",
        &significant(report.mean_perplexity, 3),
        "effective number of neighbours",
    ));
    cards.push(card(
        "Iterations",
        &count(report.iterations),
        &format!("{} of the objective", counted(report.evaluations as usize, "evaluation")),
    ));
    let memory = match report.peak_memory_bytes {
        Some(peak) => format!("{} of memory at most", bytes(peak)),
        None => "wall clock".to_owned(),
    };
    cards.push(card("Time to fit", &duration(report.seconds), &memory));
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
