//! How the terms of a batch become one number: their mean or their sum.

use burn::nn::loss::Reduction;
use burn::tensor::{DType, Tensor};

use super::STREAMED;
use crate::device::runs_on_host;

/// The sum of the terms of some rows, as their mean or as it is; `[1]` to `[1]`.
///
/// `Mean` (and `Auto`, `BatchMean`) divides by the number of rows that count, of which `counted` says 1 for each, `[b, 1]`;
/// it is 0 without any.
pub(super) fn reduce(
    sum: Tensor<1>,
    counted: impl FnOnce() -> Tensor<2>,
    reduction: &Reduction,
) -> Tensor<1> {
    if !is_mean(reduction) {
        return sum;
    }
    let counted = counted().cast(sum.dtype()).sum();
    sum / counted.clamp_min(1.0)
}

/// A sum over `count` terms, as their mean or as it is; `[1]` to `[1]`.
pub fn reduce_sum(sum: Tensor<1>, count: usize, reduction: &Reduction) -> Tensor<1> {
    if is_mean(reduction) { over(sum, count.max(1) as f64) } else { sum }
}

/// The values over a number.
///
/// Not `div_scalar`, whose gradient Burn 0.22.1 multiplies by the reciprocal of the number in f32: in f64 it would
/// be off by up to 6e-8 of itself.
pub fn over<const D: usize>(values: Tensor<D>, number: f64) -> Tensor<D> {
    values.mul_scalar(number.recip())
}

/// The sum of the terms of a block, `[b, 1]` to `[1]`, as the sums of smaller blocks are added.
pub(super) fn total(terms: Tensor<2>) -> Tensor<1> {
    over_rows(terms, Tensor::sum)
}

/// What is said of all rows, `[b, 1]` to `[1]`: of many in f32, by way of f64.
pub(super) fn over_rows(rows: Tensor<2>, of: impl FnOnce(Tensor<2>) -> Tensor<1>) -> Tensor<1> {
    let dtype = rows.dtype();
    if rows.dims()[0] <= STREAMED || dtype != DType::F32 || !runs_on_host(&rows.device()) {
        return of(rows);
    }
    of(rows.cast(DType::F64)).cast(dtype)
}

fn is_mean(reduction: &Reduction) -> bool {
    !matches!(reduction, Reduction::Sum)
}

#[cfg(test)]
mod tests {
    use burn::tensor::{DType, Device};

    use super::*;

    #[test]
    fn the_gradient_of_a_mean_keeps_the_digits_of_f64() {
        let device = Device::flex().autodiff();
        let sum = Tensor::<1>::from_data([5.0], (&device, DType::F64)).require_grad();
        let mean = reduce_sum(sum.clone(), 3, &Reduction::Mean);
        let slope = sum.grad(&mean.backward()).unwrap().into_scalar::<f64>();
        assert!((slope - 1.0 / 3.0).abs() < 1e-15, "{slope}");
    }
}
