//! The diagonal map: a weight per feature.

use burn::module::{Module, Param};
use burn::tensor::{DType, Device, Tensor, TensorData, assert_shape};

use super::Encoder;
use crate::data::host_values;

/// An axis-aligned metric: one weight per feature, `z = diag(a) x` (the paper's diagonal A).
#[derive(Module, Debug)]
pub struct DiagonalMap {
    /// The diagonal of A, `[d]`.
    pub scale: Param<Tensor<1>>,
}

impl DiagonalMap {
    /// A map with this diagonal.
    pub fn from_scale(scale: &[f64], device: &Device, dtype: DType) -> Self {
        let data = TensorData::new(scale.to_vec(), [scale.len()]).convert_dtype(dtype);
        Self { scale: Param::from_tensor(Tensor::from_data(data, (device, dtype))) }
    }

    /// The diagonal of A on the host.
    pub fn diagonal(&self) -> Vec<f64> {
        host_values(self.scale.val().without_autodiff())
    }
}

impl Encoder for DiagonalMap {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let scale = self.scale.val();
        let [d_input] = scale.dims();
        assert_shape!(x, [.., d_input]);
        x * scale.unsqueeze()
    }

    fn d_input(&self) -> Option<usize> {
        Some(self.scale.dims()[0])
    }

    fn is_linear(&self) -> bool {
        true
    }

    fn squared_norm(&self) -> Option<Tensor<1>> {
        Some(self.scale.val().square().sum())
    }
}
