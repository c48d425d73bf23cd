//! One suite on every backend: golden numbers, gradients, a fit, predictions; with a tolerance per type.
//!
//! The GPU is wgpu's, or that of the backend in `BURN_NCA_GPU` (feature `cuda` of this package for `cuda`). wgpu needs an
//! adapter: a GPU, or a software driver such as Debian's mesa-vulkan-drivers. Where there is none, its tests pass and say
//! that they were skipped, and why; a backend that was named has to be there.

#[path = "../sums/operation.rs"]
mod operation;
mod sums;
#[path = "../sums/ways.rs"]
mod ways;

use std::io::Write;
use std::sync::LazyLock;

use acceptance::compare::{assert_close, assert_each};
use acceptance::data::{lbfgs, network, overlapping, transposed, uniform};
use acceptance::oracle;
use acceptance::oracle::sq_distance;
use acceptance::setup::{at_block, linear, matrix};
use burn::module::Module;
use burn::optim::{AdamConfig, GradientsParams};
use burn::tensor::{DType, Device};
use burn_nca_learn::data::{Features, Labeled, ScalingKind, host_values};
use burn_nca_learn::device::backend;
use burn_nca_learn::encoder::AnyEncoder;
use burn_nca_learn::fit::parameters::flatten;
use burn_nca_learn::fit::{FitConfig, Precision};
use burn_nca_learn::objective::transfer::int_tensor;
use burn_nca_learn::objective::{ClassIndex, Criterion, NcaLossConfig};
use burn_nca_learn::{Fitted, Nca, NcaConfig, device};

/// The backend that was named for the suite of a GPU.
static NAMED: LazyLock<Option<String>> = LazyLock::new(|| std::env::var("BURN_NCA_GPU").ok());

fn gpu() -> &'static str {
    NAMED.as_deref().unwrap_or("wgpu")
}

/// The device, unless it is a GPU that is not there.
fn open(name: &str) -> Option<Device> {
    match device::open(name) {
        Ok(device) => Some(device),
        Err(error) if name == "wgpu" && NAMED.is_none() => {
            // The test harness holds back what `eprintln!` writes; a skipped suite must be seen.
            let _ = writeln!(std::io::stderr(), "SKIPPED the GPU suite: {error}");
            None
        }
        Err(error) => panic!("{name}: {error}"),
    }
}

/// Every CPU backend with each number type it has, and the relative tolerance there.
const CPUS: [(&str, DType, f64); 4] = [
    ("flex", DType::F64, 1e-10),
    ("ndarray", DType::F64, 1e-10),
    ("flex", DType::F32, 2e-5),
    ("ndarray", DType::F32, 2e-5),
];

/// Number types of a GPU and tolerances: shaders have no f64.
fn types_of_gpu() -> Vec<(DType, f64)> {
    let single = (DType::F32, 5e-5);
    if gpu() == "wgpu" { vec![single] } else { vec![single, (DType::F64, 1e-10)] }
}

/// f and g of classes under a map A are those of the oracle, and so are their gradients with the second tolerance.
fn agree(
    on: (&Device, DType),
    (x, d, y): (&[f64], usize, &[usize]),
    a: &[f64],
    (tolerance, of_gradient): (f64, Option<f64>),
    what: &str,
) {
    let k = a.len() / d;
    let at = oracle::nca(&oracle::embed(x, d, a, k), k, y);
    let (df, dg) = oracle::gradients(x, d, a, k, y);
    let index = ClassIndex::new(y, on.0).unwrap();
    for (criterion, expected, slopes) in [(Criterion::F, at.f, df), (Criterion::G, at.g, dg)] {
        let loss = NcaLossConfig::new().with_criterion(criterion).init();
        let (value, gradient) = at_block(&linear(a, d, loss, on), &matrix(x, d, on), &index, 32);
        let what = format!("{what} {:?} {criterion:?}", on.1);
        assert_each(&[-value], &[expected], tolerance, &what);
        if let Some(tolerance) = of_gradient {
            let gradient: Vec<f64> = transposed(&gradient, k).iter().map(|slope| -slope).collect();
            assert_each(&gradient, &slopes, tolerance, &what);
        }
    }
}

