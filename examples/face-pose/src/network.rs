//! The two networks: that of the paper, and one of the user's making that takes its place.

use crate::faces::{PIXELS, WINDOW};
use burn::module::{Module, ModuleMapper, Param};
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::{Linear, LinearConfig};
use burn::tensor::activation::relu;
use burn::tensor::{DType, Device, Tensor, TensorData};
use burn_nca_learn::encoder::{Activation, Encoder, Mlp, MlpConfig};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Hidden units of the network of the paper.
const HIDDEN: usize = 100;

/// An encoder of faces that can be started from a seed.
pub trait Network: Encoder {
    /// Its name on the command line.
    const NAME: &'static str;

    /// The factor of the last layer's weights that starts it well on pairs; the README tells what others do.
    const START_SCALE: f64;

    /// The network at its start: one seed gives the same one on every device.
    ///
    /// `scale` multiplies the weights of the last layer: it says how far apart faces start in the plane.
    fn start(seed: u64, scale: f64, device: &Device) -> Self;
}

/// 1225 pixels, 100 logistic units, 2 outputs.
impl Network for Mlp {
    const NAME: &'static str = "mlp";
    const START_SCALE: f64 = 5.0;

    fn start(seed: u64, scale: f64, device: &Device) -> Self {
        let mut network = MlpConfig::new(PIXELS, vec![HIDDEN], 2)
            .with_activation(Activation::Logistic)
            .init_seeded(seed, device);
        if let Some(last) = network.layers.pop() {
            network.layers.push(spread(last, scale));
        }
        network
    }
}

/// A convolutional network: any Burn module is an encoder with one `impl`.
#[derive(Module, Debug)]
pub struct Cnn {
    convolutions: Vec<Conv2d>,
    hidden: Linear,
    output: Linear,
}

impl Encoder for Cnn {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let [n, _] = x.dims();
        let mut maps: Tensor<4> = x.reshape([n, 1, WINDOW, WINDOW]);
        for convolution in &self.convolutions {
            maps = relu(convolution.forward(maps));
        }
        let hidden = relu(self.hidden.forward(maps.flatten(1, 3)));
        self.output.forward(hidden)
    }
}

impl Network for Cnn {
    const NAME: &'static str = "cnn";
    const START_SCALE: f64 = 3.0;

    fn start(seed: u64, scale: f64, device: &Device) -> Self {
        let layer = |channels, kernel, stride| {
            Conv2dConfig::new(channels, kernel).with_stride(stride).init(device)
        };
        let network = Self {
            // 35 x 35 pixels to 16 x 16, 6 x 6 and 4 x 4.
            convolutions: vec![
                layer([1, 8], [5, 5], [2, 2]),
                layer([8, 24], [5, 5], [2, 2]),
                layer([24, 48], [3, 3], [1, 1]),
            ],
            hidden: LinearConfig::new(4 * 4 * 48, 64).init(device),
            output: LinearConfig::new(64, 2).init(device),
        };
        let network = network.map(&mut SeededStart { rng: ChaCha8Rng::seed_from_u64(seed) });
        Self { output: spread(network.output, scale), ..network }
    }
}

/// A layer with its weights multiplied.
fn spread(layer: Linear, scale: f64) -> Linear {
    let device = layer.weight.device();
    let values = layer.weight.val().mul_scalar(scale).into_data();
    let weight = Param::from_tensor(Tensor::from_data(values, &device));
    Linear { weight, ..layer }
}

/// Draws every weight on the host, uniform in ±sqrt(3 / inputs of a unit), and sets biases to 0.
///
/// ReLU halves the variance of what it passes on; this start makes up for most of it.
struct SeededStart {
    rng: ChaCha8Rng,
}

impl ModuleMapper for SeededStart {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let shape = param.dims();
        // Linear layers hold [inputs, units], convolutions [units, channels, height, width].
        let inputs: usize = if D == 2 { shape[0] } else { shape[1..].iter().product() };
        let bound = if D == 1 { 0.0 } else { (3.0 / inputs as f64).sqrt() };
        let size = shape.iter().product::<usize>();
        let values: Vec<f64> =
            (0..size).map(|_| bound * (2.0 * self.rng.random::<f64>() - 1.0)).collect();
        let data = TensorData::new(values, shape).convert_dtype(DType::F32);
        Param::from_tensor(Tensor::from_data(data, &param.device()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn embedded<N: Network>(seed: u64) -> Vec<f32> {
        let device = Device::flex();
        let pixels: Vec<f32> =
            (0..3 * PIXELS).map(|i| ((i * 37) % 101) as f32 / 50.0 - 1.0).collect();
        let x = Tensor::<2>::from_data(TensorData::new(pixels, [3, PIXELS]), &device);
        let z = N::start(seed, 1.0, &device).forward(x);
        assert_eq!(z.dims(), [3, 2]);
        z.into_data().try_to_vec::<f32>().unwrap()
    }

    #[test]
    fn a_seed_gives_the_same_network_again() {
        assert_eq!(embedded::<Mlp>(1), embedded::<Mlp>(1));
        assert_ne!(embedded::<Mlp>(1), embedded::<Mlp>(2));
        assert_eq!(embedded::<Cnn>(1), embedded::<Cnn>(1));
        assert_ne!(embedded::<Cnn>(1), embedded::<Cnn>(2));
    }

    #[test]
    fn the_network_of_the_paper_has_its_size() {
        let network = Mlp::start(0, 1.0, &Device::flex());
        assert_eq!(network.num_params(), 1225 * 100 + 100 + 100 * 2 + 2);
    }
}
