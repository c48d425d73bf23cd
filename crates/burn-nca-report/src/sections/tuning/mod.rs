//! The search that chose the settings of a fit: every candidate with its cross-validated score.

mod row;

use burn_nca_learn::estimator::tune::{Candidate, Choice, Search, SearchEnd};
use burn_nca_learn::method::AnyMethod;
use serde::{Deserialize, Serialize};

use crate::number::{counted, duration, significant};
use crate::{Report, Section};
use burn_nca_program::html::{escape, note, section};
use burn_nca_program::terminal::{Terminal, wrapped};
use burn_nca_program::{Cell, Table};

use row::mapped;
pub use row::{ComparedBy, TuningRow};

/// The candidates that a terminal shows; the others are in the JSON and on the page.
const SHOWN: usize = 10;

/// The search that chose the settings of a fit: every candidate that was tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tuning {
    /// Number of candidates there were.
    pub candidates: usize,
    /// Number of fits a candidate: folds of the cross-validation inside the training rows.
    pub folds: usize,
    /// Why the search ended.
    pub end: String,
    /// Why the chosen settings were chosen.
    pub reason: String,
    /// What was chosen, with its score and that of the next best, in one line.
    pub chosen: String,
    /// Whether the user asked for the search; the default candidates are compared without being asked.
    pub asked: bool,
    /// The k of the k-NN by which candidates were compared.
    pub neighbors: usize,
    /// What candidates were compared by.
    pub compared_by: ComparedBy,
    /// Seconds of all trials.
    pub seconds: f64,
    /// The methods and closed forms among the candidates that the time limit left out and none that was tried is.
    #[serde(default)]
    pub left_out: Vec<String>,
    /// The candidates that were tried: the chosen one, then the others, most accurate first.
    pub trials: Vec<TuningRow>,
}

impl Tuning {
    /// The summary of a search.
    pub fn of(
        search: &Search,
        (method, compared_by): (&AnyMethod, ComparedBy),
        (neighbors, asked): (usize, bool),
    ) -> Self {
        let chosen = search.choice.as_ref().map(|choice| {
            let trial = &search.trials[choice.trial];
            let score = trial.scores.iter().find(|score| score.steps == choice.stop_at);
            (choice, score.unwrap_or(trial.best()))
        });
        let rows = search.trials.iter().enumerate();
        let mut trials: Vec<TuningRow> = rows.map(|at| TuningRow::of(at, method, chosen)).collect();
        trials.sort_by(|a, b| b.chosen.cmp(&a.chosen).then(b.accuracy.total_cmp(&a.accuracy)));
        let reason = match &search.choice {
            None => UNMEASURED.to_string(),
            Some(_) if is_behind(&trials) => BEHIND.to_string(),
            Some(Choice { ties: 0, .. }) => HIGHEST.to_string(),
            Some(choice) => {
                format!("The simplest of {} with the highest mean score.", choice.ties + 1)
            }
        };
        let mut tuning = Self {
            candidates: search.candidates,
            // A method of several members is compared on some of the folds.
            folds: trials.iter().map(|row| row.fold_accuracies.len()).max().unwrap_or(search.folds),
            end: match search.end {
                SearchEnd::AllTried => "Every candidate was compared.",
                SearchEnd::Budget => LIMITED,
                SearchEnd::Stopped => "Stopped on request before every candidate was compared.",
            }
            .to_string(),
            reason,
            chosen: String::new(),
            asked,
            neighbors,
            compared_by,
            seconds: search.seconds,
            left_out: left_out(search, method, &trials),
            trials,
        };
        tuning.chosen = tuning.sentence(search.end);
        tuning
    }

    /// The k of the k-NN that some candidate is compared by.
    fn neighbors_of_some(&self) -> Option<usize> {
        self.trials.iter().any(|row| !row.own_rule).then_some(self.neighbors)
    }

    /// What was chosen, with the evidence: its score, and its lead over the next best.
    fn sentence(&self, end: SearchEnd) -> String {
        let [chosen, others @ ..] = &self.trials[..] else { return UNMEASURED.to_string() };
        let left_out = match self.candidates - self.trials.len() {
            count if end == SearchEnd::Budget && count > 0 => {
                let (all, names) = (counted(count, "candidate"), self.left_out.join(" and "));
                let what = match self.left_out.len() {
                    0 => all,
                    named if named == count => format!("{names} (--budget allows more)"),
                    _ => format!("{all}, among them {names} (--budget allows more)"),
                };
                format!("; the time limit left out {what}")
            }
            _ => String::new(),
        };
        let is_behind = is_behind(&self.trials);
        let (score, neighbors) = (
            [chosen.accuracy, chosen.standard_error],
            (!chosen.own_rule).then_some(self.neighbors),
        );
        let mut text = format!(
            "{}: {} of {} by cross-validation in the training rows ({}{left_out}), {}.",
            chosen.in_full(),
            if is_behind { "chosen" } else { "best" },
            counted(self.trials.len(), "candidate"),
            duration(self.seconds),
            self.compared_by.achieved(score, neighbors),
        );
        if let Some(next) = others.first() {
            // Not its negative, which has a sign where both are equal.
            let lead = if is_behind { next.difference } else { 0.0 - next.difference };
            let lead = self.compared_by.lead([lead, next.difference_standard_error]);
            let name = next.name();
            text.push_str(&match is_behind {
                false => format!(" Next: {name}, {lead} lower."),
                true => format!(" {name} is {lead} higher. {BEHIND}"),
            });
        }
        text
    }