fn value_and_gradient_agree(name: &str, dtype: DType, tolerance: f64) {
    let Some(device) = open(name) else { return };
    // Large classes, and many small ones with singletons: both kinds of block.
    for classes in [3, 25] {
        let sample = overlapping(60, 5, classes, 21);
        let rows = (&sample.x[..], 5, &sample.y[..]);
        agree((&device, dtype), rows, &uniform(10, 22), (tolerance, Some(20.0 * tolerance)), name);
    }
}

fn fits_and_predicts(name: &str, precision: Precision) {
    let Some(device) = open(name) else { return };
    let sample = overlapping(80, 4, 2, 23);
    let data = sample.labeled();
    let fit = FitConfig::new().with_optimizer(lbfgs(8)).with_precision(precision);
    let config = NcaConfig::new(4, 2).with_fit(fit);
    let fitted = config.fit(&data, &device).unwrap();
    let history = &fitted.summary().history;
    assert!(history.windows(2).all(|pair| pair[1].value <= pair[0].value + 1e-4), "{name}");
    assert!(fitted.leave_one_out(3).unwrap().value().unwrap() > 0.7, "{name}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    fitted.save(&path).unwrap();
    // Saved here, used elsewhere: the predictions are those of the device it was fitted on.
    let elsewhere = Fitted::load(&path, &device::open("ndarray").unwrap()).unwrap();
    let here = fitted.predict(data.features(), 3).unwrap();
    let there = elsewhere.predict(data.features(), 3).unwrap();
    let differing = here.iter().zip(&there).filter(|(a, b)| a != b).count();
    assert!(differing <= 1, "{name}: {differing} of {} predictions differ", here.len());
}

#[test]
fn cpu_backends_agree_with_the_oracle() {
    for (name, dtype, tolerance) in CPUS {
        value_and_gradient_agree(name, dtype, tolerance);
    }
}

#[test]
fn gpu_agrees_with_the_oracle() {
    for (dtype, tolerance) in types_of_gpu() {
        value_and_gradient_agree(gpu(), dtype, tolerance);
    }
}

#[test]
fn cpu_backends_fit_and_predict() {
    for name in ["flex", "ndarray"] {
        fits_and_predicts(name, Precision::F32);
        fits_and_predicts(name, Precision::F64);
    }
}

#[test]
fn gpu_fits_and_predicts() {
    fits_and_predicts(gpu(), Precision::F32);
}

#[test]
fn gpu_passes_its_self_test() {
    if let Some(device) = open(gpu()) {
        burn_nca_learn::self_test(&device).unwrap();
    }
}

#[test]
fn a_fit_in_doubles_on_a_gpu_is_refused() {
    let Some(device) = open(gpu()) else { return };
    let features = Features::unnamed(vec![0.0, 0.1, 1.0, 1.1], 1).unwrap();
    let data = Labeled::from_labels(features, vec![0, 0, 1, 1]).unwrap();
    let config = NcaConfig::new(1, 1).with_fit(FitConfig::new().with_precision(Precision::F64));
    let error = config.fit(&data, &device).unwrap_err().to_string();
    assert!(error.contains("F64") && error.contains("f32"), "{error}");
}

fn trains_and_comes_back_from_its_record(device: &Device, config: &NcaConfig) {
    let device = device.clone().autodiff();
    let sample = overlapping(40, 4, 3, 31);
    let x = matrix(&sample.x, 4, (&device, DType::F32));
    let loss = |nca: &Nca<AnyEncoder>| nca.loss(x.clone(), int_tensor(&sample.y, &device));
    let (mut nca, mut optimizer) = (config.init(&device), AdamConfig::new().init());
    let first = loss(&nca).into_scalar::<f64>();
    for _ in 0..15 {
        let gradients = GradientsParams::from_grads(loss(&nca).backward(), &nca);
        nca = optimizer.step(2e-2, nca, gradients);
    }
    let last = loss(&nca).into_scalar::<f64>();
    assert!(last < first, "{last} after {first}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nca.bpk");
    nca.clone().save_file(&path).unwrap();
    let again = config.init(&device).load_file(&path);
    assert_eq!(flatten(&nca), flatten(&again));
    let [here, there] = [&nca, &again].map(|nca| host_values(nca.forward(x.clone())));
    // On CUDA Burn multiplies the layers of a network in TF32, by another kernel once it has tried several.
    assert_close(&there, &here, if backend(&device) == "cuda" { 2e-3 } else { 0.0 });
}

fn on(name: &str) {
    let Some(device) = open(name) else { return };
    let linear = NcaConfig::new(4, 2);
    trains_and_comes_back_from_its_record(&device, &linear);
    trains_and_comes_back_from_its_record(&device, &linear.with_encoder(network(8)));
}

#[test]
fn the_module_trains_and_comes_back_from_its_record_on_cpus() {
    on("flex");
    on("ndarray");
}

#[test]
fn the_module_trains_and_comes_back_from_its_record_on_a_gpu() {
    on(gpu());
}

const POINTS: usize = 120;

/// f and g in f32 on every backend that is there are those of the oracle for the same (rounded) points.
fn agree_in_f32(z: &[f64], k: usize, y: &[usize], what: &str) {
    for name in ["flex", "ndarray", gpu()] {
        let Some(device) = open(name) else { continue };
        agree_on((&device, DType::F32), (z, k), y, &format!("{what} on {name}"));
    }
}

fn agree_on(on: (&Device, DType), (z, k): (&[f64], usize), y: &[usize], what: &str) {
    let z: Vec<f64> = z.iter().map(|&x| f64::from(x as f32)).collect();
    let identity: Vec<f64> = (0..k * k).map(|i| f64::from(u8::from(i % (k + 1) == 0))).collect();
    agree(on, (&z, k, y), &identity, (1e-4, None), what);
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
        agree_in_f32(&z, k, &y, "groups");
    }
}

