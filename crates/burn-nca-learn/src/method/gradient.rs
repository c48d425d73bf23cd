//! Methods that minimize an objective over the map: scale, start, split, minimize and summarize are here once.

use std::fmt::Debug;
use web_time::Instant;

use burn::module::Module;
use burn::nn::loss::Reduction;
use burn::tensor::{DType, Device, Tensor};

use super::{Learned, Method, Problem};
use crate::data::{
    AnyData, Features, Labeled, RegressionData, Scaling, ScalingKind, TensorFeatures, TrainingData,
    host_values,
};
use crate::device::{has_f64, runs_on_host};
use crate::encoder::{Encoder, EncoderConfig, cast, output_width};
use crate::error::{Error, Result};
use crate::evaluate::{RegressionScores, expected_accuracy};
use crate::fit::{
    self, FitConfig, FitIdentity, FitSession, FitSummary, HeldOutScore, Inputs, ResolvedStart,
    Solution, SumsSummary, minimize_prepared,
};
use crate::neighbors::{ClassReferences, Numbers, Rule};
use crate::objective::transfer::int_tensor;
use crate::objective::{
    CandidateLoss, Candidates, DataTarget, NcaLossConfig, Objective, kernel_means,
};
use burn_nca::MetricModel;
use burn_nca::fit::exact::sums_taken;

/// Values of a table from which on a fit by mini-batches takes its rows from there.
const LARGE: usize = 1 << 22;

/// The rows that are learned from and those held out, to score an encoder by.
#[derive(Debug)]
pub struct Validation<'a, D> {
    /// The scaled features of the rows that it is fitted on, `[n, d]`, in the number type of the fit.
    pub x: &'a Tensor<2>,
    /// These rows.
    pub train: &'a D,
    /// The scaled features of the rows that it is scored on.
    pub x_held_out: &'a Tensor<2>,
    /// These rows.
    pub held_out: &'a D,
    /// How it is fitted.
    pub fit: &'a FitConfig,
}

/// A method that minimizes an objective over the map, by its gradient.
pub trait GradientMethod: Method {
    /// What is minimized.
    type Objective: Objective;

    /// The objective at these settings, with its parameters, if it has some, on the device and in the number type of the fit.
    fn objective(&self, device: &Device, dtype: DType) -> Self::Objective;

    /// What the terms of the objective are about, for the (scaled) rows that are learned from.
    ///
    /// # Errors
    /// Rows that it cannot be made of.
    fn target(
        &self,
        train: &Self::Data,
        device: &Device,
    ) -> Result<<Self::Objective as Objective>::Target>;

    /// A rule of its own, as it is before anything is learned.
    fn own_rule(&self) -> Option<Rule> {
        None
    }

    /// The score of an encoder on a held-out part, for early stopping; larger is better. By default, of classes and numbers, by
    /// its own rule, if it has one, else [`expected_accuracy_score`] and [`kernel_r2_score`].
    ///
    /// A score that cannot be computed is `-∞`: the fit itself reports an embedding that is not finite.
    fn held_out_score<'a, E: Encoder>(
        &self,
        Validation { x, train, x_held_out, held_out, fit }: Validation<'a, Self::Data>,
    ) -> Box<HeldOutScore<'a, E>> {
        match (train.as_any_data(), held_out.as_any_data()) {
            (AnyData::Classes(train), AnyData::Classes(held_out)) => {
                let validation = Validation { x, train, x_held_out, held_out, fit };
                match self.own_rule() {
                    Some(rule) => expected_accuracy_by(rule, validation),
                    None => expected_accuracy_score(validation),
                }
            }
            (AnyData::Numbers(train), AnyData::Numbers(held_out)) => {
                let validation = Validation { x, train, x_held_out, held_out, fit };
                match self.own_rule() {
                    Some(rule) => absolute_error_by(rule, validation),
                    None => kernel_r2_score(validation),
                }
            }
            _ => Box::new(|_| f64::NEG_INFINITY),
        }
    }

    /// How the training rows decide about others, by the objective as it was learned.
    fn rule(&self, _objective: &Self::Objective) -> Rule {
        self.own_rule().unwrap_or(Rule::Neighbors)
    }
}

