//! Tests that both descents, L-BFGS and conjugate gradients, share.

use proptest::prelude::*;

use super::*;
use crate::fit::{ConjugateGradientConfig, LbfgsConfig};

/// The chained Rosenbrock function, a curved valley to the minimum 0 at (1, ..., 1):
/// `f = sum_i 100 (x_{i+1} - x_i²)² + (1 - x_i)²`.
fn rosenbrock(x: &[f64]) -> Evaluation {
    let mut value = 0.0;
    let mut gradient = vec![0.0; x.len()];
    for i in 0..x.len() - 1 {
        let (bend, rest) = (x[i + 1] - x[i] * x[i], 1.0 - x[i]);
        value += 100.0 * bend * bend + rest * rest;
        gradient[i] += -400.0 * x[i] * bend - 2.0 * rest;
        gradient[i + 1] += 200.0 * bend;
    }
    Evaluation::new(value, gradient)
}

/// Its usual start: -1.2, 1, -1.2, 1, ...
fn rosenbrock_start(n: usize) -> Vec<f64> {
    (0..n).map(|i| if i % 2 == 0 { -1.2 } else { 1.0 }).collect()
}

/// A quadratic whose curvatures run from 1 to `condition`, with the minimum 0 at (1, ..., 1).
fn quadratic(x: &[f64], condition: f64) -> Evaluation {
    let last = (x.len() - 1).max(1) as f64;
    let slope = |(i, x): (usize, &f64)| condition.powf(i as f64 / last) * (x - 1.0);
    let gradient: Vec<f64> = x.iter().enumerate().map(slope).collect();
    Evaluation::new(x.iter().zip(&gradient).map(|(x, g)| 0.5 * g * (x - 1.0)).sum(), gradient)
}

/// A function shifted by `offset`, its numbers rounded as a device in single precision would return them.
fn rounded(exact: Evaluation, offset: f64) -> Evaluation {
    let round = |number: f64| f64::from(number as f32);
    Evaluation::new(round(exact.value + offset), exact.gradient.into_iter().map(round).collect())
}

const EXACT: ObjectiveScale = ObjectiveScale { terms: 1, value_noise: 0.0 };
const DOUBLE: ObjectiveScale = ObjectiveScale { terms: 1, value_noise: 1e-15 };
const SINGLE: ObjectiveScale = ObjectiveScale { terms: 1, value_noise: 1e-7 };

fn run<R: DirectionRule>(
    rule: &R,
    start: &[f64],
    scale: ObjectiveScale,
    function: &dyn Fn(&[f64]) -> Evaluation,
) -> Solution<Vec<f64>> {
    let mut go_on = |_: &mut Progress, _: &DescentState<R::Memory>| ControlFlow::Continue(());
    let state = DescentState::new(start.to_vec());
    minimize(rule, state, scale, &mut |x| function(x), &mut go_on).map(|state| state.position)
}

/// What both minimizers make of one start, with these tolerances of gradient and progress.
fn solve(
    start: &[f64],
    [gradient, progress]: [f64; 2],
    scale: ObjectiveScale,
    function: impl Fn(&[f64]) -> Evaluation,
) -> [Solution<Vec<f64>>; 2] {
    let lbfgs = LbfgsConfig::new()
        .with_max_iterations(5000)
        .with_tolerance_gradient(gradient)
        .with_tolerance_progress(progress);
    let conjugate = ConjugateGradientConfig::new()
        .with_max_iterations(5000)
        .with_tolerance_gradient(gradient)
        .with_tolerance_progress(progress);
    [run(&lbfgs, start, scale, &function), run(&conjugate, start, scale, &function)]
}

fn assert_near(found: &[f64], expected: f64, tolerance: f64) {
    for component in found {
        assert!((component - expected).abs() <= tolerance, "{component} is not {expected}");
    }
}

#[test]
fn it_takes_as_few_steps_as_scipy() {
    // scipy 1.17.1, minimize(gtol=1e-5), method="L-BFGS-B" (ftol=0, maxcor=10): 37 iterations, 45 evaluations, f = 1.705495e-17
    // in two dimensions; 274 and 333 in fifty. method="CG" in fifty: 772 iterations, 1192 evaluations.
    let [two, _] = solve(&rosenbrock_start(2), [1e-5, 0.0], DOUBLE, rosenbrock);
    assert_eq!((two.iterations, two.evaluations), (37, 45));
    assert!((two.value - 1.705495e-17).abs() < 1e-22, "{:e}", two.value);
    let solutions = solve(&rosenbrock_start(50), [1e-5, 0.0], DOUBLE, rosenbrock);
    for (solution, (most, per_step)) in solutions.iter().zip([(340, 1.25), (1192, 2.5)]) {
        assert_eq!(solution.termination, Termination::GradientSmall);
        assert_near(&solution.module, 1.0, 1e-4);
        assert!(solution.evaluations <= most, "{} evaluations", solution.evaluations);
        assert!(solution.evaluations as f64 <= per_step * solution.iterations as f64);
    }
}

