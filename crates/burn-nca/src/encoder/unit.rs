use burn::module::Module;
use burn::tensor::Tensor;

use super::Encoder;

/// An encoder whose embedding rows are brought to unit length.
///
/// For losses of the cosine: on unit rows `||u - v||² = 2 - 2 cos(u, v)`, so Euclidean nearest neighbours are
/// those of the largest cosine. A row of zeros stays one.
///
/// # Examples
/// ```
/// # #[cfg(feature = "flex")] {
/// use burn::tensor::{Device, Tensor};
/// use burn_nca::encoder::{Encoder, LinearMapConfig, UnitRows};
///
/// let device = Device::flex();
/// let encoder = UnitRows::new(LinearMapConfig::new(2, 2).init(&device));
/// let z = encoder.forward(Tensor::from_floats([[3.0, 4.0], [0.0, 0.0]], &device));
/// assert_eq!(z.into_data().convert::<f32>().try_to_vec::<f32>().unwrap(), [0.6, 0.8, 0.0, 0.0]);
/// # }
/// ```
#[derive(Module, Debug)]
pub struct UnitRows<E: Encoder> {
    /// The encoder within.
    pub encoder: E,
}

impl<E: Encoder> UnitRows<E> {
    /// The encoder, followed by the normalisation.
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

/// The rows at unit length; a row of zeros stays one, with gradient 0.
///
/// # Shapes
/// - rows: `[n, k]`, output: `[n, k]`
pub(crate) fn unit_rows(rows: Tensor<2>) -> Tensor<2> {
    let squares = rows.clone().square().sum_dim(1);
    let zero = squares.clone().equal_elem(0.0);
    rows / squares.mask_fill(zero, 1.0).sqrt()
}