/// [`Method::learn`] of a gradient method: from the start of the settings, or a warm start.
///
/// # Errors
/// A start that cannot be had, and what [`minimize`](crate::fit::minimize) refuses.
pub fn learn<M: GradientMethod>(
    method: &M,
    problem: &Problem<'_, M::Data>,
    session: FitSession<'_>,
) -> Result<Learned> {
    learn_encoder(method, problem.start_encoder()?, problem, (problem.score, session))
}

/// The same for an encoder of any type, from where it is.
pub(crate) fn learn_encoder<M: GradientMethod, E: Encoder>(
    method: &M,
    (encoder, start): (E, Option<ResolvedStart>),
    problem: &Problem<'_, M::Data>,
    (watched, session): (Option<&HeldOutScore<'_, E>>, FitSession<'_>),
) -> Result<Learned<E>> {
    let started = Instant::now();
    let (data, fit, device) = (problem.data, problem.fit, &problem.device);
    let (train, held_out) = problem.split()?;
    // Mini-batches arrange the rows of a batch; a copy of a large table would be for nothing.
    let train = if fit.optimizer.batches().is_some() { train } else { train.arranged() };
    train.check()?;
    let whole = held_out.is_some()
        || train.unlabeled().is_some()
        || <M::Objective as Objective>::MOVING_TARGET;
    let by_rows = !whole && takes_rows(fit, train.features(), device);
    let x = (!by_rows).then(|| problem.tensor(&train));
    let x_held_out = held_out.as_ref().map(|held_out| problem.tensor(held_out));
    let parts = x.as_ref().zip(held_out.as_ref().zip(x_held_out.as_ref()));
    let score = parts.map(|(x, (held_out, x_held_out))| {
        method.held_out_score::<E>(Validation { x, train: &train, x_held_out, held_out, fit })
    });
    let kind = EncoderConfig::of(&encoder);
    let all = x.clone().map(|x| match train.unlabeled() {
        Some(others) => Tensor::cat(vec![x, others.to_tensor(device, problem.dtype)], 0),
        None => x,
    });
    let points = match &all {
        Some(all) => all.into(),
        None => Inputs::Table { features: train.features(), device, dtype: problem.dtype },
    };
    let target = method.target(&train, device)?;
    let run = GradientFit {
        encoder,
        objective: method.objective(device, problem.dtype),
        x: points,
        target: &target,
        held_out: watched.or(score.as_deref()),
        identity: &|| problem.identity(&(method, &kind)),
    };
    let solution = run.fit(problem.d_output, fit, session)?;
    let sums = sums_of(&solution.module, points, &target, fit);
    let (model, summary) = FitSummary::of(solution, start, started);
    let summary = FitSummary { sums, ..summary };
    Ok(Learned {
        encoder: model.encoder,
        rule: method.rule(&model.objective),
        summary: summary.with_rows(&train, data),
    })
}

/// How the sums over pairs are computed at the end of a fit; of mini-batches, those of one.
fn sums_of<E: Encoder, O: Objective>(
    model: &MetricModel<E, O>,
    x: Inputs<'_>,
    target: &O::Target,
    fit: &FitConfig,
) -> Option<SumsSummary> {
    let taken = match fit.optimizer.batches() {
        None => sums_taken(model, &x.all(), target),
        Some(batches) => {
            let rows: Vec<usize> = (0..batches.batch_rows(x.dims()[0])).collect();
            sums_taken(model, &x.rows(&rows), &target.subset(&rows))
        }
    };
    taken.and_then(SumsSummary::of)
}

