//! What a search came to: its trials, why it ended, and the settings to fit with.

use serde::{Deserialize, Serialize};

use super::{Candidate, Choice, Trial};
use crate::estimator::Estimator;

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
