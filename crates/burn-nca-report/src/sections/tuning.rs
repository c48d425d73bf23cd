//! The search that chose the settings of a fit.

use burn_nca::estimator::tune::{Choice, Search, Trial};
use burn_nca::fit::Start;
use burn_nca::method::AnyMethod;
use serde::{Deserialize, Serialize};

use crate::number::{counted, duration, percent, significant};
use crate::{Report, Section};
use burn_nca_program::html::{escape, note, section};
use burn_nca_program::terminal::{Terminal, wrapped};
use burn_nca_program::{Cell, Table};

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
    /// What was chosen and why, in one line.
    #[serde(default)]
    pub chosen: String,
    /// Whether the user asked for the search; a handful of settings is compared without being asked.
    #[serde(default = "asked")]
    pub asked: bool,
    /// The k of the k-NN by which candidates were compared.
    #[serde(default = "one")]
    pub neighbors: usize,
    /// What candidates were compared by.
    #[serde(default)]
    pub compared_by: ComparedBy,
    /// Seconds of all trials.
    pub seconds: f64,
    /// The candidates that were tried: the chosen one, then the others, most accurate first.
    pub trials: Vec<TuningRow>,
}

/// What candidates are compared by on the rows, or pairs, that a fold leaves out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ComparedBy {
    /// The accuracy of k-NN.
    #[default]
    Accuracy,
    /// R² of the kernel rule.
    R2,
    /// The weighted mean log probability of a pair.
    LogProbability,
}

impl ComparedBy {
    fn text(self, score: f64) -> String {
        match self {
            Self::Accuracy => percent(Some(score)),
            Self::R2 | Self::LogProbability => significant(score, 3),
        }
    }

    /// The head of the column.
    fn head(self, neighbors: usize) -> String {
        match self {
            Self::Accuracy => format!("{neighbors}-NN"),
            Self::R2 => "R²".to_string(),
            Self::LogProbability => "ln p".to_string(),
        }
    }

    /// What the column is, in one sentence.
    fn sentence(self, neighbors: usize) -> String {
        match self {
            Self::Accuracy => format!(
                "{neighbors}-NN: accuracy on the rows that a fold left out. ln p: the mean log probability of the true \
                 class there."
            ),
            Self::R2 => "R²: of the kernel rule on the rows that a fold left out.".to_string(),
            Self::LogProbability => {
                "ln p: the mean log probability of the pairs that a fold left out.".to_string()
            }
        }
    }

    /// `95.7 % right by 3-NN`
    fn achieved(self, score: f64, neighbors: usize) -> String {
        match self {
            Self::Accuracy => format!("{} right by {neighbors}-NN", self.text(score)),
            Self::R2 => format!("R² {} held out", self.text(score)),
            Self::LogProbability => format!("log probability {} held out", self.text(score)),
        }
    }
}

/// Reports of older versions tell of searches that were asked for, by 1-NN.
fn asked() -> bool {
    true
}

fn one() -> usize {
    1
}

/// One candidate, at the number of steps that served it best; the chosen one at the steps that were chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TuningRow {
    /// Whether the metric was fitted with these settings.
    pub chosen: bool,
    /// `f` or `g`, or the name of a method without a criterion; `none` where nothing is learned.
    pub criterion: String,
    /// Weight of the L2 penalty.
    pub l2: f64,
    /// Where the map started.
    pub start: String,
    /// The perplexity that the start was scaled to.
    #[serde(default)]
    pub start_perplexity: Option<f64>,
    /// Dimensions of the embedding.
    pub dimension: usize,
    /// Steps after which to stop; `None` for a fit to its end.
    pub stop_at: Option<usize>,
    /// k-NN accuracy on rows held out (or another score: `compared_by`), mean over the folds.
    pub accuracy: f64,
    /// The standard error of the accuracy.
    pub standard_error: f64,
    /// The accuracy of each fold.
    pub fold_accuracies: Vec<f64>,
    /// Mean log probability of the true class on rows held out, mean over the folds.
    pub log_p: f64,
    /// Why the fit of each fold ended, as the library names it.
    pub terminations: Vec<String>,
    /// Seconds that the candidate took.
    pub seconds: f64,
}

