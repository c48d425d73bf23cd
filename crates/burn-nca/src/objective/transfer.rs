//! Host values brought to a device.

use burn::tensor::{DType, Device, Int, Tensor, TensorData};

/// Row numbers as a `[len]` tensor.
pub fn int_tensor(values: &[usize], device: &Device) -> Tensor<1, Int> {
    let values: Vec<i32> = values.iter().map(|&value| value as i32).collect();
    let shape = [values.len()];
    Tensor::from_data(TensorData::new(values, shape), device)
}

/// Numbers as a tensor of this type.
pub fn float_tensor<const D: usize>(
    values: Vec<f64>,
    shape: [usize; D],
    device: &Device,
    dtype: DType,
) -> Tensor<D> {
    Tensor::from_data(TensorData::new(values, shape).convert_dtype(dtype), (device, dtype))
}

/// f64 where the device has it, else f32: for what is prepared before the type of the embedding is known.
pub fn widest_float(device: &Device) -> DType {
    if device.supports_dtype(DType::F64) { DType::F64 } else { DType::F32 }
}
