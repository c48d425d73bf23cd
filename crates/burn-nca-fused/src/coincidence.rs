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

/// Newton steps that a length scale may take; from the one of the step before it takes two or three.
const STEPS: usize = 100;

/// The longest of them, in natural logarithms: far from its root the derivative is almost flat.
const LONGEST: f64 = 2.0;

/// A step after which the next would be lost in rounding, as the error of each is about the square of the one before.
const SHORTEST: f64 = 1e-6;

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
#[derive(Clone, Debug, Default, PartialEq)]
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
            let mut part = Expectation::default();
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

    /// κ² of each length scale where its own pairs are most likely; the one before where its pairs are of one kind.
    pub fn best_scales(&self, z: &[f64], sigma_sq: f64) -> Vec<f64> {
        let mut of_scale = vec![Distances::default(); self.kappa_sq.len()];
        for pair in self.ends {
            of_scale[pair.scale as usize].add(self.sq_distance(z, pair), pair.coincide);
        }
        let best = |(pairs, kappa_sq): (&Distances, &f64)| {
            pairs.best_scale(Model { k: self.k, sigma_sq, kappa_sq: *kappa_sq })
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

/// The squared distances ||δ||² of the pairs of one length scale.
#[derive(Clone, Debug, Default)]
struct Distances {
    /// Number and sum of those that coincide: the derivative needs no more of them.
    alike: (f64, f64),
    apart: Vec<f64>,
}

impl Distances {
    fn add(&mut self, sq_distance: f64, coincide: bool) {
        if coincide {
            self.alike = (self.alike.0 + 1.0, self.alike.1 + sq_distance);
        } else {
            self.apart.push(sq_distance);
        }
    }

    /// The derivatives L', L'' of the log-likelihood by t = log κ², with `f = log P1`:
    ///
    /// ```text
    /// f'  = k s / v + q ||δ||² / 2v²,   f'' = q ( ||δ||² (2s - q) / 2v³ - k s / v² )
    /// L'  = Σ_{y=1} f' - Σ_{y=0} ν f'
    /// L'' = Σ_{y=1} f'' - Σ_{y=0} [ ν f'' + ν (1 + ν) f'² ]
    /// ```
    fn derivatives(&self, model: Model) -> [f64; 2] {
        let (k, s, q) = (model.k as f64, model.sigma_sq, model.kappa_sq);
        let v = q + 2.0 * s;
        let constant = [k * s / v, -k * s * q / (v * v)];
        let by_distance = [q / (2.0 * v * v), q * (2.0 * s - q) / (2.0 * v * v * v)];
        let at_zero = model.log_alike(0.0);
        let mut sum = [0, 1].map(|i| self.alike.0 * constant[i] + self.alike.1 * by_distance[i]);
        for sq_distance in &self.apart {
            let [first, second] = [0, 1].map(|i| constant[i] + sq_distance * by_distance[i]);
            let odds = 1.0 / (sq_distance / (2.0 * v) - at_zero).exp_m1();
            sum[0] -= odds * first;
            sum[1] -= odds * second + odds * (1.0 + odds) * first * first;
        }
        sum
    }

    /// The κ² at which these pairs are most likely, by Newton steps in t = log κ² from the one at hand.
    ///
    /// L' falls through 0 once, from `k/2` times the pairs that coincide to minus the number of the others; steps stay
    /// between the last points on both sides of it. σ² is at least the floor's share of κ².
    fn best_scale(&self, model: Model) -> f64 {
        if self.alike.0 == 0.0 || self.apart.is_empty() {
            return model.kappa_sq;
        }
        let largest = (model.sigma_sq / FLOOR).ln();
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        let mut at = model.kappa_sq.ln().min(largest);
        for _ in 0..STEPS {
            let [slope, curvature] = self.derivatives(Model { kappa_sq: at.exp(), ..model });
            match slope {
                0.0 => break,
                rising if rising > 0.0 && at == largest => break,
                rising if rising > 0.0 => low = at,
                _ => high = at,
            }
            let newton =
                if curvature < 0.0 { -slope / curvature } else { slope.signum() * LONGEST };
            let inside = (at + newton.clamp(-LONGEST, LONGEST)).min(largest);
            let next = if inside > low && inside < high {
                inside
            } else {
                0.5 * (low.max(at - LONGEST) + high.min(at + LONGEST))
            };
            let step = next - at;
            at = next;
            if step.abs() < SHORTEST {
                break;
            }
        }
        if at.is_finite() { at.exp() } else { model.kappa_sq }
    }
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

    /// Pairs of one scale with these squared distances.
    fn distances(alike: &[f64], apart: &[f64]) -> Distances {
        let mut pairs = Distances::default();
        alike.iter().for_each(|sq_distance| pairs.add(*sq_distance, true));
        apart.iter().for_each(|sq_distance| pairs.add(*sq_distance, false));
        pairs
    }

    #[test]
    fn a_scale_is_where_its_pairs_are_most_likely_from_near_and_from_far() {
        let cases: [(usize, f64, &[f64], &[f64]); 6] = [
            (1, 0.05, &[0.25, 0.49], &[4.0, 0.36]),
            (2, 1.0, &[0.0], &[0.0]),
            (4, 1e-4, &[1.0, 1e-6], &[1.0001, 900.0, 1e-5]),
            (16, 3.0, &[7.0, 2.0, 1.0], &[7.0; 40]),
            (40, 1e-7, &[1e-9], &[1e4]),
            (1, 20.0, &[1e-3, 5.0], &[0.1, 0.2, 1e6]),
        ];
        for (k, sigma_sq, alike, apart) in cases {
            let pairs = distances(alike, apart);
            let value = |log_kappa_sq: f64| -> f64 {
                let model = Model { k, sigma_sq, kappa_sq: log_kappa_sq.exp() };
                let of = |sq: &[f64], y| -> f64 {
                    sq.iter().map(|sq| model.log_probability(*sq, y)).sum()
                };
                of(alike, true) + of(apart, false)
            };
            let bound = (sigma_sq / FLOOR).ln();
            let grid = (0..20_000).map(|at| value((f64::from(at) / 400.0 - 30.0).min(bound)));
            let best = grid.fold(f64::NEG_INFINITY, f64::max);
            for before in [1e-12, 1e-3, 1.0, 30.0, 1e9] {
                let model = Model { k, sigma_sq, kappa_sq: before };
                let found = pairs.best_scale(model).ln();
                assert!(value(found) >= best - 1e-9 * best.abs(), "{} {best}", value(found));
                let [slope, curvature] = pairs.derivatives(model);
                let (at, h) = (before.ln(), 1e-4);
                let numeric = (value(at + h) - value(at - h)) / (2.0 * h);
                assert!((slope - numeric).abs() < 1e-6 * (1.0 + slope.abs()), "{slope} {numeric}");
                let slope_at =
                    |at: f64| pairs.derivatives(Model { kappa_sq: at.exp(), ..model })[0];
                let numeric = (slope_at(at + h) - slope_at(at - h)) / (2.0 * h);
                assert!(
                    (curvature - numeric).abs() < 1e-6 * (1.0 + slope.abs()),
                    "{curvature} {numeric}"
                );
            }
        }
        let model = Model { k: 1, sigma_sq: 0.1, kappa_sq: 30.0 };
        assert_eq!(distances(&[1.0, 2.0], &[]).best_scale(model), 30.0);
    }
}
