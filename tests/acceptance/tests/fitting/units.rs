//! A fit does not depend on the units of the features, nor a penalty on anything but distances.

use acceptance::compare::{assert_close, assert_near};
use acceptance::data::{lbfgs, overlapping, transposed, uniform};
use acceptance::oracle::{embed, sq_distance};
use acceptance::setup::{classes, tensor};
use burn::module::Module;
use burn::tensor::{DType, Device};
use burn_nca_learn::data::{Features, Labeled, RegressionData, ScalingKind, host_values};
use burn_nca_learn::encoder::{EncoderConfig, LinearMap};
use burn_nca_learn::evaluate::RegressionScores;
use burn_nca_learn::fit::{
    ConjugateGradientConfig, FitConfig, OptimizerConfig, Penalty, Precision, Problem,
    ResolvedStart, START_PERPLEXITY, SgdConfig, Start, StochasticConfig, minimize,
};
use burn_nca_learn::method::Mlkr;
use burn_nca_learn::objective::{Criterion, NcaLossConfig};
use burn_nca_learn::{Estimator, MetricModel, NcaConfig};

const D: usize = 3;

fn data(unit: f64) -> (Labeled, Features) {
    let sample = overlapping(60, D, 3, 5);
    let x = Features::unnamed(sample.x.iter().map(|value| unit * value).collect(), D).unwrap();
    let queries = uniform(40 * D, 9).iter().map(|value| 2.0 * unit * value).collect();
    (Labeled::from_labels(x, sample.y).unwrap(), Features::unnamed(queries, D).unwrap())
}

fn config(scaling: ScalingKind, encoder: EncoderConfig, optimizer: OptimizerConfig) -> NcaConfig {
    let fit = FitConfig::new()
        .with_scaling(scaling)
        .with_optimizer(optimizer)
        .with_precision(Precision::F64)
        .with_l2(0.02)
        .with_penalty(Some(Penalty::Spread))
        .with_start_perplexity(Some(START_PERPLEXITY));
    NcaConfig::new(D, D).with_encoder(encoder).with_criterion(Criterion::G).with_fit(fit)
}

/// The metric of a fit, as squared distances of the queries among each other, and the predictions.
fn result(config: &NcaConfig, unit: f64) -> (Vec<f64>, Vec<usize>) {
    let (data, queries) = data(unit);
    let fitted = config.fit(&data, &Device::flex()).unwrap();
    let z = host_values(fitted.transform(&queries).unwrap());
    (
        (1..40).map(|row| sq_distance(&z, D, row, row - 1)).collect(),
        fitted.predict(&queries, 3).unwrap(),
    )
}

fn check(config: &NcaConfig, tolerance: f64) {
    let (expected, classes) = result(config, 1.0);
    for unit in [1000.0, 3e-4] {
        let (found, predicted) = result(config, unit);
        assert_near(&found, &expected, tolerance, &format!("in units of {unit}"));
        assert_eq!(predicted, classes, "{unit}");
    }
}

#[test]
fn features_in_other_units_give_the_same_metric_and_the_same_predictions() {
    for scaling in [ScalingKind::None, ScalingKind::MinMax, ScalingKind::Standardize] {
        for encoder in [EncoderConfig::Linear, EncoderConfig::Diagonal] {
            check(&config(scaling, encoder, lbfgs(200)), 1e-4);
        }
    }
    let batches = || StochasticConfig::new().with_epochs(Some(10)).with_batch_size(Some(30));
    for (optimizer, tolerance) in [
        (OptimizerConfig::ConjugateGradient(ConjugateGradientConfig::new()), 1e-4),
        (OptimizerConfig::Adam(batches()), 1e-3),
        (OptimizerConfig::Sgd(SgdConfig::new().with_batches(batches())), 1e-6),
    ] {
        check(&config(ScalingKind::None, EncoderConfig::Linear, optimizer), tolerance);
    }
}

/// `l2 n tr(A S Aᵀ)` is the sum of the squared distances of the rows of an embedding from their mean.
fn trace(weight: &[f64], x: &[f64], k: usize) -> f64 {
    let z = embed(x, D, &transposed(weight, k), k);
    let column = |c: usize| z.iter().skip(c).step_by(k);
    let mean = |c: usize| column(c).sum::<f64>() / (z.len() / k) as f64;
    (0..k).map(|c| column(c).map(|z| (z - mean(c)).powi(2)).sum::<f64>()).sum()
}

#[test]
fn the_penalty_of_spread_is_the_trace_and_its_slope_that_of_the_trace() {
    let (k, device) = (2, Device::flex());
    let sample = overlapping(25, D, 2, 8);
    let (x, classes) = (tensor(&sample.x, D), classes(&sample.y));
    let weight = uniform(D * k, 4);
    let at = |l2: f64| {
        let map = LinearMap::from_weight(&weight, [D, k], &device, DType::F64);
        let model = MetricModel::new(map, NcaLossConfig::new().init()).train();
        let fit = FitConfig::new()
            .with_l2(l2)
            .with_penalty(Some(Penalty::Spread))
            .with_precision(Precision::F64)
            .with_stop_at(Some(0));
        minimize(&Problem::new(model, &x, &classes), &fit, Default::default()).unwrap()
    };
    let penalty = at(0.3).value - at(0.0).value;
    assert_close(&[penalty], &[0.3 * trace(&weight, &sample.x, k)], 1e-10);
    // With a weight so large that the objective is negligible compared with it, the slope is that of the trace.
    let slope = |at: usize| {
        let moved = |by: f64| {
            let mut weight = weight.clone();
            weight[at] += by;
            trace(&weight, &sample.x, k)
        };
        ((moved(1e-4) - moved(-1e-4)) / 2e-4).abs()
    };
    let largest = (0..D * k).map(slope).fold(0.0, f64::max);
    assert_close(&[at(1e9).gradient_max / 1e9], &[largest], 1e-9);
}

#[test]
fn a_start_by_perplexity_is_not_that_of_a_given_map() {
    let (data, _) = data(1.0);
    let fit = FitConfig::new()
        .with_start(Start::Given { weight: vec![1.0; D] })
        .with_start_perplexity(Some(START_PERPLEXITY))
        .with_stop_at(Some(0));
    let fitted = NcaConfig::new(D, 1).with_fit(fit).fit(&data, &Device::flex()).unwrap();
    assert_eq!(fitted.matrix().unwrap(), [1.0; D]);
}

#[test]
fn the_value_of_mlkr_is_the_leave_one_out_error_of_standardized_targets() {
    let x = uniform(6 * 160, 91);
    let price = |row: &[f64]| 500.0 + 100.0 * (2.0 * row[0]).sin() + 60.0 * row[1] * row[1];
    let prices: Vec<f64> = x.chunks_exact(6).map(price).collect();
    let features = Features::unnamed(x, 6).unwrap();
    let data = RegressionData::new(features, "price", prices.clone()).unwrap();
    let fitted = Estimator::new(6, 2, Mlkr::new()).fit(&data, &Device::flex()).unwrap();
    let scores = RegressionScores::of(&fitted.leave_one_out_kernel().unwrap(), &prices).unwrap();
    assert_close(&[1.0 - fitted.summary().value / 160.0], &[scores.r2().unwrap()], 1e-4);
    assert_eq!(fitted.summary().start, Some(ResolvedStart::Pca));
}
