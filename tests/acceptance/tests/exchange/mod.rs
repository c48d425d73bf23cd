//! Weights move: between backends, between models that hold the same encoder, and to and from PyTorch's
//! layout; and a file of other sizes is refused with a message that names them.

use std::path::Path;

use acceptance::data::uniform;
use burn::module::Module;
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::{BatchNorm, BatchNormConfig, Linear, LinearConfig};
use burn::tensor::activation::relu;
use burn::tensor::{DType, Device, Tensor};
use burn_nca_learn::MetricModel;
use burn_nca_learn::data::host_values;
use burn_nca_learn::encoder::{
    Activation, AnyEncoder, Encoder, LinearMap, LinearMapConfig, Mlp, MlpConfig, UnitRows,
    load_weights, save_safetensors,
};
use burn_nca_learn::objective::ProxyNcaLossConfig;
use burn_nca_learn::objective::transfer::float_tensor;

const D: usize = 4;

fn network() -> MlpConfig {
    MlpConfig::new(D, vec![3], 2).with_activation(Activation::Tanh)
}

fn x(device: &Device) -> Tensor<2> {
    float_tensor(uniform(6 * D, 1), [6, D], device, DType::F32)
}

fn embedding(encoder: &impl Encoder, device: &Device) -> Vec<f64> {
    host_values(encoder.forward(x(device)))
}

fn assert_close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() < 1e-6, "{a} against {b}");
    }
}

fn saved(module: impl Module, folder: &Path) -> std::path::PathBuf {
    let path = folder.join("module.bpk");
    module.save_file(&path).unwrap();
    path
}

#[test]
#[allow(deprecated)] // Burn keeps it as the second opinion it is here
fn records_load_on_another_backend() {
    let folder = tempfile::tempdir().unwrap();
    let (flex, ndarray) = (Device::flex(), Device::ndarray());
    let network_here = network().init_seeded(2, &flex);
    let path = saved(network_here.clone(), folder.path());
    let there = load_weights(network().init(&ndarray), &path).unwrap();
    assert_eq!(there.devices(), std::slice::from_ref(&ndarray));
    assert_close(&embedding(&there, &ndarray), &embedding(&network_here, &flex));
}

#[test]
fn an_encoder_is_found_in_every_model_that_holds_it() {
    let folder = tempfile::tempdir().unwrap();
    let device = Device::flex();
    let plain = network().init_seeded(3, &device);
    let expected = embedding(&plain, &device);
    let fresh = || network().init_seeded(9, &device);
    let any = || acceptance::data::network(3).init(D, 2, &device);
    let model = MetricModel::new(
        AnyEncoder::Mlp(plain.clone()),
        ProxyNcaLossConfig::new(3, 2).init(&device),
    );
    let inside = UnitRows::new(plain.clone());
    for path in [
        saved(model, folder.path()),
        saved(plain.clone(), folder.path()),
        saved(inside.clone(), folder.path()),
        saved(AnyEncoder::Mlp(plain.clone()), folder.path()),
    ] {
        assert_close(&embedding(&load_weights(fresh(), &path).unwrap(), &device), &expected);
        assert_close(&embedding(&load_weights(any(), &path).unwrap(), &device), &expected);
        let wrapped = load_weights(UnitRows::new(fresh()), &path).unwrap();
        assert_close(&embedding(&wrapped, &device), &embedding(&inside, &device));
    }
}

#[test]
fn safetensors_carry_every_encoder_there_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let device = Device::flex();
    let path = folder.path().join("encoder.safetensors");
    let fresh: Mlp = network().init_seeded(4, &device);
    save_safetensors(&fresh, &path).unwrap();
    let back = load_weights(network().init(&device), &path).unwrap();
    assert_close(&embedding(&back, &device), &embedding(&fresh, &device));
    let map = LinearMap::from_weight(&uniform(D * 2, 5), [D, 2], &device, DType::F32);
    save_safetensors(&AnyEncoder::Linear(map.clone()), &path).unwrap();
    let back = load_weights(LinearMapConfig::new(D, 2).init(&device), &path).unwrap();
    assert_close(&embedding(&back, &device), &embedding(&map, &device));
}