/// The device of a fit to k dimensions, without autodiff, and its number type.
pub(crate) fn resolve_device(
    config: &FitConfig,
    device: &Device,
    k: usize,
) -> Result<(Device, DType)> {
    let device = device.clone().inner();
    let dtype = config.precision.dtype();
    if !device.supports_dtype(dtype) || (dtype == DType::F64 && !has_f64(&device)) {
        return Err(Error::setting(format!(
            "the device {device:?} has no {dtype:?} numbers; fit with f32 there"
        )));
    }
    config.sums().check(&device, dtype, k)?;
    Ok((device, dtype))
}

/// An encoder at its start, an objective, and the rows to learn from.
pub(crate) struct GradientFit<'a, E: Encoder, O: Objective> {
    pub(crate) encoder: E,
    pub(crate) objective: O,
    /// The scaled features, `[n, d]`, on the device and in the number type of the fit.
    pub(crate) x: Inputs<'a>,
    pub(crate) target: &'a O::Target,
    pub(crate) held_out: Option<&'a HeldOutScore<'a, E>>,
    /// What a checkpoint recognizes the fit by.
    pub(crate) identity: &'a dyn Fn() -> FitIdentity,
}

impl<E: Encoder, O: Objective> GradientFit<'_, E, O> {
    /// Fits the encoder to k dimensions, and what the objective learns besides; they come back without autodiff.
    pub(crate) fn fit(
        self,
        k: usize,
        config: &FitConfig,
        session: FitSession<'_>,
    ) -> Result<Solution<MetricModel<E, O>>> {
        let encoder = prepare(self.encoder, self.x.dtype(), &self.x.device());
        check_encoder(&encoder, &self.x, k)?;
        let objective = match config.sums {
            Some(sums) => self.objective.with_sums(sums),
            None => self.objective,
        };
        let problem = fit::Problem {
            model: MetricModel::new(encoder, cast(objective, self.x.dtype())).train(),
            x: self.x,
            target: self.target,
            held_out: self.held_out,
            identity: Some(self.identity),
        };
        let solution = minimize_prepared(&problem, config, session)?;
        Ok(solution.map(|model| model.valid()))
    }
}

/// The encoder on a device and in a number type, without autodiff: its parameters must become leaves again.
pub(crate) fn prepare<E: Encoder>(encoder: E, dtype: DType, device: &Device) -> E {
    cast(encoder.valid().to_device(device), dtype)
}

/// Holds the sizes of an encoder against those that were asked for, by the embedding of two rows.
fn check_encoder<E: Encoder>(encoder: &E, x: &Inputs<'_>, k: usize) -> Result<()> {
    let some: Vec<usize> = (0..x.dims()[0].min(2)).collect();
    let found = output_width(encoder, x.rows(&some))?;
    if found != k {
        return Err(Error::setting(format!(
            "d_output is {k}, but the encoder embeds in {found} dimensions; give d_output = {found}"
        )));
    }
    Ok(())
}

/// Whether a fit takes the rows of its batches from the table: of one so large that a tensor of it would count, and
/// where that costs no transfer.
fn takes_rows(fit: &FitConfig, features: &Features, device: &Device) -> bool {
    let large = features.rows() * features.columns() >= LARGE;
    large && fit.optimizer.batches().is_some() && runs_on_host(device)
}

