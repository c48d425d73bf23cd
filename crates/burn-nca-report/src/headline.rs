//! The result of a fit in a sentence or two, and its key figures in a terminal and as the cards of a page.

use super::number::{bytes, capitalized, count, counted, duration, percent, significant};
use super::{ClassResults, Data, MeasureRow, Measured, Report, Results};
use burn_nca_learn::fit::SumsSummary;
use burn_nca_program::html::card;
use burn_nca_program::short_name;

/// One or two sentences: the scores of the fitted metric and of Euclidean distance.
///
/// On held-out rows; without them on the training rows, which are marked as optimistic.
pub fn headline(report: &Report) -> String {
    match &report.results {
        Results::Classes(found) => of_classes(report, found),
        Results::Numbers(found) => of_numbers(report, &found.scores),
        Results::Pairs(found) => of_pairs(report, &found.scores),
    }
}

/// The remark where nothing was held out.
const OPTIMISTIC: &str = " Optimistic: these rows were used for training.";

/// `NCA, 2 dimensions`, `Euclidean distance, 5-NN, 13 dimensions`
fn in_space(row: &MeasureRow, rule: &str) -> String {
    let method = if row.method == "Euclidean" { "Euclidean distance" } else { &row.method };
    let rule = if rule.is_empty() { String::new() } else { format!(", {rule}") };
    format!("{method}{rule}, {}", counted(row.dimension, "dimension"))
}

/// The row of Euclidean distance, where the fitted metric is another.
fn baseline(report: &Report) -> Option<&MeasureRow> {
    report.comparison.euclidean().filter(|row| row.method != report.header.method)
}

fn of_classes(report: &Report, found: &ClassResults) -> String {
    let data = &report.header.data;
    match found.accuracy.test {
        Some(learned) if data.test > 0 => {
            let (measured, rows) = on(data, true, "held-out row");
            compared(report, &rows, learned, ("nn_test", measured))
        }
        _ => {
            let (measured, rows) = on(data, false, "training row");
            let rows = format!("{rows}, each left out in turn");
            compared(report, &rows, found.accuracy.train, ("nn_train", measured)) + OPTIMISTIC
        }
    }
}

/// How many rows (or pairs) were measured, and what they are: `45 held-out rows`, or a sample of them.
fn on(data: &Data, held_out: bool, noun: &str) -> (usize, String) {
    let all = if held_out { data.test } else { data.train };
    let of_part = |measured: Measured| if held_out { measured.test } else { measured.train };
    match data.measured.map(of_part).filter(|measured| *measured < all) {
        None => (all, counted(all, noun)),
        Some(n) => (n, format!("a sample of {} of {}", count(n as u64), counted(all, noun))),
    }
}

/// Both accuracies on these rows, each with its method and dimensions, and its rule unless it is 1-NN for both; `key` is the
/// measure of Euclidean distance, `measured` how many rows it was counted on.
fn compared(report: &Report, rows: &str, accuracy: f64, (key, measured): (&str, usize)) -> String {
    let own_rule = report.comparison.has_own_rule();
    let [about, of] = if own_rule { ["Accuracy", ""] } else { ["1-NN", " accuracy"] };
    let mut text = format!("{about} on {rows}:{of} {}", percent(Some(accuracy)));
    if let Some(row) = report.comparison.rows.last() {
        text.push_str(&format!(" ({})", in_space(row, &row.rule)));
    }
    let plain = baseline(report).and_then(|row| Some((row, row.value(key)?)));
    let Some((row, plain)) = plain else { return text + "." };
    // Accuracies are counts over the rows that were measured: the difference in rows says more than a tenth of a percent.
    let more = ((accuracy - plain) * measured as f64).round() as i64;
    let noun = if more.unsigned_abs() == 1 { "row" } else { "rows" };
    let difference = match more {
        0 => "no difference".to_owned(),
        1.. => format!("{more} more {noun} correct"),
        _ => format!("{} fewer {noun} correct", more.unsigned_abs()),
    };
    let plain_rule = if own_rule { "1-NN" } else { "" };
    format!("{text}, {} ({}); {difference}.", percent(Some(plain)), in_space(row, plain_rule))
}

fn of_numbers(report: &Report, learned: &MeasureRow) -> String {
    let data = &report.header.data;
    let target = data.target.as_deref().map_or("the target".to_owned(), short_name);
    let figure = |row: &MeasureRow, key: &str| {
        row.value(key).map_or("–".to_owned(), |value| significant(value, 3))
    };
    if data.test == 0 {
        let (_, rows) = on(data, false, "training row");
        let (r2, space) = (figure(learned, "r2_train"), in_space(learned, &learned.rule));
        return format!(
            "{target} on {rows}, each left out in turn: R² {r2} ({space}).{OPTIMISTIC}"
        );
    }
    let scores = |row: &MeasureRow| {
        let [r2, rmse] = ["r2_test", "rmse_test"].map(|key| figure(row, key));
        format!("R² {r2}, RMSE {rmse} ({})", in_space(row, &row.rule))
    };
    let plain = baseline(report).map_or(String::new(), |plain| format!("; {}", scores(plain)));
    format!("{target} on {}: {}{plain}.", on(data, true, "held-out row").1, scores(learned))
}

