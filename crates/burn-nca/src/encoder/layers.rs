//! Layers of networks, in one operation where there is one.

#[cfg(feature = "fused")]
use std::sync::Arc;

use burn::nn::{BatchNorm, Dropout, Linear};
use burn::tensor::Tensor;
use burn::tensor::activation::relu;
#[cfg(feature = "fused")]
use burn_nca_fused::Hidden;
use rand_chacha::ChaCha8Rng;

use super::seeded;

/// What a normalization makes of rows.
pub fn normalized(norm: &BatchNorm, z: Tensor<2>) -> Tensor<2> {
    #[cfg(feature = "fused")]
    return burn_nca_fused::batch_norm(norm, z);
    #[cfg(not(feature = "fused"))]
    norm.forward(z)
}

/// Weight and bias of a linear layer.
pub type Affine = (Tensor<2>, Option<Tensor<1>>);

/// `x W + b`.
pub fn affine((weight, bias): Affine, x: Tensor<2>) -> Tensor<2> {
    #[cfg(feature = "fused")]
    if let Some(bias) = bias.clone().filter(|_| is_operation(&x, &weight)) {
        return burn_nca_fused::linear(x, weight, bias, None);
    }
    let product = x.matmul(weight);
    match bias {
        Some(bias) => product + bias.unsqueeze(),
        None => product,
    }
}

/// `ReLU(dropout(x W + b))`, with the dropout from this stream, where there is one.
pub fn hidden(
    layer: &Linear,
    dropout: &Dropout,
    x: Tensor<2>,
    rng: Option<&mut ChaCha8Rng>,
) -> Tensor<2> {
    let (weight, bias) = of_linear(layer);
    #[cfg(feature = "fused")]
    if (rng.is_some() || !seeded::drops(dropout))
        && let Some(bias) = bias.clone().filter(|_| is_operation(&x, &weight))
    {
        let units = x.dims()[0] * weight.dims()[1];
        let drawn = rng.filter(|_| seeded::drops(dropout));
        let drawn = drawn.map(|rng| seeded::dropped(dropout, units, rng));
        let (dropped, scale) = drawn.unwrap_or_else(|| (Arc::default(), 1.0));
        let hidden = Hidden { dropped, scale };
        return burn_nca_fused::linear(x, weight, bias, Some(hidden));
    }
    // Before the rectifier, which gives the same: one matrix less is kept for the backward pass.
    relu(seeded::dropout(dropout, affine((weight, bias), x), rng))
}

/// Weight and bias of a layer.
pub fn of_linear(layer: &Linear) -> Affine {
    (layer.weight.val(), layer.bias.as_ref().map(|bias| bias.val()))
}

/// Whether a linear layer is one operation here: it has a gradient for x, whether it is asked for or not.
#[cfg(feature = "fused")]
fn is_operation(x: &Tensor<2>, weight: &Tensor<2>) -> bool {
    (x.is_tracked() || !weight.is_tracked()) && burn_nca_fused::has_layers(&[x, weight])
}

#[cfg(all(test, feature = "fused"))]
mod tests {
    use burn::module::Param;
    use burn::nn::{DropoutConfig, LinearConfig};
    use burn::tensor::{Device, TensorData};
    use rand::SeedableRng;

    use super::*;
    use crate::data::host_values;

    #[test]
    fn operations_have_values_and_gradients_of_ordinary_ones() {
        let device = Device::flex().autodiff();
        let (rows, sizes) = (300, [7, 5]);
        let mut layer = LinearConfig::new(sizes[0], sizes[1]).init(&device);
        let weights = (0..sizes[0] * sizes[1]).map(|at| ((at * at) % 23) as f32 / 20.0 - 0.5);
        let weights = TensorData::new(weights.collect::<Vec<_>>(), sizes);
        layer.weight = Param::from_tensor(Tensor::from_data(weights, &device));
        let bias = Tensor::<1>::from_floats([0.3, -0.2, 0.0, 0.7, -1.1], &device);
        layer.bias = Some(Param::from_tensor(bias));
        let values = (0..rows * sizes[0]).map(|at| ((at * at) % 37) as f32 / 9.0 - 2.0);
        let values = TensorData::new(values.collect::<Vec<_>>(), [rows, sizes[0]]);
        let x = Tensor::<2>::from_data(values, &device).require_grad();
        let said = |found: Tensor<2>| {
            let gradients = (found.clone() * 3.0).sin().sum().backward();
            let (weight, bias) = of_linear(&layer);
            let of_bias = host_values(bias.unwrap().grad(&gradients).unwrap());
            let of = |tensor: &Tensor<2>| host_values(tensor.grad(&gradients).unwrap());
            [host_values(found), of(&x), of(&weight), of_bias].concat()
        };
        let check = |found: Tensor<2>, expected: Tensor<2>| {
            for (found, expected) in said(found).into_iter().zip(said(expected)) {
                assert!(
                    (found - expected).abs() < 1e-4 * (1.0 + expected.abs()),
                    "{found} {expected}"
                );
            }
        };
        let (weight, bias) = of_linear(&layer);
        assert!(is_operation(&x, &weight));
        let written_out = || x.clone().matmul(weight.clone()) + bias.clone().unwrap().unsqueeze();
        check(affine(of_linear(&layer), x.clone()), written_out());
        for probability in [0.0, 0.4] {
            let dropout = DropoutConfig::new(probability).init();
            let rng = || ChaCha8Rng::seed_from_u64(8);
            let found = hidden(&layer, &dropout, x.clone(), Some(&mut rng()));
            let dropped = seeded::dropout(&dropout, written_out(), Some(&mut rng()));
            check(found, relu(dropped));
        }
        // Without a stream of the device.
        let some = hidden(&layer, &DropoutConfig::new(0.4).init(), x.clone(), None);
        assert!(host_values(some).iter().filter(|unit| **unit == 0.0).count() > rows);
    }
}
