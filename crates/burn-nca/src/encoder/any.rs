use burn::config::Config;
use burn::module::Module;
use burn::tensor::{Device, Tensor};

use super::{
    Activation, DiagonalMap, DiagonalMapConfig, Encoder, LinearMap, LinearMapConfig, Mlp, MlpConfig,
};

/// Which encoder to build, for a choice at run time.
#[derive(Config, Debug, PartialEq)]
pub enum EncoderConfig {
    /// A [`LinearMap`]: the paper's A.
    Linear,
    /// A [`DiagonalMap`]: one weight a feature; k = d.
    Diagonal,
    /// An [`Mlp`].
    Mlp {
        /// Sizes of the hidden layers.
        hidden: Vec<usize>,
        /// The function after each hidden layer.
        activation: Activation,
    },
}

impl EncoderConfig {
    /// Builds the encoder for d input features and k embedding dimensions.
    ///
    /// # Panics
    /// For a diagonal encoder with k other than d.
    pub fn init(&self, d_input: usize, d_output: usize, device: &Device) -> AnyEncoder {
        match self {
            Self::Linear => {
                AnyEncoder::Linear(LinearMapConfig::new(d_input, d_output).init(device))
            }
            Self::Diagonal => {
                assert_eq!(d_input, d_output, "a diagonal map keeps the number of features");
                AnyEncoder::Diagonal(DiagonalMapConfig::new(d_input).init(device))
            }
            Self::Mlp { hidden, activation } => AnyEncoder::Mlp(
                MlpConfig::new(d_input, hidden.clone(), d_output)
                    .with_activation(*activation)
                    .init(device),
            ),
        }
    }
}

/// One of the crate's encoders, chosen at run time.
#[derive(Module, Debug)]
pub enum AnyEncoder {
    /// The paper's A.
    Linear(LinearMap),
    /// One weight a feature.
    Diagonal(DiagonalMap),
    /// A multilayer perceptron.
    Mlp(Mlp),
}

impl Encoder for AnyEncoder {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        match self {
            Self::Linear(encoder) => encoder.forward(x),
            Self::Diagonal(encoder) => encoder.forward(x),
            Self::Mlp(encoder) => encoder.forward(x),
        }
    }

    fn squared_norm(&self) -> Option<Tensor<1>> {
        match self {
            Self::Linear(encoder) => encoder.squared_norm(),
            Self::Diagonal(encoder) => encoder.squared_norm(),
            Self::Mlp(encoder) => encoder.squared_norm(),
        }
    }
}
