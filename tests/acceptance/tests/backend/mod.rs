//! One suite on every backend: golden numbers, gradients, a fit, predictions; with a tolerance per type.
//!
//! The GPU is wgpu's, or that of the backend in `BURN_NCA_GPU` (feature `cuda` of this package for `cuda`). wgpu needs an
//! adapter: a GPU, or a software driver such as Debian's mesa-vulkan-drivers. Where there is none, its tests pass and say
//! that they were skipped, and why; a backend that was named has to be there.

mod module;
#[path = "../sums/operation.rs"]
mod operation;
mod precision;
mod sums;
#[path = "../sums/ways.rs"]
mod ways;

use std::io::Write;
use std::sync::LazyLock;

use acceptance::data::{lbfgs, overlapping, transposed, uniform};
use acceptance::oracle;
use burn::tensor::{DType, Device, Tensor};
use burn_nca_learn::data::{Features, Labeled};
use burn_nca_learn::encoder::LinearMap;
use burn_nca_learn::fit::exact::{BlockConfig, value_and_gradient};
use burn_nca_learn::fit::parameters::flatten_gradients;
use burn_nca_learn::fit::{FitConfig, Precision};
use burn_nca_learn::objective::transfer::float_tensor;
use burn_nca_learn::objective::{ClassIndex, Criterion, NcaLossConfig};
use burn_nca_learn::{MetricModel, NcaConfig, device};

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

fn close(found: f64, expected: f64, tolerance: f64, what: &str) {
    let bound = tolerance * (1.0 + expected.abs());
    assert!((found - expected).abs() <= bound, "{what}: {found} against {expected}");
}

fn value_and_gradient_agree(name: &str, dtype: DType, tolerance: f64) {
    let Some(device) = open(name) else { return };
    let (d, k) = (5, 2);
    // Large classes, and many small ones with singletons: both kinds of block.
    for classes in [3, 25] {
        let sample = overlapping(60, d, classes, 21);
        let a: Vec<f64> = uniform(d * k, 22);
        let z = oracle::embed(&sample.x, d, &a, k);
        let at = oracle::nca(&z, k, &sample.y);
        let (df, dg) = oracle::gradients(&sample.x, d, &a, k, &sample.y);
        let x: Tensor<2> = float_tensor(sample.x.clone(), [60, d], &device, dtype);
        let weight = transposed(&a, d);
        let index = ClassIndex::new(&sample.y, &device).unwrap();
        for (criterion, value, gradient) in [(Criterion::F, at.f, &df), (Criterion::G, at.g, &dg)] {
            let map = LinearMap::from_weight(&weight, [d, k], &device.clone().autodiff(), dtype);
            let loss = NcaLossConfig::new().with_criterion(criterion).init();
            let model = MetricModel::new(map, loss);
            let blocks = BlockConfig::new().with_rows(Some(32));
            let found = value_and_gradient(&model, &x, &index, &blocks);
            close(-found.value, value, tolerance, &format!("{name} {dtype:?} {criterion:?}"));
            let flat = flatten_gradients(&model, &found.gradients);
            for (i, (g, expected)) in flat.iter().zip(transposed(gradient, d)).enumerate() {
                close(*g, -expected, 20.0 * tolerance, &format!("{name} {dtype:?} gradient {i}"));
            }
        }
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
    let elsewhere = burn_nca_learn::Fitted::load(&path, &device::open("ndarray").unwrap()).unwrap();
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
