//! One candidate of a search and what candidates are compared by, as tables and sentences name them.

use std::collections::BTreeMap;

use burn_nca_learn::estimator::tune::{Choice, StepScore, Trial};
use burn_nca_learn::fit::Start;
use burn_nca_learn::method::{AnyMethod, Uses};
use serde::{Deserialize, Serialize};

use crate::number::{counted, percent, significant};

/// One candidate, at the number of steps that served it best; the chosen one at the steps that were chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TuningRow {
    /// Whether the metric was fitted with these settings.
    pub chosen: bool,
    /// The method as tables name it: `NCA`, or the closed form that a start without gradient steps is, such as `LDA`.
    #[serde(default)]
    pub method: String,
    /// `f` or `g`, or the name of a method without a criterion; `none` without gradient steps.
    pub criterion: String,
    /// Whether the map is a network.
    #[serde(default)]
    pub network: bool,
    /// The settings of the method that were searched, by their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// Weight of the L2 penalty; `None` where the method has none.
    pub l2: Option<f64>,
    /// Where the map started; empty where the search does not vary it.
    pub start: String,
    /// The perplexity that the start was scaled to.
    pub start_perplexity: Option<f64>,
    /// Dimensions of the embedding.
    pub dimension: usize,
    /// Steps after which to stop; `None` for a fit to its end.
    pub stop_at: Option<usize>,
    /// k-NN accuracy on rows held out (or another score: `compared_by`), mean over the folds.
    pub accuracy: f64,
    /// The standard error of the accuracy.
    pub standard_error: f64,
    /// The accuracy minus that of the chosen candidate, mean over the folds.
    #[serde(default)]
    pub difference: f64,
    /// The standard error of the difference, paired over the folds.
    #[serde(default)]
    pub difference_standard_error: f64,
    /// The accuracy of each fold.
    pub fold_accuracies: Vec<f64>,
    /// Mean log probability of the true class on rows held out, mean over the folds.
    pub log_p: f64,
    /// Whether it is compared by a rule of its own instead of k-NN.
    #[serde(default)]
    pub own_rule: bool,
    /// Why the fit of each fold ended, as the library names it.
    pub terminations: Vec<String>,
    /// Seconds that the candidate took.
    pub seconds: f64,
}

impl TuningRow {
    pub(super) fn of(
        (at, trial): (usize, &Trial),
        method: &AnyMethod,
        chosen: Option<(&Choice, &StepScore)>,
    ) -> Self {
        let own = chosen.filter(|(choice, _)| choice.trial == at);
        let score = own.map_or(trial.best(), |(_, score)| score);
        let candidate = &trial.candidate;
        let stop_at = score.steps.or(candidate.stop_at);
        let closed = stop_at == Some(0);
        let info = candidate.method.as_ref().unwrap_or(method).info();
        let mut started = candidate.clone();
        if closed && let Some(start) = &trial.start {
            started.start = start.clone();
        }
        let [difference, difference_standard_error] =
            chosen.map_or([0.0; 2], |(_, chosen)| score.difference(chosen));
        let varies = |uses: Uses| info.searched.contains(&uses);
        let network = candidate.network.is_some();
        let has_start = !network && (varies(Uses::Start) || candidate.start != Start::Auto);
        Self {
            chosen: own.is_some(),
            own_rule: info.own_rule,
            method: if closed { started.closed_form() } else { info.label }.to_string(),
            criterion: match candidate.criterion_name() {
                _ if closed => "none",
                Some(criterion) => criterion,
                None => info.name,
            }
            .to_string(),
            network,
            settings: candidate.settings.clone(),
            l2: Some(candidate.l2).filter(|l2| (varies(Uses::L2) && !network) || *l2 > 0.0),
            start: match has_start {
                true => started.start_name().to_string(),
                false => String::new(),
            },
            start_perplexity: candidate.start_perplexity,
            dimension: candidate.d_output,
            stop_at,
            accuracy: score.accuracy(),
            standard_error: score.standard_error(),
            difference,
            difference_standard_error,
            fold_accuracies: score.folds.iter().map(|fold| fold.accuracy).collect(),
            log_p: score.log_p(),
            terminations: trial.terminations.iter().map(|end| format!("{end:?}")).collect(),
            seconds: trial.seconds,
        }
    }

    pub(super) fn l2(&self) -> Option<f64> {
        self.l2.filter(|_| self.stop_at != Some(0))
    }

    pub(super) fn own_settings(&self) -> Vec<String> {
        self.settings.iter().map(|(name, value)| format!("{name}={value}")).collect()
    }

