//! f and g in f32 agree with f64 where an expansion of the square has no digits left.

use acceptance::data::{lbfgs, uniform};
use acceptance::oracle;
use burn::tensor::{DType, Device, Tensor};
use burn_nca_learn::data::{Features, Labeled, ScalingKind, host_values};
use burn_nca_learn::encoder::LinearMap;
use burn_nca_learn::fit::exact::{BlockConfig, value_and_gradient};
use burn_nca_learn::fit::{FitConfig, Precision};
use burn_nca_learn::objective::transfer::float_tensor;
use burn_nca_learn::objective::{ClassIndex, Criterion, NcaLossConfig};
use burn_nca_learn::{MetricModel, NcaConfig};

use super::{gpu, open};

const POINTS: usize = 120;

/// In f32 on every backend that is there.
fn agree(z: &[f64], k: usize, y: &[usize], what: &str) {
    for name in ["flex", "ndarray", gpu()] {
        let Some(device) = open(name) else { continue };
        agree_on((&device, DType::F32), (z, k), y, &format!("{what} on {name}"));
    }
}

/// f and g in a number type under the identity are those of the oracle for the same (rounded) points.
fn agree_on((device, dtype): (&Device, DType), (z, k): (&[f64], usize), y: &[usize], what: &str) {
    let z: Vec<f64> = z.iter().map(|&x| f64::from(x as f32)).collect();
    let at = oracle::nca(&z, k, y);
    let x: Tensor<2> = float_tensor(z, [y.len(), k], device, dtype);
    let identity: Vec<f64> = (0..k * k).map(|i| f64::from(u8::from(i % (k + 1) == 0))).collect();
    let index = ClassIndex::new(y, device).unwrap();
    for (criterion, expected) in [(Criterion::F, at.f), (Criterion::G, at.g)] {
        let map = LinearMap::from_weight(&identity, [k, k], &device.clone().autodiff(), dtype);
        let model = MetricModel::new(map, NcaLossConfig::new().with_criterion(criterion).init());
        let found = -value_and_gradient(&model, &x, &index, &BlockConfig::new()).value;
        let error = (found - expected).abs() / expected.abs();
        assert!(error < 1e-4, "{what}, {criterion:?}: {found} against {expected}");
    }
}

/// Points at distances of about 1, and classes that have nothing to do with them.
fn cloud(k: usize, seed: u64) -> (Vec<f64>, Vec<usize>) {
    let spread = 2.0 / (k as f64).sqrt();
    let z = uniform(POINTS * k, seed).into_iter().map(|x| x * spread).collect();
    (z, (0..POINTS).map(|i| i / 2 % 3).collect())
}

#[test]
fn groups_ten_thousand_apart() {
    for k in [2, 8] {
        let (mut z, y) = cloud(k, 61);
        z.iter_mut()
            .enumerate()
            .for_each(|(at, x)| *x += 1e4 * f64::from(at as u32 / k as u32 % 2));
        agree(&z, k, &y, "groups");
    }
}

#[test]
fn one_outlier_at_a_million() {
    for k in [2, 8] {
        // Which points are nearest to the outlier itself, f32 cannot say: it is the only one of its class.
        let (mut z, mut y) = cloud(k, 62);
        (z[0], y[0]) = (1e6, 3);
        agree(&z, k, &y, "outlier");
    }
}

/// Its squared distances are 1e12 and more, which f32 has in steps of 65536: where its own term counts, f64 it must be.
#[test]
fn an_outlier_s_own_term_in_f64() {
    for k in [2, 8] {
        let (mut z, y) = cloud(k, 62);
        z[0] = 1e6;
        for name in ["flex", "ndarray"] {
            agree_on((&open(name).unwrap(), DType::F64), (&z, k), &y, name);
        }
    }
}

#[test]
fn squared_norms_of_a_million() {
    for k in [2, 32] {
        let (mut z, y) = cloud(k, 63);
        let away = 1e3 / (k as f64).sqrt();
        // A point in each direction, and its neighbors around it.
        z.iter_mut()
            .enumerate()
            .for_each(|(at, x)| *x += if at / k % 4 < 2 { away } else { -away });
        agree(&z, k, &y, "norms");
    }
}

/// An offset that all rows share changes nothing, whatever the scaling.
#[test]
fn features_offset_by_ten_million() {
    let (x, y) = cloud(4, 64);
    let fit = |offset: f64, scaling: ScalingKind| {
        let x = x.iter().map(|x| x + offset).collect();
        let data = Labeled::from_labels(Features::unnamed(x, 4).unwrap(), y.clone()).unwrap();
        let settings = FitConfig::new()
            .with_optimizer(lbfgs(3))
            .with_precision(Precision::F32)
            .with_scaling(scaling);
        let fitted = NcaConfig::new(4, 2).with_fit(settings).fit(&data, &Device::flex()).unwrap();
        fitted.summary().value
    };
    for scaling in [ScalingKind::None, ScalingKind::Standardize, ScalingKind::MinMax] {
        let (near, far) = (fit(0.0, scaling), fit(1e7, scaling));
        assert!((near - far).abs() <= 1e-4 * near.abs(), "{scaling:?}: {near} against {far}");
    }
}

/// Near rows far from the origin keep their distance, and a row has none to itself.
#[test]
fn learned_distances_are_exact() {
    let (x, y) = cloud(3, 65);
    let data = Labeled::from_labels(Features::unnamed(x, 3).unwrap(), y).unwrap();
    let settings = FitConfig::new()
        .with_optimizer(lbfgs(2))
        .with_precision(Precision::F32)
        .with_scaling(ScalingKind::None);
    let fitted = NcaConfig::new(3, 2).with_fit(settings).fit(&data, &Device::flex()).unwrap();
    let rows = Features::unnamed(vec![1e4, 0.0, 0.0, 1e4, 0.0, 1.0, -1e4, 5.0, 0.0], 3).unwrap();
    let z = host_values(fitted.transform(&rows).unwrap());
    let found = host_values(fitted.sq_distances(&rows, &rows).unwrap());
    for (at, &found) in found.iter().enumerate() {
        let (a, b) = (&z[at / 3 * 2..][..2], &z[at % 3 * 2..][..2]);
        let expected: f64 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
        assert!((found - expected).abs() <= 1e-6 * expected, "{at}: {found} against {expected}");
    }
}
