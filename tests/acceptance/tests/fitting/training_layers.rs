//! Encoders with layers that behave differently in training: dropout and batch normalization.

use std::collections::HashSet;
use std::sync::Mutex;

use burn::module::Module;
use burn::nn::{BatchNorm, BatchNormConfig, Dropout, DropoutConfig, Linear, LinearConfig};
use burn::tensor::{DType, Device, Tensor};
use burn_nca_learn::data::{TensorFeatures, host_values as host, stratified_split};
use burn_nca_learn::encoder::{Encoder, cast};
use burn_nca_learn::evaluate::expected_accuracy;
use burn_nca_learn::fit::exact::{self, BlockConfig};
use burn_nca_learn::fit::parameters::{assign, flatten, flatten_gradients};
use burn_nca_learn::fit::{
    ConjugateGradientConfig, EarlyStoppingConfig, FitSession, LbfgsConfig, OptimizerConfig,
    StochasticConfig, disable_training_flags,
};
use burn_nca_learn::neighbors::class_probabilities;
use burn_nca_learn::objective::{ClassIndex, NcaLossConfig};
use burn_nca_learn::{Fitted, MetricModel};

use crate::fitting::{fit_encoder, iris, stop_after, with};

/// A network with one of the layers, or both.
#[derive(Module, Debug)]
struct Layered {
    hidden: Linear,
    norm: Option<BatchNorm>,
    dropout: Option<Dropout>,
    output: Linear,
}

impl Encoder for Layered {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let mut z = self.hidden.forward(x);
        if let Some(norm) = &self.norm {
            z = norm.forward(z);
        }
        if let Some(dropout) = &self.dropout {
            z = dropout.forward(z);
        }
        self.output.forward(z.tanh())
    }
}

fn layered(norm: bool, dropout: bool) -> Layered {
    let device = Device::flex();
    Layered {
        hidden: LinearConfig::new(4, 6).init(&device),
        norm: norm.then(|| BatchNormConfig::new(6).init(&device)),
        dropout: dropout.then(|| DropoutConfig::new(0.3).init()),
        output: LinearConfig::new(6, 2).init(&device),
    }
}

fn adam() -> OptimizerConfig {
    let settings = StochasticConfig::new().with_epochs(Some(12)).with_batch_size(Some(50));
    OptimizerConfig::Adam(settings.with_learning_rate(Some(0.05)))
}

fn statistics(encoder: &Layered) -> Vec<f64> {
    let norm = encoder.valid().norm.unwrap();
    let tensors = [norm.running_mean.value(), norm.running_var.value()];
    tensors.into_iter().flat_map(host).collect()
}

#[test]
fn full_batch_solvers_refuse_what_gives_another_function_at_each_pass() {
    let exact = [
        OptimizerConfig::Lbfgs(LbfgsConfig::new()),
        OptimizerConfig::ConjugateGradient(ConjugateGradientConfig::new()),
    ];
    for optimizer in exact {
        let fit = |encoder: Layered| {
            let mut config = with(optimizer.clone());
            config.fit.stop_at = Some(2);
            fit_encoder(&config, encoder)
        };
        let norm = fit(layered(true, false)).unwrap_err().to_string();
        assert!(norm.starts_with("the layer encoder.norm (BatchNorm): "), "{norm}");
        assert!(norm.contains("mini-batches") && norm.contains("disable_training_flags"), "{norm}");
        let both = fit(layered(true, true)).unwrap_err().to_string();
        assert!(both.contains("(BatchNorm), the layer encoder.dropout (Dropout)"), "{both}");
        // Both cures, and a network without such layers.
        fit(disable_training_flags(layered(true, true))).unwrap();
        fit(layered(false, false)).unwrap();
    }
    fit_encoder(&with(adam()), layered(true, true)).unwrap();
}

