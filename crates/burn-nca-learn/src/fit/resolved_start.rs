//! The weights that a fit starts from, and the rule that they came from.

use std::fmt;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

use super::Start;
use crate::baseline::{Groups, Lda, LdaConfig, PcaConfig, Projection, transposed};
use crate::data::Labeled;
use crate::error::{Error, Message, Result, Setting, quoted};

mod perplexity;

pub use perplexity::{START_PERPLEXITY, perplexity_factor, start_perplexity};

/// The length of the random rows of A past d, next to the identity's rows of length 1.
const EXTRA_LENGTH: f64 = 0.1;

/// The rule that a start came from; serialized as its text.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum ResolvedStart {
    /// The (rectangular) identity.
    Identity,
    /// The identity, and random entries in the rows past d.
    PaddedIdentity {
        /// The standard deviation of a random entry.
        scale: f64,
    },
    /// Random entries.
    Random {
        /// The standard deviation of an entry.
        scale: f64,
    },
    /// Principal components.
    Pca,
    /// Linear discriminants.
    Lda {
        /// The shrinkage of the within-class scatter, 0 for none.
        shrinkage: f64,
    },
    /// The user's map.
    Given,
}

impl fmt::Display for ResolvedStart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Identity => write!(f, "identity"),
            Self::PaddedIdentity { scale } => {
                write!(f, "identity, further rows random (standard deviation {scale:.4})")
            }
            Self::Random { scale } => write!(f, "random (standard deviation {scale:.4})"),
            Self::Pca => write!(f, "PCA"),
            Self::Lda { shrinkage: 0.0 } => write!(f, "LDA"),
            Self::Lda { shrinkage } => write!(f, "LDA (shrinkage {shrinkage})"),
            Self::Given => write!(f, "given"),
        }
    }
}

impl TryFrom<String> for ResolvedStart {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        let number = |before: &str, after: &str| -> Option<f64> {
            text.strip_prefix(before)?.strip_suffix(after)?.parse().ok()
        };
        let padded = "identity, further rows random (standard deviation ";
        let plain = [Self::Identity, Self::Pca, Self::Lda { shrinkage: 0.0 }, Self::Given];
        plain
            .into_iter()
            .find(|start| start.to_string() == text)
            .or_else(|| number(padded, ")").map(|scale| Self::PaddedIdentity { scale }))
            .or_else(|| {
                number("random (standard deviation ", ")").map(|scale| Self::Random { scale })
            })
            .or_else(|| number("LDA (shrinkage ", ")").map(|shrinkage| Self::Lda { shrinkage }))
            .ok_or_else(|| Error::setting(format!("there is no start {}", quoted(&text))))
    }
}

impl From<ResolvedStart> for String {
    fn from(start: ResolvedStart) -> Self {
        start.to_string()
    }
}

/// The weights of a start for given data.
///
/// # Examples
/// ```
/// use burn_nca_learn::data::{Features, Labeled};
/// use burn_nca_learn::fit::{ResolvedStart, Start, StartWeights};
///
/// let x = Features::unnamed(vec![0.0, 5.0, 4.0, 6.0, 10.0, 6.0, 14.0, 5.0], 2)?;
/// let data = Labeled::from_labels(x, vec![0, 0, 1, 1])?;
/// let (weight, used) = Start::Auto.weight(&data, 1, 42)?;
/// assert_eq!((weight.len(), used), (2, ResolvedStart::Lda { shrinkage: 0.0 }));
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
pub trait StartWeights {
    /// The start of a full map to k = `d_output` dimensions: the transpose of A, row-major `[d, k]`, and the
    /// rule it came from. Only [`Random`](Start::Random), and [`Auto`](Start::Auto) where k > d, use the seed.
    ///
    /// # Errors
    /// k = 0; a scale that is not positive; a given A of another size than `[k, d]` or with a value that is
    /// not finite; and what [`PcaConfig::fit`] or [`LdaConfig::fit_or_shrink`] refuses, such as LDA with
    /// k > min(c - 1, d).
    fn weight(
        &self,
        data: &Labeled,
        d_output: usize,
        seed: u64,
    ) -> Result<(Vec<f64>, ResolvedStart)>;

    /// The start of a diagonal map of d features: its entries, and the rule they came from.
    ///
    /// `Auto` and `Identity` are ones. `Random` takes the magnitude of each draw: the sign of an entry changes
    /// no distance, and a feature's weight reads best without one.
    ///
    /// # Errors
    /// PCA and LDA, which rotate the features; a scale that is not positive; given entries that are not d
    /// finite numbers.
    fn diagonal(&self, d: usize, seed: u64) -> Result<(Vec<f64>, ResolvedStart)>;
}

