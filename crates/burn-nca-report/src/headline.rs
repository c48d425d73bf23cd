//! What a fit is worth in a sentence or two, and its key figures in a terminal and as the cards of a page.

use super::number::{bytes, count, counted, duration, percent, significant};
use super::{Data, MeasureRow, Measured, Report, Results};
use burn_nca_program::html::card;
use burn_nca_program::short_name;

/// One or two sentences, in plain words, on what the fit is worth.
///
/// What was held out decides; without it the training rows speak, and the reader is told that they flatter.
pub fn headline(report: &Report) -> String {
    match report.results {
        Results::Classes(_) => of_classes(report),
        Results::Numbers(_) => of_numbers(report),
        Results::Pairs(_) => of_pairs(report),
    }
}

/// What is said where nothing was held out.
const FLATTERS: &str =
    " The metric was learned from these rows; rows it has not seen usually do less well.";

fn of_classes(report: &Report) -> String {
    let Results::Classes(found) = &report.results else { return String::new() };
    let data = &report.header.data;
    match found.accuracy.test {
        Some(learned) if data.test > 0 => {
            let (measured, rows) = on(data, true, "held-out row");
            format!("1-NN on {rows}: {}.", compared(report, learned, "nn_test", measured))
        }
        _ => {
            let (measured, rows) = on(data, false, "training row");
            let compared = compared(report, found.accuracy.train, "nn_train", measured);
            format!("1-NN on {rows}, each left out in turn: {compared}.{FLATTERS}")
        }
    }
}

/// How many rows (or pairs) were measured, and what they are: `45 held-out rows`, or a sample of them.
fn on(data: &Data, held_out: bool, noun: &str) -> (usize, String) {
    let all = if held_out { data.test } else { data.train };
    let of_part = |measured: Measured| if held_out { measured.test } else { measured.train };
    match data.measured.map(of_part).filter(|measured| *measured < all) {
        None => (all, counted(all, noun)),
        Some(some) => {
            (some, format!("a sample of {} of {}", count(some as u64), counted(all, noun)))
        }
    }
}

