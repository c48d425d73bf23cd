//! One fold of a cross-validation: rows to learn from, rows held out, and fits measured on the way.

use std::cell::RefCell;

use burn::tensor::{Device, Tensor};

use super::HeldOut;
use crate::data::{Scaling, Split, TensorFeatures, TrainingData};
use crate::encoder::AnyEncoder;
use crate::error::Result;
use crate::estimator::scaled::ScaledData;
use crate::estimator::{Estimator, LearnsFrom};
use crate::fit::{FitConfig, FitSession, OnProgress, ResolvedStart, Start, Termination};
use crate::method::gradient::prepare;
use crate::method::{Problem, Uses, Validation};
use crate::neighbors::Rule;

/// The two parts of the data, scaled by the first.
pub(super) struct Fold<D> {
    train: ScaledData<D>,
    held_out: D,
    x: Tensor<2>,
    x_held_out: Tensor<2>,
    neighbors: usize,
}

/// A fit, measured at the points of the step grid that it reached, and where it ended.
pub(super) struct FoldScores {
    /// Steps and the score of the embedding after them, in order; the last is the end of the fit.
    pub measured: Vec<(usize, HeldOut)>,
    /// Which closed form the fit started from, if it was one.
    pub start: Option<Start>,
    /// Why the fit ended.
    pub termination: Termination,
}

impl<D: TrainingData> Fold<D> {
    pub fn new(
        split: &Split,
        data: &D,
        config: &Estimator,
        (device, neighbors): (&Device, usize),
    ) -> Result<Self> {
        let (device, dtype) = (device.clone().inner(), config.fit.precision.dtype());
        let mut scaled = data.part(&split.train)?.arranged();
        let scaling = Scaling::fit(config.fit.scaling, scaled.features());
        scaled.scale(&scaling)?;
        let mut held_out = data.part(&split.test)?;
        held_out.scale(&scaling)?;
        Ok(Self {
            x: scaled.features().to_tensor(&device, dtype),
            x_held_out: held_out.features().to_tensor(&device, dtype),
            train: ScaledData { scaling, scaled, device, dtype },
            held_out,
            neighbors,
        })
    }

    /// Fits the training part from its start, measuring the embedding at these numbers of steps by its neighbors, and at
    /// the end by the rule that was learned.
    pub fn score(
        &self,
        config: &Estimator,
        step_grid: &[usize],
        watch: &mut OnProgress<'_>,
        ends: &dyn Fn() -> bool,
    ) -> Result<FoldScores> {
        let (fit, problem) = (&config.fit, config.problem(None, &self.train));
        let measured = RefCell::new(Vec::new());
        if step_grid.first() == Some(&0) && config.method.info().uses.contains(&Uses::Start) {
            let (encoder, _) = problem.start_encoder()?;
            let encoder = prepare(encoder, problem.dtype, &problem.device);
            measured.borrow_mut().push((0, self.measured(&encoder, &Rule::Neighbors, fit)));
        }
        let steps = RefCell::new(0);
        // The score of a step is its number: the last step is then the best, and the fit returns where it ended.
        let number = |encoder: &AnyEncoder| {
            let mut steps = steps.borrow_mut();
            *steps += 1;
            if step_grid.contains(&steps) {
                measured.borrow_mut().push((*steps, self.measured(encoder, &Rule::Neighbors, fit)));
            }
            *steps as f64
        };
        let problem = Problem {
            // A fit that is measured at its end alone is that of the final model, without a score to follow.
            score: if step_grid.is_empty() { None } else { Some(&number) },
            ..problem
        };
        let session = FitSession::new().with_progress(watch).with_end(ends);
        let learned = config.method.learn_from(&problem, session)?;
        let end = learned.summary.iterations;
        let mut measured = measured.into_inner();
        if measured.last().is_none_or(|(steps, _)| *steps < end) {
            measured.push((end, self.measured(&learned.encoder, &learned.rule, fit)));
        }
        let start = match learned.summary.start {
            Some(ResolvedStart::Identity) => Some(Start::Identity),
            Some(ResolvedStart::Pca) => Some(Start::Pca),
            Some(ResolvedStart::Lda { .. }) => Some(Start::Lda),
            _ => None,
        };
        Ok(FoldScores { measured, start, termination: learned.summary.termination })
    }

    fn measured(&self, encoder: &AnyEncoder, rule: &Rule, fit: &FitConfig) -> HeldOut {
        let Self { x, train, x_held_out, held_out, .. } = self;
        let validation = Validation { x, train: &train.scaled, x_held_out, held_out, fit };
        HeldOut::measured(encoder, &validation, (rule, self.neighbors))
    }
}
