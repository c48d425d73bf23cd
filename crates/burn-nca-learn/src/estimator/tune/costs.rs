//! What costly fits take, networks and means of several, and on how many folds they are compared.

use crate::encoder::HiddenLayers;
use crate::fit::StochasticConfig;
use crate::method::AnyMethod;

/// Folds and members by which a method of several members is compared, the most that [`PRODUCTS`] allow.
const SHARES: [[usize; 2]; 4] = [[5, 5], [5, 3], [3, 3], [2, 3]];

/// The fewest folds that candidates are compared on: costly ones, and what the budget cuts.
pub(super) const FEWEST_FOLDS: usize = 2;

/// The squared rows of all fits of such a candidate together for each second of the budget; they take about half of it.
const PRODUCTS: f64 = 350_000.0;

/// The seconds by which they are counted where there is no budget.
pub(super) const SECONDS: f64 = 10.0;

/// The folds and the members that so many seconds are enough for, of so many rows.
pub(super) fn shares(seconds: f64, rows: usize) -> [usize; 2] {
    let most = seconds * PRODUCTS / (rows as f64).powi(2);
    let affordable = |[folds, members]: &&[usize; 2]| (folds * members) as f64 <= most;
    SHARES.iter().find(affordable).copied().unwrap_or([FEWEST_FOLDS, 2])
}

/// Seconds of one core that the fit of a network to so many rows of d features takes, about, on a machine of today.
///
/// ```text
/// 600 steps of b rows:   3 b Σ_l d_(l-1) d_l products of the layers,   b² kernels,   and Burn's own part
/// ```
pub(super) fn network_seconds(layers: &HiddenLayers, d: usize, rows: usize) -> f64 {
    let batches = StochasticConfig::of_network(rows);
    let batch = batches.batch_rows(rows) as f64;
    let inputs = std::iter::once(&d).chain(&layers.sizes);
    let weights: usize = inputs.zip(&layers.sizes).map(|(inputs, units)| inputs * units).sum();
    let step = 7e-4 + batch * (2e-10 * weights as f64 + 6e-9 * batch);
    let steps = batches.epochs_of(rows) as f64 * (rows as f64 / batch).round();
    steps * step
}

/// The networks of a fit by the method that is a mean of several, 0 for as many as the rows suit; `None` for another method.
pub(super) fn members(method: &AnyMethod) -> Option<usize> {
    method.settings().get("members")?.as_u64().map(|members| members as usize)
}
