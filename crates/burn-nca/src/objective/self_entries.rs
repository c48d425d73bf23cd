//! The entries (i, i) of a block of pairs, which are found by position and never by value.

use burn::tensor::Tensor;

use super::affinity::{mask_out, own_mask};

/// The block with the entry of each row with itself put far below any other (see [`mask_out`]).
///
/// # Shapes
/// - block: `[b, m]`, where row r is the point of column `first + r`
pub fn without_self(block: Tensor<2>, first: usize) -> Tensor<2> {
    let [b, _] = block.dims();
    let square = [0..b, first..first + b];
    let own = mask_out(block.clone().slice(square.clone()), own_mask(b, &block.device()));
    block.slice_assign(square, own)
}
