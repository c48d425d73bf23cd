//! Metrics learned from numbers and from pairs, from end to end.

use acceptance::data::uniform;
use burn::tensor::Device;
use burn_nca_learn::Estimator;
use burn_nca_learn::data::{
    AgreementWidth, Features, RegressionData, TensorFeatures, random_split,
};
use burn_nca_learn::evaluate::RegressionScores;
use burn_nca_learn::fit::{FitConfig, OptimizerConfig, ResolvedStart, StochasticConfig};
use burn_nca_learn::method::{AnyMethod, Mlkr, SoftNca};
use burn_nca_learn::neighbors::{Numbers, nearest, nearest_means};
use burn_nca_learn::objective::Criterion;

const ROWS: usize = 160;

/// Six features; the target is a curve of the first two, the others are noise.
fn table() -> RegressionData {
    let x = uniform(6 * ROWS, 91);
    let price = |row: &[f64]| 500.0 + 100.0 * (2.0 * row[0]).sin() + 60.0 * row[1] * row[1];
    let targets = x.chunks_exact(6).map(price).collect();
    RegressionData::new(Features::unnamed(x, 6).unwrap(), "price", targets).unwrap()
}

fn soft(criterion: Criterion) -> AnyMethod {
    SoftNca { criterion, width: AgreementWidth::Given(20.0) }.into()
}

fn r2(predicted: &[f64], truth: &RegressionData) -> f64 {
    RegressionScores::of(predicted, truth.targets().values()).unwrap().r2().unwrap()
}

#[test]
fn every_objective_and_optimizer_betters_euclidean_neighbors() {
    let data = table();
    let split = random_split(ROWS, 0.3, 5).unwrap();
    let (train, test) = (data.select(&split.train), data.select(&split.test));
    let device = Device::flex();
    let place =
        |part: &RegressionData| part.features().to_tensor(&device, burn::tensor::DType::F64);
    let numbers = Numbers::new(train.targets().values(), 1);
    let neighbors = nearest(&place(&test), &place(&train), 5, None).unwrap();
    let euclidean = r2(&nearest_means(&neighbors, numbers, 5).unwrap(), &test);
    let adam = StochasticConfig::new()
        .with_epochs(Some(60))
        .with_batch_size(Some(40))
        .with_learning_rate(Some(0.05));
    for method in [Mlkr::new().into(), soft(Criterion::F), soft(Criterion::G)] {
        for fit in
            [FitConfig::new(), FitConfig::new().with_optimizer(OptimizerConfig::Adam(adam.clone()))]
        {
            let config = Estimator::new(6, 6, method.clone()).with_fit(fit);
            let fitted = config.fit(&train, &device).unwrap();
            let by_kernel = r2(&fitted.predict_kernel(test.features()).unwrap(), &test);
            let by_nearest = r2(&fitted.predict_numbers(test.features(), 5).unwrap(), &test);
            assert!(by_kernel > euclidean + 0.1, "{method:?}: {by_kernel}, {euclidean}");
            assert!(by_nearest > euclidean + 0.1, "{method:?}: {by_nearest}, {euclidean}");
        }
    }
}

#[test]
fn the_value_is_the_leave_one_out_error_of_standardized_targets() {
    let data = table();
    let config = Estimator::new(6, 2, Mlkr::new());
    let fitted = config.fit(&data, &Device::flex()).unwrap();
    let left_out = r2(&fitted.leave_one_out_kernel().unwrap(), &data);
    let from_value = 1.0 - fitted.summary().value / ROWS as f64;
    assert!((left_out - from_value).abs() < 1e-4, "{left_out} against {from_value}");
    assert_eq!(fitted.summary().start, Some(ResolvedStart::Pca));
}

#[test]
fn the_unit_of_the_target_does_not_matter_to_mlkr() {
    let data = table();
    let cents = data.targets().values().iter().map(|t| 100.0 * t + 7.0).collect();
    let other = RegressionData::new(data.features().clone(), "price", cents).unwrap();
    let config = Estimator::new(6, 2, Mlkr::new()).with_fit(
        FitConfig::new().with_l2(0.01).with_precision(burn_nca_learn::fit::Precision::F64),
    );
    let fitted = |data| config.fit(data, &Device::flex()).unwrap().matrix().unwrap();
    let (one, two) = (fitted(&data), fitted(&other));
    assert!(one.iter().zip(&two).all(|(a, b)| (a - b).abs() < 1e-4), "{one:?}, {two:?}");
}
