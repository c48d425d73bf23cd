//! The metric of the expected accuracy of the stochastic rule.

use burn::tensor::TensorReadError;

use super::measure::host_labels;
use super::{EmbeddingMetric, Measure, Reading, Scale};
use crate::error::Result as CrateResult;
use crate::evaluate::expected_accuracy;
use crate::neighbors::leave_one_out_probabilities;
use crate::train::LabeledEmbedding;

/// The mean p_i of a batch: the expected accuracy of a neighbor drawn by the paper's kernel, f/n.
///
/// In %; of the squared Euclidean distance at temperature 1, whatever the loss. It sees the scale of the
/// embedding, which a k-NN accuracy does not.
pub type SoftAccuracy = EmbeddingMetric<Soft>;

/// The measure behind [`SoftAccuracy`].
#[derive(Clone, Debug, Default)]
pub struct Soft;

impl Measure for Soft {
    type Input = LabeledEmbedding;

    fn name(&self) -> String {
        "Soft accuracy".to_string()
    }

    fn description(&self) -> String {
        "mean probability of drawing a neighbor of the row's own class (p_i)".to_string()
    }

    fn scale(&self) -> Scale {
        Scale { unit: Some("%"), higher_is_better: true }
    }

    fn measure(&self, input: &LabeledEmbedding) -> Result<Reading, TensorReadError> {
        let labels = host_labels(&input.target.labels)?;
        if labels.len() < 2 {
            return Ok(Reading::default());
        }
        let classes = labels.iter().max().map_or(0, |label| label + 1);
        let percent = || -> CrateResult<Option<(f64, usize)>> {
            let probabilities = leave_one_out_probabilities(&input.points, &labels, classes)?;
            let mean = expected_accuracy(&probabilities, &labels)?;
            Ok(mean.map(|mean| (100.0 * mean, labels.len())))
        };
        Ok(Reading::of(percent()))
    }
}
