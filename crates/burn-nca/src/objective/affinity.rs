//! The affinities of equation 1 in log space: the softmax over squared distances that leaves the self out.
//!
//! The pieces that the objectives of this crate are made of, for objectives of one's own (the example
//! `own-objective` uses them). All are differentiable tensor operations.
//!
//! ```text
//! log p_ij = l_ij - log Σ_{l≠i} exp(l_il),   l = without_self(logits(z[rows], z), rows.start)
//! ||z_i - z_j||² = ||z_i||² - l_ij
//! ```

use burn::tensor::{Bool, DType, Device, Tensor};

/// The logits with those under `mask` put far below any other, so that their softmax weight is lost in
/// rounding.
///
/// The stand-in for -∞ is finite in the tensor's type: rows that are masked throughout would turn an
/// infinite one into NaN. It lies within a factor of 4 of the least number of the type, below every logit whose
/// row has not overflowed; in f16 it is -6e4, below squared distances of up to that ([`log_sum_exp_without`] leaves
/// entries out whatever the others are).
pub fn mask_out(logits: Tensor<2>, mask: Tensor<2, Bool>) -> Tensor<2> {
    let lowest = lowest(logits.dtype());
    logits.mask_fill(mask, lowest)
}

fn lowest(dtype: DType) -> f64 {
    match dtype {
        DType::F64 => f64::MIN / 4.0,
        DType::F16 => -6e4,
        _ => f64::from(f32::MIN / 4.0),
    }
}

/// The block of pairs with the entry of each row with itself put far below any other (see [`mask_out`]).
///
/// The entries (i, i) are found by position and never by value.
///
/// # Shapes
/// - block: `[b, m]`, where row r is the point of column `first + r`
pub fn without_self(block: Tensor<2>, first: usize) -> Tensor<2> {
    let [b, _] = block.dims();
    let square = [0..b, first..first + b];
    let own = mask_out(block.clone().slice(square.clone()), own_mask(b, &block.device()));
    block.slice_assign(square, own)
}

/// The embedding in a type of at least 32 bits.
///
/// Squared distances of half-precision rows would overflow from a norm of 256 on, so the losses of a batch are
/// computed in f32; the gradient comes back in the type of the embedding.
pub(crate) fn at_least_f32(embedding: Tensor<2>) -> Tensor<2> {
    match embedding.dtype() {
        DType::F16 | DType::BF16 => embedding.cast(DType::F32),
        _ => embedding,
    }
}

/// Panics if there is no row.
pub(crate) fn assert_rows(what: &str, rows: usize) {
    assert!(
        rows > 0,
        "the {what} has no row; a loss needs at least one, so leave empty batches out"
    );
}

/// The embedding moved so that its mean is the origin.
///
/// Affinities do not change under a translation, but the products below lose fewer digits near the origin.
/// The mean carries no gradient: its contributions cancel exactly.
pub fn centered(embedding: Tensor<2>) -> Tensor<2> {
    let mean = embedding.clone().without_autodiff().mean_dim(0);
    embedding - mean
}

/// The logits of `p_ij` up to a constant of each row, in one matrix product.
///
/// ```text
/// l_ij = 2 z_i·z_j - ||z_j||² = ||z_i||² - ||z_i - z_j||²
/// ```
/// A constant of row i cancels in the softmax over j (equation 1). The squared norms are a further
/// column of the product, so no pass over the pairs is spent on them.
///
/// # Shapes
/// - queries: `[b, k]`, references: `[m, k]`, output: `[b, m]`
pub fn logits(queries: Tensor<2>, references: Tensor<2>) -> Tensor<2> {
    let [b, _] = queries.dims();
    let minus_one = Tensor::<2>::ones([b, 1], (&queries.device(), queries.dtype())).neg();
    let squares = references.clone().square().sum_dim(1);
    let left = Tensor::cat(vec![queries.mul_scalar(2.0), minus_one], 1);
    let right = Tensor::cat(vec![references, squares], 1);
    left.matmul(right.transpose())
}

/// `log Σ_j exp(l_ij)` of each row, without overflow or underflow.
///
/// # Shapes
/// - logits: `[b, m]`, output: `[b, 1]`
///
/// # Examples
/// ```
/// # #[cfg(feature = "flex")] {
/// use burn::tensor::{Device, Tensor, s};
/// use burn_nca::objective::affinity::{centered, log_sum_exp, logits, without_self};
///
/// // Rows 1 and 2 of three points: log p_ij of equation 1.
/// let z = centered(Tensor::<2>::from_floats([[0.0], [1.0], [3.0]], &Device::flex()));
/// let l = without_self(logits(z.clone().slice(s![1..3]), z), 1);
/// let log_p = l.clone() - log_sum_exp(l);
/// let p = log_p.exp().into_data().try_to_vec::<f32>().unwrap();
/// // Of point 1: exp(-1) against exp(-4); of point 3: exp(-9) against exp(-4).
/// assert!((p[0] - 1.0 / (1.0 + (-3f32).exp())).abs() < 1e-6 && p[1] == 0.0);
/// # }
/// ```
pub fn log_sum_exp(logits: Tensor<2>) -> Tensor<2> {
    let largest = logits.clone().without_autodiff().max_dim(1);
    (logits - largest.clone()).exp().sum_dim(1).log() + largest
}

/// `log Σ_j exp(l_ij)` of each row over the entries that are not excluded, which are left out by position: however low
/// the others are, no excluded one is above them.
///
/// A row without any entry has the number that [`mask_out`] fills in, far below the sum of any other, and no gradient.
///
/// # Shapes
/// - logits, excluded: `[b, m]`, output: `[b, 1]`
pub fn log_sum_exp_without(logits: Tensor<2>, excluded: Tensor<2, Bool>) -> Tensor<2> {
    let dtype = logits.dtype();
    let least = if dtype == DType::F64 { f64::MIN } else { f64::from(f32::MIN) };
    let candidates = logits.clone().without_autodiff().mask_fill(excluded.clone(), least);
    let largest = candidates.max_dim(1);
    let none = excluded.clone().all_dim(1);
    // What is excluded may overflow the exponential, and infinity times a gradient of 0 is NaN.
    let shifted = (logits - largest.clone()).mask_fill(excluded.clone(), 0.0);
    let sum = shifted.exp().mask_fill(excluded, 0.0).sum_dim(1).mask_fill(none.clone(), 1.0);
    (sum.log() + largest).mask_fill(none, lowest(dtype))
}

/// The mask of the pairs (i, i) in a `[b, b]` block.
pub fn own_mask(b: usize, device: &Device) -> Tensor<2, Bool> {
    Tensor::<2>::eye(b, device).equal_elem(1.0)
}
