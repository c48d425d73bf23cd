//! The evaluation of a model of classes for people.

use burn_nca_program::{Table, plain_table, short_name};

use super::NewRowScores;
use crate::number::capitalized;
use crate::{OWN_RULE, counted};
use burn_nca_program::terminal::{Terminal, listing, wrapped};

/// The most classes of a matrix in a terminal.
const ACROSS: usize = 15;
/// The most errors that are listed instead.
const LISTED: usize = 20;

impl NewRowScores {
    /// Each measure for people, with its unit, its direction and what it says.
    pub fn text(&self, terminal: Terminal) -> String {
        // Control characters are escaped as a whole, and styles are such.
        let terminal = Terminal { styled: false, ..terminal };
        let k = self.neighbors;
        let (decision, rule, against) = match self.own_rule {
            true => (format!("its {OWN_RULE}"), OWN_RULE, format!("Own rule against {k}-NN by")),
            false => {
                (format!("the rule {}", self.decision), "soft rule", format!("{k}-NN against"))
            }
        };
        let against = format!("{against} Euclidean distance on the scaled features");
        let probable = format!("Probabilities of the classes ({rule})");
        let about = format!(
            "{}, neighbors among {}; the model predicts by {decision}",
            counted(self.rows, "row"),
            counted(self.training_rows, "training row"),
        );
        let sections = [
            (probable.as_str(), probabilities(self)),
            ("Ranking of the training rows by distance", ranking(self)),
            (against.as_str(), comparison(self)),
        ];
        let sections: String =
            sections.iter().map(|(heading, lines)| section(heading, lines, terminal)).collect();
        let names: Vec<&str> = self.classes.iter().map(String::as_str).collect();
        format!(
            "{}\n{}\n{sections}{}\n{} class by class\n{}",
            wrapped(&about, terminal),
            rules(self, terminal),
            confusion(self, terminal),
            capitalized(&self.rule_name(1)),
            self.class_scores.plain(&names, terminal)
        )
    }
}

fn rules(evaluation: &NewRowScores, terminal: Terminal) -> String {
    let NewRowScores { accuracy, interval, .. } = evaluation;
    let row = |rule: String, share: Option<f64>, ends: Option<[f64; 2]>| {
        let ends = ends.map(|[low, high]| format!("{} to {}", percent(low), percent(high)));
        vec![rule, share.map_or_else(String::new, percent), ends.unwrap_or_default()]
    };
    let rows = if evaluation.own_rule {
        vec![row(OWN_RULE.to_string(), accuracy.soft, interval.soft)]
    } else {
        vec![
            row("1-NN".to_string(), accuracy.nn, interval.nn),
            row(format!("{}-NN", evaluation.neighbors), accuracy.knn, interval.knn),
            row("soft".to_string(), accuracy.soft, interval.soft),
        ]
    };
    plain_table(["rule", "accuracy", "95 % interval"].map(String::from).to_vec(), rows, terminal)
}

/// A measure, its value with the unit, and what it says.
type Line = (String, String, String);

fn line(name: impl Into<String>, value: String, meaning: impl Into<String>) -> Line {
    (name.into(), value, meaning.into())
}

fn probabilities(of: &NewRowScores) -> Vec<Line> {
    let (found, classes) = (&of.probabilities, of.classes.len() as f64);
    let lower = |equal: f64| format!("lower is better; {equal:.3} for equal probabilities");
    let gap = "lower is better; mean gap between confidence and share right";
    let loss = number(found.log_loss, |loss| format!("{loss:.3} nats"));
    let brier = number(found.brier_score, |score| format!("{score:.3}"));
    let calibration =
        format!("calibration error (ECE, {})", counted(found.reliability.len(), "bin"));
    let perplexity = number(of.mean_perplexity, |value| format!("{value:.1}"));
    let among = "effective number of neighbors of these rows among themselves";
    let expected = number(of.expected_accuracy, percent);
    let mut lines = vec![
        line("mean probability of the true class", expected, "higher is better"),
        line("log loss", loss, lower(classes.ln())),
        line("Brier score, 0 to 2", brier, lower(1.0 - 1.0 / classes)),
        line(calibration, number(found.calibration_error, percent), gap),
        line("mean perplexity", perplexity, among),
    ];
    if let Some(area) = found.roc_auc {
        let nothing = "higher is better; 0.500 for probabilities that say nothing of the class";
        lines.push(line("ROC AUC", format!("{area:.3}"), nothing));
    }
    if found.without_training_rows > 0 {
        let rows = counted(found.without_training_rows, "row");
        let why = "no training row has their class: the loss would be infinite";
        lines.push(line("left out of the log loss", rows, why));
    }
    lines
}

fn ranking(of: &NewRowScores) -> Vec<Line> {
    let (found, k) = (&of.retrieval, of.neighbors);
    let told = |name: &str, value: Option<f64>, meaning: &str| {
        line(name, number(value, percent), format!("higher is better; {meaning}"))
    };
    let of_k = format!("same-class share of the {k} nearest");
    let of_r = "of the R nearest, R = training rows of the row's class";
    let mut lines = vec![
        told(&format!("precision@{k}"), found.precision_at_k, &of_k),
        told("R-precision", found.r_precision, of_r),
        told("MAP@R", found.map_at_r, "as R-precision, and nearer ones count more"),
    ];
    if found.without_relevant > 0 {
        let rows = counted(found.without_relevant, "row");
        lines.push(line("left out of these means", rows, "no training row has their class"));
    }
    lines
}

