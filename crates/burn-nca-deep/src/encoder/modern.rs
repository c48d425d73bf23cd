//! The settings of modern NCA's network, and a member of it: embedded numbers and residual blocks.

use burn::module::{Module, Param};
use burn::nn::{BatchNorm, Dropout, DropoutConfig, Linear};
use burn::tensor::{Device, Tensor};
use burn_nca::encoder::Encoder;
use burn_nca::internal::{
    affine, check_dropout, hidden, linear, normalization, normalized, of_linear,
};
use burn_nca::{Error, Result};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::numeric_embedding::{TwoValued, of_two_valued};
use super::{NumericEmbedding, NumericEmbeddingConfig};

/// Settings of a [`ModernEncoder`](super::ModernEncoder).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModernConfig {
    /// Encoders whose embeddings stand side by side, `[n, members k]`.
    pub members: usize,
    /// Whether a member has the embedding of the features, for the members in turn; all have it where nothing is said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub embedded: Vec<bool>,
    /// The embedding of each feature; without it a feature is its (scaled) number.
    pub embedding: Option<NumericEmbeddingConfig>,
    /// Residual blocks of each member.
    pub blocks: usize,
    /// Hidden units of a block.
    pub width: usize,
    /// Share of the hidden units of a block that are set to zero in each training step.
    pub dropout: f64,
    /// Size of a linear layer that projects the features for all members, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub projection: Option<usize>,
}

impl Default for ModernConfig {
    /// Five members of one block of 256 units with dropout 0.1, on periodic embeddings of the features themselves.
    fn default() -> Self {
        Self {
            members: 5,
            embedded: Vec::new(),
            embedding: Some(NumericEmbeddingConfig::default()),
            blocks: 1,
            width: 256,
            dropout: 0.1,
            projection: None,
        }
    }
}

impl ModernConfig {
    /// Checks the ranges, and that the members share the k dimensions.
    ///
    /// # Errors
    /// No member, dimensions that they do not share evenly, a layer of size 0, a dropout outside [0, 1), a scale that is
    /// negative or not finite.
    pub fn check(&self, d_output: usize) -> Result<()> {
        if self.members == 0 || !d_output.is_multiple_of(self.members) {
            return Err(Error::setting(format!(
                "{d_output} dimensions cannot be shared by {} members; give 1 member or more, each the same number",
                self.members
            )));
        }
        check_dropout(self.dropout)?;
        let embedding = self.embedding.as_ref();
        let sizes = embedding.map(|embedding| [embedding.frequencies, embedding.size]);
        let empty = (self.blocks > 0 && self.width == 0)
            || sizes.is_some_and(|sizes| sizes.contains(&0))
            || self.projection == Some(0);
        let scale = embedding.map_or(1.0, |embedding| embedding.scale);
        if empty || !(scale > 0.0 && scale.is_finite()) {
            return Err(Error::setting(
                "the width, the projection, the frequencies and their size and scale are to be positive; give each more than 0",
            ));
        }
        Ok(())
    }

    /// Number of parameters with d inputs and k outputs in all; `None` if that is beyond counting.
    pub fn parameters(&self, d_input: usize, d_output: usize) -> Option<usize> {
        let linear = |from: usize, to: usize| from.checked_add(1)?.checked_mul(to);
        let size = d_output.checked_div(self.members)?;
        let (projected, d_input) = match self.projection {
            Some(projection) => (linear(d_input, projection)?, projection),
            None => (0, d_input),
        };
        let norm = size.checked_mul(2)?;
        let block = linear(size, self.width)?.checked_add(linear(self.width, size)?)?;
        let blocks = block.checked_add(norm)?.checked_mul(self.blocks)?;
        let last = if self.blocks > 0 { norm } else { 0 };
        let member = |embedding: Option<&NumericEmbeddingConfig>| {
            let [m, e] = embedding.map_or([0, 1], |of| [of.frequencies, of.size]);
            let shared = if m > 0 { linear(m.checked_mul(2)?, e)? } else { 0 };
            let inputs = linear(d_input.checked_mul(e)?, size)?;
            let layers = [m.checked_mul(d_input)?, inputs, blocks, last];
            layers.into_iter().try_fold(shared, usize::checked_add)
        };
        let period = self.embedded.len().max(1);
        let (periods, rest) = (self.members / period, self.members % period);
        (0..period).try_fold(projected, |sum, number| {
            let members = periods + usize::from(number < rest);
            sum.checked_add(member(self.embedding_of(number))?.checked_mul(members)?)
        })
    }

