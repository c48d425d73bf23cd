//! Sums over pairs of points whose terms are never stored: kernels for a CPU, and with the feature `burn` one differentiable
//! operation of Burn for `flex` and GPUs.
//!
//! A tile is a few queries against some hundred references. Squared distances are written to it, become terms or
//! weights in place, and are gone when the next tile comes. Vector instructions are chosen at run time, groups of
//! queries go to all cores, each with its own sums, and groups are added in order: a result does not depend on the
//! number of threads.
//!
//! A crate of its own, so that it is optimized in every build; without Burn it compiles in seconds.

mod aligned;
mod arch;
mod backward;
#[cfg(any(all(feature = "burn", feature = "flex"), test))]
mod batch_norm;
pub mod coincidence;
mod columns;
mod forward;
#[cfg(any(all(feature = "burn", feature = "flex"), test))]
mod linear;
mod log_sums;
mod mean;
mod mutual;
mod number;
#[cfg(feature = "burn")]
mod operation;
mod pair_sum;
mod pairs;
mod panel;
#[cfg(any(all(feature = "burn", feature = "flex"), test))]
mod periodic;
mod shares;
#[cfg(any(all(feature = "burn", feature = "flex"), test))]
mod softmax_rows;
mod sums;
#[cfg(test)]
mod tests;
mod tile;
mod unrolled;
mod vector;
mod walk;

pub use backward::{Weighted, Weights};
pub use columns::NeighborSets;
pub use mean::Means;
pub use number::Number;
#[cfg(feature = "burn")]
pub use operation::{
    batch_norm, euclidean_mean, has_layers, linear, log_sum_exp, pair_sum, periodic_embedding,
    sum_of_euclidean_means, takes, weighted_mean,
};
#[cfg(all(feature = "burn", feature = "fourier"))]
pub use operation::{fourier_cost, fourier_exact_rows};
pub use pair_sum::Summand;

use aligned::Aligned;
use panel::{Panel, padded};
use tile::WIDTH;
use vector::Real;

/// The exponent of a pair's term, with the sign changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    /// `||q_i - r_j||²`.
    SqEuclidean,
    /// `||q_i - r_j||`.
    Euclidean,
}

/// A sum over the columns of each row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PairSum {
    /// `log Σ_j exp(-d_ij)` with distances of a kind. Between equal points a Euclidean distance has no direction: its gradient
    /// is taken as 0.
    LogSumExp(Distance),
    /// `LogSumExp(SqEuclidean)` of points in one or two dimensions, by a Fourier series in linear time, with this tolerance:
    /// `burn_nca_fourier::log_sums` of the feature `fourier`. The references of a query are a range.
    Fourier(f64),
    /// `log Σ_j exp(-||q_i - r_j||² - c_ij)` with a cost for each pair, `[b, m]`, that carries no gradient: an agreement
    /// `w_ij = exp(-c_ij)` that is given.
    CostedLogSumExp,
    /// `Σ_j` of a function of the distance.
    Sum(Summand),
    /// `Σ_j p_ij v_j` of values `[m, c]` under the softmax p of `-||q_i - r_j||²`.
    Mean,
    /// `Mean` by a Fourier series, as `Fourier`: `burn_nca_fourier::means`. Its values carry no gradient.
    FourierMean(f64),
}

/// What makes hidden units of the outputs of a linear layer: dropout and a rectifier.
#[derive(Clone, Debug)]
pub struct Hidden {
    /// Whether a unit is dropped, `[n, e]`; empty where none is.
    pub dropped: std::sync::Arc<[bool]>,
    /// What the others are multiplied by.
    pub scale: f64,
}

/// What is added to the distance of each pair, `[b, m]`; nothing where it is empty.
#[derive(Clone, Copy)]
struct Costs<'a, T> {
    values: &'a [T],
    references: usize,
}

impl<T: Real> Costs<'_, T> {
    /// Adds the costs of a query with some references to their distances.
    #[inline(always)]
    fn add_to(&self, row: &mut [T], query: usize, part: &core::ops::Range<usize>) {
        if self.values.is_empty() {
            return;
        }
        // Behind the references there is padding.
        let part = part.start.min(self.references)..part.end.min(self.references);
        let first = query * self.references;
        let costs = &self.values[first + part.start..first + part.end];
        for (d, &cost) in row.iter_mut().zip(costs) {
            *d = *d + cost;
        }
    }
}

/// Groups of queries at most; a fixed number, for the order of sums. Each holds sums for all references.
const GROUPS: usize = 16;

/// Queries that pass over a tile's references while these are in the cache.
const BLOCK: usize = 48;

/// Coordinates of a tile's references that should stay in the cache.
const CACHED: usize = 6144;

/// The groups of queries, the same whatever the machine.
fn groups(queries: usize) -> Vec<core::ops::Range<usize>> {
    let size = queries.div_ceil(GROUPS).next_multiple_of(tile::ROWS).max(BLOCK);
    (0..queries).step_by(size).map(|start| start..(start + size).min(queries)).collect()
}

/// References of a tile in k dimensions.
fn tile_width(k: usize) -> usize {
    (CACHED / k.max(1)).clamp(128, WIDTH) / 32 * 32
}
