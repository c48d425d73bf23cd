//! The EM of latent coincidence analysis, with each pair about its own midpoint.
//!
//! ```text
//! D = x' - x,  δ = W D,  c and ε² of the posterior           (see `burn_nca_fused::coincidence`)
//! W  ← W - 2 (Σ c δ Dᵀ) S⁺,    S = Σ D Dᵀ                    (18, with x, x' → ∓D/2)
//! σ² ← 1/(pN) [ Σ ||½ W_new D - (½ - c) W D||² + Σ ε² ]      (19, 20)
//! κ² ← the most likely of each anchor, by a line search      (section 3.2)
//! ```
//! The likelihood depends on differences alone, so each pair may be anywhere. Where the paper has the rows
//! themselves in (18) its step shrinks with their distance from the origin; about the midpoints it does not, and the
//! likelihood still never falls. The sums over pairs are taken through the points, `Σ c δ Dᵀ = Uᵀ X`: no pair has a
//! matrix of its own, and a step costs as much as an embedding of all rows.

use burn_nca_fused::coincidence::{Ends, Expectation, FLOOR, Pairs};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::baseline::{cross_product, mean, product, pseudo_inverse, transposed};
use crate::data::{Features, LabeledPair, LabeledPairs};
use crate::error::Result;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct CoincidenceState {
    /// W of each map, row-major `[p, d]`, one after the other.
    pub weights: Vec<f64>,
    /// σ² of each map.
    pub sigma_sq: Vec<f64>,
    /// κ² of each anchor; one 1 where they share it.
    pub kappa_sq: Vec<f64>,
    /// Pairs found on the way, in the order in which they were added.
    pub added: Vec<LabeledPair>,
}

/// The pairs that a map is to learn from as well, found under the map W, row-major `[p, d]`.
pub(crate) type MorePairs<'a> = dyn Fn(&[f64]) -> Result<Vec<LabeledPair>> + Sync + 'a;

/// Latent coincidence analysis of labeled pairs, to be fitted by [`EmProblem::maximize`](super::EmProblem::maximize).
pub(crate) struct CoincidenceEm<'a> {
    /// The rows less their mean, `[n, d]`.
    x: Vec<f64>,
    d: usize,
    latent: usize,
    local_scales: bool,
    given: LabeledPairs,
    maps: Vec<MapPairs>,
    refresh: Option<(usize, Box<MorePairs<'a>>)>,
}

struct MapPairs {
    ends: Vec<Ends>,
    /// S⁺, `[d, d]`.
    inverse: Vec<f64>,
}

/// What an E-step finds for one map.
pub(crate) struct MapExpectation {
    /// The latent means W x, `[n, p]`.
    z: Vec<f64>,
    posterior: Expectation,
    /// `Σ c δ Dᵀ`, `[p, d]`: the gradient of L by W is -1/σ² of it.
    gradient: Vec<f64>,
}

impl<'a> CoincidenceEm<'a> {
    /// The model of these rows and pairs with `latent` dimensions for each map.
    pub fn new(
        features: &Features,
        pairs: &LabeledPairs,
        latent: usize,
        local_scales: bool,
    ) -> Result<Self> {
        let (center, d) = (mean(features), features.columns());
        let centered = features.values().chunks_exact(d);
        let x = centered.flat_map(|row| row.iter().zip(&center).map(|(x, m)| x - m)).collect();
        let given = pairs.clone();
        let mut model = Self { x, d, latent, local_scales, given, maps: Vec::new(), refresh: None };
        model.maps = model.maps_of(pairs)?;
        Ok(model)
    }

    /// The same model, asking every `every` steps for further pairs of its (only) map.
    pub fn with_refresh(self, every: usize, more: Box<MorePairs<'a>>) -> Self {
        Self { refresh: Some((every, more)), ..self }
    }

    /// The start at these maps, with σ² as given and each anchor's κ² where its pairs are most likely.
    pub fn start(&self, weights: Vec<f64>, sigma_sq: f64) -> CoincidenceState {
        let scales = if self.local_scales { self.given.anchors() } else { 1 };
        let mut state = CoincidenceState {
            weights,
            sigma_sq: vec![sigma_sq; self.maps.len()],
            kappa_sq: vec![1.0; scales],
            added: Vec::new(),
        };
        if self.local_scales {
            let z = self.embed(&state, 0);
            state.kappa_sq = self.pairs(0, &state).best_scales(&z, sigma_sq);
        }
        state
    }

    /// The pairs of each map, with the scatter that a step divides by.
    fn maps_of(&self, pairs: &LabeledPairs) -> Result<Vec<MapPairs>> {
        let mut ends = vec![Vec::new(); pairs.maps()];
        for (pair, scale) in pairs.pairs().iter().zip(pairs.scales()) {
            ends[pair.map].push(Ends {
                first: pair.anchor as u32,
                second: pair.other as u32,
                scale: if self.local_scales { *scale as u32 } else { 0 },
                coincide: pair.coincide,
            });
        }
        ends.into_par_iter().map(|ends| self.map_of(ends)).collect()
    }

    fn map_of(&self, ends: Vec<Ends>) -> Result<MapPairs> {
        let of_rows = Pairs { ends: &ends, k: self.d, kappa_sq: &[1.0] };
        let differences = of_rows.scattered(&self.x, &vec![1.0; ends.len()]);
        let scatter = cross_product(&self.x, &differences, [self.d, self.d]);
        Ok(MapPairs { inverse: pseudo_inverse(&scatter, self.d)?, ends })
    }

