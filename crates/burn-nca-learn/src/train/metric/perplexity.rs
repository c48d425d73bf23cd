//! The metric of perplexity.

use burn::tensor::{Tensor, TensorReadError};

use super::{EmbeddingMetric, Measure, Reading, Scale};
use crate::evaluate::perplexities;

/// The mean perplexity of a batch: how many neighbors the kernel of a row effectively counts.
///
/// From 1 (the nearest has all the weight) to n - 1 (all rows weigh the same: the embedding is too small, or
/// has collapsed).
pub type NeighborPerplexity = EmbeddingMetric<Perplexity>;

/// The measure behind [`NeighborPerplexity`].
#[derive(Clone, Debug, Default)]
pub struct Perplexity;

impl Measure for Perplexity {
    type Input = Tensor<2>;

    fn name(&self) -> String {
        "Neighbor perplexity".to_string()
    }

    fn description(&self) -> String {
        "mean number of neighbors a row's kernel effectively counts, exp(H_i)".to_string()
    }

    fn scale(&self) -> Scale {
        Scale { unit: None, higher_is_better: false }
    }

    fn measure(&self, input: &Tensor<2>) -> Result<Reading, TensorReadError> {
        let mean = perplexities(input).map(|all| {
            (!all.is_empty()).then(|| (all.iter().sum::<f64>() / all.len() as f64, all.len()))
        });
        Ok(Reading::of(mean))
    }
}
