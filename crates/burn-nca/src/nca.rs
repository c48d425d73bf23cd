//! Neighborhood components analysis, equation by equation, in ordinary tensor operations: the definition.
//!
//! ```text
//! d_ij = ||z_i - z_j||²,   z_i = A x_i, or what any other encoder makes of x_i
//! p_ij = exp(-d_ij) / Σ_{l≠i} exp(-d_il),   p_ii = 0                  (1)
//! p_i  = Σ_{j: y_j = y_i} p_ij                                        (2)
//! f    = Σ_i p_i                                                      (3)
//! g    = Σ_i log p_i                                                  (6)
//! ```
//! No derivative is written here: Burn's automatic differentiation supplies it, for the map A and for every encoder. The
//! losses and fits of this crate compute this form, a block of rows i at a time, wherever there is no fused operation, and
//! wherever a user asks for it ([`Sums::Plain`](crate::Sums)); the fused operation is compared with it in value and gradient.
//! The same functions serve objectives of one's own. [`soft_match`], [`pairs`] and [`mlkr`] define the relatives.
//!
//! # References
//! J. Goldberger, S. Roweis, G. Hinton, R. Salakhutdinov, Neighborhood Components Analysis, NIPS 2004.
//!
//! # Examples
//! The whole method, by gradient ascent on f:
//! ```
//! # #[cfg(feature = "flex")] {
//! use burn::tensor::{Device, Int, Tensor};
//! use burn_nca::nca;
//!
//! let device = Device::flex().autodiff();
//! let x = Tensor::<2>::from_floats([[0.0, 0.1], [0.2, 3.0], [1.0, 0.2], [1.2, 2.9]], &device);
//! let y = Tensor::<1, Int>::from_ints([0, 0, 1, 1], &device);
//! let f = |a: &Tensor<2>| {
//!     let z = x.clone().matmul(a.clone());
//!     let (exponents, own) = nca::exponents(z, 0..4);
//!     nca::f(nca::log_p(exponents, nca::equal_pairs(y.clone(), y.clone()), own))
//! };
//! let mut a = Tensor::<2>::eye(2, &device);
//! for _ in 0..100 {
//!     let leaf = a.clone().detach().require_grad();
//!     let gradient = leaf.grad(&f(&leaf).backward()).unwrap();
//!     a = leaf.detach() + Tensor::from_inner(gradient) * 0.5;
//! }
//! assert!(f(&a).into_scalar::<f32>() > 3.9); // of 4; the distances of the second feature say nothing
//! # }
//! ```

pub mod mlkr;
pub mod pairs;
pub mod soft_match;

use core::ops::Range;

use burn::tensor::activation::log_sigmoid;
use burn::tensor::{Bool, DType, Device, Int, Tensor};

/// `d_ij = ||q_i - r_j||²` as a sum of squared differences, which loses no digit far from the origin: `[b, k]` and `[m, k]`
/// to `[b, m]`.
pub fn squared_distances(queries: Tensor<2>, references: Tensor<2>) -> Tensor<2> {
    let (queries, references) = (queries.transpose(), references.transpose());
    let apart = queries.unsqueeze_dim::<3>(2) - references.unsqueeze_dim::<3>(1); // [k, b, m]
    apart.square().sum_dim(0).squeeze_dim(0)
}

/// The exponents `-d_ij` of equation 1 of the points i in `rows` among all n, and which of them it leaves out (j = i): `[n, k]`
/// to `[b, n]` both.
pub fn exponents(z: Tensor<2>, rows: Range<usize>) -> (Tensor<2>, Tensor<2, Bool>) {
    let own = own_pairs(rows.clone(), z.dims()[0], &z.device());
    (squared_distances(z.clone().slice([rows]), z).neg(), own)
}

