//! Sums of absolute differences (L1 distances) of all pairs of a block, and what is differentiable in them.

use core::ops::Range;

use burn::tensor::Tensor;

use crate::nca::{own_pairs, softmax};

/// `Σ_r |a_ir - b_jr|`, without a graph: `[b, d]` and `[m, d]` to `[b, m]`.
///
/// Such a sum is no matrix product. One table `[b, m]` is added up feature by feature.
pub(super) fn manhattan(a: &Tensor<2>, b: &Tensor<2>) -> Tensor<2> {
    let ([rows, d], [columns, _]) = (a.dims(), b.dims());
    let zeros = Tensor::zeros([rows, columns], (&a.device(), a.dtype()));
    (0..d).fold(zeros, |sum, r| {
        let of_a = a.clone().slice([0..rows, r..r + 1]);
        let of_b = b.clone().slice([0..columns, r..r + 1]).transpose();
        sum + (of_a - of_b).abs()
    })
}

/// What `terms` makes of the L1 distances of the points `rows` to all, `[b, n]` to `[1]`, differentiable in the
/// embedding.
///
/// ```text
/// G = ∂terms/∂D,   then one feature after the other   ∂/∂u_r of Σ_ij G_ij |u_ir - u_jr|
/// ```
/// The chain rule with automatic differentiation on both sides of the distances: the graph of all features at once
/// would hold d tables `[b, n]`, this one holds two.
pub(super) fn of_manhattan(
    embedding: &Tensor<2>,
    rows: Range<usize>,
    terms: impl FnOnce(Tensor<2>) -> Tensor<1>,
) -> Tensor<1> {
    let z = embedding.clone().without_autodiff();
    let queries = z.clone().slice([rows.clone()]);
    let distances = manhattan(&queries, &z);
    if !embedding.is_tracked() {
        return terms(distances);
    }
    let leaf = distances.autodiff().require_grad();
    let value = terms(leaf.clone());
    let gradient = value.is_tracked().then(|| leaf.grad_remove(&mut value.backward())).flatten();
    let value = value.without_autodiff();
    let Some(gradient) = gradient else { return value };
    let columns: Vec<Tensor<2>> = (0..z.dims()[1])
        .map(|r| {
            let column = z.clone().slice([0..z.dims()[0], r..r + 1]).autodiff().require_grad();
            let apart = column.clone().slice([rows.clone()]) - column.clone().transpose();
            let mut gradients = (apart.abs() * gradient.clone()).sum().backward();
            let zeros = || z.clone().slice([0..z.dims()[0], r..r + 1]).zeros_like();
            column.grad_remove(&mut gradients).unwrap_or_else(zeros)
        })
        .collect();
    let slope = Tensor::cat(columns, 1);
    let level = (z * slope.clone()).sum();
    // The value is that of the terms; the surrogate adds its slope and, up to rounding, nothing else.
    (embedding.clone() * slope).sum() - level + value
}

/// `p_ij` of the points `first..` by their L1 distances to all, `[b, n]`; 0 for the point itself.
///
/// ```text
/// p_ij = exp(-D_ij) / Σ_{l≠i} exp(-D_il)
/// ```
pub(super) fn shares(distances: Tensor<2>, first: usize) -> Tensor<2> {
    let [b, n] = distances.dims();
    let own = own_pairs(first..first + b, n, &distances.device());
    softmax(distances.neg(), own)
}
