//! Latent coincidence analysis over labeled pairs: probabilities, posteriors, and the sums that its EM is made of.
//!
//! ```text
//! z ~ N(W x, s I),  z' ~ N(W x', s I),  P(y = 1 | z, z') = exp(-||z - z'||² / 2q)        s = σ², q = κ²
//! δ = W (x' - x),  v = q + 2s,  a = s / v,  k latent dimensions
//! log P1 = -(k/2) log(1 + 2s/q) - ||δ||² / 2v,     log P0 = log(1 - P1),     ν = P1 / P0
//! E[z] = W x + c δ,  E[z'] = W x' - c δ            c = a  (y = 1),   c = -ν a  (y = 0)                (8, 9)
//! ε² = k s (1 - a)  (y = 1),     ε² = k s (1 + ν a) - ν (1 + ν) a² ||δ||²  (y = 0)                    (12, 11)
//! ```
//! (11) is corrected: as printed it lacks the last term, and its EM does not end where the likelihood is largest.
//!
//! # References
//! M. Der, L. K. Saul, Latent Coincidence Analysis: A Hidden Variable Model for Distance Metric Learning, NIPS 2012.

use rayon::prelude::*;

/// Pairs that one task goes through; fixed, for the order of sums.
const CHUNK: usize = 2048;

/// Points of the coarse search for a length scale.
const GRID: usize = 24;

/// Steps of the golden section, each of which shortens the interval to 0.618 of its length.
const GOLDEN_STEPS: usize = 36;

/// Natural logarithms by which the coarse search exceeds the range of the distances.
const MARGIN: f64 = 4.0;

/// The least σ²/κ²: where all pairs can be distinguished the likelihood grows without bound as it falls.
pub const FLOOR: f64 = 1e-8;

/// A pair of points with its label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends {
    /// The row of x.
    pub first: u32,
    /// The row of x'.
    pub second: u32,
    /// Which length scale the pair has.
    pub scale: u32,
    /// y.
    pub coincide: bool,
}

/// What is known of a pair's latent variables once its label is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Posterior {
    /// log P(y | x, x').
    pub log_probability: f64,
    /// c: how far the latent means move along δ.
    pub shift: f64,
    /// ε²: the expected squared distance of z from its mean.
    pub variance: f64,
}

/// The lengths of the model: dimensions, σ² and κ².
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model {
    /// Number of latent dimensions.
    pub k: usize,
    /// σ².
    pub sigma_sq: f64,
    /// κ².
    pub kappa_sq: f64,
}

impl Model {
    /// log P(y = 1) of a pair with the squared distance ||δ||².
    #[inline]
    pub fn log_alike(self, sq_distance: f64) -> f64 {
        let Self { k, sigma_sq, kappa_sq } = self;
        let spread = 2.0 * sigma_sq / kappa_sq;
        -0.5 * k as f64 * spread.ln_1p() - sq_distance / (2.0 * (kappa_sq + 2.0 * sigma_sq))
    }

    /// log P(y) of a pair with the squared distance ||δ||².
    #[inline]
    pub fn log_probability(self, sq_distance: f64, coincide: bool) -> f64 {
        let log_alike = self.log_alike(sq_distance);
        if coincide { log_alike } else { log_complement(log_alike) }
    }

    /// The posterior of a pair with the squared distance ||δ||².
    #[inline]
    pub fn posterior(self, sq_distance: f64, coincide: bool) -> Posterior {
        let (k, s) = (self.k as f64, self.sigma_sq);
        let a = s / (self.kappa_sq + 2.0 * s);
        let log_alike = self.log_alike(sq_distance);
        if coincide {
            return Posterior { log_probability: log_alike, shift: a, variance: k * s * (1.0 - a) };
        }
        let odds = 1.0 / (-log_alike).exp_m1();
        let variance = k * s * (1.0 + odds * a) - odds * (1.0 + odds) * a * a * sq_distance;
        let log_probability = log_complement(log_alike);
        Posterior { log_probability, shift: -odds * a, variance: variance.max(0.0) }
    }
}

