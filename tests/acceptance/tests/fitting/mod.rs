//! Fits from end to end: interruption, optimizers, and encoders from elsewhere: of the user's own, trained before, of other
//! sizes, on devices with autodiff; models made of them, and saved.

mod resume;
mod stochastic;
mod training_layers;
mod units;

use std::ops::ControlFlow;
use std::path::Path;

use acceptance::compare::assert_close;
use acceptance::data::{lbfgs, network, uniform};
use acceptance::setup::matrix;
use burn::module::{Module, Param};
use burn::nn::{BatchNorm, BatchNormConfig, Dropout, DropoutConfig, Linear, LinearConfig};
use burn::optim::{AdamConfig, GradientsParams, SgdConfig as BurnSgd};
use burn::tensor::{DType, Device, Int, Tensor};
use burn_nca_learn::data::{
    Coincidences, Features, Labeled, Pairs, RegressionData, Scaling, ScalingKind, TensorFeatures,
    host_values,
};
use burn_nca_learn::encoder::{
    Activation, AnyEncoder, Encoder, EncoderConfig, LinearMap, LinearMapConfig, MlpConfig,
};
use burn_nca_learn::fit::{
    FitConfig, FitSession, OptimizerConfig, Precision, Progress, Start, StochasticConfig,
    Termination,
};
use burn_nca_learn::method::{Mlkr, PairNca};
use burn_nca_learn::objective::transfer::int_tensor;
use burn_nca_learn::{Estimator, Fitted, Nca, NcaConfig};

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
    let features = Features::unnamed(uniform(60, 5), 3).unwrap();
    let target = |row: usize| features.row(row)[0] + if row == 7 { shift } else { 0.0 };
    let targets = (0..20).map(target).collect();
    RegressionData::new(features, "t", targets).unwrap()
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

/// A network of the user's own, perhaps with a layer that behaves differently in training, or both.
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

/// The same weights in every run: from one start of a hundred a fit ends lower than a test may ask.
fn layered(device: &Device, norm: bool, dropout: bool) -> Layered {
    let linear = |rows: usize, columns: usize| {
        let weight = matrix(&uniform(rows * columns, 1), columns, (device, DType::F32));
        let mut linear = LinearConfig::new(rows, columns).init(device);
        linear.weight = Param::from_tensor(weight);
        linear
    };
    Layered {
        hidden: linear(4, 8),
        norm: norm.then(|| BatchNormConfig::new(8).init(device)),
        dropout: dropout.then(|| DropoutConfig::new(0.3).init()),
        output: linear(8, 2),
    }
}

fn own(device: &Device) -> Layered {
    layered(device, false, false)
}

#[test]
fn distances_are_those_of_the_metric() {
    let fitted = with(lbfgs(5)).fit(&iris(), &Device::flex()).unwrap();
    let rows = iris().features().select(&[0, 60, 120]);
    let found = host_values(fitted.sq_distances(&rows, &rows).unwrap());
    let (x, q) = (fitted.scaling().apply(&rows).unwrap(), fitted.metric().unwrap());
    let apart = |i: usize, j: usize, c: usize| x.row(i)[c] - x.row(j)[c];
    let expected = (0..9)
        .map(|at| (at / 3, at % 3))
        .map(|(i, j)| (0..16).map(|at| apart(i, j, at / 4) * q[at] * apart(i, j, at % 4)).sum());
    assert_close(&found, &expected.collect::<Vec<f64>>(), 1e-3);
}

fn short() -> NcaConfig {
    with(lbfgs(3))
}

fn labels(data: &Labeled) -> Tensor<1, Int> {
    int_tensor(data.labels(), &Device::flex())
}

/// These rows, each a partner of the next.
fn chain(features: Features) -> Coincidences {
    let pairs = (1..features.rows()).map(|row| (row - 1, row, 1.0)).collect();
    let pairs = Pairs::new(features.rows(), pairs).unwrap();
    Coincidences::new(features, pairs).unwrap()
}

/// A model after some steps of a training loop, and the scaling of its rows.
fn trained(config: &NcaConfig) -> (Nca<AnyEncoder>, Scaling) {
    let (data, device) = (iris(), Device::flex());
    let scaling = Scaling::fit(ScalingKind::Standardize, data.features());
    let x = scaling.apply(data.features()).unwrap().to_tensor(&device, DType::F32).autodiff();
    let mut nca = config.init(&device.autodiff());
    let mut optimizer = AdamConfig::new().init();
    for _ in 0..60 {
        let loss = nca.loss(x.clone(), labels(&data));
        let gradients = GradientsParams::from_grads(loss.backward(), &nca);
        nca = optimizer.step(0.05, nca, gradients);
    }
    (nca, scaling)
}

