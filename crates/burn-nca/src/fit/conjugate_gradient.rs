//! Nonlinear conjugate gradients, the full-batch solver of the NCA paper.

use burn::config::Config;
use serde::{Deserialize, Serialize};

use super::descent::{DirectionRule, Limits, Move};
use super::line_search::dot;
use crate::error::Result;

/// The nonlinear conjugate gradient minimizer of Polak and Ribière, the method of the NCA paper.
///
/// ```text
/// d' = -g' + beta d,   beta = max(0, g'·(g' - g) / g·g)      (5.44, 5.45 of [1]: PR+)
/// beta = 0 where |g'·g| >= 0.2 g'·g'                          Powell's restart [2] (compare 5.52 of [1])
/// a0' = a (g·d) / (g'·d')                                     first trial step ([1], section 3.5)
/// ```
/// The step a meets the strong Wolfe conditions (c1 = 1e-4, c2 = 0.1) by the search of Moré and Thuente; it
/// needs two to three evaluations where L-BFGS needs about one, but no memory beyond one direction.
/// The first step along steepest descent is min(1, 1 / ||g||). Restarts, values that are not finite and
/// rounding noise are handled as by [`LbfgsConfig`](super::LbfgsConfig).
///
/// # References
/// \[1\] J. Nocedal, S. J. Wright, Numerical Optimization, 2nd edition, 2006, sections 3.5 and 5.2.
/// \[2\] M. J. D. Powell, Restart procedures for the conjugate gradient method, Mathematical Programming 12,
/// 1977.
#[derive(Config, Debug)]
pub struct ConjugateGradientConfig {
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

/// The next direction of a conjugate gradient descent, and the size of the last step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ConjugateGradientMemory {
    direction: Vec<f64>,
    /// a (g·d) of the last step.
    change: f64,
}

impl ConjugateGradientConfig {
    /// Checks that the settings make sense.
    ///
    /// # Errors
    /// No evaluations in a line search, or a tolerance that is negative or not a number.
    pub fn check(&self) -> Result<()> {
        self.limits().check()
    }
}

impl DirectionRule for ConjugateGradientConfig {
    type Memory = ConjugateGradientMemory;

    fn limits(&self) -> Limits {
        Limits {
            max_iterations: self.max_iterations,
            max_line_search: self.max_line_search,
            tolerance_gradient: self.tolerance_gradient,
            tolerance_progress: self.tolerance_progress,
            wolfe: [1e-4, 0.1],
        }
    }

    fn direction(&self, memory: &ConjugateGradientMemory, _gradient: &[f64]) -> Vec<f64> {
        memory.direction.clone()
    }

    fn first_trial(&self, memory: &ConjugateGradientMemory, slope: f64) -> f64 {
        memory.change / slope
    }

    fn remember(
        &self,
        _memory: Option<ConjugateGradientMemory>,
        step: Move<'_>,
    ) -> Option<ConjugateGradientMemory> {
        let [before, after] = step.gradients;
        let beta = polak_ribiere(before, after);
        let mut direction: Vec<f64> =
            after.iter().zip(step.direction).map(|(g, d)| beta * d - g).collect();
        if dot(&direction, after) >= 0.0 {
            direction = after.iter().map(|g| -g).collect();
        }
        Some(ConjugateGradientMemory { direction, change: step.step * step.slope })
    }
}

/// The share of the last direction kept, zero at a restart.
fn polak_ribiere(before: &[f64], after: &[f64]) -> f64 {
    /// Successive gradients of a quadratic are orthogonal; this far from it the directions lost conjugacy.
    const RESTART: f64 = 0.2;
    let overlap = dot(after, before);
    let square = dot(after, after);
    if overlap.abs() >= RESTART * square {
        return 0.0;
    }
    ((square - overlap) / dot(before, before)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(before: [f64; 2], after: [f64; 2], direction: [f64; 2]) -> ConjugateGradientMemory {
        let gradients = [before.as_slice(), after.as_slice()];
        let step = Move { step: 0.25, direction: &direction, slope: -4.0, gradients };
        ConjugateGradientConfig::new().remember(None, step).unwrap()
    }

    #[test]
    fn the_direction_is_that_of_polak_and_ribiere() {
        // g = (2, 0), g' = (0.1, 1): beta = (1.01 - 0.2) / 4 = 0.2025.
        let memory = after([2.0, 0.0], [0.1, 1.0], [-2.0, 0.0]);
        assert!((memory.direction[0] + 0.1 + 0.405).abs() < 1e-15);
        assert_eq!(memory.direction[1], -1.0);
        // The last step had a (g·d) = -1; a slope of -8 makes the first trial 1/8.
        assert_eq!(ConjugateGradientConfig::new().first_trial(&memory, -8.0), 0.125);
    }

    #[test]
    fn it_restarts_where_gradients_overlap_or_the_direction_ascends() {
        assert_eq!(after([2.0, 0.0], [0.5, 1.0], [-2.0, 0.0]).direction, [-0.5, -1.0]);
        assert_eq!(after([2.0, 0.0], [0.1, 1.0], [-2.0, 90.0]).direction, [-0.1, -1.0]);
    }
}
