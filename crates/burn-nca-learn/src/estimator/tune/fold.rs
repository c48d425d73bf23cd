//! One fold of a cross-validation: rows to learn from, rows held out, and fits measured on the way.

use std::cell::RefCell;

use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};

use crate::data::{AnyData, Labeled, Scaling, Split, TensorFeatures, TrainingData};
use crate::encoder::{AnyEncoder, Encoder};
use crate::error::Result;
use crate::estimator::estimate::ScaledData;
use crate::estimator::{Estimator, LearnsFrom};
use crate::evaluate::Accuracy;
use crate::fit::{FitConfig, FitSession, OnProgress, ResolvedStart, Start, Termination};
use crate::method::gradient::prepare;
use crate::method::{
    GradientMethod, PairNca, Problem, Uses, Validation, kernel_r2_score, numbers_by,
};
use crate::neighbors::{ClassReferences, Rule};

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

    /// The score of an encoder on the part held out, among the training part; the worst where its embedding is not
    /// finite.
    fn measured(&self, encoder: &AnyEncoder, rule: &Rule, fit: &FitConfig) -> HeldOut {
        let Self { x, x_held_out, neighbors, .. } = self;
        let score = |score: f64, worst: f64| {
            let score = if score.is_finite() { score.max(worst) } else { worst };
            HeldOut { accuracy: score, log_p: score }
        };
        match (self.train.scaled.as_any_data(), self.held_out.as_any_data()) {
            (AnyData::Classes(train), AnyData::Classes(held_out)) => {
                let references = (&encoder.forward(x.clone()), train);
                let queries = (&encoder.forward(x_held_out.clone()), held_out);
                let measured = HeldOut::of_classes(rule, references, queries, *neighbors);
                measured.unwrap_or_else(|_| HeldOut::worst())
            }
            (AnyData::Numbers(train), AnyData::Numbers(held_out)) => {
                let validation = Validation { x, train, x_held_out, held_out, fit };
                let r2 = match rule {
                    Rule::Neighbors => Some(kernel_r2_score(validation)(encoder)),
                    _ => numbers_by(rule, encoder, &validation).ok().and_then(|scores| scores.r2()),
                };
                score(r2.unwrap_or(f64::NAN), WORST_R2)
            }
            (AnyData::Pairs(train), AnyData::Pairs(held_out)) => {
                let validation = Validation { x, train, x_held_out, held_out, fit };
                score(PairNca::new().held_out_score(validation)(encoder), WORST_LOG_P)
            }
            _ => HeldOut::worst(),
        }
    }
}

/// The least probability of a class that counts: one outlier should not decide a mean of logarithms.
const FLOOR: f64 = 1e-3;

/// How well an embedding serves rows that it was not learned from.
///
/// Settings are compared by the accuracy. Where there are no classes both fields hold the same score: of numbers the R² of the
/// kernel rule, of pairs the weighted mean log probability of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldOut {
    /// The accuracy of the k nearest neighbors, 0..1; k is that of the search. Numbers: R², at least -1. Pairs: log
    /// probability.
    pub accuracy: f64,
    /// `1/m Σ_i ln max(p_i, 0.001)` over the m rows held out, p_i of the class of row i given the others.
    pub log_p: f64,
}

/// An R² is no lower: one fold that went wrong should not decide a mean.
const WORST_R2: f64 = -1.0;

/// The log probability of a pair where none can be computed.
const WORST_LOG_P: f64 = -1e3;

impl HeldOut {
    /// What an embedding that is not finite gets: every row is wrong.
    pub(super) fn worst() -> Self {
        Self { accuracy: 0.0, log_p: FLOOR.ln() }
    }

    /// Scores rows held out, `[m, k]`, among the training rows, `[n, k]`.
    fn of_classes(
        rule: &Rule,
        (references, train): (&Tensor<2>, &Labeled),
        (queries, held_out): (&Tensor<2>, &Labeled),
        neighbors: usize,
    ) -> Result<Self> {
        let (labels, truth) = (train.labels(), held_out.labels());
        let references = ClassReferences {
            weights: train.weights(),
            ..ClassReferences::new(references, labels, train.classes())
        };
        let soft = rule.probabilities(queries, references, None)?;
        let logs = truth.iter().enumerate().map(|(row, &class)| soft.log_probabilities(row)[class]);
        let sum: f64 = logs.map(|log_p| log_p.max(FLOOR.ln())).sum();
        let k = neighbors.min(labels.len());
        let predicted = rule.classes(queries, references, &[k], None)?.pop().unwrap_or_default();
        let accuracy = Accuracy::of(&predicted, truth)?.value().unwrap_or(0.0);
        Ok(Self { accuracy, log_p: sum / truth.len().max(1) as f64 })
    }
}
