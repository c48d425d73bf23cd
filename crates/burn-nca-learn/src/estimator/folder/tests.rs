//! What a fit saves is read again as the same model, whatever its scaling, its method and its end.

use super::*;
use crate::data::{Features, Labeled, Scaling, ScalingKind, host_values};
use crate::encoder::{EncoderConfig, MlpConfig};
use crate::estimator::Estimator;
use crate::fit::{
    ConjugateGradientConfig, FitConfig, LbfgsConfig, OptimizerConfig, SgdConfig, StochasticConfig,
    Termination,
};
use crate::method::{AnyMethod, Nca};

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

/// Saves and loads a model: its embedding, how its fit went and the rest of the card are the same.
fn round_trip(fitted: &Fitted, what: &str) {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("model");
    fitted.save(&folder).unwrap_or_else(|error| panic!("{what}: {error}"));
    let loaded = Fitted::load(&folder, &Device::flex());
    let loaded = loaded.unwrap_or_else(|error| panic!("{what}: {error}"));
    let names = fitted.scaling.names().to_vec();
    let rows = (0..4 * names.len()).map(|at| (at * at % 17) as f64).collect();
    let rows = Features::new(rows, names).unwrap();
    let [found, expected] = [&loaded, fitted].map(|model| {
        let summary = &model.summary;
        let embedded = host_values(model.transform(&rows).unwrap());
        let all = [embedded, host_values(model.references.clone())].concat();
        let bits: Vec<u64> = all.into_iter().map(f64::to_bits).collect();
        let numbers = [summary.value, summary.gradient_max].map(|number| number.to_string());
        let rule = (model.rule.clone(), format!("{:?}", model.card));
        (bits, numbers, summary.termination, rule)
    });
    assert_eq!(found, expected, "{what}");
}

fn steps(max_iterations: usize) -> OptimizerConfig {
    OptimizerConfig::Lbfgs(LbfgsConfig::new().with_max_iterations(max_iterations))
}

#[test]
fn fits_that_end_at_once_or_diverge_are_read_again_or_not_saved() {
    let none = StochasticConfig::new().with_epochs(Some(0));
    let far = |rate| StochasticConfig::new().with_epochs(Some(4)).with_learning_rate(Some(rate));
    let gradient = ConjugateGradientConfig::new().with_max_iterations(2);
    let optimizers = [
        steps(0),
        OptimizerConfig::Adam(none.clone()),
        // A step of 1e38 leaves the range of f32 within the first epochs.
        OptimizerConfig::Adam(far(3e38)),
        steps(5),
        OptimizerConfig::ConjugateGradient(gradient),
        OptimizerConfig::Sgd(SgdConfig::new().with_batches(none)),
        OptimizerConfig::Sgd(SgdConfig::new().with_batches(far(1e38))),
    ];
    for scaling in SCALINGS {
        for (l2, encoder) in [0.0, 1e300].into_iter().flat_map(|l2| {
            [EncoderConfig::Linear, EncoderConfig::mlp(&[4])].map(|encoder| (l2, encoder))
        }) {
            let fitted = optimizers.each_ref().map(|optimizer| {
                let config = FitConfig::new().with_scaling(scaling).with_l2(l2);
                let estimator = Estimator::new(3, 2, AnyMethod::from(Nca::new()))
                    .with_encoder(encoder.clone())
                    .with_fit(config.with_optimizer(optimizer.clone()));
                let fitted = estimator.fit(&data(), &Device::flex()).unwrap();
                let what = format!("{scaling:?} {optimizer:?} {l2:e} {encoder:?}");
                if host_values(fitted.references.clone()).iter().all(|value| value.is_finite()) {
                    round_trip(&fitted, &what);
                } else {
                    // The weights are finite, but so large that their embedding is not.
                    let error = fitted.to_files().unwrap_err().to_string();
                    assert!(error.contains("would not be finite"), "{what}: {error}");
                }
                fitted
            });
            let [start, none, far, steps, ..] = fitted;
            assert_eq!(steps.summary.termination == Termination::NonFinite, l2 > 0.0);
            if (l2, scaling, &encoder) == (0.0, ScalingKind::Standardize, &EncoderConfig::Linear) {
                // No epoch has the value of its start; a fit that diverges keeps its last finite epoch.
                let said = |model: &Fitted| {
                    let summary = &model.summary;
                    (summary.value, summary.gradient_max, summary.iterations, model.matrix())
                };
                assert_eq!(
                    (none.summary.termination, said(&none)),
                    (Termination::EpochsDone, said(&start))
                );
                assert_eq!(far.summary.termination, Termination::NonFinite);
                assert!(far.matrix().unwrap().iter().all(|a| a.is_finite()));
            }
        }
    }
}

#[test]
fn the_file_of_an_encoder_bounds_its_size_and_not_a_constant() {
    // More layers than a fit by a configuration may have.
    let device = Device::flex();
    let names = data().features().names().to_vec();
    let encoder = AnyEncoder::Mlp(MlpConfig::new(3, vec![1; 120], 1).init_seeded(1, &device));
    assert!(EncoderConfig::of(&encoder).unwrap().check_size(3, 1).is_err());
    let fitted = Fitted::of_classes(encoder, Scaling::unscaled(names), &data(), &device).unwrap();
    round_trip(&fitted, "a deep network");
    // What `through` makes of 400000 columns and 100 dimensions: more than a fit may have.
    let nca = Estimator::new(3, 2, AnyMethod::from(Nca::new()));
    let mut fitted = nca.fit(&data(), &device).unwrap();
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
