//! Settings of fits and encoders out of their range, minimizers, sums over pairs and targets of objectives, as callers of the
//! library have them.

use burn::tensor::{DType, Device, Int, Tensor, TensorData};
use burn_nca_data::{Agreements, Pairs, Result, ScalingKind, TrainingData};
use burn_nca_learn::encoder::{Encoder, EncoderConfig, HiddenLayers, LinearMap, ModernConfig};
use burn_nca_learn::fit::{
    EarlyStoppingConfig, FitConfig, FitIdentity, FitSession, HeldOutScore, LbfgsConfig,
    OptimizerConfig, Precision, Problem, SgdConfig, Start, StochasticConfig,
    disable_training_flags, minimize,
};
use burn_nca_learn::objective::{
    AgreementIndex, CandidateLoss, Candidates, ClassIndex, ClassTarget, DataTarget, NcaLoss,
    NcaLossConfig, Objective, PairIndex, PairLoss, PairLossConfig, TargetIndex,
};
use burn_nca_learn::{MetricModel, Sums};

use super::calls::{Refused, caught, refused, varied};
use super::learned::{data, device, estimator, kept};

/// Rows of two features.
const ROWS: usize = 6;

pub(super) fn all() -> Vec<Refused> {
    [ranges(), encoders(), settings(), problems(), sums(), targets()]
        .into_iter()
        .flatten()
        .collect()
}

fn adam(batches: StochasticConfig) -> FitConfig {
    FitConfig::new().with_optimizer(OptimizerConfig::Adam(batches.with_epochs(Some(2))))
}

/// Settings of fits out of their range.
fn ranges() -> Vec<Refused> {
    let fit = FitConfig::new;
    let stopping = |share, patience| {
        let stop = EarlyStoppingConfig::new().with_share(share).with_patience(patience);
        fit().with_early_stopping(Some(stop)).check()
    };
    let with = |optimizer| fit().with_optimizer(optimizer).check();
    let batches = StochasticConfig::new;
    let candidates = |candidates, batch| {
        let batches = batches().with_batch_size(Some(batch));
        adam(batches.with_candidates(Some(candidates))).check()
    };
    let both = batches().with_candidates(Some(9)).with_nearest_candidates(Some(9));
    vec![
        varied([-1.0, 0.001], |l2| fit().with_l2(l2).check()),
        varied([1.0, 15.0], |rows| fit().with_start_perplexity(Some(rows)).check()),
        varied([1.0, 0.2], |share| stopping(share, 9)),
        varied([0, 1], |patience| stopping(0.2, patience)),
        varied([0.0, 1.0], |seconds| fit().with_time_budget(Some(seconds)).check()),
        varied([-1.0, 1e-6], |tolerance| {
            with(OptimizerConfig::Lbfgs(LbfgsConfig::new().with_tolerance_gradient(tolerance)))
        }),
        varied([1.0, 0.9], |momentum| {
            with(OptimizerConfig::Sgd(SgdConfig::new().with_momentum(momentum)))
        }),
        varied([1, 2], |rows| adam(batches().with_batch_size(Some(rows))).check()),
        varied([0.0, 0.01], |rate| adam(batches().with_learning_rate(Some(rate))).check()),
        varied([-1.0, 0.01], |decay| adam(batches().with_weight_decay(Some(decay))).check()),
        refused(candidates(4, 8))
            .by("give as many candidates or more", candidates(8, 8))
            .by("a smaller batch", candidates(4, 4)),
        refused(adam(both).check()).cured(candidates(8, 8)),
    ]
}

