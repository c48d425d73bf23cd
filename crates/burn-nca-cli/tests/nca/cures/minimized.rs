//! Minimizers, sums over pairs and targets of objectives as callers of the library have them.

use burn::tensor::{DType, Device, Int, Tensor, TensorData};
use burn_nca_data::{Agreements, Error, Pairs, Result, ScalingKind, TrainingData};
use burn_nca_learn::encoder::{Encoder, EncoderConfig, HiddenLayers, LinearMap};
use burn_nca_learn::fit::{
    EarlyStoppingConfig, FitConfig, FitIdentity, FitSession, HeldOutScore, LbfgsConfig,
    OptimizerConfig, Precision, Problem, Start, StochasticConfig, Termination,
    disable_training_flags, minimize,
};
use burn_nca_learn::objective::{
    AgreementIndex, CandidateLoss, Candidates, ClassIndex, ClassTarget, Criterion, DataTarget,
    NcaLoss, NcaLossConfig, Objective, PairIndex, PairLoss, PairLossConfig, TargetIndex,
};
use burn_nca_learn::{MetricModel, Sums};

use super::learned::{data, device, estimator};
use super::worded::{Refused, caught, refused};

/// Rows of two features.
const ROWS: usize = 6;

pub(super) fn all() -> Vec<Refused> {
    [settings(), problems(), ends(), sums(), targets()].into_iter().flatten().collect()
}

fn rows(scale: f64, dtype: DType) -> Tensor<2> {
    let row = |row: usize| [scale * row as f64, scale * (row * row % 5) as f64];
    let values: Vec<f64> = (0..ROWS).flat_map(row).collect();
    Tensor::from_data(TensorData::new(values, [ROWS, 2]), (&device(), dtype))
}

fn classes(rows: usize) -> ClassIndex {
    let labels: Vec<usize> = (0..rows).map(|row| row % 2).collect();
    ClassIndex::new(&labels, &device()).unwrap()
}

fn map(scale: f64, k: usize, device: &Device, dtype: DType) -> LinearMap {
    let weight = [scale, 0.0, 0.0, 0.0, scale, 0.0];
    let weight: Vec<f64> = weight.chunks(3).flat_map(|row| row[..k].to_vec()).collect();
    LinearMap::from_weight(&weight, [2, k], device, dtype)
}

/// A fit and what it is a fit of.
struct Fit {
    config: FitConfig,
    loss: NcaLoss,
    dtype: DType,
    /// The scale of the features and that of the start.
    scales: [f64; 2],
    k: usize,
    is_held_out: bool,
}

impl Fit {
    fn of(config: FitConfig) -> Self {
        let (loss, dtype) = (NcaLossConfig::new().init(), DType::F32);
        Self { config, loss, dtype, scales: [1.0, 0.5], k: 2, is_held_out: false }
    }