#[test]
fn one_outlier_at_a_million() {
    for k in [2, 8] {
        // Which points are nearest to the outlier itself, f32 cannot say: it is the only one of its class.
        let (mut z, mut y) = cloud(k, 62);
        (z[0], y[0]) = (1e6, 3);
        agree_in_f32(&z, k, &y, "outlier");
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
        agree_in_f32(&z, k, &y, "norms");
    }
}

/// A fit by rows that are moved.
fn fit(x: &[f64], y: &[usize], offset: f64, scaling: ScalingKind) -> Fitted {
    let (x, d) = (x.iter().map(|x| x + offset).collect(), x.len() / POINTS);
    let data = Labeled::from_labels(Features::unnamed(x, d).unwrap(), y.to_vec()).unwrap();
    let settings = FitConfig::new()
        .with_optimizer(lbfgs(3))
        .with_precision(Precision::F32)
        .with_scaling(scaling);
    NcaConfig::new(d, 2).with_fit(settings).fit(&data, &Device::flex()).unwrap()
}

/// An offset that all rows share changes nothing, whatever the scaling.
#[test]
fn features_offset_by_ten_million() {
    let (x, y) = cloud(4, 64);
    for scaling in [ScalingKind::None, ScalingKind::Standardize, ScalingKind::MinMax] {
        let [near, far] = [0.0, 1e7].map(|offset| fit(&x, &y, offset, scaling).summary().value);
        assert!((near - far).abs() <= 1e-4 * near.abs(), "{scaling:?}: {near} against {far}");
    }
}

/// Near rows far from the origin keep their distance, and a row has none to itself.
#[test]
fn learned_distances_are_exact() {
    let (x, y) = cloud(3, 65);
    let fitted = fit(&x, &y, 0.0, ScalingKind::None);
    let rows = Features::unnamed(vec![1e4, 0.0, 0.0, 1e4, 0.0, 1.0, -1e4, 5.0, 0.0], 3).unwrap();
    let z = host_values(fitted.transform(&rows).unwrap());
    let found = host_values(fitted.sq_distances(&rows, &rows).unwrap());
    for (at, &found) in found.iter().enumerate() {
        let expected = sq_distance(&z, 2, at / 3, at % 3);
        assert!((found - expected).abs() <= 1e-6 * expected, "{at}: {found} against {expected}");
    }
}
