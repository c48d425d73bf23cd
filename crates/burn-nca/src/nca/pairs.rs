//! Equation 8, pairs among all points, in ordinary tensor operations: the definition.
//!
//! ```text
//! Cost = -Σ_(a,b) w_ab log( exp(-d_ab) / Z ) = Σ_(a,b) w_ab d_ab + W log Z,   Z = Σ_{c,d} exp(-d_cd),   W = Σ w_ab    (8)
//! ```

use burn::tensor::{Bool, Tensor};

use super::log_sum_exp;

/// `Σ w_ab ||z_a - z_b||²` of the first points and the second ones, `[p, k]` both, with weights `[p]`, to `[1]`.
pub fn attraction(first: Tensor<2>, second: Tensor<2>, weights: Tensor<1>) -> Tensor<1> {
    let [pairs, _] = first.dims();
    ((first - second).square().sum_dim(1) * weights.reshape([pairs, 1])).sum()
}

/// `log Z` from `l_cd = -d_cd` of all points and what Z leaves out (c = d, or nothing), `[n, n]` to `[1]`.
pub fn log_normalizer(logits: Tensor<2>, left_out: Tensor<2, Bool>) -> Tensor<1> {
    log_of_sum(log_sum_exp(logits, left_out))
}

/// `log Σ_c exp(r_c)` of the rows of Z, `[n, 1]` to `[1]`.
pub fn log_of_sum(rows: Tensor<2>) -> Tensor<1> {
    let top = rows.clone().without_autodiff().max();
    (rows - top.clone().unsqueeze()).exp().sum().log() + top
}

/// Equation 8 from [`attraction`] and [`log_normalizer`], `[1]` each.
pub fn cost(attraction: Tensor<1>, weights: Tensor<1>, log_z: Tensor<1>) -> Tensor<1> {
    attraction + weights.sum() * log_z
}