#[test]
fn a_stationary_start_and_a_start_that_is_not_finite_end_at_once() {
    for solution in solve(&[1.0, 1.0], [0.0; 2], EXACT, rosenbrock) {
        assert_eq!((solution.termination, solution.evaluations), (Termination::GradientSmall, 1));
    }
    let nowhere = |_: &[f64]| Evaluation::new(f64::NAN, vec![1.0; 2]);
    for solution in solve(&[-1.0, 0.5], [1e-8, 0.0], EXACT, nowhere) {
        assert_eq!((solution.termination, solution.evaluations), (Termination::NonFinite, 1));
        assert_eq!(solution.module, [-1.0, 0.5]);
    }
}

#[test]
fn the_gradient_tolerance_counts_per_term() {
    let thousand = |x: &[f64]| Evaluation::new(500.0 * x[0] * x[0], vec![1000.0 * x[0]]);
    let [one, _] = solve(&[0.09], [0.1, 0.0], EXACT, thousand);
    let scale = ObjectiveScale { terms: 1000, ..DOUBLE };
    let [many, _] = solve(&[0.09], [0.1, 0.0], scale, thousand);
    assert!(one.iterations > 0);
    assert_eq!((many.termination, many.iterations), (Termination::GradientSmall, 0));
    assert_eq!(many.gradient_max, 90.0);
}

proptest! {
    #[test]
    fn values_never_rise_and_quadratics_are_solved(
        start in prop::collection::vec(-5.0..5.0, 1..12_usize),
        condition in 1.0..1e3,
    ) {
        for solution in solve(&start, [1e-8, 0.0], EXACT, |x| quadratic(x, condition)) {
            let values: Vec<f64> = solution.history.iter().map(|step| step.value).collect();
            prop_assert!(values.windows(2).all(|pair| pair[1] <= pair[0]));
            prop_assert!(solution.termination.converged());
            assert_near(&solution.module, 1.0, 1e-6);
        }
    }

    #[test]
    fn rounding_to_single_precision_never_fails_a_search(
        start in prop::collection::vec(-2.0..2.0, 2..12_usize),
        offset in -1e3..1e3,
    ) {
        let solutions = [
            solve(&start, [0.0; 2], SINGLE, |x| rounded(rosenbrock(x), offset)),
            solve(&start, [0.0; 2], SINGLE, |x| rounded(quadratic(x, 1e3), offset)),
        ];
        for solution in solutions.iter().flatten() {
            prop_assert!(solution.termination.converged(), "{}", solution.termination);
        }
    }
}

#[test]
fn parts_that_cancel_leave_their_noise() {
    // 1000 and a shallow valley less 1000, in single precision: differences below 1e-4 mean nothing.
    let end = |magnitude: f64| {
        let evaluate = |x: &[f64]| {
            let Evaluation { value, gradient, .. } = quadratic(x, 10.0);
            let value = f64::from((1000.0 + 1e-6 * value) as f32) - 1000.0;
            let gradient = gradient.iter().map(|g| 1e-6 * g).collect();
            Evaluation { magnitude, ..Evaluation::new(value, gradient) }
        };
        let solver = LbfgsConfig::new().with_tolerance_gradient(0.0);
        run(&solver, &[0.0, 0.0], SINGLE, &evaluate).termination
    };
    assert_eq!(end(2000.0), Termination::ProgressSmall);
    assert_eq!(end(0.0), Termination::LineSearchFailed);
}

#[test]
fn a_start_far_from_the_origin_is_left_in_single_precision() {
    // A step along the gradient, 4e-4 long, is below the rounding of the position.
    let rounded = |x: &[f64]| {
        let a = f64::from((x[0] / 5000.0) as f32);
        Evaluation::new((a - 2.0).powi(2), vec![2.0 * (a - 2.0) / 5000.0])
    };
    for solution in solve(&[5000.0], [1e-9, 1e-7], SINGLE, rounded) {
        assert!(solution.iterations > 0, "{:?}", solution.termination);
        assert_near(&solution.module, 10_000.0, 20.0);
    }
}
