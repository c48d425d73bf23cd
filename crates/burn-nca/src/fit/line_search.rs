//! The line search of the full-batch solvers: a step that meets the strong Wolfe conditions.

use super::more_thuente::{Interval, Sample};
use super::solution::Evaluation;

/// A search that found no lower value is put down to rounding up to this multiple of the noise: value noise
/// is a typical size, not a bound, and two values enter each comparison.
const NOISE_MARGIN: f64 = 10.0;

/// What a line search must reach, and what it may spend.
///
/// ```text
/// phi(a) = f(x + a d)
/// phi(a) <= phi(0) + c1 a phi'(0)        sufficient decrease
/// |phi'(a)| <= c2 |phi'(0)|              curvature             (3.7 of [1], strong Wolfe conditions)
/// ```
///
/// # References
/// \[1\] J. Nocedal, S. J. Wright, Numerical Optimization, 2nd edition, 2006, section 3.1.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineSearch {
    /// c1
    pub sufficient_decrease: f64,
    /// c2
    pub curvature: f64,
    /// The most evaluations in one search.
    pub max_evaluations: usize,
    /// A difference of two values no larger than this may be rounding.
    pub noise: f64,
}

/// Where a search begins: a position with its value, a direction and the slope along it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ray<'a> {
    pub position: &'a [f64],
    pub value: f64,
    pub direction: &'a [f64],
    /// phi'(0), negative.
    pub slope: f64,
}

/// A position on a ray, evaluated.
#[derive(Clone, Debug)]
pub(super) struct Trial {
    pub step: f64,
    pub position: Vec<f64>,
    pub evaluation: Evaluation,
}

/// How a search ended.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    /// A lower value: a strong Wolfe point, or the lowest of sufficient decrease.
    Lower(Trial),
    /// No step lowers the value by more than rounding changes it.
    Noise,
    /// No step of sufficient decrease was found.
    Failed,
    /// No trial was finite.
    NonFinite,
}

impl LineSearch {
    /// Searches along `ray` from a first trial step; returns the outcome and the number of evaluations.
    ///
    /// A trial outside the objective's domain (a value or gradient that is not finite) shortens the step.
    pub(super) fn search(
        &self,
        ray: Ray<'_>,
        first_trial: f64,
        evaluate: &mut dyn FnMut(&[f64]) -> Evaluation,
    ) -> (Outcome, usize) {
        let start = Sample { step: 0.0, value: ray.value, slope: ray.slope };
        let decrease_slope = self.sufficient_decrease * ray.slope;
        let mut interval = Interval::new(start, decrease_slope, first_trial);
        let mut step = first_trial;
        let mut lowest: Option<Trial> = None;
        let mut evidence = Evidence {
            start,
            noise: self.noise,
            finite: false,
            flat: false,
            expected: f64::INFINITY,
        };
        let mut evaluations = 0;
        while evaluations < self.max_evaluations.max(1) {
            let along = ray.position.iter().zip(ray.direction).map(|(x, d)| x + step * d);
            let position: Vec<f64> = along.collect();
            let trial = Trial { step, evaluation: evaluate(&position), position };
            evaluations += 1;
            let value = trial.evaluation.value;
            let slope = dot(&trial.evaluation.gradient, ray.direction);
            if !(trial.evaluation.is_finite() && slope.is_finite()) {
                step = interval.retreat(step);
                continue;
            }
            let sample = Sample { step, value, slope };
            let next = interval.advance(sample);
            let futile = evidence.add(sample, interval.is_bracketed());
            if value < start.value && value <= start.value + decrease_slope * step {
                if futile || slope.abs() <= self.curvature * ray.slope.abs() {
                    return (Outcome::Lower(trial), evaluations);
                }
                if lowest.as_ref().is_none_or(|lowest| value <= lowest.evaluation.value) {
                    lowest = Some(trial);
                }
            } else if futile {
                break;
            }
            let Some(next) = next else { break };
            step = next;
        }
        (lowest.map_or_else(|| evidence.outcome(), Outcome::Lower), evaluations)
    }
}

/// What the trials have shown of the chance to find a lower value in spite of rounding.
struct Evidence {
    start: Sample,
    noise: f64,
    finite: bool,
    flat: bool,
    /// The least that any trial lets one expect.
    expected: f64,
}

impl Evidence {
    /// Adds a finite trial; true where no further trial differs by more than rounding.
    fn add(&mut self, at: Sample, bracketed: bool) -> bool {
        let expected = expected_decrease(self.start, at);
        let change = (at.value - self.start.value).abs();
        self.finite = true;
        self.expected = self.expected.min(expected);
        self.flat |= change.max(expected) <= NOISE_MARGIN * self.noise;
        // The step is too short for the objective's arithmetic to see.
        let unseen = bracketed && change == 0.0 && at.slope == self.start.slope;
        if unseen {
            self.flat |= self.expected <= NOISE_MARGIN * self.noise;
        }
        unseen || change.max(expected) <= self.noise
    }

    /// The outcome of a search without a lower value.
    fn outcome(&self) -> Outcome {
        match (self.finite, self.flat) {
            (false, _) => Outcome::NonFinite,
            (true, true) => Outcome::Noise,
            (true, false) => Outcome::Failed,
        }
    }
}

/// The decrease to expect on the ray: down to the minimum of the parabola with the slopes of two samples.
///
/// ```text
/// kappa = (phi'(a) - phi'(0)) / a,   phi(0) - min = phi'(0)² / (2 kappa)
/// ```
/// A slope that does not rise sets no limit: infinite.
fn expected_decrease(start: Sample, at: Sample) -> f64 {
    let curvature = (at.slope - start.slope) / at.step;
    if curvature > 0.0 { 0.5 * start.slope * start.slope / curvature } else { f64::INFINITY }
}

