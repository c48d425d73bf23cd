//! The multilayer perceptron.

use burn::config::Config;
use burn::module::{Module, Param, ParamId, RunningState};
use burn::nn::{
    BatchNorm, BatchNormConfig, Dropout, DropoutConfig, GaussianNoise, GaussianNoiseConfig, Linear,
    LinearConfig,
};
use burn::tensor::activation::{relu, sigmoid, tanh};
use burn::tensor::{DType, Device, Tensor, TensorData};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::layers::normalized;
use super::{Encoder, seeded};
use crate::device::runs_on_host;
use crate::error::{Result, require};

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

/// The layers between the inputs and the linear output layer of an [`Mlp`].
///
/// ```text
/// h_0 = x + noise ε,   ε normal                                    in training only
/// h_l = dropout(activation(norm(h_(l-1) W_l + b_l)))               the layers of `sizes`
/// ```
/// norm is batch normalization with its own scale and shift, or nothing; dropout sets a share of the units to zero and
/// scales the others by 1 / (1 - share). Outside training there is neither noise nor dropout, and norm uses the running
/// statistics: a layer is then one affine map ([`Mlp::folded`]).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HiddenLayers {
    /// Sizes of the layers, first to last.
    #[serde(rename = "hidden")]
    pub sizes: Vec<usize>,
    /// The function after each layer.
    pub activation: Activation,
    /// Whether the units are normalized over the rows of a batch, before the activation.
    #[serde(default)]
    pub batch_norm: bool,
    /// The share of the units of each layer that are set to zero, in [0, 1).
    #[serde(default)]
    pub dropout: f64,
    /// The standard deviation of the noise that is added to the inputs, in their (scaled) unit.
    #[serde(default)]
    pub noise: f64,
}

impl From<Vec<usize>> for HiddenLayers {
    /// Layers of these sizes, with the activation relu and nothing else.
    fn from(sizes: Vec<usize>) -> Self {
        Self { sizes, activation: Activation::Relu, batch_norm: false, dropout: 0.0, noise: 0.0 }
    }
}

impl HiddenLayers {
    /// Two layers that generalize, for standardized features and mini-batches: 256 and 128 units, batch normalization,
    /// dropout 0.2, noise 0.3.
    pub fn regularized() -> Self {
        Self { batch_norm: true, dropout: 0.2, noise: 0.3, ..vec![256, 128].into() }
    }

    /// Whether the layers behave differently in training, so that only mini-batches can fit them.
    pub fn is_stochastic(&self) -> bool {
        self.batch_norm || self.dropout > 0.0 || self.noise > 0.0
    }

    /// Checks the ranges.
    ///
    /// # Errors
    /// A share of dropout outside [0, 1), or a noise that is negative or not finite.
    pub fn check(&self) -> Result<()> {
        check_dropout(self.dropout)?;
        let noise = self.noise;
        require(noise >= 0.0 && noise.is_finite(), || {
            format!("the noise of the network is {noise}; give a standard deviation of 0 or more")
        })
    }
}

/// Checks that a share of units to leave out is one.
///
/// # Errors
/// A share outside [0, 1).
pub fn check_dropout(share: f64) -> Result<()> {
    require((0.0..1.0).contains(&share), || {
        format!("the dropout is {share}; give a share of the units, at least 0 and below 1")
    })
}

/// The sizes of an [`Mlp`] and its hidden layers.
#[derive(Clone, Debug, PartialEq)]
pub struct MlpConfig {
    /// Number of input features, d.
    pub d_input: usize,
    /// The hidden layers.
    pub hidden: HiddenLayers,
    /// Number of embedding dimensions, k.
    pub d_output: usize,
}

impl MlpConfig {
    /// A network from d inputs through these layers (or layers of these sizes, with relu) to k outputs.
    pub fn new(d_input: usize, hidden: impl Into<HiddenLayers>, d_output: usize) -> Self {
        Self { d_input, hidden: hidden.into(), d_output }
    }

    /// The same network with another function after each hidden layer.
    #[must_use]
    pub fn with_activation(mut self, activation: Activation) -> Self {
        self.hidden.activation = activation;
        self
    }

    /// A network with Burn's default random start of linear layers (seed the device first).
    pub fn init(&self, device: &Device) -> Mlp {
        let HiddenLayers { sizes, activation, batch_norm, dropout, noise } = &self.hidden;
        let mut layers = Vec::with_capacity(sizes.len() + 1);
        let mut d_input = self.d_input;
        for &size in sizes.iter().chain(std::iter::once(&self.d_output)) {
            layers.push(LinearConfig::new(d_input, size).init(device));
            d_input = size;
        }
        let norms = sizes.iter().filter(|_| *batch_norm);
        Mlp {
            layers,
            norms: norms.map(|size| normalization(*size, device)).collect(),
            dropout: (*dropout > 0.0).then(|| DropoutConfig::new(*dropout).init()),
            noise: (*noise > 0.0).then(|| GaussianNoiseConfig::new(*noise).init()),
            activation: *activation,
        }
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
            *layer = linear(layer.weight.dims(), &mut rng, device);
        }
        network
    }
}