/// Encoders out of their range.
fn encoders() -> Vec<Refused> {
    let mlp = |hidden: &[usize], k| EncoderConfig::mlp(hidden).check_size(2, k);
    let layers = |layers: HiddenLayers| EncoderConfig::Mlp(layers).check_size(2, 1);
    vec![
        varied([0, 1], |units| mlp(&[units], 1)),
        varied([101, 100], |count| mlp(&vec![2; count], 1)),
        refused(mlp(&[9000, 9000], 9000))
            .by("ask for fewer dimensions", mlp(&[3000, 9000], 100))
            .by("smaller hidden layers", mlp(&[1000, 1000], 9000)),
        varied([257, 256], |width| EncoderConfig::mlp(&[width]).check_activations([2, 1], 1 << 20)),
        varied([1.0, 0.0], |dropout| layers(HiddenLayers { dropout, ..vec![3].into() })),
        varied([-1.0, 0.0], |noise| layers(HiddenLayers { noise, ..vec![3].into() })),
        varied([0, 2], |members| ModernConfig { members, ..ModernConfig::default() }.check(2)),
    ]
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

fn map(k: usize, device: &Device, dtype: DType) -> LinearMap {
    let weight: Vec<f64> =
        [[0.5, 0.0, 0.0], [0.0, 0.5, 0.0]].iter().flat_map(|row| row[..k].to_vec()).collect();
    LinearMap::from_weight(&weight, [2, k], device, dtype)
}

/// A fit of the classes by a loss, and what is special about it.
struct Fit {
    config: FitConfig,
    loss: NcaLoss,
    dtype: DType,
    k: usize,
    is_held_out: bool,
}

impl Fit {
    fn of(config: FitConfig) -> Self {
        let (loss, dtype) = (NcaLossConfig::new().init(), DType::F32);
        Self { config, loss, dtype, k: 2, is_held_out: false }
    }

    fn run(self) -> Result<()> {
        let (x, classes) = (rows(1.0, self.dtype), classes(ROWS));
        let model = MetricModel::new(map(self.k, &device().autodiff(), self.dtype), self.loss);
        let score = |_: &LinearMap| 0.0;
        let held_out = self.is_held_out.then_some(&score as &HeldOutScore<'_, LinearMap>);
        let problem = Problem { held_out, ..Problem::new(model, &x, &classes) };
        minimize(&problem, &self.config, FitSession::new()).map(drop)
    }
}

/// Settings that a minimizer has no use for.
fn settings() -> Vec<Refused> {
    let fit = FitConfig::new;
    let run = |config| Fit::of(config).run();
    let stopping = || fit().with_early_stopping(Some(EarlyStoppingConfig::new()));
    let share = EarlyStoppingConfig::new().with_share(0.3);
    let held_out = |config| Fit { is_held_out: true, ..Fit::of(config) }.run();
    let of_type =
        |dtype, precision| Fit { dtype, ..Fit::of(fit().with_precision(precision)) }.run();
    let plain = NcaLossConfig::new().init().with_sums(Sums::Plain);
    vec![
        varied([Start::Pca, Start::Auto], |start| run(fit().with_start(start))),
        varied([Some(3.0), None], |rows| run(fit().with_start_perplexity(rows))),
        refused(run(fit().with_scaling(ScalingKind::MinMax))).cured(run(fit())),
        refused(run(fit().with_sums(Some(Sums::Plain))))
            .cured(Fit { loss: plain, ..Fit::of(fit()) }.run()),
        refused(run(stopping())).cured(held_out(stopping())),
        refused(held_out(fit().with_early_stopping(Some(share)))).cured(held_out(stopping())),
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
    let model = MetricModel::new(map(2, &device().autodiff(), dtype), loss);
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
    let on = |device: &Device, points| fit_classes(map(2, device, DType::F32), points, &fit());
    let folder = tempfile::tempdir().unwrap();
    let recognized = |is_named: bool| {
        let (x, classes) = (rows(1.0, DType::F32), classes(ROWS));
        let encoder = map(2, &device().autodiff(), DType::F32);
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
    let mut calls = vec![
        refused(on(&device(), ROWS)).cured(on(&autodiff, ROWS)),
        varied([ROWS - 1, ROWS], |points| on(&autodiff, points)),
        varied([false, true], recognized),
        varied([Some(5), None], pairs),
        refused(network(fit(), false))
            .by("fit by mini-batches (Adam)", network(adam(StochasticConfig::new()), false))
            .by(
                "let it behave as in validation with `burn_nca::fit::disable_training_flags(encoder)`",
                network(fit(), true),
            ),
    ];
    calls.extend(kept("delete it to start again", |k, file| {
        let session = FitSession::new().with_checkpoint(file).keep_checkpoint();
        estimator("nca", k).fit_session(&data(), &device(), session).map(drop)
    }));
    calls
}

fn sums() -> Vec<Refused> {
    let check = |sums: Sums, dtype| sums.check(&device(), dtype, 1);
    let in_f64 = || FitConfig::new().with_precision(Precision::F64);
    let fit = |sums, k| {
        let loss = NcaLossConfig::new().init().with_sums(sums);
        caught(|| Fit { loss, k, dtype: DType::F64, ..Fit::of(in_f64()) }.run())?
    };
    let pairs = |sums| {
        let loss = PairLossConfig::new().init().with_sums(sums);
        caught(|| fit_pairs(loss, DType::F64, &in_f64()))?
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
        varied([Sums::Fourier(1.0), series], |sums| check(sums, DType::F64)),
        refused(check(Sums::Fused, DType::F16))
            .by("give plain sums", check(Sums::Plain, DType::F16))
            .by("leave it to the program (auto)", check(Sums::Auto, DType::F16)),
        refused(fit(series, 3))
            .by("embed in 1 or 2 dimensions on flex", fit(series, 2))
            .by("choose Sums::Auto", fit(Sums::Auto, 3)),
        varied([series, Sums::Auto], pairs),
    ]
}

fn targets() -> Vec<Refused> {
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
        varied([2, 1], among),
        varied([None, Some(0)], |label| {
            AgreementIndex::new(&Agreements::of_labels(&[label, label]), &device()).map(drop)
        }),
        varied([0, 2], |rows| ClassIndex::new(&vec![0; rows], &device()).map(drop)),
        varied([ROWS - 1, ROWS], |rows| caught(|| (classes(ROWS), classes(rows)).points())),
        refused(numbers(&[1.0, 2.0, 3.0], 2)).cured(numbers(&[1.0, 2.0], 2)),
        refused(numbers(&[1.0, f64::NAN], 1))
            .by("correct it", numbers(&[1.0, 2.0], 1))
            .by("remove the row", numbers(&[1.0], 1)),
        varied([0, 2], batch),
    ]
}
