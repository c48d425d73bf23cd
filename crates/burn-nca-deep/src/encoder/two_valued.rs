//! Embedded features of two values: both embeddings and their products are found once, not once a row.

use burn::nn::Linear;
use burn::tensor::Tensor;
use burn_nca::objective::transfer::{float_tensor, int_tensor};

use super::NumericEmbedding;

/// The column of a feature, and its two values, low and high.
pub type TwoValued = (usize, [f64; 2]);

/// The layer of the embedded features, `[n, d]` to `[n, k]`, where features have two values, not all of them.
///
/// ```text
/// W_c e_c(x_c) = W_c e_c(low) + t W_c (e_c(high) - e_c(low)),   t = (x_c - low) / (high - low)
/// ```
pub(super) fn linear(
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
    let z = Tensor::cat(features, 1).matmul(weights) + low.matmul(of_twos.flatten(0, 1));
    match &layer.bias {
        Some(bias) => z + bias.val().unsqueeze(),
        None => z,
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::{Device, TensorData};
    use burn_nca::data::host_values;
    use burn_nca::encoder::Encoder;

    use super::*;
    use crate::encoder::{ModernConfig, ModernMember};

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
