//! One of the library's encoders, chosen at run time.

use std::any::Any;

use burn::config::Config;
use burn::module::Module;
use burn::tensor::{DType, Device, Tensor};
use burn_nca::internal::times;

use super::{
    DiagonalMap, Encoder, HiddenLayers, LinearMap, LinearMapConfig, Mlp, MlpConfig, ModernConfig,
    ModernEncoder,
};
use crate::error::{Error, Message, Result, Setting};

/// The most parameters of an encoder that is fitted by its configuration: a map of 5792 features to as many dimensions.
/// The memory of L-BFGS for so many is some 6 GB. A model that is loaded may have as many as its file holds.
pub const MOST_PARAMETERS: usize = 1 << 25;

/// The most embedding dimensions for each input of the last layer; those past one an input add no distance.
const MOST_DIMENSIONS_PER_INPUT: usize = 10;

/// The most hidden layers of an encoder that is built from its configuration.
const MOST_LAYERS: usize = 100;

/// The most numbers in a layer of the rows that pass through an encoder together: 1 GiB in f32, and a network's gradient
/// holds several of them.
const MOST_ACTIVATIONS: usize = 1 << 28;

/// Which encoder to build, for a choice at run time.
#[derive(Config, Debug, PartialEq)]
pub enum EncoderConfig {
    /// A [`LinearMap`]: the paper's A.
    Linear,
    /// A [`DiagonalMap`]: one weight per feature; k = d.
    Diagonal,
    /// An [`Mlp`] with these hidden layers.
    Mlp(HiddenLayers),
    /// A [`ModernEncoder`]: periodic embeddings and residual blocks, in members side by side.
    Modern(ModernConfig),
}

impl EncoderConfig {
    /// An [`Mlp`] with hidden layers of these sizes, the activation relu and nothing else.
    pub fn mlp(hidden: &[usize]) -> Self {
        Self::Mlp(hidden.to_vec().into())
    }

    /// The sizes of the layers from d inputs to k outputs, both of them included.
    fn layer_sizes(&self, d_input: usize, d_output: usize) -> Vec<usize> {
        let hidden = match self {
            Self::Mlp(hidden) => &hidden.sizes[..],
            _ => &[],
        };
        [&[d_input], hidden, &[d_output]].concat()
    }

    /// Number of parameters with d inputs and k outputs; `None` if that is beyond counting.
    pub fn parameters(&self, d_input: usize, d_output: usize) -> Option<usize> {
        match self {
            Self::Diagonal => return Some(d_input),
            Self::Modern(config) => return config.parameters(d_input, d_output),
            Self::Linear | Self::Mlp(_) => {}
        }
        let has_bias = usize::from(matches!(self, Self::Mlp(_)));
        let layers =
            self.layer_sizes(d_input, d_output).windows(2).try_fold(0_usize, |sum, sizes| {
                sum.checked_add(sizes[0].checked_add(has_bias)?.checked_mul(sizes[1])?)
            });
        // The scale and the shift of each normalized unit.
        let normalized = match self {
            Self::Mlp(hidden) if hidden.batch_norm => &hidden.sizes[..],
            _ => &[],
        };
        normalized.iter().try_fold(layers?, |sum, size| sum.checked_add(size.checked_mul(2)?))
    }

    /// The configuration that builds this encoder, where it is an [`AnyEncoder`]: a saved model can then be loaded without
    /// being given an encoder.
    pub fn of<E: Encoder>(encoder: &E) -> Option<Self> {
        let any = (encoder as &dyn Any).downcast_ref::<AnyEncoder>()?;
        Some(match any {
            AnyEncoder::Linear(_) => Self::Linear,
            AnyEncoder::Diagonal(_) => Self::Diagonal,
            AnyEncoder::Mlp(network) => Self::Mlp(network.hidden()),
            AnyEncoder::Modern(encoder) => Self::Modern(encoder.config()),
        })
    }

