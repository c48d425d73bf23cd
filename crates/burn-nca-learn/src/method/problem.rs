//! What a method is given, and what it gives.

use burn::tensor::{DType, Device, Tensor};
use serde::Serialize;

use super::start;
use crate::data::{Coincidences, Features, Labeled, RegressionData, TensorFeatures, TrainingData};
use crate::encoder::{AnyEncoder, EncoderConfig};
use crate::error::Result;
use crate::fit::{FitConfig, FitIdentity, FitSummary, HeldOutScore, ResolvedStart, identity};
use crate::neighbors::Rule;

/// What a method is given: scaled rows, and the settings that all methods share.
pub struct Problem<'a, D> {
    /// The scaled rows, all of them: early stopping holds out its part later.
    pub data: &'a D,
    /// Number of embedding dimensions that is asked for, k.
    pub d_output: usize,
    /// Which map is asked for.
    pub encoder: EncoderConfig,
    /// How to fit.
    pub fit: &'a FitConfig,
    /// A fitted map to start from instead (a warm start).
    pub start: Option<AnyEncoder>,
    /// Where to compute, without autodiff.
    pub device: Device,
    /// The number type to compute in.
    pub dtype: DType,
    /// Scores the map after each step, in the place of a part that early stopping holds out: so a search measures a fit on its
    /// way, of a method whose number of steps it tries and whose rule is that of the nearest neighbors.
    pub score: Option<&'a HeldOutScore<'a, AnyEncoder>>,
}

impl<'a, D> Problem<'a, D> {
    /// The same problem of other data, or of the same data seen otherwise.
    pub fn with_data<T>(&self, data: &'a T) -> Problem<'a, T> {
        Problem {
            data,
            d_output: self.d_output,
            encoder: self.encoder.clone(),
            fit: self.fit,
            start: self.start.clone(),
            device: self.device.clone(),
            dtype: self.dtype,
            score: self.score,
        }
    }
}

impl<D: TrainingData> Problem<'_, D> {
    /// The scaled features of some rows on the device, `[n, d]`.
    pub fn tensor(&self, data: &D) -> Tensor<2> {
        data.features().to_tensor(&self.device, self.dtype)
    }

    /// The rows to learn from, and those that early stopping holds out.
    pub(crate) fn split(&self) -> Result<(D, Option<D>)> {
        let Some(stop) = &self.fit.early_stopping else { return Ok((self.data.clone(), None)) };
        let (train, held_out) = self.data.hold_out(stop.share, self.fit.seed)?;
        Ok((train, Some(held_out)))
    }

    /// The map that a fit starts from, and the rule that it came from: the warm start, or that of the settings.
    ///
    /// # Errors
    /// A size that cannot be built, a start that the map or the data do not have.
    pub fn start_encoder(&self) -> Result<(AnyEncoder, Option<ResolvedStart>)> {
        if let Some(encoder) = &self.start {
            return Ok((encoder.clone(), None));
        }
        let size = (self.fit, self.d_output);
        start::build(&self.encoder, size, self.data.as_any_data(), &self.device)
    }

    /// What distinguishes this problem from others, for a checkpoint; `settings` are those of the method.
    pub fn identity(&self, settings: &impl Serialize) -> FitIdentity {
        identity(self.data.as_any_data(), &(settings, &self.encoder, self.d_output))
    }
}

/// What a method gives: the map, how to predict in its space, and how the fit went.
#[derive(Debug)]
pub struct Learned<E = AnyEncoder> {
    /// The map, without autodiff.
    pub encoder: E,
    /// How the training rows decide about others.
    pub rule: Rule,
    /// How the fit went.
    pub summary: FitSummary,
}

/// Data that are those of another type, or hold them: a table with targets holds its features.
pub trait Holds<T> {
    /// The data of that type.
    fn held(&self) -> &T;
}

impl<T> Holds<T> for T {
    fn held(&self) -> &T {
        self
    }
}

/// Tables that hold their features.
macro_rules! hold_features {
    ($($data:ty),+) => {
        $(impl Holds<Features> for $data {
            fn held(&self) -> &Features {
                self.features()
            }
        })+
    };
}

hold_features!(Labeled, RegressionData, Coincidences);
