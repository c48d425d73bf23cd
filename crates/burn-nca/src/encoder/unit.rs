//! Rows of unit length.

use burn::tensor::Tensor;

/// The rows at unit length; a row of zeros stays one, with gradient 0.
///
/// Rows are divided by their largest entry first, so that no square overflows or underflows.
///
/// # Shapes
/// - rows: `[n, k]`, output: `[n, k]`
pub fn unit_rows(rows: Tensor<2>) -> Tensor<2> {
    let [n, k] = rows.dims();
    let largest = rows.clone().without_autodiff().abs().max_dim(1);
    let zero = largest.clone().equal_elem(0.0);
    let rows = rows / largest.mask_fill(zero.clone(), 1.0);
    let zero = zero.expand([n, k]);
    // Ones in place of zeros keep the root differentiable; no gradient passes the mask.
    let rows = rows.mask_fill(zero.clone(), 1.0);
    let norms = rows.clone().square().sum_dim(1).sqrt();
    (rows / norms).mask_fill(zero, 0.0)
}

#[cfg(test)]
mod tests {
    use burn::tensor::{DType, Device};

    use super::*;

    #[test]
    fn a_row_of_zeros_stays_one_and_sends_no_gradient_back() {
        let device = Device::flex().autodiff();
        let values = [[0.0, 0.0], [3.0, 4.0], [1e25, 0.0], [0.0, -1e-30]];
        let rows = Tensor::<2>::from_data(values, (&device, DType::F32)).require_grad();
        let unit = unit_rows(rows.clone());
        let weights = Tensor::<2>::from_data([[1.0, 2.0]; 4], (&device, DType::F32));
        let slope = rows.grad(&(unit.clone() * weights).sum().backward()).unwrap();
        let numbers = |tensor: Tensor<2>| tensor.into_data().try_to_vec::<f32>().unwrap();
        assert_eq!(numbers(unit), [0.0, 0.0, 0.6, 0.8, 1.0, 0.0, 0.0, -1.0]);
        let slope = numbers(slope);
        assert_eq!(slope[..2], [0.0, 0.0]);
        // By hand: (w - u (u·w)) / |x|, u = (0.6, 0.8), w = (1, 2): (1 - 1.32, 2 - 1.76) / 5.
        assert!((slope[2] + 0.064).abs() < 1e-6 && (slope[3] - 0.048).abs() < 1e-6, "{slope:?}");
        assert!(slope.iter().all(|slope| slope.is_finite()), "{slope:?}");
    }
}
