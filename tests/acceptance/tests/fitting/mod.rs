//! Fits from end to end: determinism, interruption, optimizers, encoders of the user's own, saved models.

mod continuous;
mod modules;
mod resume;
mod stochastic;
mod training_layers;
mod units;

use std::ops::ControlFlow;
use std::path::Path;

use acceptance::data::lbfgs;
use burn::module::{Module, Param};
use burn::nn::{Linear, LinearConfig};
use burn::optim::SgdConfig as BurnSgd;
use burn::tensor::activation::tanh;
use burn::tensor::{Device, Tensor, TensorData};
use burn_nca_learn::data::{Features, Labeled, RegressionData, host_values};
use burn_nca_learn::encoder::Encoder;
use burn_nca_learn::fit::{
    EarlyStoppingConfig, FitConfig, FitSession, OptimizerConfig, Progress, Start, StochasticConfig,
    Termination,
};
use burn_nca_learn::{Fitted, NcaConfig};

fn iris() -> Labeled {
    burn_nca_data::bundled::iris()
}

fn with(optimizer: OptimizerConfig) -> NcaConfig {
    NcaConfig::new(4, 2).with_fit(FitConfig::new().with_optimizer(optimizer).with_seed(3))
}

fn bits(fitted: &Fitted) -> Vec<u64> {
    let of_network = || host_values(fitted.references().clone());
    fitted.matrix().unwrap_or_else(of_network).into_iter().map(f64::to_bits).collect()
}

/// Stops a fit after this many steps.
fn stop_after(steps: usize) -> impl FnMut(&Progress) -> ControlFlow<Termination> {
    move |progress| match progress.iteration == steps {
        true => ControlFlow::Break(Termination::Stopped),
        false => ControlFlow::Continue(()),
    }
}

/// 20 rows whose first feature is the number to predict; to that of row 7 something is added.
fn numbers(shift: f64) -> RegressionData {
    let features = Features::unnamed(acceptance::data::uniform(60, 5), 3).unwrap();
    let target = |row: usize| features.row(row)[0] + if row == 7 { shift } else { 0.0 };
    let targets = (0..20).map(target).collect();
    RegressionData::new(features, "t", targets).unwrap()
}

#[test]
fn early_stopping_keeps_the_best_held_out_step() {
    let fit =
        FitConfig::new().with_early_stopping(Some(EarlyStoppingConfig::new().with_patience(3)));
    let fitted = NcaConfig::new(4, 2).with_fit(fit).fit(&iris(), &Device::flex()).unwrap();
    let summary = fitted.summary();
    assert_eq!(summary.held_out_rows, 30);
    let scores: Vec<f64> = summary.history.iter().map(|step| step.held_out.unwrap()).collect();
    let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let kept = summary.history.iter().find(|step| step.value == summary.value).unwrap();
    assert_eq!(kept.held_out, Some(best));
    assert_eq!(fitted.references().dims(), [150, 2], "held-out rows are references too");
}

#[test]
fn any_burn_optimizer_serves_mini_batches() {
    let session = FitSession::new().with_optimizer(BurnSgd::new().init());
    let settings = StochasticConfig::new()
        .with_epochs(Some(30))
        .with_batch_size(Some(50))
        .with_learning_rate(Some(0.5));
    // A start that leaves something to learn.
    let mut config = with(OptimizerConfig::Adam(settings));
    config.fit.start = Start::Random { scale: Some(0.1) };
    let fitted = config.estimator().fit_session(&iris(), &Device::flex(), session).unwrap();
    let history = &fitted.summary().history;
    assert!(history.last().unwrap().value < history[0].value);
    assert_eq!(fitted.summary().termination, Termination::EpochsDone);
}

/// A fit of iris by an encoder of the user's own.
fn fit_encoder<E: Encoder>(config: &NcaConfig, encoder: E) -> burn_nca_learn::Result<Fitted<E>> {
    config.estimator().fit_encoder(encoder, &iris(), &Device::flex(), FitSession::new())
}

/// What is loaded of a model that was saved.
fn saved<E: Encoder, T>(fitted: &Fitted<E>, load: impl FnOnce(&Path) -> T) -> T {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    fitted.save(&path).unwrap();
    load(&path)
}

#[derive(Module, Debug)]
struct Own {
    hidden: Linear,
    output: Linear,
}

impl Encoder for Own {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        self.output.forward(tanh(self.hidden.forward(x)))
    }
}

/// The same weights in every run: from one start of a hundred a fit ends lower than a test may ask.
fn own(device: &Device) -> Own {
    let linear = |rows: usize, columns: usize| {
        let values = acceptance::data::uniform(rows * columns, 1);
        let values = TensorData::new(values, [rows, columns]).convert::<f32>();
        let mut linear = LinearConfig::new(rows, columns).init(device);
        linear.weight = Param::from_tensor(Tensor::from_data(values, device));
        linear
    };
    Own { hidden: linear(4, 8), output: linear(8, 2) }
}

#[test]
fn a_module_of_the_user_s_own_is_fitted_saved_and_loaded() {
    let device = Device::flex();
    let fitted = fit_encoder(&with(lbfgs(30)), own(&device)).unwrap();
    assert!(fitted.leave_one_out(3).unwrap().value().unwrap() > 0.95);
    let loaded = saved(&fitted, |path| Fitted::load_with(own(&device), path, &device)).unwrap();
    let data = iris();
    let predicted = |fitted: &Fitted<Own>| fitted.predict(data.features(), 5).unwrap();
    assert_eq!(predicted(&loaded), predicted(&fitted));
    let error = saved(&fitted, |path| Fitted::load(path, &device)).unwrap_err().to_string();
    assert!(error.contains("load_with"), "{error}");
}

#[test]
fn distances_are_those_of_the_metric() {
    let fitted = with(lbfgs(5)).fit(&iris(), &Device::flex()).unwrap();
    let data = iris();
    let rows = data.features().select(&[0, 60, 120]);
    let d2 = host_values(fitted.sq_distances(&rows, &rows).unwrap());
    let scaled = fitted.scaling().apply(&rows).unwrap();
    let q = fitted.metric().unwrap();
    for i in 0..3 {
        for j in 0..3 {
            let diff: Vec<f64> =
                scaled.row(i).iter().zip(scaled.row(j)).map(|(a, b)| a - b).collect();
            let expected: f64 = (0..4)
                .flat_map(|r| (0..4).map(move |c| (r, c)))
                .map(|(r, c)| diff[r] * q[r * 4 + c] * diff[c])
                .sum();
            let found = d2[i * 3 + j];
            assert!((found - expected).abs() < 1e-3 * (1.0 + expected), "{found} {expected}");
        }
    }
}
