//! `Nca` as an ordinary Burn module: a training loop of one's own, and its record, on every backend.

use acceptance::data::{network, overlapping};
use burn::module::Module;
use burn::optim::{AdamConfig, GradientsParams};
use burn::tensor::{DType, Device, Int, Tensor};
use burn_nca_learn::data::host_values;
use burn_nca_learn::device::backend;
use burn_nca_learn::encoder::AnyEncoder;
use burn_nca_learn::fit::parameters::flatten;
use burn_nca_learn::objective::transfer::{float_tensor, int_tensor};
use burn_nca_learn::{Nca, NcaConfig};

use super::{gpu, open};

/// Trains a module for some steps and gives it back with its first and last loss.
fn train(
    mut nca: Nca<AnyEncoder>,
    x: &Tensor<2>,
    labels: &Tensor<1, Int>,
) -> (Nca<AnyEncoder>, f64, f64) {
    let mut optimizer = AdamConfig::new().init();
    let value = |nca: &Nca<AnyEncoder>| nca.loss(x.clone(), labels.clone()).into_scalar::<f64>();
    let first = value(&nca);
    for _ in 0..15 {
        let loss = nca.loss(x.clone(), labels.clone());
        let gradients = GradientsParams::from_grads(loss.backward(), &nca);
        nca = optimizer.step(2e-2, nca, gradients);
    }
    let last = value(&nca);
    (nca, first, last)
}

fn trains_and_comes_back_from_its_record(device: &Device, config: &NcaConfig) {
    let device = device.clone().autodiff();
    let sample = overlapping(40, 4, 3, 31);
    let x: Tensor<2> = float_tensor(sample.x, [40, 4], &device, DType::F32);
    let labels = int_tensor(&sample.y, &device);
    let (nca, first, last) = train(config.init(&device), &x, &labels);
    assert!(last < first, "{last} after {first}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nca.bpk");
    nca.clone().save_file(&path).unwrap();
    let again = config.init(&device).load_file(&path);
    assert_eq!(flatten(&nca), flatten(&again));
    let outputs = |nca: &Nca<AnyEncoder>| host_values(nca.forward(x.clone()));
    // On CUDA Burn multiplies the layers of a network in TF32, by another kernel once it has tried several.
    let bound = if backend(&device) == "cuda" { 2e-3 } else { 0.0 };
    for (here, there) in outputs(&nca).into_iter().zip(outputs(&again)) {
        assert!((here - there).abs() <= bound * (1.0 + here.abs()), "{here} {there}");
    }
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
