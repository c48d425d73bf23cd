//! Limited-memory BFGS, the default full-batch solver.

use std::collections::VecDeque;

use burn::config::Config;
use serde::{Deserialize, Serialize};

use super::descent::{self, DirectionRule, Limits, Move};
use super::line_search::dot;
use crate::error::Result;

/// The limited-memory BFGS minimizer, for smooth functions of many parameters.
///
/// ```text
/// x' = x + a d,   d = -H g                  H: inverse Hessian from the last `history` pairs, never formed
/// s  = x' - x,    y = g' - g                a pair
/// H⁰ = (s·y / y·y) I of the newest pair     (7.20 of [1]; the product H g by algorithm 7.4)
/// ```
/// The step a meets the strong Wolfe conditions (c1 = 1e-4, c2 = 0.9) by the search of Moré and Thuente \[2\].
/// The first trial step is 1, and along steepest descent min(1, 1 / ||g||). Where the search along d finds
/// no lower value, the pairs are dropped and steepest descent is tried once.
///
/// # Numerics
/// A pair whose s·y is not positive beyond rounding is left out. A value or gradient that is not finite
/// shortens the step. Where no step lowers the value by more than its noise
/// (rounding noise), the fit ends as [`Termination::ProgressSmall`](super::Termination::ProgressSmall).
///
/// # References
/// \[1\] J. Nocedal, S. J. Wright, Numerical Optimization, 2nd edition, 2006, section 7.2.
/// \[2\] J. J. Moré, D. J. Thuente, ACM Transactions on Mathematical Software 20(3), 1994.
#[derive(Config, Debug)]
pub struct LbfgsConfig {
    /// Number of pairs kept.
    #[config(default = 10)]
    pub history: usize,
    /// The most accepted steps; 0 evaluates the start and returns it.
    #[config(default = 200)]
    pub max_iterations: usize,
    /// Stop when the largest absolute gradient component, divided by the number of terms, is no larger.
    #[config(default = 1e-5)]
    pub tolerance_gradient: f64,
    /// Stop when a step's (f - f') / max(|f|, |f'|, 1) is no larger (scipy's `ftol`), or no larger than the
    /// rounding noise of the objective.
    #[config(default = 1e-7)]
    pub tolerance_progress: f64,
    /// The most evaluations in one line search.
    #[config(default = 20)]
    pub max_line_search: usize,
}

/// The newest pairs of an L-BFGS descent, oldest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct LbfgsMemory {
    pairs: VecDeque<Pair>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Pair {
    /// s, the change of position.
    step: Vec<f64>,
    /// y, the change of the gradient.
    change: Vec<f64>,
    /// s·y
    curvature: f64,
}

impl LbfgsConfig {
    /// Checks that the settings make sense.
    ///
    /// # Errors
    /// No pairs to keep, no evaluations in a line search, or a tolerance that is negative or not a number.
    pub fn check(&self) -> Result<()> {
        descent::check_positive("history", self.history)?;
        self.limits().check()
    }
}

impl DirectionRule for LbfgsConfig {
    type Memory = LbfgsMemory;

    fn limits(&self) -> Limits {
        Limits {
            max_iterations: self.max_iterations,
            max_line_search: self.max_line_search,
            tolerance_gradient: self.tolerance_gradient,
            tolerance_progress: self.tolerance_progress,
            wolfe: [1e-4, 0.9],
        }
    }

    fn direction(&self, memory: &LbfgsMemory, gradient: &[f64]) -> Vec<f64> {
        let mut direction: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let mut weights = Vec::with_capacity(memory.pairs.len());
        for pair in memory.pairs.iter().rev() {
            let weight = dot(&pair.step, &direction) / pair.curvature;
            add_scaled(&mut direction, -weight, &pair.change);
            weights.push(weight);
        }
        if let Some(newest) = memory.pairs.back() {
            let scale = newest.curvature / dot(&newest.change, &newest.change);
            direction.iter_mut().for_each(|component| *component *= scale);
        }
        for (pair, weight) in memory.pairs.iter().zip(weights.iter().rev()) {
            let correction = dot(&pair.change, &direction) / pair.curvature;
            add_scaled(&mut direction, weight - correction, &pair.step);
        }
        direction
    }

    fn first_trial(&self, _memory: &LbfgsMemory, _slope: f64) -> f64 {
        1.0
    }

    fn remember(&self, memory: Option<LbfgsMemory>, step: Move<'_>) -> Option<LbfgsMemory> {
        let mut pairs = memory.map_or_else(VecDeque::new, |memory| memory.pairs);
        let [before, after] = step.gradients;
        let change: Vec<f64> =
            after.iter().zip(before).map(|(after, before)| after - before).collect();
        let step: Vec<f64> = step.direction.iter().map(|d| step.step * d).collect();
        let pair = Pair { curvature: dot(&step, &change), step, change };
        if pair.curvature > f64::EPSILON * dot(&pair.change, &pair.change) {
            pairs.push_back(pair);
        }
        while pairs.len() > self.history {
            pairs.pop_front();
        }
        (!pairs.is_empty()).then_some(LbfgsMemory { pairs })
    }
}

fn add_scaled(sum: &mut [f64], scale: f64, vector: &[f64]) {
    for (sum, component) in sum.iter_mut().zip(vector) {
        *sum += scale * component;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `H y = s` of the newest pair, (6.6) of \[1\]: with scipy's numbers of the descents it pins the recursion down.
    #[test]
    fn the_direction_meets_the_secant_equation() {
        let config = LbfgsConfig::new().with_history(3);
        let mut memory = None;
        for k in 0..5 {
            let wave = |i: usize| (1.3 * f64::from(i as u32) + f64::from(k)).sin();
            let direction: Vec<f64> = (0..6).map(wave).collect();
            let after: Vec<f64> = (0..6).map(|i| wave(i) * (1.0 + i as f64)).collect();
            let gradients = [&[0.0; 6][..], &after];
            let step = Move { step: 0.5, direction: &direction, slope: -1.0, gradients };
            memory = config.remember(memory, step);
            let memory = memory.as_ref().unwrap();
            for (found, d) in config.direction(memory, &after).into_iter().zip(direction) {
                assert!((found + 0.5 * d).abs() < 1e-12, "{found} {d}");
            }
            assert!(memory.pairs.len() <= 3);
        }
    }

    #[test]
    fn a_pair_without_curvature_is_left_out() {
        let gradients = [[1.0, 0.0].as_slice(), [1.0, 0.0].as_slice()];
        let step = Move { step: 1.0, direction: &[-1.0, 0.0], slope: -1.0, gradients };
        assert!(LbfgsConfig::new().remember(None, step).is_none());
    }

    #[test]
    fn senseless_settings_are_refused_by_name() {
        assert!(LbfgsConfig::new().check().is_ok());
        let message = |config: LbfgsConfig| config.check().unwrap_err().to_string();
        assert!(message(LbfgsConfig::new().with_history(0)).starts_with("history is 0"));
        let message = message(LbfgsConfig::new().with_tolerance_progress(f64::NAN));
        assert!(message.starts_with("tolerance_progress is NaN"), "{message}");
    }
}