/// A safetensors file is the length of its header, the header in JSON, and the numbers.
fn parts(path: &Path) -> (serde_json::Value, Vec<u8>) {
    let bytes = std::fs::read(path).unwrap();
    let (length, rest) = bytes.split_at(8);
    let length = u64::from_le_bytes(length.try_into().unwrap()) as usize;
    (serde_json::from_slice(&rest[..length]).unwrap(), rest[length..].to_vec())
}

#[test]
fn a_linear_map_is_pytorchs_linear_layer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.safetensors");
    let map =
        LinearMap::from_weight(&[1., 2., 3., 4., 5., 6.], [3, 2], &Device::flex(), DType::F32);
    save_safetensors(&map, &path).unwrap();
    let (header, numbers) = parts(&path);
    assert_eq!(header["weight"]["shape"], serde_json::json!([2, 3]), "{header}");
    assert_eq!(header["__metadata__"], serde_json::json!({ "format": "pt" }), "{header}");
    let numbers: Vec<f32> = numbers
        .chunks_exact(4)
        .map(|number| f32::from_le_bytes(number.try_into().unwrap()))
        .collect();
    assert_eq!(numbers, [1., 3., 5., 2., 4., 6.]);
}

/// A user's own encoder: rows of 16 numbers as pictures of 4 x 4.
#[derive(Module, Debug)]
struct Cnn {
    conv: Conv2d,
    norm: BatchNorm,
    head: Linear,
}

impl Cnn {
    fn new(device: &Device) -> Self {
        Self {
            conv: Conv2dConfig::new([1, 3], [3, 3]).init(device),
            norm: BatchNormConfig::new(3).init(device),
            head: LinearConfig::new(12, 2).init(device),
        }
    }
}

impl Encoder for Cnn {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let pictures = x.reshape([-1, 1, 4, 4]);
        let seen = relu(self.norm.forward(self.conv.forward(pictures)));
        self.head.forward(seen.flatten(1, 3))
    }
}

/// What PyTorch wrote, and computed from it (`tests/reference/exchange.py`).
fn from_pytorch<E: Encoder>(name: &str, fresh: E, device: &Device) -> (E, Tensor<2>, Vec<f64>) {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/burn-nca/tests/reference");
    let text = std::fs::read_to_string(folder.join("exchange.json")).unwrap();
    let fixture: serde_json::Value = serde_json::from_str(&text).unwrap();
    let numbers =
        |part: &str| -> Vec<f64> { serde_json::from_value(fixture[name][part].clone()).unwrap() };
    let x = numbers("x");
    let columns = x.len() / 5;
    let x = float_tensor(x, [5, columns], device, DType::F32);
    let path = folder.join(format!("{name}.safetensors"));
    (load_weights(fresh, &path).unwrap(), x, numbers("z"))
}

#[test]
fn networks_that_pytorch_saved_compute_the_same_here() {
    let device = Device::flex();
    let (mlp, x, expected) = from_pytorch("exchange", network().init(&device), &device);
    assert_close(&host_values(mlp.forward(x)), &expected);
    let (cnn, x, expected) = from_pytorch("exchange-cnn", Cnn::new(&device), &device);
    assert_close(&host_values(cnn.forward(x.clone())), &expected);
    // And there and back.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cnn.safetensors");
    save_safetensors(&cnn, &path).unwrap();
    let (header, _) = parts(&path);
    let mut names: Vec<&String> = header.as_object().unwrap().keys().collect();
    names.retain(|name| *name != "__metadata__");
    names.sort_unstable();
    let pytorchs =
        ["weight", "running_mean", "running_var", "bias"].map(|name| format!("norm.{name}"));
    assert!(pytorchs.iter().all(|name| names.contains(&name)) && names.len() == 8, "{names:?}");
    let back = load_weights(Cnn::new(&device), &path).unwrap();
    assert_close(&host_values(back.forward(x)), &expected);
}