    /// Checks that there can be an encoder of these sizes, however large it is.
    ///
    /// # Errors
    /// A layer of size 0, a dropout or noise out of range, or a diagonal map with k other than d.
    #[doc(hidden)]
    pub fn check_shape(&self, d_input: usize, d_output: usize) -> Result<()> {
        match self {
            Self::Mlp(hidden) => hidden.check()?,
            Self::Modern(config) => config.check(d_output)?,
            Self::Linear | Self::Diagonal => {}
        }
        let sizes = self.layer_sizes(d_input, d_output);
        if let Some(layer) = sizes.iter().position(|size| *size == 0) {
            return Err(Error::setting(format!(
                "layer {layer} of the sizes {sizes:?} has 0 units; give each 1 or more"
            )));
        }
        if *self == Self::Diagonal && d_input != d_output {
            let text = format!(
                "a diagonal encoder weighs the {d_input} features and cannot map to {d_output} dimensions"
            );
            let hint = Setting::Dimensions(d_input);
            let message = Message::from(text).with_hint(hint);
            return Err(Error::setting(message.with_hint(Setting::LinearEncoder)));
        }
        Ok(())
    }

    /// Checks that an encoder of this size can be built, before anything is allocated.
    ///
    /// # Errors
    /// A layer of size 0, a diagonal map with k other than d, more than 10 embedding
    /// dimensions for each input of the last layer, more than 100 hidden layers, or more than
    /// 2^25 parameters.
    pub fn check_size(&self, d_input: usize, d_output: usize) -> Result<()> {
        self.check_shape(d_input, d_output)?;
        if *self == Self::Diagonal {
            return Ok(());
        }
        let sizes = self.layer_sizes(d_input, d_output);
        let layers = sizes.len() - 2;
        if layers > MOST_LAYERS {
            return Err(Error::setting(format!(
                "the network has {layers} hidden layers; give {MOST_LAYERS} or fewer"
            )));
        }
        let inputs = sizes[layers];
        let most = inputs.saturating_mul(MOST_DIMENSIONS_PER_INPUT);
        let expands = matches!(self, Self::Modern(_));
        if d_output > most && !expands {
            return Err(Error::setting(format!(
                "an embedding of {d_output} dimensions was asked for, from {inputs} inputs, which fill no more \
                 than {inputs}; ask for {most} dimensions or fewer"
            )));
        }
        match self.parameters(d_input, d_output) {
            Some(parameters) if parameters <= MOST_PARAMETERS => Ok(()),
            parameters => Err(Error::setting(format!(
                "the sizes {sizes:?} (features, hidden layers, dimensions) make {} parameters, more than \
                 {MOST_PARAMETERS}; ask for fewer dimensions or smaller hidden layers",
                parameters.map_or("countless".to_string(), |parameters| parameters.to_string())
            ))),
        }
    }

    /// Checks that the layers of this many rows that pass through together can be kept, before anything is allocated.
    ///
    /// # Errors
    /// More than 2^28 numbers in a layer.
    #[doc(hidden)]
    pub fn check_activations(&self, [d_input, d_output]: [usize; 2], rows: usize) -> Result<()> {
        let sizes = self.layer_sizes(d_input, d_output);
        let widest = sizes[1..].iter().copied().max().unwrap_or(0);
        if widest.checked_mul(rows).is_some_and(|numbers| numbers <= MOST_ACTIVATIONS) {
            return Ok(());
        }
        Err(Error::setting(format!(
            "a layer of {widest} of the sizes {sizes:?} (features, hidden layers, dimensions) holds more than \
             {MOST_ACTIVATIONS} numbers for {rows} rows together; give layers of {} or fewer",
            MOST_ACTIVATIONS / rows.max(1)
        )))
    }

    /// Builds the encoder for d input features and k embedding dimensions; a [`ModernEncoder`] from seed 0.
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
                let scale = vec![1.0; d_input];
                AnyEncoder::Diagonal(DiagonalMap::from_scale(&scale, device, DType::F32))
            }
            Self::Mlp(hidden) => {
                AnyEncoder::Mlp(MlpConfig::new(d_input, hidden.clone(), d_output).init(device))
            }
            Self::Modern(config) => AnyEncoder::Modern(config.init(d_input, d_output, 0, device)),
        }
    }
}

/// One of the library's encoders, chosen at run time.
#[derive(Module, Debug)]
pub enum AnyEncoder {
    /// The paper's A.
    Linear(LinearMap),
    /// One weight per feature.
    Diagonal(DiagonalMap),
    /// A multilayer perceptron.
    Mlp(Mlp),
    /// Periodic embeddings and residual blocks.
    Modern(ModernEncoder),
}