/// The expected accuracy of held-out rows among the training rows: the mean of their p_i, which one outlier does not decide. In
/// the number type of the fit, by the pass over pairs that its objective takes.
///
/// ```text
/// p_i = exp(log Σ_{j of the class of i} exp(-||z_i - z_j||²) - log Σ_j exp(-||z_i - z_j||²))
/// ```
pub fn expected_accuracy_score<'a, E: Encoder>(
    Validation { x, train, x_held_out, held_out, fit }: Validation<'a, Labeled>,
) -> Box<HeldOutScore<'a, E>> {
    let [known, asked] = [train, held_out].map(|data| int_tensor(data.labels(), &x.device()));
    let sum = NcaLossConfig::new().with_reduction(Reduction::Sum).with_sums(fit.sums()).init();
    let rows = held_out.rows() as f64;
    Box::new(move |encoder| {
        let references = encoder.forward(x.clone());
        let queries = encoder.forward(x_held_out.clone());
        let candidates = Candidates::of_others(references, known.clone());
        let f = sum.forward_among(queries, asked.clone(), &candidates).neg();
        let mean = f.into_scalar::<f64>() / rows;
        if mean.is_finite() { mean } else { f64::NEG_INFINITY }
    })
}

/// The expected accuracy of held-out rows among the training rows, by a rule of its own.
fn expected_accuracy_by<'a, E: Encoder>(
    rule: Rule,
    Validation { x, train, x_held_out, held_out, .. }: Validation<'a, Labeled>,
) -> Box<HeldOutScore<'a, E>> {
    Box::new(move |encoder| {
        let embedding = encoder.forward(x.clone());
        let references = ClassReferences::new(&embedding, train.labels(), train.classes());
        let found = rule.probabilities(&encoder.forward(x_held_out.clone()), references, None);
        let score = found.and_then(|found| expected_accuracy(&found, held_out.labels()));
        score.ok().flatten().unwrap_or(f64::NEG_INFINITY)
    })
}

/// The mean absolute error, negated, of the numbers of held-out rows, by a rule of its own.
fn absolute_error_by<'a, E: Encoder>(
    rule: Rule,
    validation: Validation<'a, RegressionData>,
) -> Box<HeldOutScore<'a, E>> {
    Box::new(move |encoder| {
        let error = numbers_by(&rule, encoder, &validation).ok().and_then(|scores| scores.mae());
        error.map_or(f64::NEG_INFINITY, |error| -error)
    })
}

/// How a rule of its own predicts the numbers of held-out rows from those of the training rows.
pub(crate) fn numbers_by<E: Encoder>(
    rule: &Rule,
    encoder: &E,
    Validation { x, train, x_held_out, held_out, .. }: &Validation<'_, RegressionData>,
) -> Result<RegressionScores> {
    let [queries, references] = [*x_held_out, *x].map(|x| encoder.forward(x.clone()));
    let known = train.targets();
    let numbers = Numbers::new(known.values(), known.columns()).with_weights(train.weights());
    let means = rule.kernel_means(&queries, &references, numbers, None)?;
    RegressionScores::of(&means, held_out.targets().values())
}

/// R² of held-out rows by the kernel rule among the training rows, all target columns together, in the number type of the fit.
pub fn kernel_r2_score<'a, E: Encoder>(
    Validation { x, train, x_held_out, held_out, fit }: Validation<'a, RegressionData>,
) -> Box<HeldOutScore<'a, E>> {
    let scale = Scaling::fit(ScalingKind::Standardize, train.targets());
    let scaled = |data: &RegressionData| scale.apply(data.targets());
    let known = scaled(train).map(|known| known.to_tensor(&x.device(), x.dtype()));
    let targets = known.and_then(|known| Ok((known, scaled(held_out)?)));
    Box::new(move |encoder| {
        let r2 = || -> Option<f64> {
            let (known, truth) = targets.as_ref().ok()?;
            let [queries, references] = [x_held_out, x].map(|x| encoder.forward(Tensor::clone(x)));
            let predicted = kernel_means(queries, references, known.clone(), fit.sums());
            let scores = RegressionScores::of(&host_values(predicted), truth.values()).ok()?;
            // Held-out rows of one target have no R²; their squared error, less the sign, orders as well.
            scores.r2().or_else(|| scores.rmse().map(|rmse| -rmse * rmse))
        };
        r2().filter(|r2| r2.is_finite()).unwrap_or(f64::NEG_INFINITY)
    })
}
