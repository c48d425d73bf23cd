//! The normalizer of equation 8 by fused sums.

use core::ops::Range;

use burn::tensor::Tensor;
use burn_nca_fused::{NeighborSets, pair_sum};

use super::PairLoss;
use crate::objective::among_all;
use crate::sums::LOG_SUM;

/// The log-sum-exp of `-||z_c - z_d||²` over d for each of the points `rows`, `[b, 1]`.
pub(super) fn rows_of_z(loss: &PairLoss, z: Tensor<2>, rows: Range<usize>) -> Tensor<2> {
    let columns = NeighborSets::all(rows.len(), z.dims()[0]);
    let columns = if loss.config.include_self { columns } else { columns.without_self(rows.start) };
    pair_sum(LOG_SUM, (among_all(&z, &rows), z), None, &columns)
}
