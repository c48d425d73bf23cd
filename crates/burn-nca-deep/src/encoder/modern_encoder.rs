//! The encoder of modern NCA: several members side by side.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::{Device, Tensor};
use burn_nca::encoder::Encoder;
use burn_nca::internal::{linear, times};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::{ModernConfig, ModernMember, NumericEmbedding};

impl ModernConfig {
    /// All members, of k dimensions together, each from a seed of its own.
    ///
    /// # Panics
    /// On a scale that [`Self::check`] refuses.
    pub fn init(
        &self,
        d_input: usize,
        d_output: usize,
        seed: u64,
        device: &Device,
    ) -> ModernEncoder {
        let size = d_output / self.members;
        let inputs = self.projection.unwrap_or(d_input);
        let member =
            |number| self.member(number, [inputs, size], seed.wrapping_add(number as u64), device);
        let rng = &mut ChaCha8Rng::seed_from_u64(!seed);
        ModernEncoder {
            projection: self.projection.map(|size| linear([d_input, size], rng, device)),
            ..ModernEncoder::new((0..self.members).map(member).collect())
        }
    }
}

/// Members side by side: each row's embedding is that of every member, one after the other, `[n, members k]`.
#[derive(Module, Debug)]
pub struct ModernEncoder {
    /// Of the features, for all members, if there is one.
    pub projection: Option<Linear>,
    members: Vec<ModernMember>,
}

impl ModernEncoder {
    /// These members, of the features themselves.
    ///
    /// # Panics
    /// If there is none.
    pub fn new(members: Vec<ModernMember>) -> Self {
        assert!(!members.is_empty(), "an encoder has a member");
        Self { projection: None, members }
    }

    /// The members.
    pub fn members(&self) -> &[ModernMember] {
        &self.members
    }

    /// The same encoder with its embedding multiplied by a number.
    #[must_use]
    pub fn scaled(mut self, factor: f64) -> Self {
        for member in &mut self.members {
            match &mut member.norm {
                Some(norm) => {
                    norm.gamma = times(&norm.gamma, factor);
                    norm.beta = times(&norm.beta, factor);
                }
                None => {
                    member.linear.weight = times(&member.linear.weight, factor);
                    member.linear.bias =
                        member.linear.bias.as_ref().map(|bias| times(bias, factor));
                }
            }
        }
        self
    }

    /// The settings that build this encoder.
    pub fn config(&self) -> ModernConfig {
        let block = self.members[0].blocks.first();
        let embeddings = || self.members.iter().map(|member| member.embedding.as_ref());
        let embedding = embeddings().flatten().next();
        let embedded: Vec<bool> = embeddings().map(|embedding| embedding.is_some()).collect();
        let is_mixed = embedding.is_some() && embedded.contains(&false);
        let default = ModernConfig::default();
        ModernConfig {
            members: self.members.len(),
            embedded: if is_mixed { embedded } else { Vec::new() },
            embedding: embedding.map(NumericEmbedding::config),
            blocks: self.members[0].blocks.len(),
            width: block.map_or(default.width, |block| block.inner.weight.dims()[1]),
            dropout: block.map_or(default.dropout, |block| block.dropout.prob),
            projection: self.projection.as_ref().map(|layer| layer.weight.dims()[1]),
        }
    }
}

impl Encoder for ModernEncoder {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let x = match &self.projection {
            Some(projection) => projection.forward(x),
            None => x,
        };
        Tensor::cat(self.members.iter().map(|member| member.forward(x.clone())).collect(), 1)
    }

    fn d_input(&self) -> Option<usize> {
        match &self.projection {
            Some(projection) => Some(projection.weight.dims()[0]),
            None => self.members[0].d_input(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoder::NumericEmbeddingConfig;

    #[test]
    fn members_without_the_embedding_are_counted_and_built_again() {
        let embedding = Some(NumericEmbeddingConfig { frequencies: 3, scale: 0.1, size: 2 });
        let embedded = vec![true, false];
        let config =
            ModernConfig { members: 3, embedded, embedding, width: 5, ..Default::default() };
        let encoder = config.init(4, 6, 1, &Device::flex());
        // Without the running means and variances of the norms, two of each member.
        let running = 3 * 2 * (2 + 2);
        assert_eq!(config.parameters(4, 6), Some(encoder.num_params() - running));
        let shapes = encoder.members.iter().map(|member| member.linear.weight.dims()[0]);
        assert_eq!(shapes.collect::<Vec<_>>(), [8, 4, 8]);
        let built = encoder.config();
        assert_eq!(built.embedded, [true, false, true]);
        assert_eq!(built.init(4, 6, 1, &Device::flex()).num_params(), encoder.num_params());
        assert_eq!(encoder.forward(Tensor::ones([5, 4], &Device::flex())).dims(), [5, 6]);
        let last = ModernEncoder::new(encoder.members[1..2].to_vec()).config();
        assert!(last.embedded.is_empty() && last.embedding.is_none());
    }
}