impl StartWeights for Start {
    fn weight(
        &self,
        data: &Labeled,
        d_output: usize,
        seed: u64,
    ) -> Result<(Vec<f64>, ResolvedStart)> {
        let (d, k) = (data.features().columns(), d_output);
        if k == 0 {
            return Err(Error::setting("the map has 0 embedding dimensions; ask for 1 or more"));
        }
        let (projection, used) = match self {
            Self::Auto => automatic(data, k, seed)?,
            Self::Identity => (Projection::rectangular_identity(d, k), ResolvedStart::Identity),
            Self::Random { scale } => {
                let scale = positive_scale(scale.unwrap_or((d as f64).sqrt().recip()))?;
                let matrix = normal_entries(k * d, scale, seed);
                (Projection::new(transposed(&matrix, d), [d, k]), ResolvedStart::Random { scale })
            }
            Self::Pca => (principal(data, k)?, ResolvedStart::Pca),
            Self::Lda => {
                let most = LdaConfig::max_directions(data);
                if k > most {
                    let text = format!(
                        "LDA finds {most} directions of these classes and features, and the map to {k} dimensions cannot \
                         start from them"
                    );
                    return Err(Error::setting(Message::from(text).with_hint(Setting::AutoStart)));
                }
                resolved_lda(LdaConfig::new(k).fit_or_shrink(data)?)
            }
            Self::Given { weight } => {
                check_given(weight, &format!("[{k}, {d}]"), k * d)?;
                (Projection::new(transposed(weight, d), [d, k]), ResolvedStart::Given)
            }
        };
        Ok((projection.into_weight(), used))
    }

    fn diagonal(&self, d: usize, seed: u64) -> Result<(Vec<f64>, ResolvedStart)> {
        match self {
            Self::Auto | Self::Identity => Ok((vec![1.0; d], ResolvedStart::Identity)),
            Self::Random { scale } => {
                let scale = positive_scale(scale.unwrap_or(1.0))?;
                let entries = normal_entries(d, scale, seed).into_iter().map(f64::abs).collect();
                Ok((entries, ResolvedStart::Random { scale }))
            }
            Self::Pca | Self::Lda => Err(Error::setting(format!(
                "a diagonal map weighs features and cannot start from {}, which rotates them; start from \
                 Auto, Identity, Random or Given",
                if *self == Self::Pca { "PCA" } else { "LDA" }
            ))),
            Self::Given { weight } => {
                check_given(weight, &format!("[{d}]"), d)?;
                Ok((weight.clone(), ResolvedStart::Given))
            }
        }
    }
}

/// What [`Start::Auto`] stands for.
fn automatic(data: &Labeled, k: usize, seed: u64) -> Result<(Projection, ResolvedStart)> {
    let (n, d) = (data.rows(), data.features().columns());
    if k <= LdaConfig::max_directions(data)
        && let Ok(lda) = LdaConfig::new(k).fit_or_shrink(data)
    {
        return Ok(resolved_lda(lda));
    }
    if k < d.min(n) {
        return Ok((principal(data, k)?, ResolvedStart::Pca));
    }
    Ok(match k > d {
        true => padded_identity(d, k, seed),
        false => (Projection::rectangular_identity(d, k), ResolvedStart::Identity),
    })
}

/// The principal directions, by the spread that LDA and the comparison with both begin with.
fn principal(data: &Labeled, k: usize) -> Result<Projection> {
    Ok(PcaConfig::new(k).fit_groups(&Groups::of_classes(data))?.projection)
}

/// The identity with k - d further rows of small random entries.
fn padded_identity(d: usize, k: usize, seed: u64) -> (Projection, ResolvedStart) {
    let scale = EXTRA_LENGTH / (d as f64).sqrt();
    let mut matrix = vec![0.0; d * d];
    (0..d).for_each(|i| matrix[i * d + i] = 1.0);
    matrix.extend(normal_entries((k - d) * d, scale, seed));
    let used = ResolvedStart::PaddedIdentity { scale };
    (Projection::new(transposed(&matrix, d), [d, k]), used)
}

fn resolved_lda(lda: Lda) -> (Projection, ResolvedStart) {
    (lda.projection, ResolvedStart::Lda { shrinkage: lda.shrinkage })
}

fn positive_scale(scale: f64) -> Result<f64> {
    if scale.is_finite() && scale > 0.0 {
        return Ok(scale);
    }
    Err(Error::setting(format!(
        "the scale of a random start is {scale}; give a positive number, such as 0.1"
    )))
}

fn check_given(weight: &[f64], shape: &str, expected: usize) -> Result<()> {
    if weight.len() != expected {
        return Err(Error::setting(format!(
            "the given start has {} values, but the map is of shape {shape}; give {expected} values row by row",
            weight.len()
        )));
    }
    if let Some(at) = weight.iter().position(|value| !value.is_finite()) {
        return Err(Error::setting(format!(
            "value {} of the given start is {}; give finite numbers",
            at + 1,
            weight[at]
        )));
    }
    Ok(())
}

fn normal_entries(count: usize, scale: f64, seed: u64) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut draw = || -> f64 { StandardNormal.sample(&mut rng) };
    (0..count).map(|_| scale * draw()).collect()
}

#[cfg(test)]
mod tests;
