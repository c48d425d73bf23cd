//! The metric of spread, which warns of a collapse.

use burn::tensor::{Tensor, TensorReadError};

use super::{EmbeddingMetric, Measure, Reading, Scale};
use crate::evaluate::{Collapse, Spread};

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

    fn name(&self) -> String {
        "Embedding spread".to_string()
    }

    fn description(&self) -> String {
        "total variance of the embedding, with a warning when it collapses".to_string()
    }

    fn scale(&self) -> Scale {
        Scale { unit: None, higher_is_better: true }
    }

    fn measure(&self, input: &Tensor<2>) -> Result<Reading, TensorReadError> {
        let [rows, _] = input.dims();
        let spread = match Spread::of(input) {
            Ok(Some(spread)) => spread,
            Ok(None) => return Ok(Reading::default()),
            Err(error) => return Ok(Reading::of(Err(error))),
        };
        let value = Some((spread.total_variance, rows));
        Ok(Reading { value, remark: Some(remark(&spread)) })
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