fn comparison(of: &NewRowScores) -> Vec<Line> {
    let Some(found) = &of.euclidean else {
        let reason = of.euclidean_missing.clone().unwrap_or_default();
        return vec![line("not compared", String::new(), reason)];
    };
    let [learned, plain] = [of.accuracy.knn, found.knn].map(|share| number(share, percent));
    let [ours, theirs] =
        [found.learned_only, found.euclidean_only].map(|rows| counted(rows, "row"));
    let reading = match found.p_value < 0.05 {
        true => "below 0.05: more than chance",
        false => "not below 0.05: may be chance",
    };
    let test = found.test;
    let test = format!("{test}, two-sided; {reading}");
    vec![
        line("accuracy, learned metric", learned, "higher is better"),
        line("accuracy, Euclidean distance", plain, "higher is better"),
        line("correct with the learned metric only", ours, "where the two differ"),
        line("correct with Euclidean distance only", theirs, ""),
        line("McNemar's test", format!("p = {:.3}", found.p_value), test),
    ]
}

/// A heading and its lines, in columns.
fn section(heading: &str, lines: &[Line], terminal: Terminal) -> String {
    let width = |column: fn(&Line) -> &String| {
        lines.iter().map(|line| column(line).chars().count()).max().unwrap_or(0)
    };
    let (names, values) = (width(|line| &line.0), width(|line| &line.1));
    let line = |(name, value, meaning): &Line| {
        (format!("  {name:names$}  {value:>values$}"), meaning.clone())
    };
    let lines: Vec<(String, String)> = lines.iter().map(line).collect();
    format!("{}{}\n", wrapped(heading, terminal), listing(&lines, terminal))
}

/// The whole matrix where a terminal can hold it, else the errors of most rows.
fn confusion(evaluation: &NewRowScores, terminal: Terminal) -> String {
    let (classes, rule) = (&evaluation.classes, capitalized(&evaluation.rule_name(1)));
    if let Some(counts) = evaluation.confusion.counts.as_ref().filter(|all| all.len() <= ACROSS) {
        let head =
            std::iter::once(String::new()).chain(classes.iter().map(|name| short_name(name)));
        let rows = classes.iter().zip(counts).map(|(name, counts)| {
            std::iter::once(short_name(name)).chain(counts.iter().map(usize::to_string)).collect()
        });
        let title = format!("{rule} predictions (true classes down, predicted ones across)");
        return wrapped(&title, terminal) + &plain_table(head.collect(), rows.collect(), terminal);
    }
    let errors = evaluation.confusion.errors();
    if errors.is_empty() {
        return format!("{rule}: no errors\n");
    }
    let table = Table::of("errors", errors.iter().take(LISTED))
        .names("true class", 48, |[truth, ..]| classes[*truth].clone())
        .text("predicted", |[_, predicted, _]| classes[*predicted].clone())
        .number("rows", |[.., rows]| rows.to_string());
    let title = match errors.len() {
        all if all > LISTED => format!("{rule}: the {LISTED} most frequent of {all} errors"),
        _ => format!("{rule}: errors"),
    };
    wrapped(&title, terminal) + &table.plain(terminal)
}

fn number(value: Option<f64>, write: impl Fn(f64) -> String) -> String {
    value.map_or("-".to_string(), write)
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use burn_nca_data::bundled::iris;
    use burn_nca_learn::NcaConfig;

    use super::*;
    use crate::{Confusion, Part};

    /// The 3-NN of a closed form on rows, a third of which it was fitted on.
    fn evaluation() -> NewRowScores {
        let mut config = NcaConfig::new(4, 2);
        config.fit.stop_at = Some(0);
        let train = iris().select(&(0..150).step_by(3).collect::<Vec<_>>());
        let model = config.fit(&train, &burn_nca_learn::device::host().unwrap()).unwrap();
        let mut found = NewRowScores::of(&model, &iris(), 3).unwrap();
        found.compare(&model, train.features(), &iris()).unwrap();
        found.probabilities.roc_auc = Some(0.875);
        found
    }

    #[test]
    fn the_text_tells_every_measure_with_its_unit_and_direction() {
        insta::assert_snapshot!(evaluation().text(Terminal::PLAIN));
    }

    #[test]
    fn what_is_otherwise_is_said() {
        let mut evaluation = evaluation();
        evaluation.own_rule = true;
        evaluation.probabilities.without_training_rows = 3;
        evaluation.retrieval.without_relevant = 3;
        evaluation.euclidean = None;
        evaluation.euclidean_missing = Some("flowers.csv: there is no such file".to_string());
        evaluation.classes = (0..60).map(|class| format!("name {class}")).collect();
        let truth: Vec<usize> = (0..60).collect();
        let predicted: Vec<usize> = truth.iter().map(|class| (class / 2 * 2) % 60).collect();
        evaluation.confusion = Confusion::of(Part::Test, &predicted, &truth, 60);
        let text = evaluation.text(Terminal::PLAIN);
        for part in [
            "Own rule class by class",
            "Own rule against 3-NN by Euclidean distance",
            "by its own rule",
            "classes (own rule)",
            "3 rows  no training row has their class: the loss would be infinite",
            "3 rows  no training row has their class\n",
            "flowers.csv: there is no such file",
            "Own rule: the 20 most frequent of 30 errors",
        ] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
        assert!(!text.contains("1-NN") && text.lines().count() < 80, "{text}");
    }
}
