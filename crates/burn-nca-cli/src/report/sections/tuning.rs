//! The search that chose the settings of a fit.

use burn_nca::estimator::tune::{Choice, Search, Trial};
use serde::{Deserialize, Serialize};

use crate::report::number::{counted, duration, percent, significant};
use crate::report::{Report, Section};
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
    /// Seconds of all trials.
    pub seconds: f64,
    /// The candidates that were tried: the chosen one, then the others, most accurate first.
    pub trials: Vec<TuningRow>,
}

/// One candidate, at the number of steps that served it best; the chosen one at the steps that were chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TuningRow {
    /// Whether the metric was fitted with these settings.
    pub chosen: bool,
    /// `f` or `g`.
    pub criterion: String,
    /// Weight of the L2 penalty.
    pub l2: f64,
    /// Where the map started.
    pub start: String,
    /// Dimensions of the embedding.
    pub dimension: usize,
    /// Steps after which to stop; `None` for a fit to its end.
    pub stop_at: Option<usize>,
    /// 1-NN accuracy on rows held out, mean over the folds.
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
    /// The account of a search.
    pub fn of(search: &Search) -> Self {
        let choice = search.choice.as_ref();
        let rows = search.trials.iter().enumerate();
        let mut trials: Vec<TuningRow> = rows
            .map(|(at, trial)| TuningRow::of(trial, choice.filter(|choice| choice.trial == at)))
            .collect();
        trials.sort_by(|a, b| b.chosen.cmp(&a.chosen).then(b.accuracy.total_cmp(&a.accuracy)));
        Self {
            candidates: search.candidates,
            folds: search.folds,
            end: search.end.sentence().to_string(),
            reason: choice.map_or("", |choice| choice.reason.sentence()).to_string(),
            seconds: search.seconds,
            trials,
        }
    }
}

impl TuningRow {
    /// The trial at the steps that were chosen, or at its best.
    fn of(trial: &Trial, choice: Option<&Choice>) -> Self {
        let steps = choice.map_or(trial.best().steps, |choice| choice.stop_at);
        let rung = trial.rungs.iter().find(|rung| rung.steps == steps).unwrap_or(trial.best());
        let candidate = &trial.candidate;
        let ends = trial.terminations.iter();
        Self {
            chosen: choice.is_some(),
            criterion: candidate.criterion_name().to_string(),
            l2: candidate.l2,
            start: candidate.start_name().to_string(),
            dimension: candidate.d_output,
            stop_at: rung.steps,
            accuracy: rung.accuracy(),
            standard_error: rung.standard_error(),
            fold_accuracies: rung.folds.iter().map(|fold| fold.accuracy).collect(),
            log_p: rung.log_p(),
            terminations: ends.map(|end| format!("{end:?}")).collect(),
            seconds: trial.seconds,
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
        Table::of("trials", rows)
            .names("tried", 48, |row| Cell::marked(row.criterion.clone(), "chosen", row.chosen))
            .number("l2", |row| row.l2.to_string())
            .text("start", |row| row.start.clone())
            .number("dim", |row| row.dimension.to_string())
            .number("steps", TuningRow::steps)
            .number("1-NN", |row| percent(Some(row.accuracy)))
            .number("± s.e.", |row| percent(Some(row.standard_error)))
            .page_number("ln p", |row| significant(row.log_p, 3))
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
             1-NN: accuracy on the rows that a fold left out. ln p: the mean log probability of the true class there. \
             {} {}",
            self.trials.len(),
            counted(self.candidates, "candidate"),
            counted(self.folds, "fit"),
            escape(&self.end),
            escape(&self.reason)
        ));
        section("trials", "What was tried", &(remark + &self.table(&self.trials).html()))
    }

    /// The best candidates, the chosen one first.
    fn text(&self, _report: &Report, terminal: Terminal) -> String {
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
