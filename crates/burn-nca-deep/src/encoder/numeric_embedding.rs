//! Periodic embeddings of numbers: one operation on flex, ordinary operations elsewhere.

use burn::module::{Module, Param};
use burn::nn::Linear;
use burn::tensor::activation::relu;
use burn::tensor::{DType, Device, Int, Tensor};
use burn_nca::internal::{affine, linear};
use burn_nca::objective::transfer::{float_tensor, int_tensor};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Normal};
use serde::{Deserialize, Serialize};

/// Settings of a [`NumericEmbedding`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NumericEmbeddingConfig {
    /// Frequencies of each feature, m.
    pub frequencies: usize,
    /// Standard deviation of the frequencies at the start, in periods for each unit of the (scaled) feature.
    pub scale: f64,
    /// Numbers that a feature becomes, e.
    pub size: usize,
}

impl Default for NumericEmbeddingConfig {
    /// 16 frequencies of scale 0.1, and 8 numbers a feature.
    fn default() -> Self {
        Self { frequencies: 16, scale: 0.1, size: 8 }
    }
}

impl NumericEmbeddingConfig {
    /// The embedding of d features at a random start.
    pub(super) fn init(
        &self,
        d_input: usize,
        rng: &mut ChaCha8Rng,
        device: &Device,
    ) -> NumericEmbedding {
        let spread = Normal::new(0.0, self.scale).expect("a scale that was checked");
        let count = d_input * self.frequencies;
        let values = spread.sample_iter(&mut *rng).take(count).collect();
        let frequencies = float_tensor(values, [d_input, self.frequencies], device, DType::F32);
        NumericEmbedding {
            frequencies: Param::from_tensor(frequencies),
            linear: linear([2 * self.frequencies, self.size], rng, device),
            scale: self.scale,
        }
    }
}

/// Periodic embeddings of numbers with a linear layer that all features share (PLR-lite).
///
/// ```text
/// e_c(x) = ReLU(W [cos(2π f_c x_c), sin(2π f_c x_c)] + b),   f_c of feature c and W, b learned
/// ```
/// # Shapes
/// - input: `[n, d]`
/// - output: `[n, d e]`
///
/// # References
/// Y. Gorishniy et al., On Embeddings for Numerical Features in Tabular Deep Learning, NeurIPS 2022.
#[derive(Module, Debug)]
pub struct NumericEmbedding {
    /// `[d, m]`.
    pub frequencies: Param<Tensor<2>>,
    /// `[2 m, e]`.
    pub linear: Linear,
    /// That of the frequencies at the start.
    scale: f64,
}

impl NumericEmbedding {
    /// The embedding of the rows of `x`.
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        self.at(x, self.frequencies.val())
    }

    /// Of rows of these features alone.
    fn of_features(&self, x: Tensor<2>, features: &Tensor<1, Int>) -> Tensor<2> {
        self.at(x, self.frequencies.val().select(0, features.clone()))
    }

    fn at(&self, x: Tensor<2>, frequencies: Tensor<2>) -> Tensor<2> {
        #[cfg(feature = "fused")]
        if let Some(bias) = &self.linear.bias
            && burn_nca_fused::has_layers(&[&x, &frequencies, &self.linear.weight.val()])
        {
            let (weight, bias) = (self.linear.weight.val(), bias.val());
            return burn_nca_fused::periodic_embedding(x, frequencies, weight, bias);
        }
        self.written_out(x, frequencies)
    }

    /// The same in ordinary operations.
    fn written_out(&self, x: Tensor<2>, frequencies: Tensor<2>) -> Tensor<2> {
        let ([n, d], [_, m]) = (x.dims(), frequencies.dims());
        let turns = x.reshape([n, d, 1]) * frequencies.reshape([1, d, m]);
        let angles = turns.mul_scalar(core::f64::consts::TAU).reshape([n * d, m]);
        let waves = Tensor::cat(vec![angles.clone().cos(), angles.sin()], 1);
        let embedded = relu(self.linear.forward(waves));
        let [_, size] = embedded.dims();
        embedded.reshape([n, d * size])
    }

    pub(super) fn config(&self) -> NumericEmbeddingConfig {
        let ([_, frequencies], [_, size]) = (self.frequencies.dims(), self.linear.weight.dims());
        NumericEmbeddingConfig { frequencies, scale: self.scale, size }
    }
}

/// The column of a feature, and its two values, low and high.
pub type TwoValued = (usize, [f64; 2]);