    /// `NCA g`, `NCA g by a network`, `LDA`, `MLKR`
    pub(super) fn name(&self) -> String {
        let name = match self.criterion.as_str() {
            criterion @ ("f" | "g") => {
                format!("{} {criterion}", self.method).trim_start().to_string()
            }
            criterion if self.method.is_empty() => criterion.to_string(),
            _ => self.method.clone(),
        };
        mapped(&name, self.network)
    }

    /// `NCA g (l2 0.01, start auto, perplexity 15, 2 dimensions, 8 steps)`, `LDA (2 dimensions)`
    pub(super) fn in_full(&self) -> String {
        let mut settings = self.own_settings();
        settings.extend(self.l2().map(|l2| format!("l2 {l2}")));
        if self.has_start() {
            settings.push(format!("start {}", self.start));
            settings.extend(self.start_perplexity.map(|value| format!("perplexity {value}")));
        }
        // A method of several maps has so many dimensions in each; one that keeps those of the features has no choice.
        let uses = AnyMethod::named(&self.criterion).map_or(Uses::ALL, |method| method.info().uses);
        if uses.contains(&Uses::Dimensions) {
            let each = if self.own_rule { " each" } else { "" };
            settings.push(counted(self.dimension, "dimension") + each);
        }
        if let Some(steps) = self.stop_at.filter(|steps| *steps > 0) {
            settings.push(counted(steps, "step"));
        }
        match settings.is_empty() {
            true => self.name(),
            false => format!("{} ({})", self.name(), settings.join(", ")),
        }
    }

    /// Whether it has a start: a gradient fit of a method whose start is searched.
    pub(super) fn has_start(&self) -> bool {
        self.stop_at != Some(0) && !self.start.is_empty()
    }

    /// `auto`, or `auto, px 15` for a start of that perplexity; a dash without one.
    pub(super) fn start(&self) -> String {
        match self.start_perplexity {
            _ if !self.has_start() => "–".to_string(),
            Some(perplexity) => format!("{}, px {perplexity}", self.start),
            None => self.start.clone(),
        }
    }

    /// `8`, or `all` for a fit to its end.
    pub(super) fn steps(&self) -> String {
        self.stop_at.map_or("all".to_string(), |steps| steps.to_string())
    }
}

pub(super) fn mapped(method: &str, network: bool) -> String {
    format!("{method}{}", if network { " by a network" } else { "" })
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
    pub(super) fn text(self, score: f64) -> String {
        match self {
            Self::Accuracy => percent(Some(score)),
            Self::R2 | Self::LogProbability => significant(score, 3),
        }
    }

    /// A score without its unit, of an accuracy percent.
    fn bare(self, score: f64) -> String {
        match self {
            Self::Accuracy => format!("{:.1}", 100.0 * score),
            Self::R2 | Self::LogProbability => significant(score, 3),
        }
    }

    /// The head of the column; without a k by a rule of the method's own.
    pub(super) fn head(self, neighbors: Option<usize>) -> String {
        match (self, neighbors) {
            (Self::Accuracy, Some(k)) => format!("{k}-NN"),
            (Self::Accuracy, None) => "accuracy".to_string(),
            (Self::R2, _) => "R²".to_string(),
            (Self::LogProbability, _) => "ln p".to_string(),
        }
    }

    pub(super) fn sentence(self, neighbors: Option<usize>) -> String {
        match self {
            Self::Accuracy => format!(
                "{}: {} on the rows that a fold left out. ln p: the mean log probability of the true class there.",
                self.head(neighbors),
                if neighbors.is_some() { "accuracy" } else { "share of correct predictions" }
            ),
            Self::R2 => "R²: of the kernel rule on the rows that a fold left out.".to_string(),
            Self::LogProbability => {
                "ln p: the mean log probability of the pairs that a fold left out.".to_string()
            }
        }
    }

    /// `3-NN accuracy 95.7 ± 1.1 %`, without a k by a rule of the method's own
    pub(super) fn achieved(self, [score, error]: [f64; 2], neighbors: Option<usize>) -> String {
        let name = match (self, neighbors) {
            (Self::Accuracy, Some(k)) => format!("{k}-NN accuracy"),
            (Self::LogProbability, _) => "log probability".to_string(),
            _ => self.head(neighbors),
        };
        format!("{name} {} ± {}", self.bare(score), self.text(error))
    }

    /// `2.7 ± 0.6`, of accuracies in percentage points.
    pub(super) fn lead(self, [difference, error]: [f64; 2]) -> String {
        format!("{} ± {}", self.bare(difference), self.bare(error))
    }
}
