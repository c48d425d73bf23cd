//! Sums over pairs of points whose terms are never stored: the host's kernels behind `burn_nca::pairwise`.
//!
//! A tile is a few queries against some hundred references. Squared distances are written to it, become terms or
//! weights in place, and are gone when the next tile comes. Vector instructions are chosen at run time, groups of
//! queries go to all cores, each with its own sums, and groups are added in order: a result does not depend on the
//! number of threads.
//!
//! A crate of its own, without Burn, so that it is optimised in every build and compiles in seconds.

mod aligned;
mod backward;
pub mod coincidence;
mod columns;
mod forward;
mod mean;
mod mean_backward;
mod mutual;
mod number;
mod pair_sum;
mod panel;
pub mod sparse;
#[cfg(test)]
mod tests;
mod tile;
mod unrolled;
mod vector;
mod walk;

pub use backward::{Weighted, Weights};
pub use columns::Columns;
pub use mean::Means;
pub use number::Number;
pub use pair_sum::Summand;

use aligned::Aligned;
use panel::{Panel, padded};
use tile::WIDTH;
use vector::Real;

/// What stands in the exponent of a pair's term, with the sign changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    /// `||q_i - r_j||²`.
    SqEuclidean,
    /// `||q_i - r_j||`.
    Euclidean,
}

/// Groups of queries at most; a fixed number, for the order of sums. Each holds sums for all references.
const GROUPS: usize = 16;

/// Queries that pass over a tile's references while these are in the cache.
const BLOCK: usize = 48;

/// Coordinates of a tile's references that should stay in the cache.
const CACHED: usize = 6144;

/// Queries of a group, the same number whatever the machine.
fn group_size(queries: usize) -> usize {
    queries.div_ceil(GROUPS).next_multiple_of(tile::ROWS).max(BLOCK)
}

/// References of a tile in k dimensions.
fn tile_width(k: usize) -> usize {
    (CACHED / k.max(1)).clamp(128, WIDTH) / 32 * 32
}