/// The layer of the embedded features, `[n, d]` to `[n, k]`, where features have two values, not all of them.
///
/// ```text
/// W_c e_c(x_c) = W_c e_c(low) + t W_c (e_c(high) - e_c(low)),   t = (x_c - low) / (high - low)
/// ```
pub(super) fn of_two_valued(
    layer: &Linear,
    embedding: &NumericEmbedding,
    two_valued: &[TwoValued],
    x: Tensor<2>,
) -> Tensor<2> {
    let (device, [_, d], [inputs, k]) = (x.device(), x.dims(), layer.weight.dims());
    let twos: Vec<usize> = two_valued.iter().map(|(feature, _)| *feature).collect();
    let others: Vec<usize> = (0..d).filter(|feature| !twos.contains(feature)).collect();
    let [twos, others] = [twos, others].map(|of| int_tensor(&of, &device));
    let [low, high] = [0, 1].map(|end| {
        let values = two_valued.iter().map(|(_, values)| values[end]).collect();
        float_tensor(values, [1, two_valued.len()], &device, x.dtype())
    });
    let t = (x.clone().select(1, twos.clone()) - low.clone()) / (high.clone() - low.clone());
    let [low, high] = [low, high].map(|ends| embedding.of_features(ends, &twos));

    let weight = layer.weight.val().reshape([d, inputs / d, k]);
    let [of_others, of_twos] = [&others, &twos].map(|of| weight.clone().select(0, of.clone()));
    let of_t = (high - low.clone()).reshape([two_valued.len(), 1, inputs / d]);
    let of_t = of_t.matmul(of_twos.clone()).squeeze_dim(1);
    let features = vec![embedding.of_features(x.select(1, others.clone()), &others), t];
    let weights = Tensor::cat(vec![of_others.flatten(0, 1), of_t], 0);
    let of_low = low.matmul(of_twos.flatten(0, 1)).squeeze_dim(0);
    let bias = layer.bias.as_ref().map_or(of_low.clone(), |bias| bias.val() + of_low);
    affine((weights, Some(bias)), Tensor::cat(features, 1))
}

#[cfg(all(test, feature = "fused"))]
mod tests {
    use burn::tensor::TensorData;
    use burn_nca::data::host_values;
    use burn_nca::encoder::Encoder;
    use burn_nca_fused::has_layers;
    use rand::SeedableRng;

    use super::*;
    use crate::encoder::{ModernConfig, ModernMember};

    #[test]
    fn the_operation_has_values_and_gradients_of_ordinary_ones() {
        let device = Device::flex().autodiff();
        let config = NumericEmbeddingConfig { frequencies: 3, scale: 0.7, size: 5 };
        let embedding = config.init(4, &mut ChaCha8Rng::seed_from_u64(3), &device);
        let values = (0..40 * 4).map(|at| ((at * at) % 37) as f32 / 9.0 - 2.0).collect::<Vec<_>>();
        let x = Tensor::<2>::from_data(TensorData::new(values, [40, 4]), &device).require_grad();
        assert!(has_layers(&[&x]));
        let said = |found: Tensor<2>| {
            let gradients = (found.clone() * 3.0).sin().sum().backward();
            let of = |tensor: Tensor<2>| host_values(tensor.grad(&gradients).unwrap());
            let NumericEmbedding { frequencies, linear, .. } = &embedding;
            let bias = linear.bias.as_ref().unwrap().val().grad(&gradients).unwrap();
            let all = [of(x.clone()), of(frequencies.val()), of(linear.weight.val())];
            [all.concat(), host_values(bias), host_values(found)].concat()
        };
        let [found, expected] = [
            embedding.forward(x.clone()),
            embedding.written_out(x.clone(), embedding.frequencies.val()),
        ];
        for (found, expected) in said(found).into_iter().zip(said(expected)) {
            assert!((found - expected).abs() < 2e-4 * (1.0 + expected.abs()), "{found} {expected}");
        }
    }

    #[test]
    fn a_member_of_two_valued_features_has_values_and_gradients_of_one_that_embeds_all() {
        let device = Device::flex().autodiff();
        let config = ModernConfig { dropout: 0.0, ..ModernConfig::default() };
        let member = config.member(0, [4, 5], 7, &device);
        let values: Vec<f32> = (0..9)
            .flat_map(|row| {
                let third = |at: usize| (row / at % 2) as f32;
                [3.0 * third(1) - 1.0, (row * row) as f32 / 9.0, 0.5 * third(2), row as f32 - 4.0]
            })
            .collect();
        let x = Tensor::<2>::from_data(TensorData::new(values, [9, 4]), &device);
        let said = |member: &ModernMember| {
            let z = member.forward(x.clone());
            let gradients = (z.clone() * 3.0).sin().sum().backward();
            let embedding = member.embedding.as_ref().unwrap();
            let (weight, bias) = (&member.linear.weight, member.linear.bias.as_ref().unwrap());
            let of = |tensor: Tensor<2>| host_values(tensor.grad(&gradients).unwrap());
            let bias = host_values(bias.val().grad(&gradients).unwrap());
            [host_values(z), of(embedding.frequencies.val()), of(weight.val()), bias].concat()
        };
        let two_valued = vec![(0, [-1.0, 2.0]), (2, [0.0, 0.5])];
        let expected = said(&member);
        let found = said(&member.with_two_valued(two_valued));
        for (found, expected) in found.into_iter().zip(expected) {
            assert!((found - expected).abs() < 1e-4 * (1.0 + expected.abs()), "{found} {expected}");
        }
    }
}