/// log(1 - exp(x)) for x < 0, to the last digits at both ends.
#[inline]
pub fn log_complement(x: f64) -> f64 {
    if x > -core::f64::consts::LN_2 { (-x.exp_m1()).ln() } else { (-x.exp()).ln_1p() }
}

/// Pairs among points in k latent dimensions, `[n, k]` row-major.
#[derive(Clone, Copy, Debug)]
pub struct Pairs<'a> {
    /// The pairs.
    pub ends: &'a [Ends],
    /// Number of latent dimensions.
    pub k: usize,
    /// κ² of each length scale.
    pub kappa_sq: &'a [f64],
}

/// What an E-step finds.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// L = Σ log P(y).
    pub log_likelihood: f64,
    /// c of each pair.
    pub shifts: Vec<f64>,
    /// Σ ε².
    pub variance: f64,
    /// Σ c² ||δ||².
    pub sq_shift: f64,
}

impl Pairs<'_> {
    /// The posterior of every pair at the latent means `z`.
    pub fn expect(&self, z: &[f64], sigma_sq: f64) -> Expectation {
        let part = |ends: &[Ends]| {
            let mut part = Expectation {
                log_likelihood: 0.0,
                shifts: Vec::with_capacity(ends.len()),
                variance: 0.0,
                sq_shift: 0.0,
            };
            for pair in ends {
                let sq_distance = self.sq_distance(z, pair);
                let found = self.model(pair, sigma_sq).posterior(sq_distance, pair.coincide);
                part.log_likelihood += found.log_probability;
                part.variance += found.variance;
                part.sq_shift += found.shift * found.shift * sq_distance;
                part.shifts.push(found.shift);
            }
            part
        };
        let parts: Vec<Expectation> = self.ends.par_chunks(CHUNK).map(part).collect();
        let sum = |of: fn(&Expectation) -> f64| parts.iter().map(of).sum();
        Expectation {
            log_likelihood: sum(|part| part.log_likelihood),
            variance: sum(|part| part.variance),
            sq_shift: sum(|part| part.sq_shift),
            shifts: parts.into_iter().flat_map(|part| part.shifts).collect(),
        }
    }

    /// `Σ || δ_new / 2 - (1/2 - c) δ_old ||²`: what the map leaves of the latent means.
    pub fn residual(&self, old: &[f64], new: &[f64], shifts: &[f64]) -> f64 {
        let part = |(ends, shifts): (&[Ends], &[f64])| -> f64 {
            let of_pair = |(pair, shift): (&Ends, &f64)| -> f64 {
                let (a, b) = (self.span(pair.first), self.span(pair.second));
                let (from, to) = (&old[a.clone()], &old[b.clone()]);
                let before = to.iter().zip(from).map(|(to, from)| (0.5 - shift) * (to - from));
                let after = new[b].iter().zip(&new[a]).map(|(to, from)| 0.5 * (to - from));
                after.zip(before).map(|(after, before)| (after - before) * (after - before)).sum()
            };
            ends.iter().zip(shifts).map(of_pair).sum()
        };
        let chunks = self.ends.par_chunks(CHUNK).zip(shifts.par_chunks(CHUNK));
        chunks.map(part).collect::<Vec<f64>>().into_iter().sum()
    }

    /// `u_i = Σ f δ` over the pairs that end in point i, less those that begin there: `Σ f δ Dᵀ = Uᵀ X`, `[n, k]`.
    ///
    /// With the points themselves for `z` and f = 1, `Xᵀ U` is the scatter of all differences. No pair has a matrix
    /// of its own.
    pub fn scattered(&self, z: &[f64], factors: &[f64]) -> Vec<f64> {
        let mut u = vec![0.0; z.len()];
        for (pair, factor) in self.ends.iter().zip(factors) {
            let (a, b) = (self.span(pair.first), self.span(pair.second));
            for (from, to) in a.zip(b) {
                let part = factor * (z[to] - z[from]);
                u[to] += part;
                u[from] -= part;
            }
        }
        u
    }

    /// κ² of each length scale where its own pairs are most likely; the one before where nothing is more likely, or
    /// where its pairs are of one kind.
    pub fn best_scales(&self, z: &[f64], sigma_sq: f64) -> Vec<f64> {
        let mut of_scale = vec![Vec::new(); self.kappa_sq.len()];
        for pair in self.ends {
            of_scale[pair.scale as usize].push((self.sq_distance(z, pair), pair.coincide));
        }
        let best = |(pairs, kappa_sq): (&Vec<(f64, bool)>, &f64)| {
            let model = Model { k: self.k, sigma_sq, kappa_sq: *kappa_sq };
            best_scale(pairs, model)
        };
        of_scale.par_iter().zip(self.kappa_sq).map(best).collect()
    }

    fn model(&self, pair: &Ends, sigma_sq: f64) -> Model {
        Model { k: self.k, sigma_sq, kappa_sq: self.kappa_sq[pair.scale as usize] }
    }

    fn sq_distance(&self, z: &[f64], pair: &Ends) -> f64 {
        let (a, b) = (&z[self.span(pair.first)], &z[self.span(pair.second)]);
        a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
    }

    fn span(&self, row: u32) -> core::ops::Range<usize> {
        let start = row as usize * self.k;
        start..start + self.k
    }
}

