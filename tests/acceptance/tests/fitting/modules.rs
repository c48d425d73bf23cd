//! Encoders from elsewhere: on devices with autodiff, trained before, of other sizes, and models made of them.

use acceptance::data::{lbfgs, network};
use burn::module::{Module, Quantizer};
use burn::optim::{AdamConfig, GradientsParams};
use burn::tensor::quantization::{Calibration, QuantScheme};
use burn::tensor::{DType, Device, Int, Tensor};
use burn_nca_learn::data::{
    Coincidences, Features, Labeled, Pairs, Scaling, ScalingKind, TensorFeatures, host_values,
};
use burn_nca_learn::encoder::{
    Activation, AnyEncoder, Encoder, EncoderConfig, LinearMapConfig, MlpConfig,
};
use burn_nca_learn::fit::{
    FitConfig, FitSession, Precision, Problem, Start, Termination, minimize,
};
use burn_nca_learn::method::{Mlkr, PairNca};
use burn_nca_learn::objective::ClassIndex;
use burn_nca_learn::objective::transfer::int_tensor;
use burn_nca_learn::{Estimator, Fitted, Nca, NcaConfig};

use crate::fitting::{bits, iris, numbers, own, saved, with};

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
fn a_fit_starts_from_a_module_that_was_trained_before() {
    let data = iris();
    let (nca, _) = trained(&NcaConfig::new(4, 2));
    for device in [Device::flex(), Device::flex().autodiff()] {
        let from =
            short().estimator().fit_from(nca.encoder.clone(), &data, &device, FitSession::new());
        assert!(from.unwrap().summary().iterations > 0);
        // A network whose weights exist already, and one that comes back from a fit.
        let network = own(&device);
        network.forward(data.features().to_tensor(&device, DType::F32));
        let estimator = short().estimator();
        let fit = |network| estimator.fit_encoder(network, &data, &device, FitSession::new());
        let first = fit(network).unwrap();
        let value = first.summary().value;
        let again = fit(first.encoder).unwrap();
        assert!(again.summary().value <= value);
        let used = own(&Device::flex().autodiff());
        used.forward(data.features().to_tensor(&device, DType::F32).autodiff());
        let loaded = saved(&again, |path| Fitted::load_with(used, path, &device)).unwrap();
        let labels = loaded.predict(data.features(), 1).unwrap();
        assert_eq!(labels, again.predict(data.features(), 1).unwrap());
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
fn a_module_of_numbers_trained_elsewhere_predicts_them() {
    let device = Device::flex();
    let data = numbers(0.0);
    let scaling = Scaling::fit(ScalingKind::None, data.features());
    let map = LinearMapConfig::new(3, 2).init(&device.clone().autodiff());
    let fitted = Fitted::of_numbers(map, scaling.clone(), &data, &device).unwrap();
    assert_eq!(fitted.predict_numbers(data.features(), 1).unwrap(), data.targets().values());
    let narrow = LinearMapConfig::new(2, 2).init(&device);
    let refused = Fitted::of_numbers(narrow, scaling, &data, &device).unwrap_err().to_string();
    assert!(refused.contains("takes 2 features, but the data have 3"), "{refused}");
}

#[test]
fn rows_without_a_class_are_neighbors_of_a_model_from_elsewhere() {
    let (data, device) = (iris(), Device::flex());
    let (nca, scaling) = trained(&NcaConfig::new(4, 2));
    let others = data.features().select(&(0..40).collect::<Vec<_>>());
    let partly = data.clone().with_unlabeled(others).unwrap();
    let known = Fitted::of_classes(nca.encoder.clone(), scaling.clone(), &data, &device).unwrap();
    let fitted = Fitted::of_classes(nca.encoder, scaling, &partly, &device).unwrap();
    // They are in the denominators alone: f falls.
    assert!(fitted.summary().value > known.summary().value + 1.0);
    assert_eq!((fitted.references().dims(), fitted.summary().rows), ([150, 2], 150));
    let features = data.features();
    assert_eq!(fitted.predict(features, 3).unwrap(), known.predict(features, 3).unwrap());
}

#[test]
fn a_network_of_raw_years_is_given_raw_years() {
    let device = Device::flex();
    let years = (0..8).map(|row| 2000.0 + f64::from(row)).collect();
    let features = Features::new(years, vec!["year".to_string()]).unwrap();
    let data = Labeled::from_labels(features, (0..8).map(|row| row / 4).collect()).unwrap();
    let network = MlpConfig::new(1, vec![4], 2).with_activation(Activation::Tanh);
    let network = AnyEncoder::Mlp(network.init_seeded(5, &device));
    let x = data.features().to_tensor(&device, DType::F32);
    let expected = network.forward(x).into_data();
    let scaling = Scaling::unscaled(vec!["year".to_string()]);
    let fitted = Fitted::of_classes(network, scaling, &data, &device).unwrap();
    fitted.transform(data.features()).unwrap().into_data().assert_eq(&expected, true);
    fitted.references().clone().into_data().assert_eq(&expected, true);
}

#[test]
fn a_module_of_pairs_trained_elsewhere_becomes_a_model() {
    let device = Device::flex();
    let data = chain(Features::unnamed(acceptance::data::uniform(60, 6), 3).unwrap());
    let fit = FitConfig::new().with_optimizer(lbfgs(0));
    let here = Estimator::new(3, 2, PairNca::new()).with_fit(fit).fit(&data, &device).unwrap();
    let scaling = here.scaling().clone();
    let fitted = Fitted::of_pairs(here.encoder.clone(), scaling.clone(), &data, &device).unwrap();
    assert_eq!(fitted.summary().termination, Termination::Elsewhere);
    assert!((fitted.summary().value - here.summary().value).abs() < 1e-4);
    assert_eq!(bits(&fitted), bits(&here));
    let narrow = LinearMapConfig::new(2, 2).init(&device);
    let refused = Fitted::of_pairs(narrow, scaling, &data, &device).unwrap_err().to_string();
    assert!(refused.contains("takes 2 features, but the data have 3"), "{refused}");
}

#[test]
fn what_minimize_gives_becomes_a_model() {
    let (data, device) = (iris(), Device::flex());
    let scaling = Scaling::fit(ScalingKind::Standardize, data.features());
    let x = scaling.apply(data.features()).unwrap().to_tensor(&device, DType::F32);
    let classes = ClassIndex::of(&data, &device).unwrap();
    let problem = Problem::new(NcaConfig::new(4, 2).init(&device.clone().autodiff()), &x, &classes);
    let config = FitConfig::new().with_optimizer(lbfgs(20));
    let solution = minimize(&problem, &config, FitSession::new()).unwrap();
    let fitted = Fitted::of_classes(solution.module.encoder, scaling, &data, &device).unwrap();
    assert!((fitted.summary().value - solution.value).abs() < 1e-3);
    assert!(fitted.leave_one_out(3).unwrap().value().unwrap() > 0.9);
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
        assert_eq!(embedded(&config), embedded(&config));
        assert_ne!(embedded(&config), embedded(&other));
        // The start of a fit is the same.
        let fit = config.fit.clone().with_optimizer(lbfgs(0)).with_scaling(ScalingKind::None);
        let fitted = config.clone().with_fit(fit).fit(&iris(), &device).unwrap();
        let found = host_values(fitted.transform(iris().features()).unwrap());
        assert_eq!(found, embedded(&config));
    }
    let given = Start::Given { weight: vec![0.5; 8] };
    let data = iris();
    let rows = data.features().values().chunks(4).map(|row| row.iter().sum::<f64>() / 2.0);
    let twice: Vec<f64> = rows.flat_map(|half| [half; 2]).collect();
    let found = embedded(&with(given, 0));
    assert!(found.iter().zip(&twice).all(|(found, half)| (found - half).abs() < 1e-12));
    assert_eq!(embedded(&with(Start::Auto, 0)), embedded(&with(Start::Identity, 0)));
}

#[test]
fn rows_that_were_scaled_and_then_moved_are_given_raw() {
    let years = (0..12).map(|row| 2000.0 + f64::from(row * row % 7)).collect();
    let features = Features::unnamed(years, 1).unwrap();
    let data = Labeled::from_labels(features, (0..12).map(|row| row % 2).collect()).unwrap();
    let fit = FitConfig::new().with_scaling(ScalingKind::None);
    let fitted = NcaConfig::new(1, 1).with_fit(fit).fit(&data, &Device::flex()).unwrap();
    assert!(fitted.scaling().offset()[0] > 2000.0);
    let expected = Features::from_tensor(fitted.transform(data.features()).unwrap()).unwrap();
    // As if the rows had been halved before the fit.
    let doubled = Features::unnamed(data.features().values().iter().map(|x| 2.0 * x).collect(), 1);
    let half = Scaling::fit(ScalingKind::MinMax, &Features::unnamed(vec![0.0, 2.0], 1).unwrap());
    let whole = fitted.with_scaling(half).unwrap();
    let found = Features::from_tensor(whole.transform(&doubled.unwrap()).unwrap()).unwrap();
    for (found, expected) in found.values().iter().zip(expected.values().iter()) {
        assert!((found - expected).abs() < 1e-4, "{found} {expected}");
    }
}

#[test]
fn a_model_with_a_quantized_map_predicts() {
    let data = iris();
    let mut fitted = short().fit(&data, &Device::flex()).unwrap();
    let mut quantizer = Quantizer::new(Calibration::MinMax, QuantScheme::default());
    fitted.encoder = fitted.encoder.clone().quantize_weights(&mut quantizer);
    let predicted = fitted.predict(data.features(), 5).unwrap();
    let right = predicted.iter().zip(data.labels()).filter(|(found, label)| found == label).count();
    assert!(right > 140, "{right} of 150");
}
