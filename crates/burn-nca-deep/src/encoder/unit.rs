//! Embeddings of unit length.

use burn::module::Module;
use burn::tensor::Tensor;
use burn_nca::encoder::Encoder;
use burn_nca::internal::unit_rows;

/// An encoder whose embedding rows are brought to unit length.
///
/// For losses of the cosine: on unit rows `||u - v||² = 2 - 2 cos(u, v)`, so Euclidean nearest neighbors are
/// those of the largest cosine. A row of zeros stays one.
///
/// # Examples
/// ```
/// use burn::tensor::{Device, Tensor};
/// use burn_nca::encoder::{Encoder, LinearMapConfig};
/// use burn_nca_deep::encoder::UnitRows;
///
/// let device = Device::flex();
/// let encoder = UnitRows::new(LinearMapConfig::new(2, 2).init(&device));
/// let z = encoder.forward(Tensor::from_floats([[3.0, 4.0], [0.0, 0.0]], &device));
/// assert_eq!(z.into_data().convert::<f32>().try_to_vec::<f32>().unwrap(), [0.6, 0.8, 0.0, 0.0]);
/// ```
#[derive(Module, Debug)]
pub struct UnitRows<E: Encoder> {
    /// The encoder within.
    pub encoder: E,
}

impl<E: Encoder> UnitRows<E> {
    /// The encoder, followed by the normalization.
    pub fn new(encoder: E) -> Self {
        Self { encoder }
    }
}

impl<E: Encoder> Encoder for UnitRows<E> {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        unit_rows(self.encoder.forward(x))
    }

    fn d_input(&self) -> Option<usize> {
        self.encoder.d_input()
    }

    fn squared_norm(&self) -> Option<Tensor<1>> {
        self.encoder.squared_norm()
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::{DType, Device};
    use burn_nca::encoder::LinearMap;

    use super::*;

    #[test]
    fn the_penalty_is_that_of_the_encoder_within() {
        let weight = [1.0, 2.0, 0.0, 0.0, 1.0, -1.0];
        let map = LinearMap::from_weight(&weight, [2, 3], &Device::flex(), DType::F32);
        let norm = UnitRows::new(map).squared_norm().unwrap();
        assert_eq!(norm.into_scalar::<f32>(), 7.0);
    }
}
