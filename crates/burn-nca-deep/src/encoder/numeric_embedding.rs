//! Periodic embeddings of numbers: one operation on flex, ordinary operations elsewhere.

use burn::module::{Module, Param};
use burn::nn::Linear;
use burn::tensor::activation::relu;
use burn::tensor::{DType, Device, Int, Tensor, TensorData};
use burn_nca::internal::linear;
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
        let values: Vec<f64> = spread.sample_iter(&mut *rng).take(count).collect();
        let values = TensorData::new(values, [d_input, self.frequencies]);
        let frequencies = Tensor::from_data(values.convert_dtype(DType::F32), device);
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
    pub(super) fn of_features(&self, x: Tensor<2>, features: &Tensor<1, Int>) -> Tensor<2> {
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

#[cfg(all(test, feature = "fused"))]
mod tests {
    use burn_nca::data::host_values;
    use burn_nca_fused::has_layers;
    use rand::SeedableRng;

    use super::*;

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
}