impl Tuning {
    /// The summary of a search.
    pub fn of(
        search: &Search,
        (method, compared_by): (&AnyMethod, ComparedBy),
        (neighbors, asked): (usize, bool),
    ) -> Self {
        let choice = search.choice.as_ref();
        let name = method.info().name;
        let rows = search.trials.iter().enumerate();
        let mut trials: Vec<TuningRow> = rows
            .map(|(at, trial)| {
                TuningRow::of(trial, name, choice.filter(|choice| choice.trial == at))
            })
            .collect();
        trials.sort_by(|a, b| b.chosen.cmp(&a.chosen).then(b.accuracy.total_cmp(&a.accuracy)));
        Self {
            candidates: search.candidates,
            folds: search.folds,
            end: search.end.sentence().to_string(),
            reason: choice.map_or(UNMEASURED, |choice| choice.reason.sentence()).to_string(),
            chosen: chosen(search, compared_by, neighbors),
            asked,
            neighbors,
            compared_by,
            seconds: search.seconds,
            trials,
        }
    }
}

/// Why the usual settings are taken where no candidate was finished.
const UNMEASURED: &str = "The usual settings: there was no time to compare them with others.";

/// What was chosen, in one line, with what no learning came to.
fn chosen(search: &Search, compared_by: ComparedBy, neighbors: usize) -> String {
    let Some(choice) = &search.choice else {
        return UNMEASURED.to_string();
    };
    let candidate = &search.trials[choice.trial].candidate;
    let what = match choice.stop_at {
        Some(0) => "no learning".to_string(),
        Some(steps) => format!("{candidate}, {}", counted(steps, "step")),
        None => candidate.to_string(),
    };
    let start = search.trials.first().and_then(Trial::start);
    let start = start.filter(|_| choice.stop_at != Some(0));
    let start = start.map_or_else(String::new, |start| {
        format!(", against {} without learning", compared_by.text(start.accuracy()))
    });
    format!(
        "Chosen among {} of {}: {what}; {}{start} (cross-validation inside the training rows, \
         {})",
        search.trials.len(),
        counted(search.candidates, "setting"),
        compared_by.achieved(choice.accuracy, neighbors),
        duration(search.seconds)
    )
}

impl TuningRow {
    /// The trial at the steps that were chosen, or at its best.
    fn of(trial: &Trial, method: &str, choice: Option<&Choice>) -> Self {
        let steps = choice.map_or(trial.best().steps, |choice| choice.stop_at);
        let score = trial.scores.iter().find(|score| score.steps == steps).unwrap_or(trial.best());
        let candidate = &trial.candidate;
        let ends = trial.terminations.iter();
        let closed = candidate.is_closed();
        let start =
            if closed && candidate.start == Start::Auto { "lda" } else { candidate.start_name() };
        Self {
            chosen: choice.is_some(),
            criterion: match candidate.criterion_name() {
                _ if closed => "none",
                Some(criterion) => criterion,
                None => method,
            }
            .to_string(),
            l2: candidate.l2,
            start: start.to_string(),
            start_perplexity: candidate.start_perplexity,
            dimension: candidate.d_output,
            stop_at: score.steps.or(candidate.stop_at),
            accuracy: score.accuracy(),
            standard_error: score.standard_error(),
            fold_accuracies: score.folds.iter().map(|fold| fold.accuracy).collect(),
            log_p: score.log_p(),
            terminations: ends.map(|end| format!("{end:?}")).collect(),
            seconds: trial.seconds,
        }
    }

