//! What a fit saves is read again as the same model, whatever its scaling, its method and its end.

use super::*;
use crate::data::{
    Coincidences, Features, Labeled, Pairs, RegressionData, Scaling, ScalingKind, SparseFeatures,
    Task, TrainingData, host_values,
};
use crate::encoder::{Activation, EncoderConfig, HiddenLayers, LinearMap, MlpConfig};
use crate::estimator::Estimator;
use crate::fit::{
    ConjugateGradientConfig, FitConfig, LbfgsConfig, OptimizerConfig, SgdConfig, StochasticConfig,
    Termination,
};
use crate::method::{AnyMethod, Mlkr, Nca, Uses};

const SCALINGS: [ScalingKind; 4] =
    [ScalingKind::Standardize, ScalingKind::Common, ScalingKind::MinMax, ScalingKind::None];

/// Rows of three features, the first far from zero as years are, of two classes.
fn data() -> Labeled {
    let row = |row: usize| {
        let [a, b] = [row * 7 % 11, row * row % 13].map(|value| value as f64);
        [2000.0 + (row % 5) as f64, a + 4.0 * (row % 2) as f64, b / 3.0]
    };
    let features = Features::unnamed((0..16).flat_map(row).collect(), 3).unwrap();
    Labeled::from_labels(features, (0..16).map(|row| row % 2).collect()).unwrap()
}

fn numbers() -> RegressionData {
    let features = data().features().clone();
    let targets = (0..16).map(|row| features.value(row, 1) - features.value(row, 2)).collect();
    RegressionData::new(features, "t", targets).unwrap()
}

fn pairs() -> Coincidences {
    let pairs = Pairs::new(16, (2..16).map(|row| (row - 2, row, 1.0)).collect()).unwrap();
    Coincidences::new(data().features().clone(), pairs).unwrap()
}

/// Saves and loads a model: its embedding, how its fit went and the rest of the card are the same.
fn round_trip(fitted: &Fitted, what: &str) {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("model");
    fitted.save(&folder).unwrap_or_else(|error| panic!("{what}: {error}"));
    let loaded = Fitted::load(&folder, &Device::flex());
    let loaded = loaded.unwrap_or_else(|error| panic!("{what}: {error}"));
    let names = fitted.scaling.names().to_vec();
    let d = names.len();
    let rows = Features::new((0..4 * d).map(|at| (at * at % 17) as f64).collect(), names).unwrap();
    let bits = |model: &Fitted| -> Vec<u64> {
        let embedded = host_values(model.transform(&rows).unwrap());
        let all = embedded.into_iter().chain(host_values(model.references.clone()));
        all.map(f64::to_bits).collect()
    };
    assert_eq!(bits(&loaded), bits(fitted), "{what}");
    let [found, expected] = [&loaded, fitted].map(|model| {
        let summary = &model.summary;
        let numbers = [summary.value, summary.gradient_max].map(|number| number.to_string());
        (numbers, summary.termination, format!("{:?}", model.card))
    });
    assert_eq!(found, expected, "{what}");
}

fn steps(max_iterations: usize) -> OptimizerConfig {
    OptimizerConfig::Lbfgs(LbfgsConfig::new().with_max_iterations(max_iterations))
}

fn fit<D: TrainingData>(estimator: &Estimator, data: &D) -> Fitted {
    estimator.fit(data, &Device::flex()).unwrap()
}

#[test]
fn models_of_every_method_and_scaling_are_read_again() {
    for method in AnyMethod::all() {
        let info = method.info();
        let d_output = if info.uses.contains(&Uses::Dimensions) { 1 } else { 3 };
        for scaling in SCALINGS {
            let mut fit_config = FitConfig::new().with_scaling(scaling);
            if info.uses.contains(&Uses::Optimizer) {
                fit_config = fit_config.with_optimizer(steps(2));
            }
            let estimator = Estimator::new(3, d_output, method.clone()).with_fit(fit_config);
            let fitted = match info.task {
                Some(Task::Classes) | None => fit(&estimator, &data()),
                Some(Task::Numbers) => fit(&estimator, &numbers()),
                Some(Task::Pairs) => fit(&estimator, &pairs()),
            };
            round_trip(&fitted, &format!("{} {scaling:?}", info.name));
        }
    }
}

#[test]
fn fits_that_end_at_once_or_diverge_are_read_again_or_not_saved() {
    let none = StochasticConfig::new().with_epochs(Some(0));
    let far = StochasticConfig::new().with_epochs(Some(3)).with_learning_rate(Some(1e38));
    let optimizers = [
        steps(0),
        steps(5),
        OptimizerConfig::ConjugateGradient(ConjugateGradientConfig::new().with_max_iterations(2)),
        OptimizerConfig::Adam(none.clone()),
        OptimizerConfig::Sgd(SgdConfig::new().with_batches(none)),
        OptimizerConfig::Adam(far.clone()),
        OptimizerConfig::Sgd(SgdConfig::new().with_batches(far)),
    ];
    let network =
        EncoderConfig::Mlp(HiddenLayers { activation: Activation::Tanh, ..vec![4].into() });
    for scaling in SCALINGS {
        for optimizer in &optimizers {
            for l2 in [0.0, 1e300] {
                for encoder in [EncoderConfig::Linear, network.clone()] {
                    let config = FitConfig::new().with_scaling(scaling).with_l2(l2);
                    let config = config.with_optimizer(optimizer.clone());
                    let estimator = Estimator::new(3, 2, AnyMethod::from(Nca::new()))
                        .with_encoder(encoder.clone())
                        .with_fit(config);
                    let fitted = fit(&estimator, &data());
                    let what = format!("{scaling:?} {optimizer:?} {l2:e} {encoder:?}");
                    let references = host_values(fitted.references.clone());
                    if references.iter().all(|value| value.is_finite()) {
                        round_trip(&fitted, &what);
                    } else {
                        // The weights are finite, but so large that their embedding is not.
                        let error = fitted.to_files().unwrap_err().to_string();
                        assert!(error.contains("would not be finite"), "{what}: {error}");
                    }
                }
            }
        }
    }
    let config = FitConfig::new().with_optimizer(steps(3)).with_l2(1e300);
    let estimator = Estimator::new(3, 2, AnyMethod::from(Mlkr::new())).with_fit(config);
    let fitted = fit(&estimator, &numbers());
    assert_eq!(fitted.summary.termination, Termination::NonFinite);
    round_trip(&fitted, "numbers");
}