#[test]
fn a_device_with_autodiff_serves_like_one_without() {
    let (plain, autodiff) = (Device::flex(), Device::flex().autodiff());
    let on_both = |fit: &dyn Fn(&Device) -> Fitted| {
        let [fitted, by_autodiff] = [fit(&plain), fit(&autodiff)];
        assert_eq!(bits(&fitted), bits(&by_autodiff));
        fitted
    };
    let fitted = on_both(&|device| short().fit(&iris(), device).unwrap());
    let data = numbers(0.0);
    on_both(&|device| Estimator::recommended(3, 2, Mlkr::new()).fit(&data, device).unwrap());
    let pairs = chain(data.features().clone());
    on_both(&|device| Estimator::new(3, 2, PairNca::new()).fit(&pairs, device).unwrap());

    let loaded = saved(&fitted, |path| Fitted::load(path, &autodiff)).unwrap();
    assert_eq!(bits(&loaded), bits(&fitted));
}

#[test]
fn a_module_of_the_user_s_own_and_one_trained_before_are_fitted_saved_and_loaded() {
    let data = iris();
    let (nca, _) = trained(&NcaConfig::new(4, 2));
    let estimator = with(lbfgs(30)).estimator();
    for device in [Device::flex(), Device::flex().autodiff()] {
        let from = estimator.fit_from(nca.encoder.clone(), &data, &device, FitSession::new());
        assert!(from.unwrap().summary().iterations > 0);
        // A network whose weights exist already, and one that comes back from a fit.
        let used = |device: &Device| {
            let network = own(device);
            network.forward(data.features().to_tensor(device, DType::F32));
            network
        };
        let fit = |network| estimator.fit_encoder(network, &data, &device, FitSession::new());
        let first = fit(used(&device)).unwrap();
        assert!(first.leave_one_out(3).unwrap().value().unwrap() > 0.95);
        let value = first.summary().value;
        let again = fit(first.encoder).unwrap();
        assert!(again.summary().value <= value);
        let network = used(&Device::flex().autodiff());
        let loaded = saved(&again, |path| Fitted::load_with(network, path, &device)).unwrap();
        let [found, expected] =
            [&loaded, &again].map(|fitted| fitted.predict(data.features(), 5).unwrap());
        assert_eq!(found, expected);
        let error = saved(&again, |path| Fitted::load(path, &device)).unwrap_err().to_string();
        assert!(error.contains("load_with"), "{error}");
    }
}

#[test]
fn an_encoder_that_does_not_say_its_sizes_is_asked_before_the_first_step() {
    let (data, device) = (iris(), Device::flex());
    let values = data.features().values().chunks_exact(4).flat_map(|row| &row[..3]);
    let features = Features::unnamed(values.copied().collect(), 3).unwrap();
    let three = Labeled::from_labels(features, data.labels().to_vec()).unwrap();
    let estimator = NcaConfig::new(3, 2).estimator();
    let refused = estimator.fit_encoder(own(&device), &three, &device, FitSession::new());
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("panics on 2 rows of 3 features"), "{message}");
}

#[test]
fn a_network_trained_elsewhere_becomes_a_model_and_goes_back() {
    let (data, device) = (iris(), Device::flex());
    for encoder in [EncoderConfig::Linear, EncoderConfig::Diagonal, network(8)] {
        let d_output = if encoder == EncoderConfig::Diagonal { 4 } else { 2 };
        let (nca, scaling) = trained(&NcaConfig::new(4, d_output).with_encoder(encoder.clone()));
        let fitted = Fitted::of_classes(nca.encoder, scaling, &data, &device).unwrap();
        let summary = fitted.summary();
        assert_eq!((summary.termination, summary.rows), (Termination::Elsewhere, 150));
        assert!(summary.value < -100.0 && summary.termination.is_planned());
        assert_eq!(fitted.card().encoder, Some(encoder));
        assert!(fitted.leave_one_out(3).unwrap().value().unwrap() > 0.8);
        // Rows without a class are in the denominators alone: f falls.
        let others = data.features().select(&(0..40).collect::<Vec<_>>());
        let partly = data.clone().with_unlabeled(others).unwrap();
        let encoder = fitted.encoder.clone();
        let among =
            Fitted::of_classes(encoder, fitted.scaling().clone(), &partly, &device).unwrap();
        assert!(among.summary().value > summary.value + 1.0);
        assert_eq!((among.references().dims()[0], among.summary().rows), (150, 150));

        let loaded = saved(&fitted, |path| Fitted::load(path, &device)).unwrap();
        let features = data.features();
        assert_eq!(loaded.predict(features, 5).unwrap(), fitted.predict(features, 5).unwrap());

        let back = loaded.to_nca().unwrap().train();
        let x = loaded.scaling().apply(features).unwrap().to_tensor(&device, DType::F32);
        let loss = back.loss(x.autodiff(), labels(&data));
        assert!((150.0 * loss.into_scalar::<f64>() - summary.value).abs() < 1e-3);
        // The configuration fits on from there.
        let card = loaded.card();
        let estimator = Estimator::new(4, d_output, card.method.clone())
            .with_encoder(card.encoder.clone().unwrap())
            .with_fit(card.fit.clone());
        let better = estimator.fit_from(loaded.encoder, &data, &device, FitSession::new()).unwrap();
        assert!(better.summary().value < summary.value);
    }
}

