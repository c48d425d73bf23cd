//! Host values brought to a device.

use burn::tensor::{Bool, DType, Device, Int, Tensor, TensorData};

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

/// Truth values as a column, `[len, 1]`.
pub(super) fn column(values: Vec<bool>, device: &Device) -> Tensor<2, Bool> {
    let shape = [values.len(), 1];
    Tensor::from_data(TensorData::new(values, shape), device)
}

/// f64 where the device has it, else f32: for what is prepared before the type of the embedding is known.
pub fn widest_float(device: &Device) -> DType {
    if device.supports_dtype(DType::F64) { DType::F64 } else { DType::F32 }
}

/// An order of rows on a device, unless it is that of the data already.
pub(super) fn order_tensor(order: &[usize], device: &Device) -> Option<Tensor<1, Int>> {
    let is_given = order.iter().enumerate().all(|(place, &row)| place == row);
    (!is_given).then(|| int_tensor(order, device))
}

/// The place of each row in an order of all.
pub(super) fn places(order: &[usize]) -> Vec<usize> {
    let mut places = vec![0; order.len()];
    order.iter().enumerate().for_each(|(place, &row)| places[row] = place);
    places
}
