//! Each encoder: values worked by hand, what it refuses, how it is shown, and with quantized weights.

use burn::module::{Module, Quantizer};
use burn::optim::{AdamConfig, GradientsParams};
use burn::tensor::quantization::{Calibration, QuantScheme};
use burn::tensor::{DType, Device, Distribution, Tensor};

use super::*;
use crate::error::refusal;

fn rows() -> Tensor<2> {
    Tensor::from_floats([[1.0, 2.0], [3.0, -1.0]], &Device::flex())
}

fn numbers(tensor: Tensor<2>) -> Vec<f32> {
    tensor.into_data().try_to_vec().unwrap()
}

fn linear() -> LinearMap {
    // A = [1 0; 2 1; 0 -1], stored as its transpose.
    LinearMap::from_weight(&[1.0, 2.0, 0.0, 0.0, 1.0, -1.0], [2, 3], &Device::flex(), DType::F32)
}

fn diagonal() -> DiagonalMap {
    DiagonalMap::from_scale(&[2.0, 0.5], &Device::flex(), DType::F32)
}

/// A network whose weights are all 1 and whose biases are all `bias`.
fn network(bias: f32) -> Mlp {
    let mut network = MlpConfig::new(2, vec![2], 1).init(&Device::flex());
    for layer in &mut network.layers {
        layer.weight = layer.weight.clone().map(|weight| weight.ones_like());
        layer.bias = layer.bias.clone().map(|all| all.map(|old| old.zeros_like().add_scalar(bias)));
    }
    network
}

#[test]
fn values_are_those_worked_by_hand() {
    assert_eq!(numbers(linear().forward(rows())), [1.0, 4.0, -2.0, 3.0, 5.0, 1.0]);
    assert_eq!(numbers(diagonal().forward(rows())), [2.0, 1.0, 6.0, -0.5]);
    // Hidden units relu(3 - 1) and relu(2 - 1), twice each; the output adds them and -1.
    assert_eq!(numbers(network(-1.0).forward(rows())), [3.0, 1.0]);
}

#[test]
fn the_penalty_is_the_sum_of_squared_weights() {
    let norm = |encoder: &dyn Fn() -> Option<Tensor<1>>| encoder().unwrap().into_scalar::<f32>();
    assert_eq!(norm(&|| linear().squared_norm()), 7.0);
    assert_eq!(norm(&|| diagonal().squared_norm()), 4.25);
    assert_eq!(norm(&|| network(5.0).squared_norm()), 6.0); // biases are left out
}

#[test]
fn what_does_not_fit_a_map_is_refused() {
    let device = Device::flex();
    let refused: [(&str, &dyn Fn()); 3] = [
        ("3", &|| drop(linear().forward(Tensor::zeros([4, 3], &device)))),
        ("3", &|| drop(diagonal().forward(Tensor::zeros([4, 3], &device)))),
        ("needs d * k values", &|| {
            drop(LinearMap::from_weight(&[1.0; 5], [2, 3], &device, DType::F32));
        }),
    ];
    for (expected, call) in refused {
        let words = refusal(call);
        assert!(words.contains(expected), "{words}");
    }
}

#[test]
fn each_encoder_shows_its_size() {
    for (shown, expected) in [
        (linear().to_string(), ["LinearMap", "params: 6"]),
        (diagonal().to_string(), ["DiagonalMap", "params: 2"]),
        (network(0.0).to_string(), ["Mlp", "params: 9"]),
    ] {
        assert!(expected.iter().all(|part| shown.contains(part)), "{shown}");
    }
}

#[test]
fn a_quantized_map_embeds_with_its_rounded_weights() {
    let device = Device::flex();
    let weight: Vec<f64> = (0..64).map(|i| f64::from((i * 37) % 64) / 32.0 - 1.0).collect();
    let map = LinearMap::from_weight(&weight, [16, 4], &device, DType::F32);
    let x = Tensor::from_data(
        burn::tensor::TensorData::new((0..32).map(|i| (i % 5) as f32).collect(), [2, 16]),
        &device,
    );
    let exact = numbers(map.forward(x.clone()));
    let mut quantizer = Quantizer::new(Calibration::MinMax, QuantScheme::default());
    let rounded = map.clone().quantize_weights(&mut quantizer);
    let found = numbers(rounded.forward(x));
    assert!(exact.iter().zip(&found).all(|(a, b)| (a - b).abs() < 0.3), "{exact:?} {found:?}");
    let matrices = map.matrix().into_iter().zip(rounded.matrix());
    assert!(matrices.into_iter().all(|(a, b)| (a - b).abs() < 0.01));
}

#[test]
fn a_folded_network_is_the_same_outside_training() {
    let device = Device::flex().autodiff();
    let layers = HiddenLayers { sizes: vec![5, 4], ..HiddenLayers::regularized() };
    let mut network = MlpConfig::new(3, layers.clone(), 2).init_seeded(7, &device);
    assert_eq!(network.hidden(), layers);
    let x = Tensor::<2>::random([40, 3], Distribution::Normal(1.0, 2.0), &device);
    let slopes = network.forward(x.clone()).square().sum().backward();
    let gradients = GradientsParams::from_grads(slopes, &network);
    network = AdamConfig::new().init().step(0.1, network, gradients);
    let network = network.valid();
    let folded = network.folded();
    assert_eq!(folded.hidden(), vec![5, 4].into());
    let x = x.inner();
    let apart = network.forward(x.clone()) - folded.forward(x.clone());
    assert!(apart.abs().max().into_scalar::<f32>() < 1e-5);
    // The statistics have moved from where they start.
    let plain = MlpConfig::new(3, vec![5, 4], 2).init_seeded(7, &x.device());
    assert!((plain.forward(x.clone()) - folded.forward(x)).abs().max().into_scalar::<f32>() > 1e-2);
}

#[test]
fn shares_and_deviations_out_of_range_are_refused() {
    let refused = |layers: HiddenLayers| layers.check().unwrap_err().to_string();
    let layers = || HiddenLayers::from(vec![2]);
    assert!(
        refused(HiddenLayers { dropout: 1.0, ..layers() }).starts_with("the dropout is 1; give")
    );
    let noise = refused(HiddenLayers { noise: -0.5, ..layers() });
    assert!(noise.starts_with("the noise of the network is -0.5; give"), "{noise}");
    assert!(HiddenLayers::regularized().is_stochastic() && !layers().is_stochastic());
}

#[test]
fn a_network_in_training_is_that_of_the_seed() {
    let device = Device::flex().autodiff();
    let x =
        Tensor::<2>::ones([6, 3], &device) * Tensor::arange(0..6, &device).float().unsqueeze_dim(1);
    let embedded = |hidden: HiddenLayers, seed| {
        let network = MlpConfig::new(3, hidden, 2).init_seeded(5, &device);
        [network.forward_seeded(x.clone(), seed).unwrap(), network.forward(x.clone())].map(numbers)
    };
    let [seven, _] = embedded(HiddenLayers::regularized(), 7);
    assert_eq!(seven, embedded(HiddenLayers::regularized(), 7)[0]);
    assert_ne!(seven, embedded(HiddenLayers::regularized(), 8)[0]);
    let [seeded, forward] = embedded(vec![4].into(), 7);
    assert_eq!(seeded, forward);
}
