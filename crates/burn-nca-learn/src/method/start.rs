//! The encoder of a configuration at its start.

use std::borrow::Cow;

use burn::module::Module;
use burn::tensor::Device;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::data::{AnyData, Features, Labeled, TensorFeatures};
use crate::encoder::{AnyEncoder, DiagonalMap, Encoder, EncoderConfig, LinearMap, MlpConfig, cast};
use crate::error::{Error, Result};
use crate::fit::exact::CHUNK;
use crate::fit::{FitConfig, ResolvedStart, Start, StartWeights, perplexity_factor};

/// Builds the encoder to k dimensions for (scaled) data, and says which rule its start came from.
///
/// The start has the perplexity that the settings ask for.
pub(crate) fn build(
    config: &EncoderConfig,
    (fit, k): (&FitConfig, usize),
    data: AnyData<'_>,
    device: &Device,
) -> Result<(AnyEncoder, Option<ResolvedStart>)> {
    let data = match data {
        AnyData::Classes(data) => Cow::Borrowed(data),
        _ if fit.start == Start::Lda => {
            return Err(Error::setting(
                "LDA separates classes, and these data have none; start from auto, identity, random, PCA or a \
                 given map",
            ));
        }
        _ => {
            // Within a single class every rule but LDA looks at the features alone.
            let features = data.features().clone();
            let rows = features.rows();
            Cow::Owned(Labeled::from_labels(features, vec![0; rows])?)
        }
    };
    let (mut encoder, start) = unscaled(config, (fit, k), &data, device)?;
    if !matches!(fit.start, Start::Given { .. })
        && let Some(factor) = factor(&encoder, fit, data.features(), device)
    {
        encoder = encoder.scaled(factor);
    }
    Ok((encoder, start))
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
    if let Some(batches) = fit.optimizer.batches() {
        rows.shuffle(&mut ChaCha8Rng::seed_from_u64(fit.seed));
        rows.truncate(batches.batch_rows(features.rows()));
    }
    let dtype = fit.precision.dtype();
    let x = features.select(&rows).to_tensor(device, dtype);
    perplexity_factor(&cast(encoder.valid(), dtype).forward(x), perplexity, fit.seed)
}

fn unscaled(
    config: &EncoderConfig,
    (fit, k): (&FitConfig, usize),
    data: &Labeled,
    device: &Device,
) -> Result<(AnyEncoder, Option<ResolvedStart>)> {
    let (d, dtype) = (data.features().columns(), fit.precision.dtype());
    config.check_size(d, k)?;
    config.check_activations([d, k], rows_together(fit, data.rows()))?;
    match config {
        EncoderConfig::Linear => {
            let (weight, start) = fit.start.weight(data, k, fit.seed)?;
            let map = LinearMap::from_weight(&weight, [d, k], device, dtype);
            Ok((AnyEncoder::Linear(map), Some(start)))
        }
        EncoderConfig::Diagonal => {
            let (scale, start) = fit.start.diagonal(d, fit.seed)?;
            Ok((AnyEncoder::Diagonal(DiagonalMap::from_scale(&scale, device, dtype)), Some(start)))
        }
        EncoderConfig::Mlp(hidden) => {
            if !matches!(fit.start, Start::Auto | Start::Random { .. }) {
                return Err(Error::setting(
                    "a network starts from random weights; leave the start at auto or random",
                ));
            }
            let network = MlpConfig::new(d, hidden.clone(), k).init_seeded(fit.seed, device);
            Ok((AnyEncoder::Mlp(network), None))
        }
        EncoderConfig::Modern(modern) => {
            Ok((AnyEncoder::Modern(modern.init(d, k, fit.seed, device)), None))
        }
    }
}

/// The most rows that pass through an encoder together in a fit: a chunk of them, a batch with all that its rows see, or
/// all rows where a part is held out.
fn rows_together(fit: &FitConfig, rows: usize) -> usize {
    let batch = fit.optimizer.batches().map_or(0, |batches| {
        let seen = batches.all_candidates().map_or(0, |candidates| candidates.min(rows));
        batches.batch_rows(rows).max(seen)
    });
    match fit.early_stopping {
        Some(_) => rows,
        None => rows.min(CHUNK).max(batch),
    }
}

/// Checks the sizes of a map for data of d features.
pub(crate) fn check_sizes(
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
    match encoder {
        EncoderConfig::Diagonal => encoder.check_shape(d, d_output),
        _ => Ok(()),
    }
}
