//! One fold of a cross-validation: rows to learn from, rows held out, and fits measured on the way.

use std::cell::RefCell;

use burn::module::Module;
use burn::tensor::{Device, Tensor};

use super::HeldOut;
use crate::NcaConfig;
use crate::data::{Labelled, Scaling, Split, TrainingData};
use crate::encoder::{AnyEncoder, Encoder};
use crate::error::Result;
use crate::fit::{FitSession, OnProgress, Problem, Termination, minimise_prepared};
use crate::method::GradientMethod;
use crate::method::run::prepare;
use crate::method::start;
use crate::model::MetricModel;
use crate::objective::ClassIndex;

/// The two parts of the data, scaled by the first.
pub(super) struct Fold {
    train: Labelled,
    held_out: Labelled,
    x: Tensor<2>,
    x_held_out: Tensor<2>,
    classes: ClassIndex,
    device: Device,
    neighbors: usize,
}

/// A fit, measured at the rungs of the ladder of steps that it reached, and where it ended.
pub(super) struct Climb {
    /// Steps and what the embedding was worth after them, in order; the last is the end of the fit.
    pub measured: Vec<(usize, HeldOut)>,
    /// Why the fit ended.
    pub termination: Termination,
}

impl Fold {
    pub fn new(
        split: &Split,
        data: &Labelled,
        config: &NcaConfig,
        (device, neighbors): (&Device, usize),
    ) -> Result<Self> {
        let device = device.clone().inner();
        let dtype = config.fit.precision.dtype();
        let train = data.select(&split.train).arranged();
        let held_out = data.select(&split.test);
        let scaling = Scaling::fit(config.fit.scaling, train.features());
        let train = train.with_features(scaling.apply(train.features())?)?;
        let held_out = held_out.with_features(scaling.apply(held_out.features())?)?;
        Ok(Self {
            x: train.features().to_tensor(&device, dtype),
            x_held_out: held_out.features().to_tensor(&device, dtype),
            classes: ClassIndex::of(&train, &device)?,
            train,
            held_out,
            device,
            neighbors,
        })
    }

    /// Fits the training part from its start, measuring the embedding at these numbers of steps.
    pub fn climb(
        &self,
        config: &NcaConfig,
        ladder: &[usize],
        watch: &mut OnProgress<'_>,
        ends: &dyn Fn() -> bool,
    ) -> Result<Climb> {
        let map = (&config.fit, config.d_output);
        let (encoder, _) = start::build(&config.encoder, map, self.train.any(), &self.device)?;
        let encoder = prepare(encoder, config.fit.precision.dtype(), &self.device);
        let measured = RefCell::new(Vec::new());
        if ladder.first() == Some(&0) {
            measured.borrow_mut().push((0, self.measure(&encoder)));
        }
        let steps = RefCell::new(0);
        // The score of a step is its number: the last step is then the best, and the fit returns where it ended.
        let number = |encoder: &AnyEncoder| {
            let mut steps = steps.borrow_mut();
            *steps += 1;
            if ladder.contains(&steps) {
                measured.borrow_mut().push((*steps, self.measure(encoder)));
            }
            *steps as f64
        };
        let model = MetricModel::new(encoder, config.method().objective()).train();
        let problem =
            Problem { held_out: Some(&number), ..Problem::new(model, &self.x, &self.classes) };
        let session = FitSession::new().with_progress(watch).with_end(ends);
        let solution = minimise_prepared(&problem, &config.fit, session)?;
        let mut measured = measured.into_inner();
        if measured.last().is_none_or(|(steps, _)| *steps < solution.iterations) {
            let end = self.measure(&solution.module.encoder.valid());
            measured.push((solution.iterations, end));
        }
        Ok(Climb { measured, termination: solution.termination })
    }

    fn measure(&self, encoder: &AnyEncoder) -> HeldOut {
        let references = encoder.forward(self.x.clone());
        let queries = encoder.forward(self.x_held_out.clone());
        HeldOut::of((&references, &self.train), (&queries, &self.held_out), self.neighbors)
            .unwrap_or_else(|_| HeldOut::worst())
    }
}
