//! Soft matches (section 5 of the paper), equation by equation: the definition.
//!
//! ```text
//! p_i  = Σ_{j≠i} w_ij p_ij,   w_ij in 0..1, of targets t: exp(-||t_i - t_j||² / 2s²)       (2, section 5)
//! f    = Σ_i p_i,   g = Σ_i log p_i                                                        (3), (6)
//! ```

use burn::tensor::{Bool, Tensor};

use super::{log_sum_exp, squared_distances};

/// `log w_ij` of targets, `[b, t]` and `[m, t]` to `[b, m]`.
pub fn log_agreement(targets: Tensor<2>, others: Tensor<2>, width: f64) -> Tensor<2> {
    squared_distances(targets, others).mul_scalar(-0.5 / (width * width))
}

/// `log p_i` from `l_ij = -d_ij`, `log w_ij`, where i and j do not agree at all (w = 0), and where they are one point (or j is
/// no neighbor), all `[b, m]`, to `[b, 1]`.
///
/// The logarithm of an agreement is added to the logit, so that none underflows. Of a row without any agreement it says
/// nothing: leave it out.
pub fn log_p(
    logits: Tensor<2>,
    log_w: Tensor<2>,
    apart: Tensor<2, Bool>,
    left_out: Tensor<2, Bool>,
) -> Tensor<2> {
    let agreeing = log_sum_exp(logits.clone() + log_w, apart.bool_or(left_out.clone()));
    agreeing - log_sum_exp(logits, left_out)
}
