//! How well an embedding serves rows that it was not learnt from.

use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

use crate::data::Labelled;
use crate::error::Result;
use crate::evaluate::{Embedded, held_out_accuracy};
use crate::neighbors::class_probabilities;

/// A row whose class is less probable than this counts as if it were as probable: one outlier should not
/// decide a mean of logarithms.
const FLOOR: f64 = 1e-3;

/// How well an embedding serves rows that it was not learnt from.
///
/// Settings are compared by the accuracy. The log probability tells equal accuracies apart; by itself it
/// prefers wide kernels to near neighbours that are right.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldOut {
    /// The accuracy of the k nearest neighbours, 0..1; k is that of the search.
    pub accuracy: f64,
    /// `1/m Σ_i ln max(p_i, 0.001)` over the m rows held out, p_i of the class of row i given the others.
    pub log_p: f64,
}

impl HeldOut {
    /// What an embedding that is not finite gets: every row is wrong.
    pub(super) fn worst() -> Self {
        Self { accuracy: 0.0, log_p: FLOOR.ln() }
    }

    /// Scores rows held out, `[m, k]`, among the training rows, `[n, k]`.
    ///
    /// # Errors
    /// Coordinates that are not finite.
    pub(super) fn of(
        (references, train): (&Tensor<2>, &Labelled),
        (queries, held_out): (&Tensor<2>, &Labelled),
        neighbors: usize,
    ) -> Result<Self> {
        let (labels, truth) = (train.labels(), held_out.labels());
        let probabilities =
            class_probabilities(queries, references, labels, train.classes(), None)?;
        let log_p = |(row, &class): (usize, &usize)| {
            probabilities.log_probabilities(row)[class].max(FLOOR.ln())
        };
        let sum: f64 = truth.iter().enumerate().map(log_p).sum();
        let accuracy = held_out_accuracy(
            Embedded { points: references, labels },
            Embedded { points: queries, labels: truth },
            neighbors.min(labels.len()),
        )?;
        Ok(Self {
            accuracy: accuracy.value().unwrap_or(0.0),
            log_p: sum / truth.len().max(1) as f64,
        })
    }
}
