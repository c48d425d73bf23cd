//! The three encoders under one flag. Any Burn module becomes one by an `impl` of a few lines, as [`Cnn`] shows.

use anyhow::Result;
use burn::module::{Module, Param};
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::pool::{MaxPool2d, MaxPool2dConfig};
use burn::nn::{Linear, LinearConfig, PaddingConfig2d};
use burn::tensor::activation::relu;
use burn::tensor::{DType, Device, Tensor, TensorData};
use burn_nca_learn::baseline::PcaConfig;
use burn_nca_learn::data::Features;
use burn_nca_learn::encoder::{Encoder, LinearMap, Mlp, MlpConfig};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::arguments::EncoderKind;
use crate::digits::{Centering, Digits, PIXELS, SIDE};
use crate::recipe::Recipe;

/// Sizes of the hidden layers of the multilayer perceptron.
const HIDDEN: [usize; 2] = [800, 800];

/// The encoder of a run.
#[derive(Module, Debug)]
#[allow(clippy::large_enum_variant)] // one network in a run; Burn's derive takes no boxed modules
pub enum Network {
    Linear(LinearMap),
    Mlp(Mlp),
    Cnn(Cnn),
}

impl Encoder for Network {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        match self {
            Self::Linear(encoder) => encoder.forward(x),
            Self::Mlp(encoder) => encoder.forward(x),
            Self::Cnn(encoder) => encoder.forward(x),
        }
    }
}

impl Network {
    /// The start of a run: principal components for the linear map, seeded random weights for the networks.
    ///
    /// # Errors
    /// More dimensions than pixels for the linear map.
    pub fn start(
        recipe: &Recipe,
        (train, centering): (&Digits, &Centering),
        device: &Device,
    ) -> Result<Self> {
        Ok(match recipe.encoder {
            EncoderKind::Linear => {
                let pca = principal_components(train, centering, recipe.dim)?;
                let shape = [PIXELS, recipe.dim];
                Self::Linear(LinearMap::from_weight(&pca, shape, device, DType::F32))
            }
            EncoderKind::Mlp => {
                let config = MlpConfig::new(PIXELS, HIDDEN.to_vec(), recipe.dim);
                Self::Mlp(config.init_seeded(recipe.seed, device))
            }
            EncoderKind::Cnn => Self::Cnn(Cnn::new(recipe.dim, recipe.seed, device)),
        })
    }
}

/// The leading principal components of the digits, row-major `[784, k]`.
///
/// # Errors
/// More components than pixels.
pub fn principal_components(digits: &Digits, centering: &Centering, k: usize) -> Result<Vec<f64>> {
    let rows = 0..digits.len();
    let features = centering.features(digits, rows).into_iter().map(f64::from).collect();
    let pca = PcaConfig::new(k).fit(&Features::unnamed(features, PIXELS)?)?;
    Ok(pca.projection.into_weight())
}

/// A small convolutional network.
///
/// ```text
/// 28 x 28 -> conv 5x5, stride 2, 24 -> conv 3x3, 48 -> max pool 2 -> conv 3x3, 64 -> linear 128 -> linear k
/// ```
/// A rectifier follows every layer but the last.
#[derive(Module, Debug)]
pub struct Cnn {
    first: Conv2d,
    second: Conv2d,
    pool: MaxPool2d,
    third: Conv2d,
    hidden: Linear,
    output: Linear,
}

impl Encoder for Cnn {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let [n, _] = x.dims();
        let x = relu(self.first.forward(x.reshape([n, 1, SIDE, SIDE])));
        let x = relu(self.second.forward(x));
        let x = relu(self.third.forward(self.pool.forward(x)));
        let x = relu(self.hidden.forward(x.flatten(1, 3)));
        self.output.forward(x)
    }
}

impl Cnn {
    fn new(dim: usize, seed: u64, device: &Device) -> Self {
        let mut start = Start { rng: ChaCha8Rng::seed_from_u64(seed), device };
        Self {
            first: start.conv([1, 24], 5, 2),
            second: start.conv([24, 48], 3, 1),
            pool: MaxPool2dConfig::new([2, 2]).with_strides([2, 2]).init(),
            third: start.conv([48, 64], 3, 1),
            hidden: start.linear(64 * 7 * 7, 128),
            output: start.linear(128, dim),
        }
    }
}

/// Draws the weights of layers on the host, so that one seed gives one network on every device.
///
/// ```text
/// weights uniform in ±sqrt(6 / inputs of a unit), biases 0
/// ```
struct Start<'a> {
    rng: ChaCha8Rng,
    device: &'a Device,
}

impl Start<'_> {
    fn conv(&mut self, channels: [usize; 2], side: usize, stride: usize) -> Conv2d {
        let padding = PaddingConfig2d::Explicit(side / 2, side / 2, side / 2, side / 2);
        let config = Conv2dConfig::new(channels, [side, side]).with_padding(padding);
        let mut layer = config.with_stride([stride, stride]).init(self.device);
        let shape = [channels[1], channels[0], side, side];
        layer.weight = self.weight(shape, channels[0] * side * side);
        layer.bias = Some(self.zeros(channels[1]));
        layer
    }

    fn linear(&mut self, inputs: usize, outputs: usize) -> Linear {
        let mut layer = LinearConfig::new(inputs, outputs).init(self.device);
        layer.weight = self.weight([inputs, outputs], inputs);
        layer.bias = Some(self.zeros(outputs));
        layer
    }

    fn weight<const D: usize>(&mut self, shape: [usize; D], inputs: usize) -> Param<Tensor<D>> {
        let bound = (6.0 / inputs as f32).sqrt();
        let size = shape.iter().product();
        let values: Vec<f32> = (0..size).map(|_| self.rng.random_range(-bound..bound)).collect();
        Param::from_tensor(Tensor::from_data(TensorData::new(values, shape), self.device))
    }

    fn zeros(&self, size: usize) -> Param<Tensor<1>> {
        Param::from_tensor(Tensor::zeros([size], self.device))
    }
}