    /// `auto`, or `auto, px 15` for a start of that perplexity.
    pub fn start(&self) -> String {
        match self.start_perplexity {
            Some(perplexity) => format!("{}, px {perplexity}", self.start),
            None => self.start.clone(),
        }
    }

    /// `8 steps`, or `to the end`.
    pub fn steps(&self) -> String {
        match self.stop_at {
            None => "to the end".to_string(),
            Some(0) => "none".to_string(),
            Some(steps) => steps.to_string(),
        }
    }
}

impl Tuning {
    fn table<'a>(&self, rows: &'a [TuningRow]) -> Table<'a, TuningRow> {
        let by = self.compared_by;
        let table = Table::of("trials", rows)
            .names("tried", 48, |row| Cell::marked(row.criterion.clone(), "chosen", row.chosen))
            .number("l2", |row| row.l2.to_string())
            .text("start", TuningRow::start)
            .number("dim", |row| row.dimension.to_string())
            .number("steps", TuningRow::steps)
            .number(&by.head(self.neighbors), move |row| by.text(row.accuracy))
            .number("± s.e.", move |row| by.text(row.standard_error));
        let table = match by {
            ComparedBy::Accuracy => table.page_number("ln p", |row| significant(row.log_p, 3)),
            ComparedBy::R2 | ComparedBy::LogProbability => table,
        };
        table
            .page_number("time", |row| duration(row.seconds))
            .row_class(|row| if row.chosen { "chosen" } else { "" })
            .scrolling("Candidates that were tried")
    }
}

impl Section for Tuning {
    /// Every candidate of the search for settings, best first.
    fn page(&self, _report: &Report) -> String {
        let remark = note(&format!(
            "{} of {} were tried, by {} each inside the training rows; none of the rows held out to test on took part. \
             {} {} {}",
            self.trials.len(),
            counted(self.candidates, "candidate"),
            counted(self.folds, "fit"),
            self.compared_by.sentence(self.neighbors),
            escape(&self.end),
            escape(&self.chosen)
        ));
        section("trials", "What was tried", &(remark + &self.table(&self.trials).html()))
    }

    /// The best candidates, the chosen one first.
    fn text(&self, _report: &Report, terminal: Terminal) -> String {
        if !self.asked || self.trials.is_empty() {
            return wrapped(&self.chosen, terminal);
        }
        let remark = format!(
            "* chosen among {} of {}, by {} each inside the training rows, in {}. {}",
            self.trials.len(),
            counted(self.candidates, "candidate"),
            counted(self.folds, "fit"),
            duration(self.seconds),
            self.reason
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
            criterion: "g".to_owned(),
            l2,
            start: "auto".to_owned(),
            start_perplexity: None,
            dimension: 2,
            stop_at,
            accuracy,
            standard_error: 0.011,
            fold_accuracies: vec![accuracy - 0.02, accuracy, accuracy + 0.02, accuracy, accuracy],
            log_p: -0.142,
            terminations: vec!["ProgressSmall".to_owned(); 5],
            seconds: 0.31,
        };
        Self {
            candidates: 36,
            folds: 5,
            end: "The budget was used up before every candidate was tried.".to_owned(),
            reason: "The usual settings: no others were clearly better.".to_owned(),
            chosen: "Chosen among 2 of 36 settings: g, l2 0.01, start auto, k = 2".to_owned(),
            asked: true,
            neighbors: 1,
            compared_by: ComparedBy::Accuracy,
            seconds: 0.62,
            trials: vec![row(true, 0.01, Some(20), 0.957), row(false, 0.003, None, 0.961)],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chosen_candidate_is_marked_once() {
        let text = Tuning::example().page(&Report::example());
        assert_eq!(text.matches("(chosen)").count(), 1);
        assert_eq!(text.matches("<tr").count(), 1 + Tuning::example().trials.len());
        assert!(text.contains("2 of 36 candidates were tried, by 5 fits each"), "{text}");
    }
}