fn of_pairs(report: &Report, learned: &MeasureRow) -> String {
    let data = &report.header.data;
    let (key, pairs, remark) = if data.test == 0 {
        let (_, pairs) = on(data, false, "training pair");
        ("recall_5_train", pairs, " Optimistic: these pairs were used for training.")
    } else {
        ("recall_5_test", on(data, true, "held-out pair").1, "")
    };
    let recall =
        |row: &MeasureRow| format!("{} ({})", percent(row.value(key)), in_space(row, &row.rule));
    let plain = baseline(report).filter(|row| row.value(key).is_some());
    let plain = plain.map_or(String::new(), |row| format!(", {}", recall(row)));
    format!("{pairs}: partner among the 5 nearest rows in {}{plain}.{remark}", recall(learned))
}

/// `, estimated from 3 036 of them`: the remark on a sum over all training rows of which a sample was measured.
fn estimated(data: &Data) -> String {
    match data.measured.filter(|measured| measured.train < data.train) {
        Some(measured) => format!(", estimated from {} of them", count(measured.train as u64)),
        None => String::new(),
    }
}

/// The method with its objective: `NCA, objective g`, `NCA, objective g, network of 256-128 units`, or
/// `LDA (no gradient steps)`.
fn method(report: &Report) -> String {
    let method = &report.header.method;
    if report.run.without_steps {
        return format!("{method} (no gradient steps)");
    }
    let settings = &report.header.settings;
    let mut text = method.clone();
    if let Some(criterion) = settings["criterion"].as_str() {
        text += &format!(", objective {}", criterion.to_lowercase());
    }
    if let Some(layers) = settings["encoder"]["Mlp"]["hidden"].as_array() {
        let layers: Vec<String> = layers.iter().map(ToString::to_string).collect();
        text += &format!(", network of {} units", layers.join("-"));
    }
    text
}

/// A name and a value per line: the method, its objective, the perplexity, the work of the solver, and why it ended.
pub fn key_figures(report: &Report) -> Vec<(&'static str, String)> {
    let run = &report.run;
    let mut lines = vec![("method", method(report))];
    match &report.results {
        Results::Classes(found) => {
            let data = &report.header.data;
            let (rows, estimated) = (count(data.train as u64), estimated(data));
            let f = significant(found.f, 4);
            lines.push(("f", format!("expected correct: {f} of {rows}{estimated}")));
            lines.push(("g", format!("{}{estimated}", significant(found.g, 6))));
        }
        Results::Numbers(found) | Results::Pairs(found) => {
            lines.push(("value", format!("{}, minimized", significant(found.value, 6))));
        }
    }
    let work = match run.without_steps {
        true => format!("no gradient steps, {}", duration(run.seconds)),
        false => format!(
            "{}, {}, {}",
            counted(run.iterations as usize, "iteration"),
            counted(run.evaluations as usize, "evaluation"),
            duration(run.seconds)
        ),
    };
    lines.extend([
        ("perplexity", format!("{} neighbors on average", significant(report.mean_perplexity, 3))),
        ("solver", work),
        ("stopped", run.termination_sentence.clone()),
    ]);
    // Where it is not the usual one.
    let sums = run.sums_text().filter(|_| run.sums != Some(SumsSummary::Fused));
    lines.extend(sums.map(|text| ("sums", text)));
    lines.extend(run.omitted_text().map(|text| ("candidates", text)));
    let memory = run.peak_memory_bytes.map(|peak| format!("{} at most", bytes(peak)));
    lines.extend(memory.map(|memory| ("memory", memory)));
    lines
}

