//! Scaled data and where to compute, from which a fitted model is made.

use burn::tensor::{DType, Device};

use super::embedding::embed;
use super::{Fitted, ModelCard};
use crate::data::{Scaling, TrainingData};
use crate::encoder::Encoder;
use crate::error::Result;
use crate::method::Learned;

/// Data that are scaled, and where to compute.
pub(super) struct ScaledData<D> {
    pub scaling: Scaling,
    pub scaled: D,
    pub device: Device,
    pub dtype: DType,
}

impl<D: TrainingData> ScaledData<D> {
    /// The model: what was learned, and the embedded training rows.
    ///
    /// # Errors
    /// None: the rows are scaled.
    pub fn fitted<E: Encoder>(&self, learned: Learned<E>, card: ModelCard) -> Result<Fitted<E>> {
        let Learned { encoder, rule, summary } = learned;
        let place = (&self.device, self.dtype);
        let references = embed(&encoder, self.scaled.features(), None, place)?;
        // A method may give another number of dimensions than asked for: one map per class, one after the other.
        let [_, d_output] = references.dims();
        Ok(Fitted {
            encoder,
            card: ModelCard { d_output, ..card },
            scaling: self.scaling.clone(),
            targets: self.scaled.training_targets(),
            references,
            rule,
            decision: None,
            summary,
            preparation: None,
        })
    }
}