impl AnyEncoder {
    /// The same encoder with its embedding multiplied by a number: all of a map, the last layer of a network.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        match self {
            Self::Linear(map) => Self::Linear(LinearMap { weight: times(&map.weight, factor) }),
            Self::Diagonal(map) => Self::Diagonal(DiagonalMap { scale: times(&map.scale, factor) }),
            Self::Mlp(mut network) => {
                if let Some(last) = network.layers.last_mut() {
                    last.weight = times(&last.weight, factor);
                    last.bias = last.bias.as_ref().map(|bias| times(bias, factor));
                }
                Self::Mlp(network)
            }
            Self::Modern(encoder) => Self::Modern(encoder.scaled(factor)),
        }
    }
}

/// What an expression says of the encoder within.
macro_rules! of_each {
    ($any:expr, $encoder:ident => $result:expr) => {
        match $any {
            Self::Linear($encoder) => $result,
            Self::Diagonal($encoder) => $result,
            Self::Mlp($encoder) => $result,
            Self::Modern($encoder) => $result,
        }
    };
}

impl Encoder for AnyEncoder {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        of_each!(self, encoder => encoder.forward(x))
    }

    fn forward_seeded(&self, x: Tensor<2>, seed: u64) -> Option<Tensor<2>> {
        of_each!(self, encoder => encoder.forward_seeded(x, seed))
    }

    fn d_input(&self) -> Option<usize> {
        of_each!(self, encoder => encoder.d_input())
    }

    fn is_linear(&self) -> bool {
        of_each!(self, encoder => encoder.is_linear())
    }

    fn squared_norm(&self) -> Option<Tensor<1>> {
        of_each!(self, encoder => encoder.squared_norm())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_counted_without_overflow() {
        let normalized = EncoderConfig::Mlp(HiddenLayers::regularized());
        for (config, sizes, expected) in [
            (EncoderConfig::Linear, [4, 2], Some(8)),
            (EncoderConfig::Diagonal, [4, 4], Some(4)),
            // (4 + 1) 3 + (3 + 1) 2 weights and biases.
            (EncoderConfig::mlp(&[3]), [4, 2], Some(23)),
            (EncoderConfig::mlp(&[usize::MAX]), [4, 2], None),
            // A scale and a shift for each of 256 + 128 units.
            (normalized, [4, 2], Some(5 * 256 + 257 * 128 + 129 * 2 + 2 * (256 + 128))),
        ] {
            assert_eq!(config.parameters(sizes[0], sizes[1]), expected, "{config:?}");
        }
    }

    #[test]
    fn sizes_beyond_a_limit_are_refused_with_their_numbers() {
        let (linear, mlp) = (EncoderConfig::Linear, EncoderConfig::mlp);
        for (config, [d, k], expected) in [
            (&linear, [4, 40], ""),
            (&linear, [4, 41], "41 dimensions was asked for, from 4 inputs"),
            (&linear, [10_000, 10_000], "100000000 parameters, more than 33554432"),
            (&mlp(&[64, 99_999_999_999_999]), [4, 2], "99999999999999"),
            (&mlp(&[usize::MAX]), [4, 2], "countless"),
            (&mlp(&[8, 0]), [4, 2], "layer 2 of the sizes [4, 8, 0, 2]"),
            (&EncoderConfig::Diagonal, [4, 2], "cannot map to 2 dimensions"),
        ] {
            let said =
                config.check_size(d, k).map_or_else(|error| error.to_string(), |()| "".into());
            assert!(said.contains(expected) && said.is_empty() == expected.is_empty(), "{said}");
        }
        let network = mlp(&[4_000_000]);
        assert!(network.check_size(4, 2).is_ok() && network.check_activations([4, 2], 67).is_ok());
        let error = network.check_activations([4, 2], 105).unwrap_err().to_string();
        assert!(error.contains("a layer of 4000000 of the sizes [4, 4000000, 2]"), "{error}");
        assert!(error.contains("for 105 rows together; give layers of 2556528 or"), "{error}");
        assert!(linear.check_activations([4, 40], usize::MAX).is_err());
    }
}