/// Both shares, each with the dimensions it was reached in; `key` is the measure of Euclidean distance.
fn compared(report: &Report, learned: f64, key: &str, rows: usize) -> String {
    let mut text = format!("{} right with the learned metric", percent(Some(learned)));
    if let Some(row) = report.comparison.rows.last() {
        text.push_str(&format!(" in {}", counted(row.dimension, "dimension")));
    }
    let plain = report.comparison.euclidean();
    let Some((row, plain)) = plain.and_then(|row| Some((row, row.value(key)?))) else {
        return text;
    };
    // Accuracies are counts over `rows` (those that were measured): the difference in rows says more than a tenth of a percent.
    let more = ((learned - plain) * rows as f64).round() as i64;
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

fn of_numbers(report: &Report) -> String {
    let Results::Numbers(found) = &report.results else { return String::new() };
    let (data, learned) = (&report.header.data, &found.scores);
    let target = data.target.as_deref().map_or("the target".to_owned(), short_name);
    let figure = |row: &MeasureRow, key: &str| {
        row.value(key).map_or("–".to_owned(), |value| significant(value, 3))
    };
    let dimensions = counted(learned.dimension, "dimension");
    if data.test == 0 {
        let (_, rows) = on(data, false, "training row");
        let r2 = figure(learned, "r2_train");
        return format!(
            "{target}: R² {r2} with the learned metric in {dimensions} on {rows}, each left out in turn.{FLATTERS}"
        );
    }
    let mut text = format!(
        "{target} on {}: R² {} with the learned metric in {dimensions}, typical error (RMSE) {}",
        on(data, true, "held-out row").1,
        figure(learned, "r2_test"),
        figure(learned, "rmse_test")
    );
    if let Some(plain) = report.comparison.euclidean() {
        text.push_str(&format!(
            "; R² {} and error {} with the {} of Euclidean distance in {}",
            figure(plain, "r2_test"),
            figure(plain, "rmse_test"),
            plain.rule,
            plain.dimension
        ));
    }
    text + "."
}

fn of_pairs(report: &Report) -> String {
    let Results::Pairs(found) = &report.results else { return String::new() };
    let (data, learned) = (&report.header.data, &found.scores);
    let (key, pairs, warning) = if data.test == 0 {
        let (_, pairs) = on(data, false, "training pair");
        ("recall_5_train", pairs, " The metric was learned from these very pairs.")
    } else {
        ("recall_5_test", on(data, true, "held-out pair").1, "")
    };
    let plain =
        report.comparison.euclidean().and_then(|row| Some((row.value(key)?, row.dimension)));
    let plain = plain.map_or(String::new(), |(share, dimension)| {
        format!(", {} with Euclidean distance in {dimension}", percent(Some(share)))
    });
    format!(
        "{pairs}: the partner is among the 5 nearest rows in {} of the cases with the learned metric in \
         {}{plain}.{warning}",
        percent(learned.value(key)),
        counted(learned.dimension, "dimension")
    )
}

/// `, estimated from 3 036 of them`: what is said of a sum over all training rows of which a sample was measured.
fn estimated(data: &Data) -> String {
    match data.measured.filter(|measured| measured.train < data.train) {
        Some(measured) => format!(", estimated from {} of them", count(measured.train as u64)),
        None => String::new(),
    }
}

/// A name and a value per line: the objective, the neighbors that were left, the work, and why it ended.
pub fn key_figures(report: &Report) -> Vec<(&'static str, String)> {
    let run = &report.run;
    let mut lines = match &report.results {
        Results::Classes(found) => {
            let data = &report.header.data;
            let rows = count(data.train as u64);
            let f = format!("{} of {rows} rows expected right", significant(found.f, 6));
            let estimated = estimated(data);
            vec![
                ("f", format!("{f}{estimated}")),
                ("g", format!("{}{estimated}", significant(found.g, 6))),
            ]
        }
        Results::Numbers(found) | Results::Pairs(found) => {
            vec![("value", format!("{}, minimized", significant(found.value, 6)))]
        }
    };
    let work = format!(
        "{}, {}, {}",
        counted(run.iterations as usize, "iteration"),
        counted(run.evaluations as usize, "evaluation"),
        duration(run.seconds)
    );
    lines.extend([
        ("perplexity", format!("{} neighbors on average", significant(report.mean_perplexity, 3))),
        ("solver", work),
        ("stopped", run.termination_sentence.clone()),
    ]);
    let memory = run.peak_memory_bytes.map(|peak| format!("{} at most", bytes(peak)));
    lines.extend(memory.map(|memory| ("memory", memory)));
    lines
}

/// The cards of the page: value, what it is, and what to hold it against.
pub fn cards(report: &Report) -> String {
    let (data, run, table) = (&report.header.data, &report.run, &report.comparison);
    let mut cards = Vec::new();
    match &report.results {
        Results::Classes(found) => {
            if let Some(test) = found.accuracy.test {
                let (_, rows) = on(data, true, "row");
                let interval = table.rows.last().and_then(MeasureRow::interval_text);
                let beside =
                    interval.map_or(rows.clone(), |interval| format!("{interval}, {rows}"));
                cards.push(card("1-NN, held out", &percent(Some(test)), &beside));
            }
            let (_, rows) = on(data, false, "row");
            let beside = format!("{rows}, each left out in turn");
            cards.push(card("1-NN, training", &percent(Some(found.accuracy.train)), &beside));
            let f = format!("f = {} of {}", significant(found.f, 5), count(data.train as u64));
            let beside = format!("{f}{}", estimated(data));
            let share = percent(Some(found.f / data.train as f64));
            cards.push(card("Expected accuracy, f/n", &share, &beside));
        }
        Results::Numbers(found) | Results::Pairs(found) => {
            let beside = match (&report.results, data.test) {
                (Results::Numbers(_), _) => found.scores.name(),
                (_, 0) => "where the partner stands, training pairs".to_owned(),
                (_, _) => "where the partner stands, held-out pairs".to_owned(),
            };
            for measure in table.measured().into_iter().take(3) {
                let Some(value) = found.scores.value(&measure.key) else { continue };
                cards.push(card(&measure.label, &measure.text(Some(value)), &beside));
            }
        }
    }
    let memory = match run.peak_memory_bytes {
        Some(peak) => format!("{} of memory at most", bytes(peak)),
        None => "wall clock".to_owned(),
    };
    let evaluations = counted(run.evaluations as usize, "evaluation");
    cards.extend([
        card(
            "Mean perplexity",
            &significant(report.mean_perplexity, 3),
            "effective number of neighbors",
        ),
        card("Iterations", &count(run.iterations), &format!("{evaluations} of the objective")),
        card("Time to fit", &duration(run.seconds), &memory),
    ]);
    format!("<dl class=\"cards\">\n{}</dl>", cards.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn held_out_rows_decide() {
        assert_eq!(
            headline(&Report::example()),
            "1-NN on 45 held-out rows: 95.6 % right with the learned metric in 2 dimensions, 93.3 % with \
             Euclidean distance in 4 (1 row more)."
        );
        assert_eq!(
            headline(&Report::of_numbers()),
            "price on 152 held-out rows: R² 0.871 with the learned metric in 2 dimensions, typical error (RMSE) \
             3.27; R² 0.752 and error 4.53 with the 5-NN of Euclidean distance in 13."
        );
    }

    #[test]
    fn without_held_out_rows_the_reader_is_warned() {
        let sentence = headline(&Report::example().without_test());
        assert!(sentence.starts_with("1-NN on 105 training rows, each left out in turn:"));
        assert!(sentence.contains("usually do less well"), "{sentence}");
        let mut report = Report::of_numbers();
        report.header.data.test = 0;
        assert!(headline(&report).contains("usually do less well"));
        let mut report = Report::of_pairs();
        assert!(
            headline(&report).starts_with("60 held-out pairs: the partner is among the 5 nearest")
        );
        report.header.data.test = 0;
        assert!(headline(&report).ends_with("from these very pairs."));
    }

    #[test]
    fn a_sample_is_called_one_and_its_rows_are_counted() {
        let mut report = Report::example();
        report.header.data.test = 18_000;
        report.header.data.train = 42_000;
        report.header.data.measured = Some(Measured { train: 3036, test: 45 });
        let sentence = headline(&report);
        assert!(
            sentence.starts_with("1-NN on a sample of 45 of 18\u{a0}000 held-out rows: "),
            "{sentence}"
        );
        assert!(sentence.ends_with("(1 row more)."), "{sentence}");
        let f = &key_figures(&report)[0].1;
        assert!(f.ends_with("estimated from 3036 of them"), "{f}");
        assert!(cards(&report).contains("a sample of 45 of 18"));
        let mut report = Report::of_pairs();
        report.header.data.measured = Some(Measured { train: 9, test: 20 });
        assert!(headline(&report).starts_with("a sample of 20 of 60 held-out pairs: "));
    }

    #[test]
    fn a_metric_that_does_harm_is_called_so() {
        let mut report = Report::example();
        report.classes_mut().accuracy.test = Some(40.0 / 45.0);
        assert!(headline(&report).ends_with("(2 rows fewer)."));
        report.comparison.rows.clear();
        assert!(headline(&report).ends_with("88.9 % right with the learned metric."));
    }
}
