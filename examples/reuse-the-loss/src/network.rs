//! A small convolutional network, as any Burn user would write it.

use burn::module::Module;
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::pool::{MaxPool2d, MaxPool2dConfig};
use burn::nn::{Linear, LinearConfig, PaddingConfig2d};
use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor};

/// Numbers that an image becomes.
pub const DIMENSIONS: usize = 16;

#[derive(Module, Debug)]
pub struct Network {
    first: Conv2d,
    second: Conv2d,
    pool: MaxPool2d,
    output: Linear,
}

impl Network {
    pub fn new(device: &Device) -> Self {
        let same = PaddingConfig2d::Same;
        Self {
            first: Conv2dConfig::new([1, 16], [3, 3]).with_padding(same.clone()).init(device),
            second: Conv2dConfig::new([16, 32], [3, 3]).with_padding(same).init(device),
            pool: MaxPool2dConfig::new([2, 2]).with_strides([2, 2]).init(),
            output: LinearConfig::new(32 * 2 * 2, DIMENSIONS).init(device),
        }
    }

    /// Images `[n, 8, 8]` to embeddings `[n, 16]`.
    pub fn forward(&self, images: Tensor<3>) -> Tensor<2> {
        self.output.forward(self.features(images))
    }

    /// What the last layer sees of images, `[n, 128]`.
    pub fn features(&self, images: Tensor<3>) -> Tensor<2> {
        let x = images.unsqueeze_dim::<4>(1);
        let x = self.pool.forward(relu(self.first.forward(x)));
        let x = self.pool.forward(relu(self.second.forward(x)));
        x.flatten(1, 3)
    }
}