#[test]
fn no_epoch_has_the_value_of_its_start() {
    let with = |optimizer| {
        let config = FitConfig::new().with_optimizer(optimizer);
        fit(&Estimator::new(3, 2, AnyMethod::from(Nca::new())).with_fit(config), &data())
    };
    let none = with(OptimizerConfig::Adam(StochasticConfig::new().with_epochs(Some(0))));
    let start = with(steps(0));
    assert_eq!(none.summary.termination, Termination::EpochsDone);
    assert_eq!(none.summary.value, start.summary.value);
    assert_eq!(none.summary.gradient_max, start.summary.gradient_max);
    assert_eq!((none.summary.iterations, none.matrix()), (0, start.matrix()));
}

#[test]
fn a_fit_that_diverges_keeps_its_last_finite_epoch() {
    // A step of 1e38 leaves the range of f32 within the first epochs.
    let far = StochasticConfig::new().with_epochs(Some(4)).with_learning_rate(Some(3e38));
    let config = FitConfig::new().with_optimizer(OptimizerConfig::Adam(far));
    let estimator = Estimator::new(3, 2, AnyMethod::from(Nca::new())).with_fit(config);
    let fitted = fit(&estimator, &data());
    assert_eq!(fitted.summary.termination, Termination::NonFinite);
    assert!(fitted.matrix().unwrap().iter().all(|a| a.is_finite()));
}

#[test]
fn a_model_through_a_reduction_and_one_from_elsewhere_are_read_again() {
    let entries =
        (0..48).map(|at| (at / 3, (at * 7 + at / 3) % 40, 1.0 + (at % 4) as f64)).collect();
    let counts = SparseFeatures::new([16, 40], entries).unwrap();
    let svd = crate::baseline::TruncatedSvdConfig::new(4).fit(&counts).unwrap();
    let labels = (0..16).map(|row| row % 2).collect();
    let rows = Labeled::from_labels(svd.apply(&counts).unwrap(), labels).unwrap();
    let names = (0..40).map(|word| format!("word {word}")).collect();
    let reduced = fit(&Estimator::new(4, 2, AnyMethod::from(Nca::new())), &rows);
    round_trip(&reduced.through(&svd.projection, names).unwrap(), "sparse");

    // More layers than a fit by a configuration may have.
    let device = Device::flex();
    let deep = MlpConfig::new(3, vec![1; 120], 1).init_seeded(1, &device);
    let names = data().features().names().to_vec();
    let encoder = AnyEncoder::Mlp(deep);
    assert!(EncoderConfig::of(&encoder).unwrap().check_size(3, 1).is_err());
    let fitted = Fitted::of_classes(encoder, Scaling::unscaled(names), &data(), &device).unwrap();
    round_trip(&fitted, "a deep network");
}

#[test]
fn the_file_of_an_encoder_bounds_its_size_and_not_a_constant() {
    let mut fitted = fit(&Estimator::new(3, 2, AnyMethod::from(Nca::new())), &data());
    // What `through` makes of 400000 columns and 100 dimensions: more than a fit may have.
    (fitted.card.d_input, fitted.card.d_output) = (400_000, 100);
    fitted.scaling = Scaling::unscaled((0..400_000).map(|column| column.to_string()).collect());
    assert!(EncoderConfig::Linear.check_size(400_000, 100).is_err());
    let stored = Stored::of(&fitted, BTreeMap::new());
    assert_eq!(stored.check(), Ok(()));
    assert!(stored.check_encoder(4 * 40_000_000, Path::new("m")).is_ok());
    let error = stored.check_encoder(1 << 20, Path::new("m")).unwrap_err().to_string();
    assert!(error.contains("card.encoder has 40000000 parameters"), "{error}");
    assert!(error.contains("encoder.bpk of 1048576 bytes cannot hold"), "{error}");
}

#[test]
fn a_model_with_numbers_that_are_not_finite_is_not_saved() {
    let mut fitted = fit(&Estimator::new(3, 2, AnyMethod::from(Nca::new())), &data());
    let weight = [1.0, f64::NAN, 0.0, 0.0, f64::INFINITY, 1.0];
    let map = LinearMap::from_weight(&weight, [3, 2], &Device::flex(), DType::F32);
    fitted.encoder = AnyEncoder::Linear(map);
    let error = fitted.to_files().unwrap_err().to_string();
    assert!(error.contains("encoder.bpk") && error.contains("2 of its numbers"), "{error}");
    assert!(error.contains("scale the features"), "{error}");
}