    /// The embedding of a member, if it has one.
    fn embedding_of(&self, number: usize) -> Option<&NumericEmbeddingConfig> {
        let is_embedded = self.embedded.get(number % self.embedded.len().max(1));
        self.embedding.as_ref().filter(|_| *is_embedded.unwrap_or(&true))
    }

    /// The member of this number, from `[n, d]` (projected) features to `[n, k]`, at a random start drawn on the host.
    ///
    /// # Panics
    /// On a scale that [`Self::check`] refuses.
    pub fn member(
        &self,
        number: usize,
        [d_input, size]: [usize; 2],
        seed: u64,
        device: &Device,
    ) -> ModernMember {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let embedding = self.embedding_of(number);
        let inputs = embedding.map_or(d_input, |embedding| d_input * embedding.size);
        ModernMember {
            embedding: embedding.map(|embedding| embedding.init(d_input, rng, device)),
            linear: linear([inputs, size], rng, device),
            blocks: (0..self.blocks)
                .map(|_| ResidualBlock::new([size, self.width], self.dropout, rng, device))
                .collect(),
            norm: (self.blocks > 0).then(|| normalization(size, device)),
            two_valued: Vec::new(),
        }
    }
}

/// A member: embedded features, a linear layer, residual blocks and a last normalization.
///
/// ```text
/// z = norm(B_L(... B_1(W e(x) + b)))
/// ```
/// # References
/// H.-J. Ye, H.-H. Yin, D.-C. Zhan, Modern Neighborhood Components Analysis, ICLR 2025.
#[derive(Module, Debug)]
pub struct ModernMember {
    /// Of the features, where they have one.
    pub embedding: Option<NumericEmbedding>,
    /// To the k dimensions.
    pub linear: Linear,
    /// The residual blocks, first to last.
    pub blocks: Vec<ResidualBlock>,
    /// After the last block; none without blocks.
    pub norm: Option<BatchNorm>,
    /// Features of two values in all rows that it meets in training.
    #[module(skip)]
    two_valued: Vec<TwoValued>,
}

impl ModernMember {
    /// The same member for rows whose features of these columns, not all, have one of two values, each embedded once.
    #[must_use]
    pub fn with_two_valued(self, two_valued: Vec<TwoValued>) -> Self {
        Self { two_valued, ..self }
    }

    /// The same embedding of features x where this member takes `x * factors`, of factors `[d]`.
    #[must_use]
    pub fn of_unscaled(mut self, factors: Tensor<1>) -> Self {
        let input = match &mut self.embedding {
            Some(embedding) => &mut embedding.frequencies,
            None => &mut self.linear.weight,
        };
        let weight = input.val().without_autodiff();
        *input = Param::from_tensor(weight * factors.unsqueeze_dim(1));
        self
    }

    /// `W e(x) + b`, `[n, d]` to `[n, k]`.
    fn first(&self, x: Tensor<2>) -> Tensor<2> {
        match &self.embedding {
            Some(embedding) if self.two_valued.is_empty() => {
                affine(of_linear(&self.linear), embedding.forward(x))
            }
            Some(embedding) => of_two_valued(&self.linear, embedding, &self.two_valued, x),
            None => affine(of_linear(&self.linear), x),
        }
    }

    /// The embedding, with dropout from this stream, where there is one.
    fn forward_from(&self, x: Tensor<2>, mut rng: Option<&mut ChaCha8Rng>) -> Tensor<2> {
        let block = |z, block: &ResidualBlock| block.forward_from(z, rng.as_deref_mut());
        let z = self.blocks.iter().fold(self.first(x), block);
        match &self.norm {
            Some(norm) => normalized(norm, z),
            None => z,
        }
    }
}