    fn table<'a>(&self, rows: &'a [TuningRow]) -> Table<'a, TuningRow> {
        let by = self.compared_by;
        let any = |has: fn(&TuningRow) -> bool| self.trials.iter().any(has);
        let mut table = Table::of("trials", rows)
            .names("candidate", 48, |row| Cell::marked(row.name(), "chosen", row.chosen));
        if any(|row| !row.settings.is_empty()) {
            table = table.whole_text("settings", |row| row.own_settings().join(", "));
        }
        if any(|row| row.l2().is_some()) {
            table =
                table.number("l2", |row| row.l2().map_or("–".to_string(), |l2| l2.to_string()));
        }
        if any(TuningRow::has_start) {
            table = table.text("start", TuningRow::start);
        }
        table = table
            .number("dim", |row| row.dimension.to_string())
            .number("steps", TuningRow::steps)
            .number(&by.head(self.neighbors_of_some()), move |row| by.text(row.accuracy))
            .number("± s.e.", move |row| by.text(row.standard_error))
            .page_number("difference", move |row| match row.chosen {
                true => "–".to_string(),
                false => by.lead([row.difference, row.difference_standard_error]),
            });
        if by == ComparedBy::Accuracy {
            table = table.page_number("ln p", |row| significant(row.log_p, 3));
        }
        table
            .page_number("time", |row| duration(row.seconds))
            .row_class(|row| if row.chosen { "chosen" } else { "" })
            .scrolling("Candidates of the search")
    }
}

/// Why the first candidate is taken where none was finished.
const UNMEASURED: &str = "Default settings, not compared with others: the time limit of the comparison was reached before \
                          the first candidate was finished.";

/// Why a mean of several networks is taken where another has a higher score.
const BEHIND: &str = "Another has to lead by two standard errors: the fit has more networks, or rows, than were compared.";

const HIGHEST: &str = "The highest mean score.";

/// Whether the first, the chosen one, is a mean of networks that the next is ahead of.
fn is_behind(trials: &[TuningRow]) -> bool {
    matches!(trials, [chosen, next, ..] if chosen.own_rule && next.difference > 0.0)
}

/// The methods that were left out and are not among those that were tried.
fn left_out(search: &Search, method: &AnyMethod, trials: &[TuningRow]) -> Vec<String> {
    let name = |candidate: &Candidate| match candidate.is_closed() {
        true => candidate.closed_form().to_string(),
        false => {
            let label = candidate.method.as_ref().unwrap_or(method).info().label;
            mapped(label, candidate.network.is_some())
        }
    };
    let mut known: Vec<String> =
        trials.iter().map(|row| mapped(&row.method, row.network)).collect();
    let tried = known.len();
    for name in search.left_out.iter().map(name) {
        if !known.contains(&name) {
            known.push(name);
        }
    }
    known.split_off(tried)
}

const LIMITED: &str =
    "The time limit of the comparison was reached before every candidate was compared.";

impl Section for Tuning {
    fn page(&self, _report: &Report) -> String {
        let own_rule = self.trials.iter().find(|row| row.own_rule).map(|row| &row.method);
        let own_rule = own_rule.map(|method| format!(" {method} is compared by its own rule."));
        let remark = note(&format!(
            "{} of {} were compared by cross-validation in the training rows, {} each; held-out rows took no part. {} \
             ± s.e.: standard error over the folds. Difference: to the chosen candidate (accuracies in percentage points), paired over the folds. {} {} {}",
            self.trials.len(),
            counted(self.candidates, "candidate"),
            counted(self.folds, "fit"),
            self.compared_by.sentence(self.neighbors_of_some()) + &own_rule.unwrap_or_default(),
            escape(&self.chosen),
            escape(&self.reason),
            escape(&self.end),
        ));
        section("trials", "Hyperparameter search", &(remark + &self.table(&self.trials).html()))
    }

