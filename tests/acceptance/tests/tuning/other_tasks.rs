//! The search for settings where there are no classes.

use burn::tensor::Device;
use burn_nca_learn::data::{Coincidences, Features, Pairs, RegressionData, TrainingData};
use burn_nca_learn::estimator::Estimator;
use burn_nca_learn::estimator::tune::{TuneConfig, TuneSession};
use burn_nca_learn::fit::FitConfig;
use burn_nca_learn::method::{AnyMethod, Mlkr, PairNca, Pca};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const ROWS: usize = 48;

/// Two columns that count and two of noise.
fn features() -> Features {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let values = (0..ROWS * 4).map(|at| match at % 4 {
        0 => (at as f64 / 40.0).sin(),
        1 => (at as f64 / 40.0).cos(),
        _ => rng.random_range(-1.0..1.0),
    });
    Features::unnamed(values.collect(), 4).unwrap()
}

fn quick() -> TuneConfig {
    TuneConfig::new()
        .with_folds(3)
        .with_repeats(1)
        .with_l2(vec![0.02, 0.5])
        .with_start_perplexities(vec![None])
        .with_steps(vec![0, 2])
}

#[test]
fn numbers_are_compared_by_the_r2_of_the_kernel_rule() {
    let features = features();
    let target = (0..ROWS).map(|row| features.row(row)[0] + 0.5 * features.row(row)[1]).collect();
    let data = RegressionData::new(features, "y", target).unwrap();
    let estimator = Estimator::new(4, 4, Mlkr::new());
    let tuned = estimator.tune(&quick(), &data, &Device::flex(), TuneSession::new()).unwrap();
    let trials = &tuned.search.trials;
    assert_eq!(trials.len(), 2);
    assert!(trials.iter().all(|trial| trial.candidate.criterion.is_none()));
    // The R² of a score is that of a fit stopped there.
    let split = &data.folds(3, 0).unwrap()[0];
    let fit = FitConfig::new().with_l2(0.02).with_stop_at(Some(2));
    let train = data.part(&split.train).unwrap();
    let fitted = estimator.clone().with_fit(fit).fit(&train, &Device::flex()).unwrap();
    let held_out = data.part(&split.test).unwrap();
    let predicted = fitted.predict_kernel(held_out.features()).unwrap();
    let truth = held_out.targets().values();
    let mean = truth.iter().sum::<f64>() / truth.len() as f64;
    let squares = |of: &dyn Fn(usize) -> f64| -> f64 {
        truth.iter().enumerate().map(|(at, y)| (y - of(at)).powi(2)).sum()
    };
    let r2 = 1.0 - squares(&|at| predicted[at]) / squares(&|_| mean);
    let score = trials[0].scores.iter().find(|score| score.steps == Some(2)).unwrap();
    assert!((score.folds[0].accuracy - r2).abs() < 1e-4, "{} {r2}", score.folds[0].accuracy);
    assert_eq!(tuned.fitted.card().method, AnyMethod::from(Mlkr::new()));
}

#[test]
fn pairs_are_compared_by_the_log_probability_of_those_held_out() {
    let pairs = Pairs::new(ROWS, (1..ROWS).map(|row| (row - 1, row, 1.0)).collect()).unwrap();
    let data = Coincidences::new(features(), pairs).unwrap();
    let estimator = Estimator::new(4, 4, PairNca::new());
    let tuned = estimator.tune(&quick(), &data, &Device::flex(), TuneSession::new()).unwrap();
    let (start, end) = (tuned.search.trials[0].start().unwrap(), tuned.search.trials[0].best());
    assert!(end.accuracy() > start.accuracy(), "learning helps: {start:?} {end:?}");
    assert!(start.accuracy() < 0.0, "a mean of logarithms: {start:?}");
}

#[test]
fn a_closed_form_has_no_steps_to_search_for() {
    let estimator = Estimator::new(4, 2, Pca::new());
    let session = TuneSession::new();
    let refused = estimator.tune(&quick(), &features(), &Device::flex(), session).unwrap_err();
    assert!(refused.to_string().contains("which PCA has not"), "{refused}");
}
