//! The metrics of a batch's points alone.

use burn::tensor::{Tensor, TensorReadError};

use super::{EmbeddingMetric, Measure, Reading};
use crate::evaluate::{Collapse, Spread, perplexities};

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
    const UNIT: Option<&'static str> = None;
    const HIGHER_IS_BETTER: bool = false;

    fn name(&self) -> String {
        "Neighbor perplexity".to_string()
    }

    fn description(&self) -> String {
        "mean number of neighbors a row's kernel effectively counts, exp(H_i)".to_string()
    }

    fn measure(&self, input: &Tensor<2>) -> Result<Reading, TensorReadError> {
        let mean = perplexities(input).map(|all| {
            (!all.is_empty()).then(|| (all.iter().sum::<f64>() / all.len() as f64, all.len()))
        });
        Ok(Reading::of(mean))
    }
}

/// The spread of the embedding of a batch, with a warning where it has collapsed.
///
/// The number is the total variance, in squared units of the embedding; the metric also gives the effective rank and,
/// where the rows have fallen onto one point or one line, a warning ([`Collapse`]).
pub type EmbeddingSpread = EmbeddingMetric<TotalVariance>;

/// The measure behind [`EmbeddingSpread`].
#[derive(Clone, Debug, Default)]
pub struct TotalVariance;

impl Measure for TotalVariance {
    type Input = Tensor<2>;
    const UNIT: Option<&'static str> = None;

    fn name(&self) -> String {
        "Embedding spread".to_string()
    }

    fn description(&self) -> String {
        "total variance of the embedding, with a warning when it collapses".to_string()
    }

    fn measure(&self, input: &Tensor<2>) -> Result<Reading, TensorReadError> {
        let [rows, _] = input.dims();
        Ok(match Spread::of(input) {
            Ok(Some(spread)) => Reading {
                value: Some((spread.total_variance, rows)),
                remark: Some(remark(&spread)),
            },
            other => Reading::of(other.map(|_| None)),
        })
    }
}

fn remark(spread: &Spread) -> String {
    let rank = match spread.effective_rank {
        Some(rank) => format!("effective rank {rank:.1} of {}", spread.dimensions),
        None => "all rows equal".to_string(),
    };
    match spread.collapse() {
        Some(Collapse::Point) => format!(
            "{rank}; WARNING: collapsed to a point; lower the learning rate, start larger, or add a repulsion"
        ),
        Some(Collapse::Line) => format!(
            "{rank}; WARNING: collapsed to a line; fine for two classes, else start larger or lower the \
             learning rate"
        ),
        None => rank,
    }
}
