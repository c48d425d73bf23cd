//! Which of the settings that were compared is chosen.

use serde::{Deserialize, Serialize};

use super::Trial;
use super::trial::{SAME, StepScore};

/// The standard errors of the difference by which another has to lead a mean of several networks.
///
/// A mean is compared by fewer networks than it is fitted with, and of the others the best of several is compared, by luck
/// in part. Chosen on eight tables of KEEL; for numbers on two splits of ten tables of UCI.
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
        let mut means = trials.iter().enumerate();
        let mean = means.find(|(_, trial)| trial.candidate.is_mean_of_networks());
        Some(match mean.map(|(at, trial)| (at, trial.best())) {
            Some((at, mean)) if at != chosen.trial && !leads_clearly(score, mean) => {
                choice(at, mean, 0)
            }
            _ => chosen,
        })
    }
}

/// Whether the first score is ahead by more than the folds leave to luck; equal on every fold is ahead.
fn leads_clearly(score: &StepScore, mean: &StepScore) -> bool {
    let [lead, error] = score.difference(mean);
    lead >= CLEAR * error - SAME
}

#[cfg(test)]
mod tests {
    use super::super::{Candidate, HeldOut};
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

    fn closed(start: Start, accuracies: &[f64]) -> Trial {
        let mut trial = trial(vec![score(None, accuracies)]);
        trial.candidate = Candidate { start, stop_at: Some(0), ..trial.candidate };
        trial
    }

    fn chosen(trials: &[Trial]) -> (usize, Option<usize>, usize) {
        let choice = Choice::of(trials).unwrap();
        (choice.trial, choice.stop_at, choice.ties)
    }

    #[test]
    fn the_highest_mean_accuracy_is_chosen_however_small_its_lead() {
        let usual = trial(vec![score(Some(0), &[0.7, 0.7, 0.7]), score(None, &[0.8, 0.9, 0.8])]);
        let other = trial(vec![score(Some(3), &[0.9, 0.81, 0.8]), score(None, &[0.5, 0.5, 0.5])]);
        assert_eq!(chosen(&[usual.clone(), other]), (1, Some(3), 0));
        let lda = closed(Start::Lda, &[0.85, 0.81, 0.8]);
        assert_eq!(chosen(&[usual, lda]), (0, None, 0));
        assert_eq!(Choice::of(&[]), None);
    }

    #[test]
    fn a_trial_of_fewer_folds_is_compared_on_them() {
        let whole = trial(vec![score(None, &[0.6, 0.9, 0.9])]);
        let lower = trial(vec![score(None, &[0.65])]);
        let equal = trial(vec![score(None, &[0.6])]);
        assert_eq!(chosen(&[whole.clone(), lower, equal.clone()]), (1, None, 0));
        assert_eq!(chosen(&[equal, whole]), (1, None, 0));
    }

    #[test]
    fn a_mean_of_networks_is_chosen_unless_another_leads_clearly() {
        let nca = trial(vec![score(None, &[0.8, 0.9, 0.8])]);
        let modern = |accuracies: &[f64]| {
            let mut trial = trial(vec![score(None, accuracies)]);
            trial.candidate.method = Some(Modern::new().into());
            trial
        };
        // Behind by 0.03 ± 0.03, and 0.05 ± 0.01; equal; on two folds.
        for (accuracies, expected) in [
            (&[0.75, 0.83, 0.83][..], 1),
            (&[0.75, 0.84, 0.76], 0),
            (&[0.8, 0.9, 0.8], 0),
            (&[0.7, 0.95], 1),
        ] {
            assert_eq!(chosen(&[nca.clone(), modern(accuracies)]).0, expected, "{accuracies:?}");
        }
    }

    #[test]
    fn of_equal_accuracies_the_simplest_setting_is_chosen() {
        let nca = trial(vec![score(Some(8), &[0.9, 0.8]), score(None, &[0.9, 0.8])]);
        let lda = closed(Start::Lda, &[0.8, 0.9]);
        let euclidean = closed(Start::Identity, &[0.85, 0.85 + 1e-12]);
        assert_eq!(chosen(&[nca.clone(), lda.clone(), euclidean]), (2, None, 2));
        assert_eq!(chosen(&[nca.clone(), lda]), (1, None, 1));
        assert_eq!(chosen(&[nca.clone(), nca]), (0, Some(8), 1));
    }
}
