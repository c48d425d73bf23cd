//! The method of a model as it was applied: with zero iterations, a gradient method is the map it started from.

use serde::Serialize;

use super::Fitted;
use crate::encoder::{Encoder, EncoderConfig};
use crate::fit::{FitSummary, ResolvedStart, Termination};
use crate::method::{Euclidean, Lda, Method, Pca};
use crate::neighbors::Rule;

/// The method of a model as it was applied.
///
/// A gradient method that took no step has learned nothing: the model is its start, and is named after it. So a fit of
/// NCA that keeps its start by LDA is `LDA`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AppliedMethod {
    /// The name in commands, such as `nca` or `lda`.
    pub name: &'static str,
    /// The name in tables, such as `NCA`, `LDA` or `LDA, shrinkage 0.01`.
    pub label: String,
    /// The name in full, such as `Linear discriminant analysis`.
    pub title: &'static str,
    /// Whether the model is the start of a gradient method that took no step.
    pub without_steps: bool,
}

impl AppliedMethod {
    /// The closed form, or the map, that a start is.
    fn of_start(start: Option<ResolvedStart>, [d, k]: [usize; 2], network: bool) -> Self {
        let (name, label, title) = match start {
            Some(ResolvedStart::Identity) if k >= d => {
                (Euclidean::NAME, Euclidean::LABEL, Euclidean::TITLE)
            }
            Some(ResolvedStart::Identity) => {
                ("identity", "First features", "The first features, unchanged")
            }
            Some(ResolvedStart::Pca) => (Pca::NAME, Pca::LABEL, Pca::TITLE),
            Some(ResolvedStart::Lda { .. }) => (Lda::NAME, Lda::LABEL, Lda::TITLE),
            Some(ResolvedStart::Random { .. } | ResolvedStart::PaddedIdentity { .. }) => {
                ("random", "Random map", "A random map")
            }
            Some(ResolvedStart::Given) => ("given", "Given map", "The given map"),
            None if network => ("initial", "Initial network", "The network before any step"),
            None => ("initial", "Initial map", "The map before any step"),
        };
        let label = match start {
            Some(ResolvedStart::Lda { shrinkage }) if shrinkage != 0.0 => {
                format!("{label}, shrinkage {shrinkage}")
            }
            _ => label.to_string(),
        };
        Self { name, label, title, without_steps: true }
    }
}

impl<E: Encoder> Fitted<E> {
    /// The method of the model as it was applied: that of its card, or its start where no step was taken.
    pub fn applied_method(&self) -> AppliedMethod {
        let info = self.card.method.info();
        let own = |label: String, without_steps| AppliedMethod {
            name: info.name,
            label,
            title: info.title,
            without_steps,
        };
        let batches = self.card.fit.optimizer.batches().is_some();
        if !self.summary.is_at_start(batches) {
            return own(info.label.to_string(), false);
        }
        // Rules of their own predict otherwise than the closed form of the same map.
        if self.rule != Rule::Neighbors {
            return own(format!("{}, no steps", info.label), true);
        }
        let network =
            !matches!(self.card.encoder, Some(EncoderConfig::Linear | EncoderConfig::Diagonal));
        let sizes = [self.card.d_input, self.card.d_output];
        AppliedMethod::of_start(self.summary.start, sizes, network)
    }
}

impl FitSummary {
    /// Whether the model is where its fit started: no step was accepted, or none improved the held-out score.
    fn is_at_start(&self, batches: bool) -> bool {
        match self.termination {
            Termination::ClosedForm | Termination::Elsewhere => return false,
            Termination::NoStep => return true,
            Termination::StopAt if self.iterations == 0 => return true,
            _ => {}
        }
        let scores = self.history.iter().filter_map(|step| Some((step.iteration, step.held_out?)));
        let best = scores.reduce(|best, next| if next.1 > best.1 { next } else { best });
        if let Some((iteration, _)) = best {
            return iteration == 0;
        }
        // Mini-batches count epochs: the steps of one that was cut short moved the map.
        self.iterations == 0 && !(batches && self.evaluations > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_is_named_after_its_closed_form() {
        for (start, k, network, expected) in [
            (Some(ResolvedStart::Identity), 4, false, "Euclidean"),
            (Some(ResolvedStart::Identity), 2, false, "First features"),
            (Some(ResolvedStart::Pca), 2, false, "PCA"),
            (Some(ResolvedStart::Lda { shrinkage: 0.0 }), 2, false, "LDA"),
            (Some(ResolvedStart::Lda { shrinkage: 0.01 }), 2, false, "LDA, shrinkage 0.01"),
            (Some(ResolvedStart::Random { scale: 1.0 }), 2, false, "Random map"),
            (Some(ResolvedStart::Given), 2, false, "Given map"),
            (None, 2, true, "Initial network"),
            (None, 2, false, "Initial map"),
        ] {
            assert_eq!(AppliedMethod::of_start(start, [4, k], network).label, expected);
        }
    }
}