#[test]
fn modules_of_numbers_and_of_pairs_trained_elsewhere_become_models() {
    let device = Device::flex();
    let data = numbers(0.0);
    let scaling = Scaling::fit(ScalingKind::None, data.features());
    let map = LinearMapConfig::new(3, 2).init(&device.clone().autodiff());
    let narrow = || LinearMapConfig::new(2, 2).init(&device);
    let refused = |fitted: burn_nca_learn::Result<Fitted<LinearMap>>| {
        let error = fitted.unwrap_err().to_string();
        assert!(error.contains("takes 2 features, but the data have 3"), "{error}");
    };
    let fitted = Fitted::of_numbers(map, scaling.clone(), &data, &device).unwrap();
    assert_eq!(fitted.predict_numbers(data.features(), 1).unwrap(), data.targets().values());
    refused(Fitted::of_numbers(narrow(), scaling, &data, &device));

    let data = chain(data.features().clone());
    let fit = FitConfig::new().with_optimizer(lbfgs(0));
    let here = Estimator::new(3, 2, PairNca::new()).with_fit(fit).fit(&data, &device).unwrap();
    let scaling = here.scaling().clone();
    let fitted = Fitted::of_pairs(here.encoder.clone(), scaling.clone(), &data, &device).unwrap();
    assert_eq!(fitted.summary().termination, Termination::Elsewhere);
    assert_close(&[fitted.summary().value], &[here.summary().value], 1e-6);
    assert_eq!(bits(&fitted), bits(&here));
    refused(Fitted::of_pairs(narrow(), scaling, &data, &device));
}

#[test]
fn a_module_without_data_follows_the_settings() {
    let device = Device::flex();
    let with = |start: Start, seed: u64| {
        let fit = FitConfig::new().with_start(start).with_seed(seed);
        NcaConfig::new(4, 2).with_fit(fit.with_precision(Precision::F64))
    };
    let embedded = |config: &NcaConfig| {
        let x = iris().features().to_tensor(&device, DType::F64);
        host_values(config.init(&device).encoder.forward(x))
    };
    for config in
        [with(Start::Auto, 7).with_encoder(network(6)), with(Start::Random { scale: None }, 7)]
    {
        let other = config.clone().with_fit(config.fit.clone().with_seed(8));
        assert_ne!(embedded(&config), embedded(&other));
        // The start of a fit is the same.
        let fit = config.fit.clone().with_optimizer(lbfgs(0)).with_scaling(ScalingKind::None);
        let fitted = config.clone().with_fit(fit).fit(&iris(), &device).unwrap();
        let found = host_values(fitted.transform(iris().features()).unwrap());
        assert_eq!(found, embedded(&config));
    }
    let halves = embedded(&with(Start::Given { weight: vec![0.5; 8] }, 0));
    let rows = iris();
    let rows = rows.features().values().chunks(4).map(|row| row.iter().sum::<f64>() / 2.0);
    assert_close(&halves, &rows.flat_map(|half| [half; 2]).collect::<Vec<_>>(), 1e-12);
    assert_eq!(embedded(&with(Start::Auto, 0)), embedded(&with(Start::Identity, 0)));
}

#[test]
fn a_model_of_raw_years_is_given_raw_years() {
    let device = Device::flex();
    let years = |factor: f64| {
        let years = (0..12).map(|row| factor * (2000.0 + f64::from(row * row % 7)));
        Features::new(years.collect(), vec!["year".to_string()]).unwrap()
    };
    let data = Labeled::from_labels(years(1.0), (0..12).map(|row| row % 2).collect()).unwrap();
    let place = |fitted: &Fitted, x: &Features| host_values(fitted.transform(x).unwrap());
    // By a network that takes them as they are.
    let network = MlpConfig::new(1, vec![4], 2).with_activation(Activation::Tanh);
    let network = AnyEncoder::Mlp(network.init_seeded(5, &device));
    let expected = host_values(network.forward(data.features().to_tensor(&device, DType::F32)));
    let scaling = Scaling::unscaled(vec!["year".to_string()]);
    let fitted = Fitted::of_classes(network, scaling, &data, &device).unwrap();
    assert_eq!(place(&fitted, data.features()), expected);
    assert_eq!(host_values(fitted.references().clone()), expected);
    // By a fit that moves them, as if they had been halved before it.
    let fit = FitConfig::new().with_scaling(ScalingKind::None);
    let fitted = NcaConfig::new(1, 1).with_fit(fit).fit(&data, &device).unwrap();
    assert!(fitted.scaling().offset()[0] > 2000.0);
    let expected = place(&fitted, data.features());
    let two = Features::new(vec![0.0, 2.0], vec!["year".to_string()]).unwrap();
    let half = Scaling::fit(ScalingKind::MinMax, &two);
    let whole = fitted.with_scaling(half).unwrap();
    assert_close(&place(&whole, &years(2.0)), &expected, 1e-4);
}
