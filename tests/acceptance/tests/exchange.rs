//! Weights move: between backends, between models that hold the same encoder, and to and from PyTorch's
//! layout; and a file of other sizes is refused with a message that names them.

use std::path::{Path, PathBuf};

use acceptance::compare::assert_close;
use acceptance::data::uniform;
use acceptance::setup::matrix;
use burn::module::Module;
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::{BatchNorm, BatchNormConfig, Linear, LinearConfig};
use burn::tensor::activation::relu;
use burn::tensor::{DType, Device, Tensor};
use burn_nca_learn::MetricModel;
use burn_nca_learn::data::host_values;
use burn_nca_learn::encoder::{
    Activation, AnyEncoder, Encoder, LinearMap, LinearMapConfig, MlpConfig, UnitRows, load_weights,
    save_safetensors,
};
use burn_nca_learn::objective::ProxyNcaLossConfig;
use tempfile::TempDir;

const D: usize = 4;

fn network() -> MlpConfig {
    MlpConfig::new(D, vec![3], 2).with_activation(Activation::Tanh)
}

fn embedding(encoder: &impl Encoder, device: &Device) -> Vec<f64> {
    host_values(encoder.forward(matrix(&uniform(6 * D, 1), D, (device, DType::F32))))
}

/// An encoder with the weights of a file embeds as another one does.
fn assert_loads(fresh: impl Encoder, path: &Path, expected: &[f64], device: &Device) {
    let loaded = load_weights(fresh, path).unwrap();
    assert_close(&embedding(&loaded, device), expected, 1e-6);
}

fn saved(module: impl Module, folder: &TempDir, name: &str) -> PathBuf {
    let path = folder.path().join(format!("{name}.bpk"));
    module.save_file(&path).unwrap();
    path
}

#[test]
#[allow(deprecated)] // Burn keeps it as the second opinion it is here
fn records_load_on_another_backend() {
    let folder = tempfile::tempdir().unwrap();
    let (flex, ndarray) = (Device::flex(), Device::ndarray());
    let here = network().init_seeded(2, &flex);
    let path = saved(here.clone(), &folder, "network");
    let there = load_weights(network().init(&ndarray), &path).unwrap();
    assert_eq!(there.devices(), std::slice::from_ref(&ndarray));
    assert_loads(network().init(&ndarray), &path, &embedding(&here, &flex), &ndarray);
}

#[test]
fn an_encoder_is_found_in_every_model_that_holds_it() {
    let folder = tempfile::tempdir().unwrap();
    let device = Device::flex();
    let plain = network().init_seeded(3, &device);
    let proxies = ProxyNcaLossConfig::new(3, 2).init(&device);
    let inside = UnitRows::new(plain.clone());
    let [expected, expected_inside] = [embedding(&plain, &device), embedding(&inside, &device)];
    let fresh = || network().init_seeded(9, &device);
    for path in [
        saved(MetricModel::new(AnyEncoder::Mlp(plain.clone()), proxies), &folder, "model"),
        saved(plain.clone(), &folder, "plain"),
        saved(inside, &folder, "inside"),
        saved(AnyEncoder::Mlp(plain), &folder, "any"),
    ] {
        assert_loads(fresh(), &path, &expected, &device);
        assert_loads(acceptance::data::network(3).init(D, 2, &device), &path, &expected, &device);
        assert_loads(UnitRows::new(fresh()), &path, &expected_inside, &device);
    }
}

#[test]
fn safetensors_carry_every_encoder_there_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let device = Device::flex();
    let path = folder.path().join("encoder.safetensors");
    let mlp = network().init_seeded(4, &device);
    save_safetensors(&mlp, &path).unwrap();
    assert_loads(network().init(&device), &path, &embedding(&mlp, &device), &device);
    let map = LinearMap::from_weight(&uniform(D * 2, 5), [D, 2], &device, DType::F32);
    save_safetensors(&AnyEncoder::Linear(map.clone()), &path).unwrap();
    let fresh = LinearMapConfig::new(D, 2).init(&device);
    assert_loads(fresh, &path, &embedding(&map, &device), &device);
}

/// A safetensors file is the length of its header, the header in JSON, and the numbers.
fn parts(path: &Path) -> (serde_json::Value, Vec<f32>) {
    let bytes = std::fs::read(path).unwrap();
    let (length, rest) = bytes.split_at(8);
    let length = u64::from_le_bytes(length.try_into().unwrap()) as usize;
    let numbers = rest[length..].chunks_exact(4);
    let numbers = numbers.map(|number| f32::from_le_bytes(number.try_into().unwrap()));
    (serde_json::from_slice(&rest[..length]).unwrap(), numbers.collect())
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
    let x = matrix(&x, x.len() / 5, (device, DType::F32));
    let path = folder.join(format!("{name}.safetensors"));
    (load_weights(fresh, &path).unwrap(), x, numbers("z"))
}

#[test]
fn networks_that_pytorch_saved_compute_the_same_here() {
    let device = Device::flex();
    let (mlp, x, expected) = from_pytorch("exchange", network().init(&device), &device);
    assert_close(&host_values(mlp.forward(x)), &expected, 1e-6);
    let (cnn, x, expected) = from_pytorch("exchange-cnn", Cnn::new(&device), &device);
    assert_close(&host_values(cnn.forward(x.clone())), &expected, 1e-6);
    // And there and back.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cnn.safetensors");
    save_safetensors(&cnn, &path).unwrap();
    let (header, _) = parts(&path);
    let named = ["weight", "running_mean", "running_var", "bias"]
        .iter()
        .all(|name| header.get(format!("norm.{name}")).is_some());
    // Eight tensors and the metadata.
    assert!(named && header.as_object().unwrap().len() == 9, "{header}");
    let back = load_weights(Cnn::new(&device), &path).unwrap();
    assert_close(&host_values(back.forward(x)), &expected, 1e-6);
}