    fn text(&self, _report: &Report, terminal: Terminal) -> String {
        if !self.asked || self.trials.is_empty() {
            return wrapped(&self.chosen, terminal);
        }
        let remark = format!(
            "* chosen among {} of {} by cross-validation in the training rows, {} each, in {}. {} {}",
            self.trials.len(),
            counted(self.candidates, "candidate"),
            counted(self.folds, "fit"),
            duration(self.seconds),
            self.reason,
            self.end
        );
        let width = terminal.width.map(|width| width.saturating_sub(1));
        self.table(&self.trials[..self.trials.len().min(SHOWN)]).plain(terminal)
            + " "
            + &wrapped(&remark, Terminal { width, ..terminal })
    }
}

#[cfg(test)]
impl Tuning {
    /// Two candidates of 36.
    pub fn example() -> Self {
        let row = |chosen, l2, stop_at, accuracy| TuningRow {
            chosen,
            method: "NCA".to_owned(),
            criterion: "g".to_owned(),
            network: false,
            settings: std::collections::BTreeMap::new(),
            l2: Some(l2),
            start: "auto".to_owned(),
            start_perplexity: None,
            dimension: 2,
            stop_at,
            accuracy,
            standard_error: 0.011,
            difference: accuracy - 0.957,
            difference_standard_error: 0.004,
            fold_accuracies: vec![accuracy - 0.02, accuracy, accuracy + 0.02, accuracy, accuracy],
            log_p: -0.142,
            own_rule: false,
            terminations: vec!["ProgressSmall".to_owned(); 5],
            seconds: 0.31,
        };
        let mut tuning = Self {
            candidates: 36,
            folds: 5,
            end: LIMITED.to_owned(),
            reason: HIGHEST.to_owned(),
            chosen: String::new(),
            asked: true,
            neighbors: 1,
            compared_by: ComparedBy::Accuracy,
            seconds: 0.62,
            left_out: Vec::new(),
            trials: vec![row(true, 0.01, Some(20), 0.957), row(false, 0.003, None, 0.951)],
        };
        tuning.chosen = tuning.sentence(SearchEnd::Budget);
        tuning
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Warning, WarningCode};

    #[test]
    fn the_choice_is_reported_with_its_evidence_and_with_what_the_time_limit_left_out() {
        let mut tuning = Tuning::example();
        assert_eq!(
            tuning.chosen,
            "NCA g (l2 0.01, start auto, 2 dimensions, 20 steps): best of 2 candidates by cross-validation in the \
             training rows (620 ms; the time limit left out 34 candidates), 1-NN accuracy 95.7 ± 1.1 %. Next: NCA g, \
             0.6 ± 0.4 lower."
        );
        tuning.trials[1].network = true;
        let sentence = tuning.sentence(SearchEnd::AllTried);
        assert!(sentence.ends_with("Next: NCA g by a network, 0.6 ± 0.4 lower."), "{sentence}");
        let mut report = Report::example();
        report.warnings = vec![Warning::new(WarningCode::LinearMap, "a network may keep more")];
        let report = report.with_tuning(Some(tuning.clone()));
        assert!(report.warnings.is_empty(), "a network that was compared is not advised");
        (tuning.trials[0].own_rule, tuning.trials[1].difference) = (true, 0.006);
        let sentence = tuning.sentence(SearchEnd::AllTried);
        assert!(sentence.contains(": chosen of 2 candidates by"), "{sentence}");
        let behind = " NCA g by a network is 0.6 ± 0.4 higher. Another has";
        assert!(sentence.contains(behind), "{sentence}");
        (tuning.trials[0].own_rule, tuning.trials[1].difference) = (false, 0.0);
        let lda = &mut tuning.trials[0];
        (lda.method, lda.criterion, lda.stop_at) = ("LDA".into(), "none".into(), Some(0));
        assert!(tuning.sentence(SearchEnd::AllTried).starts_with("LDA (2 dimensions): best of 2"));
        let modern = &mut tuning.trials[0];
        (modern.method, modern.criterion) = ("Modern NCA".into(), "modern".into());
        (modern.stop_at, modern.own_rule, modern.start) = (None, true, String::new());
        modern.l2 = None;
        tuning.left_out = vec!["Modern NCA".to_owned()];
        let sentence = tuning.sentence(SearchEnd::Budget);
        for part in [
            "Modern NCA (2 dimensions each): best of 2",
            "left out 34 candidates, among them Modern NCA (--budget allows more)), accuracy 95.7",
        ] {
            assert!(sentence.contains(part), "{sentence}");
        }
        tuning.trials.clear();
        assert_eq!(tuning.sentence(SearchEnd::Budget), UNMEASURED);
    }
}