/// `exp(l_ij - max_l)` of each row, 0 where left out, and the largest logit that is not, `[b, m]` and `[b, 1]`.
fn over_largest(logits: Tensor<2>, left_out: Tensor<2, Bool>) -> (Tensor<2>, Tensor<2>) {
    let least = if logits.dtype() == DType::F64 { f64::MIN } else { f64::from(f32::MIN) };
    let counted = logits.clone().without_autodiff().mask_fill(left_out.clone(), least);
    let largest = counted.max_dim(1);
    // Twice, since what is left out may overflow, and infinity times a gradient of 0 is NaN.
    let apart = (logits - largest.clone()).mask_fill(left_out.clone(), 0.0);
    (apart.exp().mask_fill(left_out, 0.0), largest)
}

/// `log Σ_j exp(l_ij)` of each row over the j that are not left out, `[b, m]` to `[b, 1]`; a row of which all are has a number
/// below that of any other, and no gradient.
///
/// The largest term is factored out, so that none overflows and not all underflow; what is left out is so by position,
/// however low the others are.
pub fn log_sum_exp(logits: Tensor<2>, left_out: Tensor<2, Bool>) -> Tensor<2> {
    let none = left_out.clone().all_dim(1);
    let least = if logits.dtype() == DType::F64 { f64::MIN } else { f64::from(f32::MIN) };
    let (terms, largest) = over_largest(logits, left_out);
    (terms.sum_dim(1).mask_fill(none.clone(), 1.0).log() + largest).mask_fill(none, least / 4.0)
}

/// Equation 1: `p_ij = exp(l_ij) / Σ_l exp(l_il)` over what is not left out, else 0, `[b, m]` to `[b, m]`.
pub fn softmax(logits: Tensor<2>, left_out: Tensor<2, Bool>) -> Tensor<2> {
    let none = left_out.clone().all_dim(1);
    let (terms, _) = over_largest(logits, left_out);
    terms.clone() / terms.sum_dim(1).mask_fill(none, 1.0)
}

/// Equation 2 in logarithms: `log p_i` from `l_ij = -d_ij`, where row i and column j are of one class and where they are one
/// point (or j is no neighbor at all), all `[b, m]`, to `[b, 1]`.
///
/// The logistic function of two log-sum-exps, over the partners and over all others: neither near p_i = 0 nor near p_i = 1
/// is a digit lost. A row without any partner has the number 0.
pub fn log_p(logits: Tensor<2>, same: Tensor<2, Bool>, left_out: Tensor<2, Bool>) -> Tensor<2> {
    let no_partner = same.clone().bool_not().bool_or(left_out.clone());
    let no_other = same.bool_or(left_out);
    let probability_is_one = no_partner.clone().all_dim(1).bool_or(no_other.clone().all_dim(1));
    let partners = log_sum_exp(logits.clone(), no_partner);
    log_sigmoid(partners - log_sum_exp(logits, no_other)).mask_fill(probability_is_one, 0.0)
}

/// Equation 3: `f = Σ_i p_i`, `[b, 1]` to `[1]`.
pub fn f(log_p: Tensor<2>) -> Tensor<1> {
    log_p.exp().sum()
}

/// Equation 6: `g = Σ_i log p_i`, `[b, 1]` to `[1]`.
pub fn g(log_p: Tensor<2>) -> Tensor<1> {
    log_p.sum()
}

/// Where j = i, of the points i in `rows` among n, `[b, n]`: by position, so that a copy of a point is a neighbor of it.
pub fn own_pairs(rows: Range<usize>, n: usize, device: &Device) -> Tensor<2, Bool> {
    let device = &device.clone().inner();
    let columns = Tensor::arange(0..n as i64, device);
    equal_pairs(Tensor::arange(rows.start as i64..rows.end as i64, device), columns)
}

/// Where `y_i = y_j`, labels or other numbers of one integer type, `[b]` and `[m]` to `[b, m]`.
pub fn equal_pairs(rows: Tensor<1, Int>, columns: Tensor<1, Int>) -> Tensor<2, Bool> {
    let ([b], [m]) = (rows.dims(), columns.dims());
    rows.reshape([b, 1]).expand([b, m]).equal(columns.reshape([1, m]).expand([b, m]))
}
