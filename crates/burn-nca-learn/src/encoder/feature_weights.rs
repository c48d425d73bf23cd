//! Features times squared weights, as feature selection learns them.

use burn::module::{Module, Param};
use burn::tensor::{DType, Device, Tensor, assert_shape};
use burn_nca::objective::transfer::float_tensor;

use super::{DiagonalMap, Encoder};
use crate::data::host_values;

/// Features times squared weights, `u = w² ∘ x`: the map that feature selection learns.
///
/// ```text
/// Σ_r |u_ir - u_jr| = Σ_r w_r² |x_ir - x_jr|
/// ```
/// The squares keep every weight from turning negative, and their penalty `Σ w_r²` is smooth where that of `|w_r²|`
/// is not. Once learned, it is an ordinary [`DiagonalMap`] of the squares ([`FeatureWeights::diagonal`]).
#[derive(Module, Debug)]
pub struct FeatureWeights {
    /// w, `[d]`.
    pub weight: Param<Tensor<1>>,
}

impl FeatureWeights {
    /// A map with these weights w. At w = 0 no gradient tells a weight where to go: start elsewhere.
    pub fn from_weights(weights: &[f64], device: &Device, dtype: DType) -> Self {
        let weight = float_tensor(weights.to_vec(), [weights.len()], device, dtype);
        Self { weight: Param::from_tensor(weight) }
    }

    /// `|w|` on the host; the sign says nothing.
    pub fn weights(&self) -> Vec<f64> {
        host_values(self.weight.val().without_autodiff()).into_iter().map(f64::abs).collect()
    }

    /// The same map with the squares as its diagonal.
    pub fn diagonal(&self) -> DiagonalMap {
        let weight = self.weight.val().without_autodiff();
        let squares: Vec<f64> = self.weights().into_iter().map(|w| w * w).collect();
        DiagonalMap::from_scale(&squares, &weight.device(), weight.dtype())
    }
}

impl Encoder for FeatureWeights {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let weight = self.weight.val();
        let [d_input] = weight.dims();
        assert_shape!(x, [.., d_input]);
        x * weight.square().unsqueeze()
    }

    fn d_input(&self) -> Option<usize> {
        Some(self.weight.dims()[0])
    }

    /// `Σ w_r²`.
    fn squared_norm(&self) -> Option<Tensor<1>> {
        Some(self.weight.val().square().sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_weighed_by_the_squares() {
        let device = Device::flex();
        let map = FeatureWeights::from_weights(&[2.0, -3.0], &device, DType::F32);
        let shown = map.to_string();
        assert!(shown.contains("FeatureWeights") && shown.contains("params: 2"), "{shown}");
        let x = Tensor::<2>::from_floats([[1.0, 10.0]], &device);
        assert_eq!(host_values(map.forward(x.clone())), [4.0, 90.0]);
        assert_eq!(map.weights(), [2.0, 3.0]);
        assert_eq!(host_values(map.diagonal().forward(x)), [4.0, 90.0]);
        assert_eq!(map.squared_norm().unwrap().into_scalar::<f64>(), 13.0);
    }
}