    fn run(self) -> Result<Termination> {
        let Self { config, loss, dtype, scales: [scale, start], k, is_held_out } = self;
        let (x, classes) = (rows(scale, dtype), classes(ROWS));
        let model = MetricModel::new(map(start, k, &device().autodiff(), dtype), loss);
        let score = |_: &LinearMap| 0.0;
        let held_out = is_held_out.then_some(&score as &HeldOutScore<'_, LinearMap>);
        let problem = Problem { held_out, ..Problem::new(model, &x, &classes) };
        Ok(minimize(&problem, &config, FitSession::new())?.termination)
    }

    /// The sentence of this end as an error, where the fit ends so.
    fn unless(self, end: Termination) -> Result<()> {
        match self.run()? {
            found if found == end => Err(Error::data(end.sentence())),
            _ => Ok(()),
        }
    }
}

fn adam(batches: StochasticConfig) -> FitConfig {
    FitConfig::new().with_optimizer(OptimizerConfig::Adam(batches.with_epochs(Some(2))))
}

/// Settings that a minimizer has no use for.
fn settings() -> Vec<Refused> {
    let fit = FitConfig::new;
    let run = |config| Fit::of(config).run();
    let stopping = || fit().with_early_stopping(Some(EarlyStoppingConfig::new()));
    let share = EarlyStoppingConfig::new().with_share(0.3);
    let share = fit().with_early_stopping(Some(share));
    let held_out = |config| Fit { is_held_out: true, ..Fit::of(config) }.run();
    let of_type =
        |dtype, precision| Fit { dtype, ..Fit::of(fit().with_precision(precision)) }.run();
    let plain = NcaLossConfig::new().init().with_sums(Sums::Plain);
    vec![
        refused(run(fit().with_start(Start::Pca)))
            .by("build its encoder there, and leave the setting at Auto", run(fit())),
        refused(run(fit().with_start_perplexity(Some(3.0)))).by(
            "scale its embedding there (perplexity_factor), and leave the setting out",
            run(fit()),
        ),
        refused(run(fit().with_scaling(ScalingKind::MinMax))).by(
            "scale them (Scaling::fit, apply), and leave the setting at its default",
            Fit { scales: [0.1, 1.0], ..Fit::of(fit()) }.run(),
        ),
        refused(run(fit().with_sums(Some(Sums::Plain)))).by(
            "ask it for them (Objective::with_sums), and leave the setting out",
            Fit { loss: plain, ..Fit::of(fit()) }.run(),
        ),
        refused(run(stopping())).by("give Problem::held_out", held_out(stopping())),
        refused(held_out(share)).by(
            "hold that share out there, and leave the setting at its default",
            held_out(stopping()),
        ),
        refused(of_type(DType::F32, Precision::F64))
            .by(
                "give features of that type (Features::to_tensor)",
                of_type(DType::F64, Precision::F64),
            )
            .by("another precision", of_type(DType::F32, Precision::F32)),
    ]
}

/// Fits one pair of the rows.
fn fit_pairs(loss: PairLoss, dtype: DType, config: &FitConfig) -> Result<()> {
    let x = rows(1.0, dtype);
    let pairs = PairIndex::new(&Pairs::new(ROWS, vec![(0, 1, 1.0)]).unwrap(), &device());
    let model = MetricModel::new(map(0.5, 2, &device().autodiff(), dtype), loss);
    minimize(&Problem::new(model, &x, &pairs), config, FitSession::new()).map(drop)
}

/// Fits the rows by a loss of classes.
fn fit_classes<E: Encoder>(encoder: E, points: usize, config: &FitConfig) -> Result<()> {
    let (x, classes) = (rows(1.0, DType::F32), classes(points));
    let model = MetricModel::new(encoder, NcaLossConfig::new().init());
    minimize(&Problem::new(model, &x, &classes), config, FitSession::new()).map(drop)
}

fn problems() -> Vec<Refused> {
    let fit = FitConfig::new;
    let on = |device: &Device, points| fit_classes(map(0.5, 2, device, DType::F32), points, &fit());
    let folder = tempfile::tempdir().unwrap();
    let recognized = |is_named: bool| {
        let (x, classes) = (rows(1.0, DType::F32), classes(ROWS));
        let encoder = map(0.5, 2, &device().autodiff(), DType::F32);
        let model = MetricModel::new(encoder, NcaLossConfig::new().init());
        let identity = || estimator("nca", 2).identity(data().as_any_data());
        let identity = is_named.then_some(&identity as &dyn Fn() -> FitIdentity);
        let problem = Problem { identity, ..Problem::new(model, &x, &classes) };
        let session = FitSession::new().with_checkpoint(&folder.path().join("checkpoint.json"));
        minimize(&problem, &fit(), session).map(drop)
    };
    let pairs = |candidates| {
        let batches = StochasticConfig::new().with_batch_size(Some(4)).with_candidates(candidates);
        fit_pairs(PairLossConfig::new().init(), DType::F32, &adam(batches))
    };
    let network = |config: FitConfig, is_disabled: bool| {
        let layers = HiddenLayers { dropout: 0.5, ..vec![3].into() };
        let encoder = EncoderConfig::Mlp(layers).init(2, 2, &device().autodiff());
        let encoder = if is_disabled { disable_training_flags(encoder) } else { encoder };
        fit_classes(encoder, ROWS, &config)
    };
    let autodiff = device().autodiff();
    vec![
        refused(on(&device(), ROWS)).by(
            "put it on an autodiff device (`device.autodiff()`) and do not freeze every parameter",
            on(&autodiff, ROWS),
        ),
        refused(on(&autodiff, ROWS - 1)).by("give a target of these rows", on(&autodiff, ROWS)),
        refused(recognized(false)).by("give `Problem::identity`", recognized(true)),
        refused(pairs(Some(5))).by("leave the setting out", pairs(None)),
        refused(network(fit(), false))
            .by("fit by mini-batches (Adam)", network(adam(StochasticConfig::new()), false))
            .by(
                "let it behave as in validation with `burn_nca::fit::disable_training_flags(encoder)`",
                network(fit(), true),
            ),
    ]
}

/// Fits that end before they converge.
fn ends() -> Vec<Refused> {
    let fit = || FitConfig::new().with_l2(0.1);
    let steps = |max_iterations| {
        let lbfgs = LbfgsConfig::new().with_max_iterations(max_iterations);
        Fit::of(fit().with_optimizer(OptimizerConfig::Lbfgs(lbfgs)))
            .unless(Termination::MaxIterations)
    };
    let budget =
        |seconds| Fit::of(fit().with_time_budget(Some(seconds))).unless(Termination::TimeBudget);
    let batch = |rows| {
        let batches = StochasticConfig::new().with_batch_size(Some(rows));
        Fit::of(adam(batches)).unless(Termination::NoStep)
    };
    let far = |config: FitConfig, criterion, scales| {
        let loss = NcaLossConfig::new().with_criterion(criterion).init();
        Fit { loss, scales, ..Fit::of(config) }.unless(Termination::Saturated)
    };
    let saturated = |criterion, scales| far(FitConfig::new(), criterion, scales);
    let not_finite =
        |scales| Fit { scales, ..Fit::of(FitConfig::new()) }.unless(Termination::NonFinite);
    vec![
        refused(steps(1)).by("raise max_iterations.", steps(200)),
        refused(budget(1e-9)).by("raise time_budget.", budget(60.0)),
        refused(batch(2)).by(
            "in no batch did a row have both a row of its class and a row of another; raise batch_size.",
            batch(ROWS),
        ),
        refused(saturated(Criterion::F, [1e3, 1.0]))
            .by("use criterion g", saturated(Criterion::G, [1e3, 1.0]))
            .by("an L2 penalty", far(fit(), Criterion::F, [1e3, 1.0]))
            .by("scale the features", saturated(Criterion::F, [1.0, 1.0]))
            .by("the start down.", saturated(Criterion::F, [1e3, 1e-3])),
        refused(not_finite([1e20, 1e20]))
            .by("scale the features", not_finite([1.0, 1.0]))
            .by("start from a smaller module.", not_finite([1e20, 1e-20])),
    ]
}

fn sums() -> Vec<Refused> {
    let check = |sums: Sums, dtype| sums.check(&device(), dtype, 1);
    let fit = |sums, k, dtype, precision| {
        let loss = NcaLossConfig::new().init().with_sums(sums);
        let config = FitConfig::new().with_precision(precision);
        caught(|| Fit { loss, k, dtype, ..Fit::of(config) }.run())?
    };
    let in_f64 = |sums, k| fit(sums, k, DType::F64, Precision::F64);
    let pairs = |sums| {
        let loss = PairLossConfig::new().init().with_sums(sums);
        let config = FitConfig::new().with_precision(Precision::F64);
        caught(|| fit_pairs(loss, DType::F64, &config))?
    };
    let total = |sums| {
        let loss = NcaLossConfig::new().init().with_sums(sums);
        caught(|| loss.total(rows(1.0, DType::F16), &classes(ROWS))).map(drop)
    };
    let series = Sums::Fourier(1e-8);
    vec![
        refused(total(Sums::Fused))
            .by("choose Sums::Auto", total(Sums::Auto))
            .by("Sums::Plain", total(Sums::Plain)),
        refused(check(Sums::Fourier(1.0), DType::F64))
            .by("give a number from 1e-13 to 1e-4, such as 1e-8", check(series, DType::F64)),
        refused(check(Sums::Fused, DType::F16))
            .by("give plain sums", check(Sums::Plain, DType::F16))
            .by("leave it to the program (auto)", check(Sums::Auto, DType::F16)),
        refused(in_f64(series, 3))
            .by("embed in 1 or 2 dimensions on flex", in_f64(series, 2))
            .by("choose Sums::Auto", in_f64(Sums::Auto, 3)),
        refused(pairs(series)).by("choose Sums::Auto", pairs(Sums::Auto)),
    ]
}

fn targets() -> Vec<Refused> {
    let agreements = |labels: &[Option<usize>]| {
        AgreementIndex::new(&Agreements::of_labels(labels), &device()).map(drop)
    };
    let labels = |labels: &[usize]| ClassIndex::new(labels, &device()).map(drop);
    let both = |other| caught(|| (classes(ROWS), classes(other)).points());
    let numbers = |values: &[f64], columns| TargetIndex::new(values, columns, &device()).map(drop);
    let batch = |rows: usize| {
        let loss = NcaLossConfig::new().init();
        let labels = Tensor::<1, Int>::zeros([rows], &device());
        caught(|| loss.forward(Tensor::<2>::zeros([rows, 2], &device()), labels))
    };
    let among = |label: i32| {
        let z = || rows(1.0, DType::F32).slice([0..2]);
        let ids = || Tensor::<1, Int>::from_ints([4, 7], &device());
        let labels = |second: i32| Tensor::<1, Int>::from_ints([0, second], &device());
        let target = ClassTarget { labels: labels(label), ids: ids() };
        let candidates = Candidates::of_samples(z(), target, ids());
        let loss = NcaLossConfig::new().init();
        caught(|| loss.forward_among(z(), labels(1), &candidates))
    };
    vec![
        refused(among(2)).by("a sample has one class", among(1)),
        refused(agreements(&[None, None]))
            .by("at least two are needed", agreements(&[Some(0), Some(0)])),
        refused(labels(&[])).by("at least two are needed", labels(&[0, 0])),
        refused(both(ROWS - 1)).by("give two of the same rows", both(ROWS)),
        refused(numbers(&[1.0, 2.0, 3.0], 2))
            .by("give rows x columns values, and at least one row", numbers(&[1.0, 2.0], 2)),
        refused(numbers(&[1.0, f64::NAN], 1))
            .by("correct it", numbers(&[1.0, 2.0], 1))
            .by("remove the row", numbers(&[1.0], 1)),
        refused(batch(0)).by("a loss needs at least one, so leave empty batches out", batch(2)),
    ]
}
