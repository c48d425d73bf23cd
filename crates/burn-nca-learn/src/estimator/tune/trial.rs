//! A candidate that was tried: one fit per fold, measured on the way.

use serde::{Deserialize, Serialize};

use super::fold::FoldScores;
use super::{Candidate, HeldOut};
use crate::fit::{Start, Termination};

/// Means closer than this are equal: a number that was read from a file may differ in its last digit.
pub(super) const SAME: f64 = 1e-9;

/// A candidate that was tried: one fit a fold, each measured on the rows held out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The settings that were tried.
    pub candidate: Candidate,
    /// The scores of the fits on the way, by number of steps, ascending.
    pub scores: Vec<StepScore>,
    /// Which closed form the fit of the first fold started from, if it was one.
    pub start: Option<Start>,
    /// Why the fit of each fold ended.
    pub terminations: Vec<Termination>,
    /// Seconds that the trial took.
    pub seconds: f64,
}

/// The fits of a trial after a number of steps; a fit that has ended stays where it ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepScore {
    /// The number of steps; `None` for the end of every fit.
    pub steps: Option<usize>,
    /// The score of the fit of each fold on the rows that it holds out.
    pub folds: Vec<HeldOut>,
}

impl StepScore {
    /// The mean 1-NN accuracy of the folds, 0..1.
    pub fn accuracy(&self) -> f64 {
        mean(&self.accuracies())
    }

    /// The standard error of the mean accuracy, from the spread of the folds; 0 for a single fold.
    pub fn standard_error(&self) -> f64 {
        standard_error(&self.accuracies())
    }

    /// The mean log probability of the folds.
    pub fn log_p(&self) -> f64 {
        mean(&self.folds.iter().map(|fold| fold.log_p).collect::<Vec<_>>())
    }

    /// The mean and the standard error of the difference to another score, paired over the folds.
    pub fn difference(&self, other: &Self) -> [f64; 2] {
        let pairs = self.folds.iter().zip(&other.folds);
        let differences: Vec<f64> = pairs.map(|(a, b)| a.accuracy - b.accuracy).collect();
        [mean(&differences), standard_error(&differences)]
    }

    /// Whether the mean accuracies are equal to rounding.
    pub(super) fn ties_with(&self, other: &Self) -> bool {
        (self.accuracy() - other.accuracy()).abs() <= SAME
    }

    fn accuracies(&self) -> Vec<f64> {
        self.folds.iter().map(|fold| fold.accuracy).collect()
    }
}

impl Trial {
    /// The most accurate score; the one of fewest steps where several are equal.
    ///
    /// # Panics
    /// Never: a trial has a score for the end of its fits.
    pub fn best(&self) -> &StepScore {
        let more_accurate =
            |best: &&StepScore, score: &&StepScore| best.accuracy() + SAME < score.accuracy();
        let scores = self.scores.iter();
        let best = scores.reduce(|best, one| if more_accurate(&best, &one) { one } else { best });
        best.expect("a trial has a score for the end of its fits")
    }

    pub(super) fn folds(&self) -> usize {
        self.end().folds.len()
    }

    /// The end of every fit.
    ///
    /// # Panics
    /// Never: a trial has a score for the end of its fits.
    pub fn end(&self) -> &StepScore {
        self.scores.last().expect("a trial has a score for the end of its fits")
    }

    /// The start, before any step, where it was measured.
    pub fn start(&self) -> Option<&StepScore> {
        self.scores.first().filter(|score| score.steps == Some(0))
    }

    /// Brings the folds together: a score for every step of the grid that some fit had not ended before, and
    /// one for the end.
    pub(super) fn new(
        candidate: Candidate,
        step_grid: &[usize],
        folds: &[FoldScores],
        seconds: f64,
    ) -> Self {
        let end = |fold: &FoldScores| fold.measured.last().map_or(0, |(steps, _)| *steps);
        let longest = folds.iter().map(end).max().unwrap_or(0);
        let steps = step_grid.iter().copied().filter(|steps| *steps < longest).map(Some);
        let scores = steps.chain([None]).map(|steps| StepScore {
            steps,
            folds: folds.iter().map(|fold| at(fold, steps)).collect(),
        });
        Self {
            candidate,
            scores: scores.collect(),
            start: folds.first().and_then(|fold| fold.start.clone()),
            terminations: folds.iter().map(|fold| fold.termination).collect(),
            seconds,
        }
    }
}

/// The score of a fit after this many steps, or at its end.
fn at(fold: &FoldScores, steps: Option<usize>) -> HeldOut {
    let most = steps.unwrap_or(usize::MAX);
    let reached = fold.measured.iter().take_while(|(steps, _)| *steps <= most).last();
    reached.map_or_else(HeldOut::worst, |(_, value)| *value)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// `sqrt(Σ (x - mean)² / (m - 1) / m)`, 0 for fewer than two values.
fn standard_error(values: &[f64]) -> f64 {
    let m = values.len() as f64;
    if values.len() < 2 {
        return 0.0;
    }
    let center = mean(values);
    let squares: f64 = values.iter().map(|value| (value - center) * (value - center)).sum();
    (squares / (m - 1.0) / m).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held_out(accuracy: f64) -> HeldOut {
        HeldOut { accuracy, log_p: -accuracy }
    }

    #[test]
    fn a_fit_that_has_ended_stays_where_it_ended_while_others_go_on() {
        let fold = |measured: &[(usize, f64)]| FoldScores {
            measured: measured.iter().map(|(at, value)| (*at, held_out(*value))).collect(),
            start: None,
            termination: Termination::ProgressSmall,
        };
        let folds = [fold(&[(0, 0.1), (1, 0.2)]), fold(&[(0, 0.5), (1, 0.6), (2, 0.7), (3, 0.8)])];
        let candidate = Candidate::of(&crate::NcaConfig::new(4, 1));
        let trial = Trial::new(candidate, &[0, 1, 2, 5], &folds, 1.0);
        let steps: Vec<_> = trial.scores.iter().map(|score| score.steps).collect();
        assert_eq!(steps, [Some(0), Some(1), Some(2), None]);
        let accuracies: Vec<_> = trial.scores.iter().flat_map(StepScore::accuracies).collect();
        assert_eq!(accuracies, [0.1, 0.5, 0.2, 0.6, 0.2, 0.7, 0.2, 0.8]);
        assert_eq!((trial.best().steps, trial.start().unwrap().steps), (None, Some(0)));
    }

    #[test]
    fn a_difference_is_paired_over_the_folds() {
        let score = |values: &[f64]| StepScore {
            steps: None,
            folds: values.iter().map(|value| held_out(*value)).collect(),
        };
        // Differences 0.1, 0.2, 0.3: mean 0.2, standard error 0.1 / sqrt(3).
        let [mean, error] = score(&[0.5, 0.7, 0.9]).difference(&score(&[0.4, 0.5, 0.6]));
        assert!((mean - 0.2).abs() < 1e-12 && (error - 0.1 / 3f64.sqrt()).abs() < 1e-12);
        assert!(score(&[0.5, 0.7]).ties_with(&score(&[0.7, 0.5])));
        assert!(!score(&[0.5, 0.7]).ties_with(&score(&[0.5, 0.71])));
    }
}
