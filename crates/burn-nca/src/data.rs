//! Stage 1: data. The tables of `burn-nca-data`, and what makes tensors of them and them of tensors.

use burn::tensor::{DType, Device, Tensor, TensorData};
pub use burn_nca_data::tables::*;
use rayon::prelude::*;

use crate::error::Result;

/// Values that are worth a task of their own.
const TASK_VALUES: usize = 1 << 16;

/// [`Features`] as tensors, and tensors as features.
pub trait TensorFeatures: Sized {
    /// The rows of a `[n, d]` tensor, in f64.
    ///
    /// # Errors
    /// As [`Features::new`].
    fn from_tensor(tensor: Tensor<2>) -> Result<Self>;

    /// The features as a `[n, d]` tensor of type `dtype` on `device`.
    fn to_tensor(&self, device: &Device, dtype: DType) -> Tensor<2>;

    /// The rows `indices`, in that order, as a tensor: [`Features::select`] without a copy in f64.
    ///
    /// # Panics
    /// If an index is not below [`Features::rows`].
    fn rows_to_tensor(&self, indices: &[usize], device: &Device, dtype: DType) -> Tensor<2>;
}

impl TensorFeatures for Features {
    fn from_tensor(tensor: Tensor<2>) -> Result<Self> {
        let [_, columns] = tensor.dims();
        Self::unnamed(host_values(tensor), columns)
    }

    fn to_tensor(&self, device: &Device, dtype: DType) -> Tensor<2> {
        tensor(self, None, device, dtype)
    }

    fn rows_to_tensor(&self, indices: &[usize], device: &Device, dtype: DType) -> Tensor<2> {
        tensor(self, Some(indices), device, dtype)
    }
}

/// Some rows, or all, as a tensor of type `dtype`.
fn tensor(
    features: &Features,
    indices: Option<&[usize]>,
    device: &Device,
    dtype: DType,
) -> Tensor<2> {
    let shape = [indices.map_or(features.rows(), <[usize]>::len), features.columns()];
    let data = match dtype {
        DType::F64 => TensorData::new(features.converted(indices, |x| x), shape),
        _ => TensorData::new(features.converted(indices, |x| x as f32), shape),
    };
    Tensor::from_data(data, (device, dtype))
}

/// The values of a tensor on the host, row-major, in f64.
///
/// # Panics
/// If the device cannot be read back.
#[doc(hidden)]
pub fn host_values<const D: usize>(tensor: Tensor<D>) -> Vec<f64> {
    let data = tensor.into_data();
    match data.as_slice::<f32>() {
        Ok(values) => values.par_iter().with_min_len(TASK_VALUES).copied().map(f64::from).collect(),
        Err(_) => data
            .convert::<f64>()
            .try_into_vec()
            .expect("data that were just converted to f64 are f64"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_as_a_tensor_are_those_selected() {
        let device = burn::tensor::Device::flex();
        let x = Features::unnamed(vec![1.0, 2.0, 3.0, 4.0], 2).unwrap();
        for dtype in [DType::F32, DType::F64] {
            let found = x.rows_to_tensor(&[1, 0, 1], &device, dtype);
            let expected = x.select(&[1, 0, 1]).to_tensor(&device, dtype);
            assert_eq!((found.dtype(), host_values(found)), (dtype, host_values(expected.clone())));
            assert_eq!(Features::from_tensor(expected).unwrap(), x.select(&[1, 0, 1]));
        }
    }
}