/// The κ² at which these pairs `(||δ||², y)` are most likely: a coarse grid over log κ², then golden section.
fn best_scale(pairs: &[(f64, bool)], model: Model) -> f64 {
    let alike = pairs.iter().filter(|pair| pair.1).count();
    if alike == 0 || alike == pairs.len() {
        return model.kappa_sq;
    }
    let value = |log_kappa_sq: f64| -> f64 {
        let model = Model { kappa_sq: log_kappa_sq.exp(), ..model };
        pairs.iter().map(|(sq_distance, y)| model.log_probability(*sq_distance, *y)).sum()
    };
    let largest = pairs.iter().map(|pair| pair.0).fold(0.0, f64::max);
    let positive = pairs.iter().map(|pair| pair.0).filter(|sq| *sq > 1e-12 * largest);
    let least = positive.fold(f64::INFINITY, f64::min).min(model.sigma_sq);
    // σ² is at least the floor's share of κ².
    let high = ((largest + model.sigma_sq).ln() + MARGIN).min((model.sigma_sq / FLOOR).ln());
    let low = (least.ln() - MARGIN).min(high);
    let at = |point: usize| low + (high - low) * point as f64 / (GRID - 1) as f64;
    let mut best = (0, f64::NEG_INFINITY);
    for point in 0..GRID {
        let found = value(at(point));
        if found > best.1 {
            best = (point, found);
        }
    }
    let (found, reached) =
        golden(at(best.0.saturating_sub(1)), at((best.0 + 1).min(GRID - 1)), &value);
    if reached > value(model.kappa_sq.ln()) { found.exp() } else { model.kappa_sq }
}

