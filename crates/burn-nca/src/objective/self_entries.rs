//! The entries (i, i) of a block of pairs, which are found by position and never by value.

use burn::tensor::{Bool, Tensor};

use super::affinity::{mask_out, own_mask};

/// The block with the entry of each row with itself put far below any other (see [`mask_out`]).
///
/// # Shapes
/// - block: `[b, m]`, where row r is the point of column `first + r`
pub fn without_self(block: Tensor<2>, first: usize) -> Tensor<2> {
    on_self(block, first, mask_out)
}

/// The block with the entry of each row with itself replaced by `value`, without gradient.
///
/// # Shapes
/// - block: `[b, m]`, where row r is the point of column `first + r`
pub(super) fn with_self(block: Tensor<2>, first: usize, value: f64) -> Tensor<2> {
    on_self(block, first, |square, own| square.mask_fill(own, value))
}

fn on_self(
    block: Tensor<2>,
    first: usize,
    replace: impl FnOnce(Tensor<2>, Tensor<2, Bool>) -> Tensor<2>,
) -> Tensor<2> {
    let [b, _] = block.dims();
    let square = [0..b, first..first + b];
    let own = replace(block.clone().slice(square.clone()), own_mask(b, &block.device()));
    block.slice_assign(square, own)
}
