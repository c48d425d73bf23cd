//! Encoders with layers that behave differently in training: dropout and batch normalization.

use std::collections::HashSet;
use std::sync::Mutex;

use acceptance::compare::assert_slopes;
use acceptance::setup::{at_block, classes};
use burn::module::Module;
use burn::tensor::{DType, Device, Tensor};
use burn_nca_learn::data::{TensorFeatures, host_values as host, stratified_split};
use burn_nca_learn::encoder::{Encoder, cast};
use burn_nca_learn::evaluate::expected_accuracy;
use burn_nca_learn::fit::exact::{self, BlockConfig};
use burn_nca_learn::fit::parameters::{assign, flatten};
use burn_nca_learn::fit::{
    ConjugateGradientConfig, EarlyStoppingConfig, FitSession, LbfgsConfig, OptimizerConfig,
    StochasticConfig, disable_training_flags,
};
use burn_nca_learn::neighbors::class_probabilities;
use burn_nca_learn::objective::NcaLossConfig;
use burn_nca_learn::{Fitted, MetricModel};

use crate::fitting::{Layered, fit_encoder, iris, stop_after, with};

fn layered(norm: bool, dropout: bool) -> Layered {
    super::layered(&Device::flex(), norm, dropout)
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
    let data = iris();
    let x = data.features().to_tensor(&Device::flex(), DType::F64);
    let classes = classes(data.labels());
    let encoder = cast(layered(true, true), DType::F64);
    let model = MetricModel::new(encoder, NcaLossConfig::new().init()).train();
    let before = statistics(&model.encoder);
    let (value, gradient) = at_block(&model, &x, &classes, 150);
    assert_slopes(&gradient, &flatten(&model), (1e-5, 1e-6), "slopes", |position| {
        exact::value(&assign(model.clone(), position), &x, &classes, &BlockConfig::new())
    });
    assert_eq!(at_block(&model, &x, &classes, 150).0, value);
    assert_eq!(statistics(&model.encoder), before);
}

#[test]
fn a_fit_moves_its_own_statistics_and_returns_those_of_its_best_epoch() {
    let data = iris();
    let stop = EarlyStoppingConfig::new().with_patience(100);
    let mut config = with(adam());
    config.fit.early_stopping = Some(stop.clone());
    let encoder = layered(true, false);
    let before = statistics(&encoder);
    let fitted = fit_encoder(&config, encoder.clone()).unwrap();
    assert_eq!(statistics(&encoder), before);
    assert_ne!(statistics(&fitted.encoder), before);
    let history = &fitted.summary().history;
    let best = history.iter().filter_map(|step| step.held_out).fold(0.0, f64::max);
    // The same rows held out, scored by what came back.
    let split = stratified_split(data.labels(), stop.share, config.fit.seed).unwrap();
    let (train, held_out) = (data.select(&split.train), data.select(&split.test));
    let [references, queries] =
        [&train, &held_out].map(|part| fitted.transform(part.features()).unwrap());
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
