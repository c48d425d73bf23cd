//! Layers of training that draw from a stream of the host, where there is one, else from the generator of their device.

use burn::nn::{Dropout, GaussianNoise};
use burn::tensor::{Bool, Tensor, TensorData};
use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;

/// What [`Dropout`] does.
pub fn dropout(layer: &Dropout, units: Tensor<2>, rng: Option<&mut ChaCha8Rng>) -> Tensor<2> {
    let Some(rng) = rng else { return layer.forward(units) };
    if !drops(layer) {
        return units;
    }
    let (dropped, scale): (Vec<bool>, f64) =
        dropped(layer, units.dims().into_iter().product(), rng);
    // A byte for each unit is kept for the backward pass.
    let dropped = TensorData::new(dropped, units.dims());
    let dropped = Tensor::<2, Bool>::from_data(dropped, &units.device().inner());
    units.mul_scalar(scale).mask_fill(dropped, 0.0)
}

/// What [`GaussianNoise`] does.
pub(super) fn noise(
    layer: &GaussianNoise,
    x: Tensor<2>,
    rng: Option<&mut ChaCha8Rng>,
) -> Tensor<2> {
    let GaussianNoise { std, training } = layer;
    let Some(rng) = rng else { return layer.forward(x) };
    if !training.is_enabled() || *std == 0.0 {
        return x;
    }
    let noise = normal(x.dims().into_iter().product(), *std as f32, rng);
    let noise = like(&x, noise);
    x + noise
}

/// Constants of the shape, device and type of these.
fn like(other: &Tensor<2>, values: Vec<f32>) -> Tensor<2> {
    let dtype = other.dtype();
    let values = TensorData::new(values, other.dims()).convert_dtype(dtype);
    Tensor::from_data(values, (&other.device().inner(), dtype)).autodiff()
}

/// Whether a layer drops units.
pub fn drops(layer: &Dropout) -> bool {
    layer.training.is_enabled() && layer.prob > 0.0
}

/// Which of so many units a layer drops, with its probability to 16 bits, and what the others are multiplied by to keep the mean.
pub fn dropped<C: FromIterator<bool>>(
    layer: &Dropout,
    len: usize,
    rng: &mut ChaCha8Rng,
) -> (C, f64) {
    const VALUES: f64 = 65_536.0;
    let zeros = (layer.prob * VALUES).round().min(VALUES - 1.0);
    let mut bytes = vec![0u8; 2 * len];
    rng.fill_bytes(&mut bytes);
    let (pairs, _) = bytes.as_chunks::<2>();
    let is_dropped = |&pair| u16::from_le_bytes(pair) < zeros as u16;
    (pairs.iter().map(is_dropped).collect(), VALUES / (VALUES - zeros))
}

/// Normal numbers of this standard deviation, by the polar form of Box and Muller.
fn normal(len: usize, std: f32, rng: &mut ChaCha8Rng) -> Vec<f32> {
    let mut values = Vec::with_capacity(len + 1);
    while values.len() < len {
        let [x, y]: [f32; 2] = [rng.random_range(-1.0..1.0), rng.random_range(-1.0..1.0)];
        let square = x * x + y * y;
        if square > 0.0 && square < 1.0 {
            let factor = std * (-2.0 * square.ln() / square).sqrt();
            values.extend([factor * x, factor * y]);
        }
    }
    values.truncate(len);
    values
}

#[cfg(test)]
mod tests {
    use burn::nn::DropoutConfig;
    use rand::SeedableRng;

    use super::*;

    fn moments(values: &[f32]) -> [f64; 3] {
        [1, 2, 4].map(|power| {
            let powers = values.iter().map(|value| f64::from(*value).powi(power));
            powers.sum::<f64>() / values.len() as f64
        })
    }

    #[test]
    fn noise_is_normal_and_dropout_keeps_the_mean() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let [mean, square, fourth] = moments(&normal(400_001, 0.5, &mut rng));
        assert!(mean.abs() < 3e-3 && (square - 0.25).abs() < 2e-3, "{mean} {square}");
        assert!((fourth - 3.0 * 0.0625).abs() < 5e-3, "{fourth}");
        let (dropped, scale): (Vec<bool>, f64) =
            dropped(&DropoutConfig::new(0.2).init(), 400_000, &mut rng);
        let zeros = dropped.iter().filter(|dropped| **dropped).count() as f64 / 400_000.0;
        let mean = scale * (1.0 - zeros);
        assert!((zeros - 0.2).abs() < 3e-3 && (mean - 1.0).abs() < 4e-3, "{zeros} {mean}");
    }
}