    fn weights<'s>(&self, state: &'s CoincidenceState, map: usize) -> &'s [f64] {
        let size = self.latent * self.d;
        &state.weights[map * size..(map + 1) * size]
    }

    fn embed(&self, state: &CoincidenceState, map: usize) -> Vec<f64> {
        product(&self.x, &transposed(self.weights(state, map), self.d), self.d)
    }

    fn pairs<'s>(&'s self, map: usize, state: &'s CoincidenceState) -> Pairs<'s> {
        Pairs { ends: &self.maps[map].ends, k: self.latent, kappa_sq: &state.kappa_sq }
    }

    /// W, σ² and the κ² of one map after its M-step.
    fn maximize_map(
        &self,
        state: &CoincidenceState,
        expectation: &MapExpectation,
        map: usize,
    ) -> (Vec<f64>, f64, Option<Vec<f64>>) {
        let step = product(&expectation.gradient, &self.maps[map].inverse, self.d);
        let weights = self.weights(state, map).iter().zip(step).map(|(w, s)| w - 2.0 * s);
        let weights: Vec<f64> = weights.collect();
        let z = product(&self.x, &transposed(&weights, self.d), self.d);
        let pairs = self.pairs(map, state);
        let rest = pairs.residual(&expectation.z, &z, &expectation.posterior.shifts);
        let count = (self.latent * self.maps[map].ends.len()) as f64;
        let floor = FLOOR * state.kappa_sq.iter().copied().fold(0.0, f64::max);
        let sigma_sq = ((rest + expectation.posterior.variance) / count).max(floor);
        let kappa_sq = self.local_scales.then(|| pairs.best_scales(&z, sigma_sq));
        (weights, sigma_sq, kappa_sq)
    }

    /// The state with the pairs that its map asks for; whether there are any.
    fn refreshed(&mut self, state: &mut CoincidenceState) -> Result<bool> {
        let Some((_, more)) = &self.refresh else { return Ok(false) };
        let found = more(self.weights(state, 0))?;
        let before = self.given.with(&state.added);
        let after = before.with(&found);
        if after.len() == before.len() {
            return Ok(false);
        }
        state.added.extend_from_slice(&after.pairs()[before.len()..]);
        self.maps = self.maps_of(&after)?;
        if self.local_scales {
            let middle = median(&state.kappa_sq);
            state.kappa_sq.resize(after.anchors(), middle);
            let z = self.embed(state, 0);
            state.kappa_sq = self.pairs(0, state).best_scales(&z, state.sigma_sq[0]);
        }
        Ok(true)
    }

    /// Takes up a state that was read, with the pairs that were added on its way.
    pub fn apply(&mut self, state: &CoincidenceState) -> Result<()> {
        self.maps = self.maps_of(&self.given.with(&state.added))?;
        Ok(())
    }

    /// The E-step: what is known of the latent variables at these parameters.
    pub fn expect(&self, state: &CoincidenceState) -> Vec<MapExpectation> {
        let of_map = |map: usize| {
            let (z, pairs) = (self.embed(state, map), self.pairs(map, state));
            let posterior = pairs.expect(&z, state.sigma_sq[map]);
            let u = pairs.scattered(&z, &posterior.shifts);
            let gradient = cross_product(&u, &self.x, [self.latent, self.d]);
            MapExpectation { z, posterior, gradient }
        };
        (0..self.maps.len()).into_par_iter().map(of_map).collect()
    }

    /// L, the log-likelihood at the state of an E-step.
    pub fn log_likelihood(&self, expectation: &[MapExpectation]) -> f64 {
        expectation.iter().map(|map| map.posterior.log_likelihood).sum()
    }

    /// The largest component of the gradient of L by W and log σ²; each κ² is at its maximum.
    pub fn gradient_max(&self, state: &CoincidenceState, expectation: &[MapExpectation]) -> f64 {
        let mut largest = 0.0_f64;
        for (map, found) in expectation.iter().enumerate() {
            let sigma_sq = state.sigma_sq[map];
            let steepest = found.gradient.iter().fold(0.0_f64, |max, g| max.max(g.abs()));
            let count = (self.latent * self.maps[map].ends.len()) as f64;
            let moments = found.posterior.sq_shift + found.posterior.variance;
            largest = largest.max(steepest / sigma_sq).max((moments / sigma_sq - count).abs());
        }
        largest
    }

    /// The M-step number `iteration` (from 1): the parameters that are best given the E-step, and whether the pairs of the
    /// likelihood changed with them, so that it cannot be compared with the one before.
    pub fn maximize(
        &mut self,
        mut state: CoincidenceState,
        expectation: &[MapExpectation],
        iteration: usize,
    ) -> Result<(CoincidenceState, bool)> {
        let revised: Vec<_> = expectation
            .par_iter()
            .enumerate()
            .map(|(map, expectation)| self.maximize_map(&state, expectation, map))
            .collect();
        state.weights.clear();
        state.sigma_sq.clear();
        for (weights, sigma_sq, kappa_sq) in revised {
            state.weights.extend(weights);
            state.sigma_sq.push(sigma_sq);
            state.kappa_sq = kappa_sq.unwrap_or(state.kappa_sq);
        }
        let due = self.refresh.as_ref().is_some_and(|(every, _)| iteration.is_multiple_of(*every));
        let objective_changed = due && self.refreshed(&mut state)?;
        Ok((state, objective_changed))
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(1.0)
}

#[cfg(test)]
mod tests;
