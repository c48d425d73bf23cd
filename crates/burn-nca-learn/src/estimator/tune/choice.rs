//! Which of the settings that were compared is chosen, and what a search came to.

use serde::{Deserialize, Serialize};

use super::trial::{SAME, StepScore};
use super::{Candidate, Trial};
use crate::estimator::Estimator;

/// The standard errors of the difference by which another has to lead a mean of several networks, which is compared by fewer
/// than it is fitted with. Chosen on eight tables of KEEL; for numbers on two splits of ten tables of UCI.
const CLEAR: f64 = 2.0;

/// The setting that a search chose: the one with the highest mean score over the folds of all repeats. One that was tried
/// on fewer folds is compared with it on these. Among other methods, modern NCA is taken unless another leads it by two
/// standard errors of the difference.
///
/// Of scores that are equal to rounding the simplest setting is taken: Euclidean distance, then other closed forms, then
/// the fewest steps, then the first candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// Its place among the trials, from 0.
    pub trial: usize,
    /// The number of steps to stop after; `None` to fit to the end.
    pub stop_at: Option<usize>,
    /// Its mean accuracy on rows held out, 0..1.
    pub accuracy: f64,
    /// The standard error of the accuracy.
    pub standard_error: f64,
    /// Number of other candidates with the same accuracy.
    pub ties: usize,
}

impl Choice {
    /// The choice among these trials; `None` without any.
    pub(super) fn of(trials: &[Trial]) -> Option<Self> {
        let most = trials.iter().map(Trial::folds).max()?;
        let of = |whole: bool| {
            let trials = trials.iter().enumerate();
            trials.filter(move |(_, trial)| (trial.folds() == most) == whole)
        };
        let scores =
            of(true).flat_map(|(at, trial)| trial.scores.iter().map(move |score| (at, score)));
        let (_, highest) =
            scores.clone().max_by(|a, b| a.1.accuracy().total_cmp(&b.1.accuracy()))?;
        let highest: Vec<(usize, &StepScore)> =
            scores.filter(|(_, score)| score.ties_with(highest)).collect();
        let complexity = |(at, score): &&(usize, &StepScore)| {
            (trials[*at].candidate.complexity(score.steps), *at)
        };
        let &(trial, score) = highest.iter().min_by_key(complexity)?;
        let mut tied: Vec<usize> = highest.iter().map(|(at, _)| *at).collect();
        tied.dedup();
        let choice = |trial, score: &StepScore, ties| Self {
            trial,
            stop_at: score.steps,
            accuracy: score.accuracy(),
            standard_error: score.standard_error(),
            ties,
        };
        let better = of(false)
            .map(|(at, trial)| (at, trial.best()))
            .map(|(at, other)| (at, other, other.difference(score)[0]))
            .filter(|(_, _, lead)| *lead > SAME)
            .max_by(|a, b| a.2.total_cmp(&b.2));
        let (chosen, score) = match better {
            Some((at, other, _)) => (choice(at, other, 0), other),
            None => (choice(trial, score, tied.len() - 1), score),
        };
        let Some(at) = trials.iter().position(|one| one.candidate.is_mean_of_networks()) else {
            return Some(chosen);
        };
        let mean = trials[at].best();
        // Equal on every fold leads.
        let [lead, error] = score.difference(mean);
        let leads_clearly = at == chosen.trial || lead >= CLEAR * error - SAME;
        Some(if leads_clearly { chosen } else { choice(at, mean, 0) })
    }
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SearchEnd {
    /// Every candidate was tried.
    AllTried,
    /// The budget is used up.
    Budget,
    /// The caller asked to stop.
    Stopped,
}

impl SearchEnd {
    /// The reason as a sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::AllTried => "Every candidate was tried.",
            Self::Budget => "The budget was used up before every candidate was tried.",
            Self::Stopped => "Stopped on request before every candidate was tried.",
        }
    }
}

/// The trials of a hyperparameter search, and the best of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Search {
    /// Finished trials, in the order in which they ran.
    pub trials: Vec<Trial>,
    /// Number of candidates there were.
    pub candidates: usize,
    /// Those that were not tried.
    pub left_out: Vec<Candidate>,
    /// The best; `None` where no trial was finished.
    pub choice: Option<Choice>,
    /// The first candidate with steps, which is taken where no trial was finished.
    pub first: Candidate,
    /// Why the search ended.
    pub end: SearchEnd,
    /// Number of fits a trial: folds times repeats.
    pub folds: usize,
    /// Rows (or pairs) of all data, which the chosen settings are for.
    pub rows: usize,
    /// Seconds of the search, those of earlier runs included.
    pub seconds: f64,
}

