//! How well an embedding serves rows that it was not learned from.

use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

use crate::data::{AnyData, Labeled, TrainingData};
use crate::encoder::{AnyEncoder, Encoder};
use crate::error::Result;
use crate::evaluate::Accuracy;
use crate::method::{GradientMethod, PairNca, Validation, kernel_r2_score, numbers_by};
use crate::neighbors::{ClassReferences, Rule};

/// A row whose class is less probable than this counts as if it were as probable: one outlier should not
/// decide a mean of logarithms.
const FLOOR: f64 = 1e-3;

/// How well an embedding serves rows that it was not learned from.
///
/// Settings are compared by the accuracy. The log probability separates equal accuracies; by itself it
/// prefers wide kernels to near neighbors that are right. Where there are no classes both fields hold the same score:
/// of numbers the R² of the kernel rule, of pairs the weighted mean log probability of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldOut {
    /// The accuracy of the k nearest neighbors, 0..1; k is that of the search. Numbers: R², at least -1. Pairs: log
    /// probability.
    pub accuracy: f64,
    /// `1/m Σ_i ln max(p_i, 0.001)` over the m rows held out, p_i of the class of row i given the others.
    pub log_p: f64,
}

/// An R² is no lower: one fold that went wrong should not decide a mean.
const WORST_R2: f64 = -1.0;

/// The log probability of a pair where none can be computed.
const WORST_LOG_P: f64 = -1e3;

impl HeldOut {
    /// The score of an encoder on the part held out, among the training part; the worst where its embedding is not
    /// finite.
    pub(super) fn measured<D: TrainingData>(
        encoder: &AnyEncoder,
        validation: &Validation<'_, D>,
        (rule, neighbors): (&Rule, usize),
    ) -> Self {
        let &Validation { x, train, x_held_out, held_out, fit } = validation;
        let score = |score: f64, worst: f64| {
            let score = if score.is_finite() { score.max(worst) } else { worst };
            Self { accuracy: score, log_p: score }
        };
        match (train.as_any_data(), held_out.as_any_data()) {
            (AnyData::Classes(labeled), AnyData::Classes(others)) => {
                let references = (&encoder.forward(x.clone()), labeled);
                let queries = (&encoder.forward(x_held_out.clone()), others);
                let measured = Self::of_classes(rule, references, queries, neighbors);
                measured.unwrap_or_else(|_| Self::worst())
            }
            (AnyData::Numbers(train), AnyData::Numbers(held_out)) => {
                let validation = Validation { x, train, x_held_out, held_out, fit };
                let r2 = match rule {
                    Rule::Neighbors => Some(kernel_r2_score(validation)(encoder)),
                    _ => numbers_by(rule, encoder, &validation).ok().and_then(|scores| scores.r2()),
                };
                score(r2.unwrap_or(f64::NAN), WORST_R2)
            }
            (AnyData::Pairs(train), AnyData::Pairs(held_out)) => {
                let validation = Validation { x, train, x_held_out, held_out, fit };
                score(PairNca::new().held_out_score(validation)(encoder), WORST_LOG_P)
            }
            _ => Self::worst(),
        }
    }

    /// What an embedding that is not finite gets: every row is wrong.
    pub(super) fn worst() -> Self {
        Self { accuracy: 0.0, log_p: FLOOR.ln() }
    }

    /// Scores rows held out, `[m, k]`, among the training rows, `[n, k]`.
    fn of_classes(
        rule: &Rule,
        (references, train): (&Tensor<2>, &Labeled),
        (queries, held_out): (&Tensor<2>, &Labeled),
        neighbors: usize,
    ) -> Result<Self> {
        let (labels, truth) = (train.labels(), held_out.labels());
        let references = ClassReferences {
            weights: train.weights(),
            ..ClassReferences::new(references, labels, train.classes())
        };
        let probabilities = rule.probabilities(queries, references, None)?;
        let logs = truth.iter().enumerate();
        let sum: f64 = logs
            .map(|(row, &class)| probabilities.log_probabilities(row)[class].max(FLOOR.ln()))
            .sum();
        let k = neighbors.min(labels.len());
        let predicted = rule.classes(queries, references, &[k], None)?;
        let predicted = predicted.into_iter().next().unwrap_or_default();
        Ok(Self {
            accuracy: Accuracy::of(&predicted, truth)?.value().unwrap_or(0.0),
            log_p: sum / truth.len().max(1) as f64,
        })
    }
}