/// The cards of the page: name, value and remark.
pub fn cards(report: &Report) -> String {
    let (data, run, table) = (&report.header.data, &report.run, &report.comparison);
    let mut cards = Vec::new();
    match &report.results {
        Results::Classes(found) => {
            let rule = capitalized(table.rule_of_classes());
            if let Some(test) = found.accuracy.test {
                let (_, rows) = on(data, true, "row");
                let interval = table.rows.last().and_then(MeasureRow::interval_text);
                let remark = interval.into_iter().chain([rows]).collect::<Vec<_>>().join(", ");
                cards.push(card(&format!("{rule}, held out"), &percent(Some(test)), &remark));
            }
            let remark = on(data, false, "row").1 + ", each left out in turn";
            let train = percent(Some(found.accuracy.train));
            cards.push(card(&format!("{rule}, training"), &train, &remark));
            let (f, rows) = (significant(found.f, 5), count(data.train as u64));
            let remark = format!("f = {f} of {rows}{}", estimated(data));
            let share = percent(Some(found.f / data.train as f64));
            cards.push(card("Expected accuracy, f/n", &share, &remark));
        }
        Results::Numbers(found) | Results::Pairs(found) => {
            let remark = match (&report.results, data.test) {
                (Results::Numbers(_), _) => found.scores.name(),
                (_, 0) => "rank of the partner, training pairs".to_owned(),
                (_, _) => "rank of the partner, held-out pairs".to_owned(),
            };
            for measure in table.measured().into_iter().take(3) {
                let Some(value) = found.scores.value(&measure.key) else { continue };
                cards.push(card(&measure.label, &measure.text(Some(value)), &remark));
            }
        }
    }
    let memory = match run.peak_memory_bytes {
        Some(peak) => format!("{} of memory at most", bytes(peak)),
        None => "wall clock".to_owned(),
    };
    let perplexity = significant(report.mean_perplexity, 3);
    let evaluations = counted(run.evaluations as usize, "evaluation") + " of the objective";
    cards.extend([
        card("Mean perplexity", &perplexity, "effective number of neighbors"),
        match run.without_steps {
            true => card("Method", &report.header.method, "no gradient steps"),
            false => card("Iterations", &count(run.iterations), &evaluations),
        },
        card("Time to fit", &duration(run.seconds), &memory),
    ]);
    format!("<dl class=\"cards\">\n{}</dl>", cards.concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn_nca_program::Terminal;

    #[test]
    fn a_fit_without_steps_is_named_after_its_closed_form_alone() {
        let mut report = Report::example();
        report.header.method = "LDA".to_owned();
        report.run.without_steps = true;
        report.comparison.rows.remove(3);
        assert!(headline(&report).contains("accuracy 95.6 % (LDA, 2 dimensions), 93.3 % (Euclid"));
        let figures = key_figures(&report);
        assert_eq!(figures[0], ("method", "LDA (no gradient steps)".to_owned()));
        assert!(figures.iter().all(|(_, text)| !text.contains("iteration")), "{figures:?}");
        assert!(!cards(&report).contains("Iterations"));
        report.header.method = "Euclidean".to_owned();
        report.comparison.rows.truncate(1);
        assert!(headline(&report).ends_with("accuracy 95.6 % (Euclidean distance, 4 dimensions)."));
    }

    #[test]
    fn a_rule_of_the_methods_own_is_not_called_1_nn() {
        let mut report = Report::example();
        let learned = report.comparison.rows.last_mut().unwrap();
        learned.rule = crate::OWN_RULE.to_owned();
        let sentence = headline(&report);
        assert!(
            sentence.starts_with("Accuracy on 45 held-out rows: 95.6 % (NCA, own rule, 2 dimensions), 93.3 % (Euclidean")
                && sentence.contains("distance, 1-NN, 4 dimensions); 1 more row correct."),
            "{sentence}"
        );
        assert!(cards(&report).contains("Own rule, held out") && !cards(&report).contains("1-NN"));
        let page = report.page();
        assert_eq!(page.matches("Own rule in the embedding on 45").count(), 2);
        assert!(page.contains("Accuracy: own rule."));
        assert!(report.summary(Terminal::PLAIN).contains("NCA, own rule"));
    }

    #[test]
    fn scores_of_training_rows_are_marked_as_optimistic() {
        let sentence = headline(&Report::example().without_test());
        assert!(sentence.starts_with("1-NN on 105 training rows, each left out in turn:"));
        assert!(sentence.ends_with(OPTIMISTIC), "{sentence}");
        let [mut numbers, mut pairs] = [Report::of_numbers(), Report::of_pairs()];
        (numbers.header.data.test, pairs.header.data.test) = (0, 0);
        assert!(headline(&numbers).ends_with(OPTIMISTIC));
        assert!(headline(&pairs).ends_with("these pairs were used for training."));
    }

    #[test]
    fn a_sample_is_called_one_and_its_rows_are_counted() {
        let mut report = Report::example();
        report.header.data.test = 18_000;
        report.header.data.train = 42_000;
        report.header.data.measured = Some(Measured { train: 3036, test: 45 });
        let sentence = headline(&report);
        let start = "1-NN on a sample of 45 of 18\u{a0}000 held-out rows: ";
        assert!(sentence.starts_with(start), "{sentence}");
        assert!(sentence.ends_with("1 more row correct."), "{sentence}");
        let f = &key_figures(&report)[1].1;
        assert!(f.ends_with("estimated from 3036 of them"), "{f}");
        assert!(cards(&report).contains("a sample of 45 of 18"));
    }

    #[test]
    fn a_metric_that_does_harm_has_fewer_rows_correct() {
        let mut report = Report::example();
        report.classes_mut().accuracy.test = Some(40.0 / 45.0);
        assert!(headline(&report).ends_with("2 fewer rows correct."));
        report.comparison.rows.clear();
        assert!(headline(&report).ends_with("accuracy 88.9 %."));
    }
}