#[test]
fn the_exact_gradient_is_that_of_the_exact_value() {
    let device = Device::flex();
    let data = iris();
    let x = data.features().to_tensor(&device, DType::F64);
    let classes = ClassIndex::new(data.labels(), &device).unwrap();
    let encoder = cast(layered(true, true), DType::F64);
    let model = MetricModel::new(encoder, NcaLossConfig::new().init()).train();
    let blocks = BlockConfig::new();
    let at =
        |position: &[f64]| exact::value(&assign(model.clone(), position), &x, &classes, &blocks);
    let before = statistics(&model.encoder);
    let start = flatten(&model);
    let found = exact::value_and_gradient(&model, &x, &classes, &blocks);
    let gradient = flatten_gradients(&model, &found.gradients);
    assert!((found.value - at(&start)).abs() < 1e-9 * found.value.abs());
    let squares: f64 = gradient.iter().map(|g| g * g).sum();
    let step = 1e-5 / squares.sqrt();
    let moved = |sign: f64| -> Vec<f64> {
        start.iter().zip(&gradient).map(|(x, g)| x + sign * step * g).collect()
    };
    let slope = (at(&moved(1.0)) - at(&moved(-1.0))) / (2.0 * step);
    assert!((slope - squares).abs() < 1e-5 * squares, "{slope} {squares}");
    let again = exact::value_and_gradient(&model, &x, &classes, &blocks);
    assert_eq!(again.value, found.value);
    assert_eq!(statistics(&model.encoder), before);
}

#[test]
fn a_fit_moves_its_own_statistics_and_not_the_caller_s() {
    let encoder = layered(true, false);
    let before = statistics(&encoder);
    let fitted = fit_encoder(&with(adam()), encoder.clone()).unwrap();
    assert_eq!(statistics(&encoder), before);
    assert_ne!(statistics(&fitted.encoder), before);
}

#[test]
fn early_stopping_returns_the_statistics_of_its_best_epoch() {
    let data = iris();
    let stop = EarlyStoppingConfig::new().with_patience(100);
    let mut config = with(adam());
    config.fit.early_stopping = Some(stop.clone());
    let fitted = fit_encoder(&config, layered(true, false)).unwrap();
    let history = &fitted.summary().history;
    let best = history.iter().filter_map(|step| step.held_out).fold(0.0, f64::max);
    // The same rows held out, scored by what came back.
    let split = stratified_split(data.labels(), stop.share, config.fit.seed).unwrap();
    let (train, held_out) = (data.select(&split.train), data.select(&split.test));
    let references = fitted.transform(train.features()).unwrap();
    let queries = fitted.transform(held_out.features()).unwrap();
    let p = class_probabilities(&queries, &references, train.labels(), 3, None).unwrap();
    let returned = expected_accuracy(&p, held_out.labels()).unwrap().unwrap();
    assert!((returned - best).abs() < 1e-5, "best {best}, returned {returned}");
}

#[test]
fn batch_normalization_resumes_from_every_epoch_to_the_same_bits() {
    let (data, device, encoder) = (iris(), Device::flex(), layered(true, false));
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = folder.path().join("fit.checkpoint");
    let mut config = with(adam());
    config.fit.early_stopping = Some(EarlyStoppingConfig::new().with_patience(100));
    let fit = |session: FitSession<'_>| -> Fitted<Layered> {
        config.estimator().fit_encoder(encoder.clone(), &data, &device, session).unwrap()
    };
    let whole = fit(FitSession::new());
    for epoch in 1..=12 {
        let mut stop = stop_after(epoch);
        fit(FitSession::new().with_progress(&mut stop).with_checkpoint(&checkpoint));
        let resumed = fit(FitSession::new().with_checkpoint(&checkpoint));
        assert_eq!(host(resumed.references().clone()), host(whole.references().clone()));
        assert_eq!(statistics(&resumed.encoder), statistics(&whole.encoder));
        assert_eq!(resumed.summary().value, whole.summary().value);
    }
}

/// The seeds that [`Seeded`] was given.
static SEEDS: Mutex<Vec<u64>> = Mutex::new(Vec::new());

/// A network with dropout that writes down its seeds instead of using them.
#[derive(Module, Debug)]
struct Seeded {
    network: Layered,
}

impl Encoder for Seeded {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        self.network.forward(x)
    }

    fn forward_seeded(&self, x: Tensor<2>, seed: u64) -> Option<Tensor<2>> {
        SEEDS.lock().unwrap().push(seed);
        Some(self.network.output.forward(self.network.hidden.forward(x).tanh()))
    }
}

#[test]
fn each_batch_draws_by_a_seed_of_its_own_which_is_that_of_another_fit() {
    let encoder = Seeded { network: layered(false, true) };
    let seeds = || {
        fit_encoder(&with(adam()), encoder.clone()).unwrap();
        std::mem::take(&mut *SEEDS.lock().unwrap())
    };
    let first = seeds();
    assert_eq!(first.iter().collect::<HashSet<_>>().len(), 12 * 3);
    assert_eq!(seeds(), first);
}
