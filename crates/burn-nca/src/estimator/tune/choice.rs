//! Which of the settings that were tried is chosen, and why.

use serde::{Deserialize, Serialize};

use super::trial::{StepScore, best};
use super::{Trial, TuneConfig};

/// Why a setting was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reason {
    /// The usual setting, the first candidate: no other is clearly better.
    Usual,
    /// The start of the first candidate, without a step: what was learned is not clearly better.
    NoLearning,
    /// Clearly better than the usual setting.
    Better,
}

impl Reason {
    /// The reason as a sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Usual => "The usual settings: no others were clearly better.",
            Self::NoLearning => {
                "The start without learning: no settings were clearly better than it."
            }
            Self::Better => "More accurate than the usual settings and than no learning.",
        }
    }
}

/// The setting that a search chose.
///
/// With a few hundred rows the most accurate of a hundred settings is mostly the luckiest. So the choice
/// starts from what is known to serve, the usual setting (the first candidate, fitted to the end). The most
/// accurate setting of all replaces it only with a lead of [`TuneConfig::margin`] standard errors. And what was
/// learned has to show that it pays: without a lead of [`TuneConfig::learning_margin`] standard errors over the
/// start, the start is kept, Euclidean distance for a full map. Leads are paired over the folds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// Its place among the trials, from 0.
    pub trial: usize,
    /// The number of steps to stop after; `None` to fit to the end.
    pub stop_at: Option<usize>,
    /// Its mean 1-NN accuracy on rows held out, 0..1.
    pub accuracy: f64,
    /// The standard error of the accuracy.
    pub standard_error: f64,
    /// Why it was chosen.
    pub reason: Reason,
}

impl Choice {
    /// The choice among these trials; `None` without any.
    pub(super) fn of(trials: &[Trial], tune: &TuneConfig) -> Option<Self> {
        let first = trials.first()?;
        let usual = first.end();
        let bests: Vec<&StepScore> = trials.iter().map(Trial::best).collect();
        let most = best(bests.iter().copied())?;
        let (trial, learned, reason) = if most.paired_t(usual) > tune.margin {
            let trial = bests.iter().position(|score| std::ptr::eq(*score, most))?;
            (trial, most, Reason::Better)
        } else {
            (0, usual, Reason::Usual)
        };
        Some(match first.start() {
            Some(start) if learned.paired_t(start) < tune.learning_margin => {
                Self::new(0, start, Reason::NoLearning)
            }
            _ => Self::new(trial, learned, reason),
        })
    }

    fn new(trial: usize, score: &StepScore, reason: Reason) -> Self {
        Self {
            trial,
            stop_at: score.steps,
            accuracy: score.accuracy(),
            standard_error: score.standard_error(),
            reason,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Candidate, HeldOut};
    use super::*;

    fn score(steps: Option<usize>, accuracies: &[f64]) -> StepScore {
        let fold = |&accuracy: &f64| HeldOut { accuracy, log_p: -1.0 };
        StepScore { steps, folds: accuracies.iter().map(fold).collect() }
    }

    fn trial(scores: Vec<StepScore>) -> Trial {
        let candidate = Candidate::of(&crate::NcaConfig::recommended(4, 2));
        Trial { candidate, scores, terminations: Vec::new(), seconds: 0.0 }
    }

    fn chosen(trials: &[Trial]) -> (usize, Option<usize>, Reason) {
        let choice = Choice::of(trials, &TuneConfig::new()).unwrap();
        (choice.trial, choice.stop_at, choice.reason)
    }

    #[test]
    fn the_usual_setting_yields_to_a_clear_lead_only() {
        let usual = trial(vec![score(Some(0), &[0.7, 0.7, 0.7]), score(None, &[0.8, 0.9, 0.8])]);
        let lucky = trial(vec![score(Some(3), &[0.9, 0.88, 0.8]), score(None, &[0.5, 0.5, 0.5])]);
        let clear = trial(vec![score(Some(5), &[0.9, 1.0, 0.89])]);
        assert_eq!(chosen(&[usual.clone(), lucky.clone()]), (0, None, Reason::Usual));
        assert_eq!(chosen(&[usual, lucky, clear]), (2, Some(5), Reason::Better));
        assert_eq!(Choice::of(&[], &TuneConfig::new()), None);
    }

    #[test]
    fn what_was_learned_has_to_show_that_it_pays() {
        let of = |start: &[f64], end: &[f64]| trial(vec![score(Some(0), start), score(None, end)]);
        let poor = of(&[0.8, 0.7, 0.8], &[0.7, 0.7, 0.8]);
        assert_eq!(chosen(&[poor]), (0, Some(0), Reason::NoLearning));
        let equal = of(&[0.8, 0.7], &[0.7, 0.8]);
        assert_eq!(chosen(std::slice::from_ref(&equal)), (0, Some(0), Reason::NoLearning));
        // Without a measured start there is nothing to hold it against.
        let unmeasured = trial(equal.scores[1..].to_vec());
        assert_eq!(chosen(&[unmeasured]), (0, None, Reason::Usual));
        // A setting with a clear lead over the usual one may still be no better than no learning.
        let usual = of(&[0.8, 0.8, 0.8], &[0.6, 0.61, 0.6]);
        let other = trial(vec![score(Some(3), &[0.8, 0.79, 0.8])]);
        assert_eq!(chosen(&[usual, other]), (0, Some(0), Reason::NoLearning));
    }
}