impl Encoder for ModernMember {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        self.forward_from(x, None)
    }

    fn forward_seeded(&self, x: Tensor<2>, seed: u64) -> Option<Tensor<2>> {
        Some(self.forward_from(x, Some(&mut ChaCha8Rng::seed_from_u64(seed))))
    }

    fn d_input(&self) -> Option<usize> {
        let [inputs, _] = self.linear.weight.dims();
        Some(self.embedding.as_ref().map_or(inputs, |embedding| embedding.frequencies.dims()[0]))
    }
}

/// A residual block: `z + W₂ dropout(ReLU(W₁ norm(z) + b₁)) + b₂`, of width `[k, width, k]`.
#[derive(Module, Debug)]
pub struct ResidualBlock {
    /// Of the input.
    pub norm: BatchNorm,
    /// To the hidden units.
    pub inner: Linear,
    /// Of the hidden units.
    pub dropout: Dropout,
    /// Back from the hidden units.
    pub outer: Linear,
}

impl ResidualBlock {
    /// A block of k dimensions at a random start.
    fn new([size, width]: [usize; 2], dropout: f64, rng: &mut ChaCha8Rng, device: &Device) -> Self {
        Self {
            norm: normalization(size, device),
            inner: linear([size, width], rng, device),
            dropout: DropoutConfig::new(dropout).init(),
            outer: linear([width, size], rng, device),
        }
    }

    /// `[n, k]` to `[n, k]`.
    pub fn forward(&self, z: Tensor<2>) -> Tensor<2> {
        self.forward_from(z, None)
    }

    /// The same with a dropout from this stream, where there is one.
    fn forward_from(&self, z: Tensor<2>, rng: Option<&mut ChaCha8Rng>) -> Tensor<2> {
        let normal = normalized(&self.norm, z.clone());
        let hidden = hidden(&self.inner, &self.dropout, normal, rng);
        z + affine(of_linear(&self.outer), hidden)
    }
}

#[cfg(test)]
mod tests {
    use burn_nca::data::host_values;

    use super::*;

    #[test]
    fn sizes_that_no_network_has_are_refused() {
        let config = ModernConfig::default();
        assert!(config.check(10).is_ok() && config.check(12).is_err());
        for (scale, frequencies, size) in
            [(0.0, 1, 1), (-0.1, 1, 1), (f64::INFINITY, 1, 1), (0.1, 0, 1), (0.1, 1, 0)]
        {
            let embedding = Some(NumericEmbeddingConfig { frequencies, scale, size });
            assert!(ModernConfig { embedding, ..config.clone() }.check(10).is_err(), "{scale}");
        }
        assert!(ModernConfig { projection: Some(0), ..config.clone() }.check(10).is_err());
        assert!(ModernConfig { width: 0, blocks: 0, ..config }.check(10).is_ok());
    }

    #[test]
    fn a_member_of_unscaled_features_is_that_of_scaled_ones() {
        let device = Device::flex();
        let factors = Tensor::<1>::from_floats([0.5, 1.0, -3.0], &device);
        let x = Tensor::<2>::from_floats([[1.0, -0.4, 0.2], [0.3, 2.0, -1.5]], &device);
        for embedded in [true, false] {
            let config = ModernConfig { embedded: vec![embedded], ..ModernConfig::default() };
            let member = config.member(0, [3, 4], 5, &device);
            let expected = host_values(member.forward(x.clone() * factors.clone().unsqueeze()));
            let found = host_values(member.of_unscaled(factors.clone()).forward(x.clone()));
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-5, "{found} {expected}");
            }
        }
    }

    #[test]
    fn dropout_from_a_seed_is_that_of_the_seed() {
        let device = Device::flex().autodiff();
        let config = ModernConfig { dropout: 0.5, width: 8, ..ModernConfig::default() };
        let member = config.member(0, [3, 4], 5, &device);
        let x = Tensor::<2>::ones([6, 3], &device)
            * Tensor::arange(0..6, &device).float().unsqueeze_dim(1);
        let embedded = |seed| host_values(member.forward_seeded(x.clone(), seed).unwrap());
        assert_eq!(embedded(7), embedded(7));
        assert_ne!(embedded(7), embedded(8));
    }
}