impl Search {
    /// The estimator with the settings of the best trial.
    ///
    /// Where the budget ended the search before one was finished it is that of the first candidate; `None` where the
    /// caller did.
    pub fn estimator(&self, estimator: &Estimator) -> Option<Estimator> {
        let Some(choice) = &self.choice else {
            return (self.end == SearchEnd::Budget)
                .then(|| self.first.configure(estimator, self.rows));
        };
        let mut estimator = self.trials[choice.trial].candidate.configure(estimator, self.rows);
        estimator.fit.stop_at = choice.stop_at.or(estimator.fit.stop_at);
        Some(estimator)
    }
}

#[cfg(test)]
mod tests {
    use super::super::HeldOut;
    use super::*;
    use crate::fit::Start;
    use crate::method::Modern;

    fn score(steps: Option<usize>, accuracies: &[f64]) -> StepScore {
        let fold = |&accuracy: &f64| HeldOut { accuracy, log_p: -1.0 };
        StepScore { steps, folds: accuracies.iter().map(fold).collect() }
    }

    fn trial(scores: Vec<StepScore>) -> Trial {
        let candidate = Candidate::of(&crate::NcaConfig::recommended(4, 2));
        Trial { candidate, scores, start: None, terminations: Vec::new(), seconds: 0.0 }
    }

    /// A trial that is measured at its end alone.
    fn ends(accuracies: &[f64]) -> Trial {
        trial(vec![score(None, accuracies)])
    }

    fn closed(start: Start, accuracies: &[f64]) -> Trial {
        let mut trial = ends(accuracies);
        trial.candidate = Candidate { start, stop_at: Some(0), ..trial.candidate };
        trial
    }

    fn modern(accuracies: &[f64]) -> Trial {
        let mut trial = ends(accuracies);
        trial.candidate.method = Some(Modern::new().into());
        trial
    }

    #[test]
    fn the_highest_mean_is_chosen_of_equal_ones_the_simplest() {
        let lda = |accuracies: &[f64]| closed(Start::Lda, accuracies);
        let usual = trial(vec![score(Some(0), &[0.7, 0.7, 0.7]), score(None, &[0.8, 0.9, 0.8])]);
        let other = trial(vec![score(Some(3), &[0.9, 0.81, 0.8]), score(None, &[0.5, 0.5, 0.5])]);
        let nca = trial(vec![score(Some(8), &[0.9, 0.8]), score(None, &[0.9, 0.8])]);
        let euclidean = closed(Start::Identity, &[0.85, 0.85 + 1e-12]);
        let [one, whole] = [ends(&[0.8, 0.9, 0.8]), ends(&[0.6, 0.9, 0.9])];
        for (trials, expected) in [
            (vec![usual.clone(), other], (1, Some(3), 0)),
            (vec![usual, lda(&[0.85, 0.81, 0.8])], (0, None, 0)),
            // One of fewer folds is compared on them.
            (vec![whole.clone(), ends(&[0.65]), ends(&[0.6])], (1, None, 0)),
            (vec![ends(&[0.6]), whole], (1, None, 0)),
            (vec![nca.clone(), lda(&[0.8, 0.9]), euclidean], (2, None, 2)),
            (vec![nca.clone(), lda(&[0.8, 0.9])], (1, None, 1)),
            (vec![nca.clone(), nca], (0, Some(8), 1)),
            // A mean of networks that is behind by 0.03 ± 0.03, and 0.05 ± 0.01; equal; on two folds.
            (vec![one.clone(), modern(&[0.75, 0.83, 0.83])], (1, None, 0)),
            (vec![one.clone(), modern(&[0.75, 0.84, 0.76])], (0, None, 0)),
            (vec![one.clone(), modern(&[0.8, 0.9, 0.8])], (0, None, 1)),
            (vec![one, modern(&[0.7, 0.95])], (1, None, 0)),
        ] {
            let choice = Choice::of(&trials).unwrap();
            assert_eq!((choice.trial, choice.stop_at, choice.ties), expected, "{choice:?}");
        }
        assert_eq!(Choice::of(&[]), None);
    }
}
