//! The multilayer perceptron.

use burn::config::Config;
use burn::module::{Module, Param};
use burn::nn::{Linear, LinearConfig};
use burn::tensor::activation::{relu, sigmoid, tanh};
use burn::tensor::{DType, Device, Tensor, TensorData};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Encoder;

/// The function between the layers of an [`Mlp`].
#[derive(Config, Debug, Copy, PartialEq, Eq)]
pub enum Activation {
    /// max(0, x)
    Relu,
    /// The hyperbolic tangent.
    Tanh,
    /// The logistic function of the paper's face network, 1 / (1 + exp(-x)).
    Logistic,
}

impl Activation {
    fn apply(self, x: Tensor<2>) -> Tensor<2> {
        match self {
            Self::Relu => relu(x),
            Self::Tanh => tanh(x),
            Self::Logistic => sigmoid(x),
        }
    }
}

/// The sizes and activation of an [`Mlp`].
#[derive(Config, Debug)]
pub struct MlpConfig {
    /// Number of input features, d.
    pub d_input: usize,
    /// Sizes of the hidden layers, first to last.
    pub hidden: Vec<usize>,
    /// Number of embedding dimensions, k.
    pub d_output: usize,
    /// The function after each hidden layer; the output layer is linear.
    #[config(default = "Activation::Relu")]
    pub activation: Activation,
}

impl MlpConfig {
    /// A network with Burn's default random start of linear layers (seed the device first).
    pub fn init(&self, device: &Device) -> Mlp {
        let mut layers = Vec::with_capacity(self.hidden.len() + 1);
        let mut d_input = self.d_input;
        for &size in self.hidden.iter().chain(std::iter::once(&self.d_output)) {
            layers.push(LinearConfig::new(d_input, size).init(device));
            d_input = size;
        }
        Mlp { layers, activation: self.activation }
    }

    /// A network with the same kind of start, drawn on the host: one seed gives the same network on every
    /// device.
    ///
    /// ```text
    /// weights and biases uniform in ±1/sqrt(d_input of the layer)
    /// ```
    pub fn init_seeded(&self, seed: u64, device: &Device) -> Mlp {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut network = self.init(device);
        for layer in &mut network.layers {
            let [d_input, d_output] = layer.weight.dims();
            let bound = 1.0 / (d_input as f64).sqrt();
            let mut draw = |shape: &[usize]| {
                let size = shape.iter().product();
                let values: Vec<f64> = (0..size).map(|_| rng.random_range(-bound..bound)).collect();
                TensorData::new(values, shape.to_vec()).convert_dtype(DType::F32)
            };
            let weight = draw(&[d_input, d_output]);
            let bias = draw(&[d_output]);
            layer.weight = Param::from_tensor(Tensor::from_data(weight, device));
            layer.bias = Some(Param::from_tensor(Tensor::from_data(bias, device)));
        }
        network
    }
}

/// A multilayer perceptron with a linear output layer.
#[derive(Module, Debug)]
pub struct Mlp {
    /// The layers, input to output.
    pub layers: Vec<Linear>,
    #[module(skip)]
    activation: Activation,
}

impl Mlp {
    /// Sizes of the hidden layers, first to last.
    pub fn hidden(&self) -> Vec<usize> {
        let last = self.layers.len() - 1;
        self.layers[..last].iter().map(|layer| layer.weight.dims()[1]).collect()
    }

    /// The function after each hidden layer.
    pub fn activation(&self) -> Activation {
        self.activation
    }
}

impl Encoder for Mlp {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let last = self.layers.len() - 1;
        let mut z = x;
        for (index, layer) in self.layers.iter().enumerate() {
            z = layer.forward(z);
            if index < last {
                z = self.activation.apply(z);
            }
        }
        z
    }

    fn d_input(&self) -> Option<usize> {
        self.layers.first().map(|layer| layer.weight.dims()[0])
    }
}