/// A linear layer at Burn's default random start, uniform within 1 / sqrt(d), drawn on the host.
pub fn linear([d_input, d_output]: [usize; 2], rng: &mut ChaCha8Rng, device: &Device) -> Linear {
    let bound = 1.0 / (d_input as f64).sqrt();
    let mut draw = |shape: &[usize]| {
        let size = shape.iter().product();
        let values: Vec<f64> = (0..size).map(|_| rng.random_range(-bound..bound)).collect();
        TensorData::new(values, shape.to_vec()).convert_dtype(DType::F32)
    };
    let (weight, bias) = (draw(&[d_input, d_output]), draw(&[d_output]));
    Linear {
        weight: Param::from_tensor(Tensor::from_data(weight, device)),
        bias: Some(Param::from_tensor(Tensor::from_data(bias, device))),
    }
}

/// A multilayer perceptron with a linear output layer.
#[derive(Module, Debug)]
pub struct Mlp {
    /// The layers, input to output.
    pub layers: Vec<Linear>,
    /// The batch normalization of each hidden layer, if there is any.
    norms: Vec<BatchNorm>,
    dropout: Option<Dropout>,
    noise: Option<GaussianNoise>,
    #[module(skip)]
    activation: Activation,
}

impl Mlp {
    /// The hidden layers, first to last.
    pub fn hidden(&self) -> HiddenLayers {
        let last = self.layers.len() - 1;
        HiddenLayers {
            sizes: self.layers[..last].iter().map(|layer| layer.weight.dims()[1]).collect(),
            activation: self.activation,
            batch_norm: !self.norms.is_empty(),
            dropout: self.dropout.as_ref().map_or(0.0, |layer| layer.prob),
            noise: self.noise.as_ref().map_or(0.0, |layer| layer.std),
        }
    }

    /// The function after each hidden layer.
    pub fn activation(&self) -> Activation {
        self.activation
    }

    /// The network outside training as linear layers and activations alone: each normalization is part of its layer.
    ///
    /// ```text
    /// s = γ / sqrt(variance + ε):   W' = W diag(s),   b' = (b - mean) s + β
    /// ```
    #[must_use]
    pub fn folded(&self) -> Self {
        let mut folded = self.valid();
        for (layer, norm) in folded.layers.iter_mut().zip(core::mem::take(&mut folded.norms)) {
            let (mean, variance) = (norm.running_mean.value(), norm.running_var.value());
            let scale = norm.gamma.val() / variance.add_scalar(norm.epsilon).sqrt();
            let bias = layer.bias.as_ref().map(|bias| bias.val());
            let centered = bias.map_or_else(|| mean.clone().neg(), |bias| bias - mean.clone());
            let weight = layer.weight.val() * scale.clone().unsqueeze::<2>();
            layer.weight = Param::from_tensor(weight);
            layer.bias = Some(Param::from_tensor(centered * scale + norm.beta.val()));
        }
        (folded.dropout, folded.noise) = (None, None);
        folded
    }

    /// The embedding, with noise and dropout from this stream, where there is one.
    fn forward_from(&self, x: Tensor<2>, mut rng: Option<&mut ChaCha8Rng>) -> Tensor<2> {
        let (last, hidden) = self.layers.split_last().expect("a network has an output layer");
        let mut z = match &self.noise {
            Some(layer) => seeded::noise(layer, x, rng.as_deref_mut()),
            None => x,
        };
        for (index, layer) in hidden.iter().enumerate() {
            z = layer.forward(z);
            if let Some(norm) = self.norms.get(index) {
                z = normalized(norm, z);
            }
            z = self.activation.apply(z);
            if let Some(layer) = &self.dropout {
                z = seeded::dropout(layer, z, rng.as_deref_mut());
            }
        }
        last.forward(z)
    }
}

impl Encoder for Mlp {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        self.forward_from(x, None)
    }

    fn forward_seeded(&self, x: Tensor<2>, seed: u64) -> Option<Tensor<2>> {
        // Elsewhere drawing costs less than sending what was drawn.
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        runs_on_host(&x.device()).then(|| self.forward_from(x, Some(rng)))
    }

    fn d_input(&self) -> Option<usize> {
        self.layers.first().map(|layer| layer.weight.dims()[0])
    }
}

/// A normalization whose running statistics have the same ids in every module: no mapper changes them, and equal modules
/// make equal records.
pub fn normalization(size: usize, device: &Device) -> BatchNorm {
    let norm = BatchNormConfig::new(size).init(device);
    let [mean, var] = [&norm.running_mean, &norm.running_var].map(|state| state.value());
    BatchNorm {
        running_mean: RunningState::with_id(ParamId::from(1_u64), mean),
        running_var: RunningState::with_id(ParamId::from(2_u64), var),
        ..norm
    }
}
