//! A fit does not depend on the units of the features, nor a penalty on anything but distances.

use acceptance::data::{overlapping, uniform};
use burn::module::Module;
use burn::tensor::{DType, Device};
use burn_nca_learn::data::{Features, Labeled, ScalingKind, host_values};
use burn_nca_learn::encoder::{EncoderConfig, LinearMap};
use burn_nca_learn::fit::{
    ConjugateGradientConfig, FitConfig, LbfgsConfig, OptimizerConfig, Penalty, Precision, Problem,
    START_PERPLEXITY, SgdConfig, Start, StochasticConfig, minimize,
};
use burn_nca_learn::objective::{ClassIndex, Criterion, NcaLossConfig};
use burn_nca_learn::{MetricModel, NcaConfig};

use crate::objective::setup::tensor;

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

fn lbfgs() -> OptimizerConfig {
    OptimizerConfig::Lbfgs(LbfgsConfig::new())
}

/// The metric of a fit, as squared distances of the queries among each other, and the predictions.
fn result(config: &NcaConfig, unit: f64) -> (Vec<f64>, Vec<usize>) {
    let (data, queries) = data(unit);
    let fitted = config.fit(&data, &Device::flex()).unwrap();
    let z = host_values(fitted.transform(&queries).unwrap());
    let distances = z.chunks(D).zip(z.chunks(D).skip(1));
    let distances = distances.map(|(a, b)| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum());
    (distances.collect(), fitted.predict(&queries, 3).unwrap())
}

fn check(config: &NcaConfig, tolerance: f64) {
    let (expected, classes) = result(config, 1.0);
    for unit in [1000.0, 3e-4] {
        let (found, predicted) = result(config, unit);
        let scale = expected.iter().fold(0.0, |max: f64, value| max.max(*value));
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found - expected).abs() < tolerance * scale, "{unit}: {found} {expected}");
        }
        assert_eq!(predicted, classes, "{unit}");
    }
}

#[test]
fn features_in_other_units_give_the_same_metric_and_the_same_predictions() {
    for scaling in [ScalingKind::None, ScalingKind::MinMax, ScalingKind::Standardize] {
        for encoder in [EncoderConfig::Linear, EncoderConfig::Diagonal] {
            check(&config(scaling, encoder, lbfgs()), 1e-4);
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

#[test]
fn a_fit_by_the_penalty_of_weights_depends_on_units() {
    // What the other penalty is for: the same weight shrinks a map of small features much more.
    let with = |penalty| {
        let linear = config(ScalingKind::None, EncoderConfig::Linear, lbfgs());
        let fit = linear.fit.clone().with_penalty(Some(penalty));
        let (distances, _) = result(&linear.with_fit(fit), 0.01);
        distances.iter().sum::<f64>()
    };
    assert!(with(Penalty::Weights) < 0.5 * with(Penalty::Spread));
}

/// `l2 n tr(A S Aᵀ)` by nested loops, S the covariance of the features.
fn trace(weight: &[f64], x: &[f64], k: usize) -> f64 {
    let n = x.len() / D;
    let mean = |c: usize| (0..n).map(|i| x[i * D + c]).sum::<f64>() / n as f64;
    let covariance = |a: usize, b: usize| -> f64 {
        (0..n).map(|i| (x[i * D + a] - mean(a)) * (x[i * D + b] - mean(b))).sum::<f64>() / n as f64
    };
    let entry = |r: usize, c: usize| weight[c * k + r];
    let mut sum = 0.0;
    for r in 0..k {
        for a in 0..D {
            for b in 0..D {
                sum += entry(r, a) * covariance(a, b) * entry(r, b);
            }
        }
    }
    sum
}

#[test]
fn the_penalty_of_spread_is_the_trace_and_its_slope_that_of_the_trace() {
    let (k, device) = (2, Device::flex());
    let sample = overlapping(25, D, 2, 8);
    let x = tensor(&sample.x, D, &device);
    let classes = ClassIndex::new(&sample.y, &device).unwrap();
    let at = |weight: &[f64], l2: f64| {
        let map = LinearMap::from_weight(weight, [D, k], &device, DType::F64);
        let model = MetricModel::new(map, NcaLossConfig::new().init()).train();
        let fit = FitConfig::new()
            .with_l2(l2)
            .with_penalty(Some(Penalty::Spread))
            .with_precision(Precision::F64)
            .with_stop_at(Some(0));
        let solution = minimize(&Problem::new(model, &x, &classes), &fit, Default::default());
        solution.map(|solution| (solution.value, solution.gradient_max)).unwrap()
    };
    let weight: Vec<f64> = uniform(D * k, 4);
    let (l2, n) = (0.3, sample.rows() as f64);
    let expected = l2 * n * trace(&weight, &sample.x, k);
    let penalty = at(&weight, l2).0 - at(&weight, 0.0).0;
    assert!((penalty - expected).abs() < 1e-10 * expected, "{penalty} {expected}");
    // With a weight so large that the objective is negligible compared with it, the slope is that of the trace.
    let l2 = 1e9;
    let slope = |at: usize| {
        let moved = |by: f64| {
            let mut weight = weight.clone();
            weight[at] += by;
            trace(&weight, &sample.x, k)
        };
        (l2 * n * (moved(1e-4) - moved(-1e-4)) / 2e-4).abs()
    };
    let largest = (0..D * k).map(slope).fold(0.0, f64::max);
    let found = at(&weight, l2).1;
    assert!((found / largest - 1.0).abs() < 1e-9, "{found} {largest}");
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
