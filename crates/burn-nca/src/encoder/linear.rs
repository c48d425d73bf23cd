//! The linear map z = A x.

use burn::config::Config;
use burn::module::{Module, Param};
use burn::tensor::{DType, Device, Tensor, TensorData, assert_shape};

use super::Encoder;
use crate::data::host_values;
use crate::product::product;

/// The size of a [`LinearMap`].
#[derive(Config, Debug)]
pub struct LinearMapConfig {
    /// Number of input features, d.
    pub d_input: usize,
    /// Number of embedding dimensions, k; may be larger than d.
    pub d_output: usize,
}

impl LinearMapConfig {
    /// A map that starts as the (rectangular) identity: the first min(d, k) features pass unchanged.
    pub fn init(&self, device: &Device) -> LinearMap {
        let mut weight = vec![0.0; self.d_input * self.d_output];
        for i in 0..self.d_input.min(self.d_output) {
            weight[i * self.d_output + i] = 1.0;
        }
        LinearMap::from_weight(&weight, [self.d_input, self.d_output], device, DType::F32)
    }
}

/// The linear map of the paper, `z = A x`, full (k = d), low rank (k < d) or expanding (k > d).
///
/// ```text
/// z_i = A x_i,   Q = AᵀA,   d(x, x') = (x - x')ᵀ Q (x - x') = ||A x - A x'||²      (section 2 of [1])
/// ```
/// The parameter is stored as Burn stores a linear layer: `weight` is `[d, k]`, the transpose of A.
///
/// # References
/// \[1\] J. Goldberger et al., Neighborhood Components Analysis, NIPS 2004.
#[derive(Module, Debug)]
pub struct LinearMap {
    /// The transpose of A, `[d, k]`.
    pub weight: Param<Tensor<2>>,
}

impl LinearMap {
    /// A map with the given transpose of A, row-major `[d, k]`.
    ///
    /// # Panics
    /// If the number of values is not d * k.
    pub fn from_weight(weight: &[f64], shape: [usize; 2], device: &Device, dtype: DType) -> Self {
        assert_eq!(weight.len(), shape[0] * shape[1], "a {shape:?} weight needs d * k values");
        let data = TensorData::new(weight.to_vec(), shape).convert_dtype(dtype);
        Self { weight: Param::from_tensor(Tensor::from_data(data, (device, dtype))) }
    }

    /// Number of input features d and embedding dimensions k.
    pub fn dims(&self) -> [usize; 2] {
        self.weight.dims()
    }

    /// A on the host, row-major `[k, d]`, as the paper writes it.
    pub fn matrix(&self) -> Vec<f64> {
        host_values(self.weight.val().without_autodiff().dequantize().transpose())
    }

    /// The metric Q = AᵀA, `[d, d]`.
    pub fn metric(&self) -> Tensor<2> {
        let weight = self.weight.val().without_autodiff().dequantize();
        product(weight.clone(), weight.transpose())
    }
}

impl Encoder for LinearMap {
    fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let weight = self.weight.val().dequantize();
        let [d_input, _] = weight.dims();
        assert_shape!(x, [.., d_input]);
        product(x, weight)
    }

    fn d_input(&self) -> Option<usize> {
        Some(self.dims()[0])
    }

    fn is_linear(&self) -> bool {
        true
    }
}
