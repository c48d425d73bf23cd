//! Metric learning for kernel regression (MLKR), equation by equation: the definition.
//!
//! ```text
//! t̂_i = Σ_{j≠i} p_ij t_j,   p_ij of equation 1 of NCA                     (1 of [1])
//! L   = Σ_i ||t_i - t̂_i||²                                                (3 of [1])
//! ```
//! \[1\] K. Weinberger, G. Tesauro, Metric Learning for Kernel Regression, AISTATS 2007.

use burn::tensor::{Bool, Tensor};

use super::softmax;
use crate::product::product;

/// `t̂_i` from `l_ij = -d_ij` and what is left out (j = i), `[b, m]`, and targets `[m, t]`, to `[b, t]`.
pub fn predicted(logits: Tensor<2>, left_out: Tensor<2, Bool>, targets: Tensor<2>) -> Tensor<2> {
    product(softmax(logits, left_out), targets)
}

/// `||t_i - t̂_i||²`, `[b, t]` both to `[b, 1]`.
pub fn squared_errors(targets: Tensor<2>, predicted: Tensor<2>) -> Tensor<2> {
    (targets - predicted).square().sum_dim(1)
}
