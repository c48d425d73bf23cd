//! Between tensors of `flex` and their numbers.

use burn::backend::flex::FlexTensor;
use burn::tensor::{Element, TensorData};
use pulp::bytemuck::Pod;

use crate::Number;

/// Numbers that a tensor holds and the kernels compute with.
pub(super) trait KernelElement: Number + Element + Pod {}
impl KernelElement for f32 {}
impl KernelElement for f64 {}

pub(super) fn width(tensor: &FlexTensor) -> usize {
    tensor.layout().shape()[1]
}

/// The numbers of a tensor whose rows follow one another.
pub(super) fn values<T: KernelElement>(tensor: &FlexTensor) -> &[T] {
    // No place is aligned for numbers that are not there.
    if tensor.layout().num_elements() == 0 {
        return &[];
    }
    tensor.as_slice().expect("a contiguous tensor of the type of all operands")
}

pub(super) fn tensor<T: KernelElement>(values: Vec<T>, shape: [usize; 2]) -> FlexTensor {
    FlexTensor::from_data(TensorData::new(values, shape))
}

/// What a function that is generic over the numbers gives for those of a tensor.
macro_rules! with_numbers_of {
    ($tensor:expr, $function:ident($($given:expr),+)) => {
        match $tensor.dtype() {
            burn::tensor::DType::F64 => $function::<f64>($($given),+),
            _ => $function::<f32>($($given),+),
        }
    };
}
pub(super) use with_numbers_of;
