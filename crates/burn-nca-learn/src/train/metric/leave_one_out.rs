//! The metric of leave-one-out k-NN accuracy within a batch.

use burn::tensor::TensorReadError;

use super::measure::host_labels;
use super::{EmbeddingMetric, Measure, Reading, Scale};
use crate::evaluate::{Embedded, leave_one_out_accuracy};
use crate::train::LabeledEmbedding;

/// The leave-one-out k-NN accuracy within each batch: every row is classified by the others.
///
/// In %; exact, by Euclidean distance. A batch of k rows or fewer has none. Batches are small, so this is a
/// sign of progress rather than the accuracy of the embedding: see
/// [`ReferenceAccuracy`](super::ReferenceAccuracy).
pub type LeaveOneOutAccuracy = EmbeddingMetric<LeaveOneOut>;

/// The measure behind [`LeaveOneOutAccuracy`].
#[derive(Clone, Debug)]
pub struct LeaveOneOut {
    k: usize,
}

impl LeaveOneOutAccuracy {
    /// The accuracy of the vote of k neighbors.
    ///
    /// # Panics
    /// If k is 0.
    pub fn new(k: usize) -> Self {
        assert!(k > 0, "an accuracy needs at least one neighbor, got k = 0");
        Self::of(LeaveOneOut { k })
    }
}

impl Measure for LeaveOneOut {
    type Input = LabeledEmbedding;

    fn name(&self) -> String {
        format!("Leave-one-out {}-NN accuracy", self.k)
    }

    fn description(&self) -> String {
        format!("share of a batch's rows that {} other rows of it classify rightly", self.k)
    }

    fn scale(&self) -> Scale {
        Scale { unit: Some("%"), higher_is_better: true }
    }

    fn measure(&self, input: &LabeledEmbedding) -> Result<Reading, TensorReadError> {
        let labels = host_labels(&input.target.labels)?;
        if labels.len() <= self.k {
            return Ok(Reading::default());
        }
        let embedded = Embedded::new(&input.points, &labels);
        let accuracy = leave_one_out_accuracy(embedded, self.k);
        let percent = accuracy
            .map(|accuracy| accuracy.value().map(|value| (100.0 * value, accuracy.total())));
        Ok(Reading::of(percent))
    }
}
