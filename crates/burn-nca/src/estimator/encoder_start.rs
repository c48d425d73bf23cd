//! The encoder of a configuration at its start.

use burn::tensor::Device;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::ModelCard;
use crate::data::{Features, Labelled};
use crate::encoder::{AnyEncoder, DiagonalMap, Encoder, EncoderConfig, LinearMap, MlpConfig, cast};
use crate::error::{Error, Result};
use crate::fit::{FitConfig, OptimizerConfig, ResolvedStart, Start, perplexity_factor};

/// Builds the encoder for (scaled) data, and says which rule its start came from.
///
/// A card without an encoder gets a linear map. The start has the perplexity that the settings ask for.
pub(super) fn build(
    card: &ModelCard,
    data: &Labelled,
    device: &Device,
) -> Result<(AnyEncoder, Option<ResolvedStart>)> {
    let (encoder, start) = unscaled(card, data, device)?;
    let factor = match card.fit.start {
        Start::Given { .. } => None,
        _ => factor(&encoder, &card.fit, data.features(), device),
    };
    Ok((
        match factor {
            Some(factor) => encoder.scaled(factor),
            None => encoder,
        },
        start,
    ))
}

/// The factor to the perplexity that the settings ask for; with mini-batches among as many rows as a batch has.
fn factor(
    encoder: &AnyEncoder,
    fit: &FitConfig,
    features: &Features,
    device: &Device,
) -> Option<f64> {
    let perplexity = fit.start_perplexity?;
    let mut rows: Vec<usize> = (0..features.rows()).collect();
    if let OptimizerConfig::Adam(batches) = &fit.optimizer {
        rows.shuffle(&mut ChaCha8Rng::seed_from_u64(fit.seed));
        rows.truncate(batches.batch_size);
    }
    let dtype = fit.precision.dtype();
    let x = features.select(&rows).to_tensor(device, dtype);
    perplexity_factor(&cast(encoder.clone(), dtype).forward(x), perplexity, fit.seed)
}

fn unscaled(
    card: &ModelCard,
    data: &Labelled,
    device: &Device,
) -> Result<(AnyEncoder, Option<ResolvedStart>)> {
    let (fit, k) = (&card.fit, card.d_output);
    let dtype = fit.precision.dtype();
    let config = card.encoder.as_ref().unwrap_or(&EncoderConfig::Linear);
    config.check_size(card.d_input, k)?;
    match config {
        EncoderConfig::Linear => {
            let (weight, start) = fit.start.weight(data, k, fit.seed)?;
            let shape = [card.d_input, k];
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
            let network = MlpConfig::new(card.d_input, hidden.clone(), k)
                .with_activation(*activation)
                .init_seeded(fit.seed, device);
            Ok((AnyEncoder::Mlp(network), None))
        }
    }
}

/// As [`build`], for data without classes.
///
/// # Errors
/// A start from LDA, which needs classes.
pub(super) fn build_unlabelled(
    card: &ModelCard,
    features: &Features,
    device: &Device,
) -> Result<(AnyEncoder, Option<ResolvedStart>)> {
    if card.fit.start == Start::Lda {
        return Err(Error::setting(
            "LDA separates classes, and these data have none; start from auto, identity, random, PCA or a \
             given map",
        ));
    }
    // Within a single class every rule but LDA looks at the features alone.
    let data = Labelled::from_labels(features.clone(), vec![0; features.rows()])?;
    build(card, &data, device)
}

/// Checks the sizes of a map for data of d features.
///
/// # Errors
/// Another number of features than `d_input`, no output dimension, or a diagonal map of k other than d.
pub(super) fn check_sizes(
    encoder: &EncoderConfig,
    [d_input, d_output]: [usize; 2],
    d: usize,
) -> Result<()> {
    if d_input != d {
        return Err(Error::setting(format!(
            "d_input is {d_input}, but the data have {d} features; give d_input = {d}"
        )));
    }
    if d_output == 0 {
        return Err(Error::setting(
            "the embedding has 0 dimensions; ask for 1 or more (2 for a picture)",
        ));
    }
    if *encoder == EncoderConfig::Diagonal && d_output != d {
        return Err(Error::setting(format!(
            "a diagonal encoder weighs the {d} features and cannot map to {d_output} dimensions; ask for {d} \
             dimensions, or for a linear encoder"
        )));
    }
    Ok(())
}
