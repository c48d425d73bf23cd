//! The metric of k-NN accuracy among references.

use burn::tensor::TensorReadError;

use super::measure::host_labels;
use super::{EmbeddingMetric, Measure, Reading, Scale};
use crate::evaluate::{Embedded, held_out_accuracy};
use crate::train::ReferencedEmbedding;

/// The k-NN accuracy of validation points among a reference set, the measure the embedding is made for.
///
/// In %; exact, by Euclidean distance. The model must be a
/// [`ReferencedModel`](crate::train::ReferencedModel); in training, where the references are not embedded,
/// there is no value, so register it for validation: `.metric_valid_numeric(ReferenceAccuracy::new(5))`.
pub type ReferenceAccuracy = EmbeddingMetric<Reference>;

/// The measure behind [`ReferenceAccuracy`].
#[derive(Clone, Debug)]
pub struct Reference {
    k: usize,
}

impl ReferenceAccuracy {
    /// The accuracy of the vote of k neighbors.
    ///
    /// # Panics
    /// If k is 0.
    pub fn new(k: usize) -> Self {
        assert!(k > 0, "an accuracy needs at least one neighbor, got k = 0");
        Self::of(Reference { k })
    }
}

impl Measure for Reference {
    type Input = ReferencedEmbedding;

    fn name(&self) -> String {
        format!("{}-NN accuracy", self.k)
    }

    fn description(&self) -> String {
        format!("share of the rows that {} rows of the reference set classify rightly", self.k)
    }

    fn scale(&self) -> Scale {
        Scale { unit: Some("%"), higher_is_better: true }
    }

    fn measure(&self, input: &ReferencedEmbedding) -> Result<Reading, TensorReadError> {
        let Some(references) = &input.references else {
            return Ok(Reading::default());
        };
        let known = host_labels(&references.target.labels)?;
        let truth = host_labels(&input.queries.target.labels)?;
        let train = Embedded::new(&references.points, &known);
        let test = Embedded::new(&input.queries.points, &truth);
        let percent = held_out_accuracy(train, test, self.k)
            .map(|accuracy| accuracy.value().map(|value| (100.0 * value, accuracy.total())));
        Ok(Reading::of(percent))
    }
}
