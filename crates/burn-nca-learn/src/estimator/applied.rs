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
    fn start(name: &'static str, label: &str, title: &'static str) -> Self {
        Self { name, label: label.to_string(), title, without_steps: true }
    }

    /// The closed form, or the map, that a start is.
    fn of_start(start: Option<ResolvedStart>, [d, k]: [usize; 2], network: bool) -> Self {
        match start {
            Some(ResolvedStart::Identity) if k >= d => {
                Self::start(Euclidean::NAME, Euclidean::LABEL, Euclidean::TITLE)
            }
            Some(ResolvedStart::Identity) => {
                Self::start("identity", "First features", "The first features, unchanged")
            }
            Some(ResolvedStart::Pca) => Self::start(Pca::NAME, Pca::LABEL, Pca::TITLE),
            Some(ResolvedStart::Lda { shrinkage }) => {
                let lda = Self::start(Lda::NAME, Lda::LABEL, Lda::TITLE);
                match shrinkage {
                    0.0 => lda,
                    shrinkage => {
                        Self { label: format!("{}, shrinkage {shrinkage}", lda.label), ..lda }
                    }
                }
            }
            Some(ResolvedStart::Random { .. } | ResolvedStart::PaddedIdentity { .. }) => {
                Self::start("random", "Random map", "A random map")
            }
            Some(ResolvedStart::Given) => Self::start("given", "Given map", "The given map"),
            None if network => {
                Self::start("initial", "Initial network", "The network before any step")
            }
            None => Self::start("initial", "Initial map", "The map before any step"),
        }
    }
}

impl<E: Encoder> Fitted<E> {
    /// The method of the model as it was applied: that of its card, or its start where no step was taken.
    ///
    /// # Examples
    /// ```
    /// # #[cfg(feature = "flex")] {
    /// use burn::tensor::Device;
    /// use burn_nca_learn::NcaConfig;
    ///
    /// let data = burn_nca_data::bundled::iris();
    /// let mut config = NcaConfig::new(4, 2);
    /// config.fit.stop_at = Some(0);
    /// assert_eq!(config.fit(&data, &Device::flex())?.applied_method().label, "LDA");
    /// config.fit.stop_at = Some(3);
    /// assert_eq!(config.fit(&data, &Device::flex())?.applied_method().label, "NCA");
    /// # }
    /// # Ok::<(), burn_nca_learn::Error>(())
    /// ```
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

    fn label(start: Option<ResolvedStart>, sizes: [usize; 2], network: bool) -> String {
        AppliedMethod::of_start(start, sizes, network).label
    }

    #[test]
    fn a_start_is_named_after_its_closed_form() {
        for (start, sizes, expected) in [
            (ResolvedStart::Identity, [4, 4], "Euclidean"),
            (ResolvedStart::Identity, [4, 2], "First features"),
            (ResolvedStart::Pca, [4, 2], "PCA"),
            (ResolvedStart::Lda { shrinkage: 0.0 }, [4, 2], "LDA"),
            (ResolvedStart::Lda { shrinkage: 0.01 }, [4, 2], "LDA, shrinkage 0.01"),
            (ResolvedStart::Random { scale: 1.0 }, [4, 2], "Random map"),
            (ResolvedStart::Given, [4, 2], "Given map"),
        ] {
            assert_eq!(label(Some(start), sizes, false), expected);
        }
        assert_eq!(label(None, [4, 2], true), "Initial network");
        assert_eq!(label(None, [4, 2], false), "Initial map");
    }
}