/// The inner product, summed in order so that a run repeats bit for bit.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEARCH: LineSearch =
        LineSearch { sufficient_decrease: 1e-4, curvature: 0.9, max_evaluations: 20, noise: 1e-15 };

    /// Searches along the axis of a function of one variable from x = 0.
    fn search(
        settings: LineSearch,
        first_trial: f64,
        function: impl Fn(f64) -> [f64; 2],
    ) -> (Outcome, usize) {
        let [value, slope] = function(0.0);
        let ray = Ray { position: &[0.0], value, direction: &[1.0], slope };
        settings.search(ray, first_trial, &mut |x| {
            let [value, slope] = function(x[0]);
            Evaluation::new(value, vec![slope])
        })
    }

    /// (5.1) of Moré and Thuente with beta = 2.
    fn bounded(a: f64) -> [f64; 2] {
        let square = a * a + 2.0;
        [-a / square, (a * a - 2.0) / (square * square)]
    }

    /// (5.4) of Moré and Thuente with these two beta.
    fn between(left: f64, right: f64) -> impl Fn(f64) -> [f64; 2] {
        let [of_left, of_right] = [left, right].map(|beta| 1.0_f64.hypot(beta) - beta);
        move |a: f64| {
            let (to_left, to_right) = (a.hypot(left), (1.0 - a).hypot(right));
            let value = of_left * to_right + of_right * to_left;
            [value, of_left * (a - 1.0) / to_right + of_right * a / to_left]
        }
    }

    /// Tables 1, 4, 5 and 6 of J. J. Moré, D. J. Thuente, ACM TOMS 20, 1994; the digits are those of MINPACK-2's dcsrch,
    /// as SciPy 1.17 has it. Table 2 asks for an interval narrower than those that are searched here.
    #[test]
    fn trials_are_those_of_the_tables_of_more_and_thuente() {
        let (even, left, right) = (between(1e-3, 1e-3), between(1e-2, 1e-3), between(1e-3, 1e-2));
        type Table<'a> = (&'a dyn Fn(f64) -> [f64; 2], [f64; 2], [(usize, f64); 4]);
        let tables: [Table<'_>; 4] = [
            (&bounded, [1e-3, 0.1], [(6, 1.365), (3, 1.44137), (1, 10.0), (4, 36.8876)]),
            (&even, [1e-3; 2], [(4, 0.085), (1, 0.1), (3, 0.349105), (4, 0.829401)]),
            (&left, [1e-3; 2], [(6, 0.0750109), (3, 0.0775104), (7, 0.073142), (8, 0.0761593)]),
            (&right, [1e-3; 2], [(13, 0.927903), (11, 0.92615), (8, 0.924782), (11, 0.924398)]),
        ];
        for (function, [sufficient_decrease, curvature], trials) in tables {
            for (first_trial, expected) in [1e-3, 0.1, 10.0, 1e3].into_iter().zip(trials) {
                let settings = LineSearch { sufficient_decrease, curvature, ..SEARCH };
                let (outcome, evaluations) = search(settings, first_trial, function);
                let Outcome::Lower(trial) = outcome else { panic!("{outcome:?}") };
                let found = (evaluations, trial.step);
                let is_close = (trial.step - expected.1).abs() < 1e-5 * expected.1;
                assert!(evaluations == expected.0 && is_close, "{found:?}, not {expected:?}");
            }
        }
    }

    #[test]
    fn the_edge_of_the_domain_shortens_the_step() {
        let barrier = |a: f64| [-2000.0 * a - (1e-3 - a).ln(), 1.0 / (1e-3 - a) - 2000.0];
        let (outcome, evaluations) = search(SEARCH, 1.0, barrier);
        let Outcome::Lower(trial) = outcome else { panic!("{outcome:?}") };
        assert!(trial.step > 0.0 && trial.step < 1e-3 && evaluations <= 12, "{trial:?}");
        let nowhere = |a: f64| [if a > 0.0 { f64::NAN } else { 0.0 }, -1.0];
        assert!(matches!(search(SEARCH, 1.0, nowhere), (Outcome::NonFinite, 20)));
    }

    #[test]
    fn a_gradient_of_the_wrong_sign_fails_and_is_not_taken_for_noise() {
        let wrong = |a: f64| [(a + 1.0).powi(2), -2.0 * (a + 1.0)];
        assert!(matches!(search(SEARCH, 1.0, wrong), (Outcome::Failed, _)));
    }

    #[test]
    fn a_valley_shallower_than_the_noise_ends_the_search_at_once() {
        let rounded =
            |a: f64| [f64::from((1.0 + 1e-9 * (a - 1.0).powi(2)) as f32), 2e-9 * (a - 1.0)];
        let settings = LineSearch { noise: 1e-7, ..SEARCH };
        assert!(matches!(search(settings, 1.0, rounded), (Outcome::Noise, 1)));
    }

    #[test]
    fn the_lowest_trial_is_kept_when_the_evaluations_run_out() {
        let line = |a: f64| [-a, -1.0];
        let settings = LineSearch { max_evaluations: 3, ..SEARCH };
        let (outcome, evaluations) = search(settings, 1.0, line);
        let Outcome::Lower(trial) = outcome else { panic!("{outcome:?}") };
        assert_eq!((trial.step, evaluations), (21.0, 3));
    }
}
