//! The encoder of a configuration at its start.

use burn::tensor::Device;

use super::NcaConfig;
use crate::data::Labelled;
use crate::encoder::{AnyEncoder, DiagonalMap, EncoderConfig, LinearMap, MlpConfig};
use crate::error::{Error, Result};
use crate::fit::{ResolvedStart, Start};

/// Builds the encoder for (scaled) data, and says which rule its start came from.
pub(super) fn build(
    config: &NcaConfig,
    data: &Labelled,
    device: &Device,
) -> Result<(AnyEncoder, Option<ResolvedStart>)> {
    let (fit, k) = (&config.fit, config.d_output);
    let dtype = fit.precision.dtype();
    match &config.encoder {
        EncoderConfig::Linear => {
            let (weight, start) = fit.start.weight(data, k, fit.seed)?;
            let shape = [config.d_input, k];
            let map = LinearMap::from_weight(&weight, shape, device, dtype);
            Ok((AnyEncoder::Linear(map), Some(start)))
        }
        EncoderConfig::Diagonal => {
            let scale = fit.start.diagonal(data, fit.seed)?;
            Ok((AnyEncoder::Diagonal(DiagonalMap::from_scale(&scale, device, dtype)), None))
        }
        EncoderConfig::Mlp { hidden, activation } => {
            if !matches!(fit.start, Start::Auto | Start::Random { .. }) {
                return Err(Error::setting(
                    "a network starts from random weights; leave the start at auto or random",
                ));
            }
            if let Some(at) = hidden.iter().position(|size| *size == 0) {
                return Err(Error::setting(format!(
                    "hidden layer {} has 0 units; give each layer 1 or more",
                    at + 1
                )));
            }
            let network = MlpConfig::new(config.d_input, hidden.clone(), k)
                .with_activation(*activation)
                .init_seeded(fit.seed, device);
            Ok((AnyEncoder::Mlp(network), None))
        }
    }
}
