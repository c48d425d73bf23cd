//! The metric of rows without a partner in their batch.

use burn::tensor::TensorReadError;

use super::measure::host_labels;
use super::{EmbeddingMetric, Measure, Reading, Scale};
use crate::train::LabeledEmbedding;

/// The share of a batch's rows that are the only ones of their class in it, in %.
///
/// They make no term of the loss: a batch of many of them teaches little. A
/// [`ClassBalancedLoader`](crate::train::ClassBalancedLoader) has none but for classes of one sample.
pub type RowsWithoutPositive = EmbeddingMetric<WithoutPositive>;

/// The measure behind [`RowsWithoutPositive`].
#[derive(Clone, Debug, Default)]
pub struct WithoutPositive;

impl Measure for WithoutPositive {
    type Input = LabeledEmbedding;

    fn name(&self) -> String {
        "Rows without positive".to_string()
    }

    fn description(&self) -> String {
        "share of a batch's rows that have no other row of their class in it".to_string()
    }

    fn scale(&self) -> Scale {
        Scale { unit: Some("%"), higher_is_better: false }
    }

    fn measure(&self, input: &LabeledEmbedding) -> Result<Reading, TensorReadError> {
        let labels = host_labels(&input.target.labels)?;
        let mut counts = vec![0; labels.iter().max().map_or(0, |label| label + 1)];
        labels.iter().for_each(|&label| counts[label] += 1);
        let without_positive = labels.iter().filter(|&&label| counts[label] == 1).count();
        let rows = labels.len();
        let value = (rows > 0).then(|| (100.0 * without_positive as f64 / rows as f64, rows));
        Ok(Reading { value, remark: None })
    }
}