/// The largest value of a function that rises and then falls between two ends, and where it is.
fn golden(mut low: f64, mut high: f64, value: &impl Fn(f64) -> f64) -> (f64, f64) {
    const SHARE: f64 = 0.618_033_988_749_894_9;
    let (mut left, mut right) = (high - SHARE * (high - low), low + SHARE * (high - low));
    let (mut at_left, mut at_right) = (value(left), value(right));
    for _ in 0..GOLDEN_STEPS {
        if at_left >= at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - SHARE * (high - low);
            at_left = value(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + SHARE * (high - low);
            at_right = value(right);
        }
    }
    if at_left >= at_right { (left, at_left) } else { (right, at_right) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `[p, σ², κ², ||δ||]` and the variance that 4e6 draws of the model gave.
    const SIMULATED: [([f64; 4], f64); 5] = [
        ([1.0, 1.0, 1.0, 2.0], 0.8745),
        ([2.0, 1.0, 1.0, 1.0], 2.204),
        ([3.0, 0.5, 1.0, 1.5], 1.549),
        ([1.0, 0.3, 1.0, 0.4], 0.4017),
        ([1.0, 0.05, 1.0, 0.1], 0.0851),
    ];

    #[test]
    fn the_variance_is_that_of_draws_and_the_printed_one_is_not() {
        for ([k, sigma_sq, kappa_sq, delta], simulated) in SIMULATED {
            let model = Model { k: k as usize, sigma_sq, kappa_sq };
            let found = model.posterior(delta * delta, false);
            assert!((found.variance - simulated).abs() < 0.005, "{} {simulated}", found.variance);
            let printed = k * sigma_sq * (1.0 - found.shift);
            assert!((printed - simulated).abs() > 0.005);
        }
    }

    #[test]
    fn probabilities_add_up_to_one_and_keep_their_digits_at_both_ends() {
        for sq_distance in [0.0, 1e-9, 0.3, 5.0, 80.0] {
            for sigma_sq in [1e-8, 1e-3, 1.0, 50.0] {
                let model = Model { k: 3, sigma_sq, kappa_sq: 1.0 };
                let [p, q] = [true, false].map(|y| model.log_probability(sq_distance, y).exp());
                assert!((p + q - 1.0).abs() < 1e-14);
            }
        }
        assert!((log_complement(-1e-12) - 1e-12_f64.ln()).abs() < 1e-12);
        assert!((log_complement(-40.0) / (-40.0_f64).exp() + 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_scale_is_where_its_pairs_are_most_likely_and_never_less_likely_than_before() {
        let ends = [(1, true), (2, true), (3, false), (4, false)].map(|(second, coincide)| Ends {
            first: 0,
            second,
            scale: 0,
            coincide,
        });
        let z = [0.0, 0.5, 0.7, 2.0, 0.6];
        let (sigma_sq, before) = (0.05, [30.0]);
        let pairs = Pairs { ends: &ends, k: 1, kappa_sq: &before };
        let found = pairs.best_scales(&z, sigma_sq);
        let value = |kappa_sq: f64| {
            Pairs { kappa_sq: &[kappa_sq], ..pairs }.expect(&z, sigma_sq).log_likelihood
        };
        let best =
            (0..4000).map(|at| value((f64::from(at) / 200.0 - 12.0).exp())).fold(-1e9, f64::max);
        assert!(value(found[0]) >= best - 1e-9, "{} {best}", value(found[0]));
        assert_eq!(Pairs { ends: &ends[..2], ..pairs }.best_scales(&z, sigma_sq), before);
    }

    #[test]
    fn scattered_rows_are_the_sum_of_the_outer_products() {
        let pair = |first, second| Ends { first, second, scale: 0, coincide: true };
        let ends = [pair(0, 1), pair(2, 0), pair(1, 2)];
        let (z, factors) = ([1.0, 2.0, -1.0, 0.5, 3.0, 1.0], [0.5, -2.0, 1.5]);
        let u = Pairs { ends: &ends, k: 2, kappa_sq: &[1.0] }.scattered(&z, &factors);
        for (r, c) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let product: f64 = (0..3).map(|row| u[row * 2 + r] * z[row * 2 + c]).sum();
            let delta =
                |e: &Ends, j: usize| z[e.second as usize * 2 + j] - z[e.first as usize * 2 + j];
            let expected: f64 =
                ends.iter().zip(factors).map(|(e, f)| f * delta(e, r) * delta(e, c)).sum();
            assert!((product - expected).abs() < 1e-12);
        }
    }
}
