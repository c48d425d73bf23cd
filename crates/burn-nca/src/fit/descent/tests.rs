//! Tests that both descents, L-BFGS and conjugate gradients, share.

use proptest::prelude::*;

use super::*;
use crate::fit::test_functions::*;
use crate::fit::{ConjugateGradientConfig, LbfgsConfig};

/// Both minimizers behind one face.
#[derive(Clone, Copy, Debug)]
struct Settings {
    max_iterations: usize,
    tolerance_gradient: f64,
    tolerance_progress: f64,
    scale: ObjectiveScale,
}

const EXACT: Settings = Settings {
    max_iterations: 5000,
    tolerance_gradient: 1e-8,
    tolerance_progress: 0.0,
    scale: ObjectiveScale { terms: 1, value_noise: 0.0 },
};

impl Settings {
    fn lbfgs(self) -> LbfgsConfig {
        LbfgsConfig::new()
            .with_max_iterations(self.max_iterations)
            .with_tolerance_gradient(self.tolerance_gradient)
            .with_tolerance_progress(self.tolerance_progress)
    }

    fn conjugate_gradient(self) -> ConjugateGradientConfig {
        ConjugateGradientConfig::new()
            .with_max_iterations(self.max_iterations)
            .with_tolerance_gradient(self.tolerance_gradient)
            .with_tolerance_progress(self.tolerance_progress)
    }

    /// Runs both minimizers from one start.
    fn run(
        self,
        start: &[f64],
        function: impl Fn(&[f64]) -> Evaluation,
    ) -> [Solution<Vec<f64>>; 2] {
        let (go, start) = (|_: usize| ControlFlow::Continue(()), start.to_vec());
        let lbfgs = DescentState::new(start.clone());
        let lbfgs = run(&self.lbfgs(), lbfgs, self.scale, &function, go);
        let conjugate = DescentState::new(start);
        let conjugate = run(&self.conjugate_gradient(), conjugate, self.scale, &function, go);
        [lbfgs.map(|state| state.position), conjugate.map(|state| state.position)]
    }
}

fn run<R: DirectionRule>(
    rule: &R,
    state: DescentState<R::Memory>,
    scale: ObjectiveScale,
    function: &dyn Fn(&[f64]) -> Evaluation,
    wish: impl Fn(usize) -> ControlFlow<Termination>,
) -> Solution<DescentState<R::Memory>> {
    minimize(rule, state, scale, &mut |x| function(x), &mut |progress, _| wish(progress.iteration))
}

fn assert_near(found: &[f64], expected: f64, tolerance: f64) {
    for component in found {
        assert!((component - expected).abs() <= tolerance, "{component} is not {expected}");
    }
}

#[test]
fn hard_functions_are_solved() {
    for solution in EXACT.run(&rosenbrock_start(2), rosenbrock) {
        assert_eq!(solution.termination, Termination::GradientSmall);
        assert_near(&solution.module, 1.0, 1e-7);
    }
    for solution in EXACT.run(&rosenbrock_start(50), rosenbrock) {
        assert!(solution.termination.converged());
        assert_near(&solution.module, 1.0, 1e-6);
    }
    let exact = Settings { max_iterations: 20_000, ..EXACT };
    for solution in exact.run(&[0.0; 20], |x| quadratic(x, 1e4)) {
        assert!(solution.termination.converged(), "{}", solution.termination);
        assert_near(&solution.module, 1.0, 1e-7);
    }
}

#[test]
fn it_takes_as_few_steps_as_scipy() {
    // scipy 1.17.1, minimize(gtol=1e-5), method="L-BFGS-B" (ftol=0, maxcor=10): 37 iterations, 45 evaluations, f = 1.705495e-17
    // in two dimensions; 274 and 333 in fifty. method="CG" in fifty: 772 iterations, 1192 evaluations.
    let scale = ObjectiveScale::double(1);
    let settings = Settings { max_iterations: 1000, tolerance_gradient: 1e-5, scale, ..EXACT };
    let [two, _] = settings.run(&rosenbrock_start(2), rosenbrock);
    assert_eq!((two.iterations, two.evaluations), (37, 45));
    assert!((two.value - 1.705495e-17).abs() < 1e-22, "{:e}", two.value);
    let solutions = settings.run(&rosenbrock_start(50), rosenbrock);
    for (solution, (most, per_step)) in solutions.iter().zip([(340, 1.25), (1192, 2.5)]) {
        assert_eq!(solution.termination, Termination::GradientSmall);
        assert!(solution.evaluations <= most, "{} evaluations", solution.evaluations);
        assert!(solution.evaluations as f64 <= per_step * solution.iterations as f64);
    }
}

#[test]
fn the_edge_of_a_domain_is_not_an_obstacle() {
    let scale = ObjectiveScale::double(1);
    for solution in (Settings { scale, ..EXACT }).run(&[0.3, 0.01, 1e-4], barrier) {
        assert!(solution.termination.converged());
        assert_near(&solution.module, 0.75, 1e-8);
    }
}

#[test]
fn no_iterations_report_the_start_and_one_takes_one_step() {
    let start = rosenbrock_start(2);
    for solution in (Settings { max_iterations: 0, ..EXACT }).run(&start, rosenbrock) {
        assert_eq!(solution.termination, Termination::MaxIterations);
        assert_eq!((solution.iterations, solution.evaluations), (0, 1));
        assert_eq!((solution.value, &solution.module), (rosenbrock(&start).value, &start));
        assert!(solution.history.is_empty());
    }
    for solution in (Settings { max_iterations: 1, ..EXACT }).run(&start, rosenbrock) {
        assert_eq!(solution.termination, Termination::MaxIterations);
        assert_eq!((solution.iterations, solution.history.len()), (1, 1));
        assert!(solution.value < rosenbrock(&start).value);
    }
}

#[test]
fn a_stationary_start_and_a_start_that_is_not_finite_end_at_once() {
    let still = Settings { tolerance_gradient: 0.0, ..EXACT };
    for solution in still.run(&[1.0, 1.0], rosenbrock) {
        assert_eq!((solution.termination, solution.evaluations), (Termination::GradientSmall, 1));
    }
    for solution in EXACT.run(&[-1.0, 0.5, 0.5], barrier) {
        assert_eq!((solution.termination, solution.evaluations), (Termination::NonFinite, 1));
        assert_eq!(solution.module, [-1.0, 0.5, 0.5]);
    }
}

#[test]
fn the_gradient_tolerance_counts_per_term() {
    let thousand = |x: &[f64]| Evaluation::new(500.0 * x[0] * x[0], vec![1000.0 * x[0]]);
    let settings = Settings { tolerance_gradient: 0.1, ..EXACT };
    let [one, _] = settings.run(&[0.09], thousand);
    let scale = ObjectiveScale::double(1000);
    let [many, _] = Settings { scale, ..settings }.run(&[0.09], thousand);
    assert!(one.iterations > 0);
    assert_eq!((many.termination, many.iterations), (Termination::GradientSmall, 0));
    assert_eq!(many.gradient_max, 90.0);
}

#[test]
fn a_gradient_of_the_wrong_sign_is_a_failure() {
    let wrong = |x: &[f64]| {
        let Evaluation { value, gradient, .. } = quadratic(x, 10.0);
        Evaluation::new(value, gradient.iter().map(|g| -g).collect())
    };
    for solution in EXACT.run(&[0.0, 0.0, 3.0], wrong) {
        assert_eq!(solution.termination, Termination::LineSearchFailed);
        assert_eq!(solution.module, [0.0, 0.0, 3.0]);
    }
}

#[test]
fn a_callback_sees_every_step_and_stops_with_its_reason() {
    let mut seen = Vec::new();
    let solution = minimize(
        &EXACT.lbfgs(),
        DescentState::new(rosenbrock_start(2)),
        EXACT.scale,
        &mut rosenbrock,
        &mut |progress, state| {
            assert_eq!(rosenbrock(&state.position).value, progress.value);
            seen.push(progress.iteration);
            progress.held_out = Some(0.5);
            match progress.iteration {
                4 => ControlFlow::Break(Termination::HeldOut),
                _ => ControlFlow::Continue(()),
            }
        },
    );
    assert_eq!(seen, [1, 2, 3, 4]);
    assert_eq!((solution.termination, solution.iterations), (Termination::HeldOut, 4));
    assert!(solution.history.iter().all(|progress| progress.held_out == Some(0.5)));
    assert_eq!(solution.history.len(), 4);
}

proptest! {
    #[test]
    fn values_never_rise_and_quadratics_are_solved(
        start in prop::collection::vec(-5.0..5.0, 1..12_usize),
        condition in 1.0..1e3,
    ) {
        for solution in EXACT.run(&start, |x| quadratic(x, condition)) {
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
        let scale = ObjectiveScale::single(1);
        let settings = Settings { tolerance_gradient: 0.0, scale, ..EXACT };
        let solutions = [
            settings.run(&start, |x| rounded(rosenbrock(x), offset)),
            settings.run(&start, |x| rounded(quadratic(x, 1e3), offset)),
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
        let mut evaluate = |x: &[f64]| {
            let Evaluation { value, gradient, .. } = quadratic(x, 10.0);
            let value = f64::from((1000.0 + 1e-6 * value) as f32) - 1000.0;
            let gradient = gradient.iter().map(|g| 1e-6 * g).collect();
            Evaluation { magnitude, ..Evaluation::new(value, gradient) }
        };
        let start = DescentState::new(vec![0.0, 0.0]);
        let solver = LbfgsConfig::new().with_tolerance_gradient(0.0);
        let mut go_on = |_: &mut Progress, _: &DescentState<_>| ControlFlow::Continue(());
        minimize(&solver, start, ObjectiveScale::single(1), &mut evaluate, &mut go_on).termination
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
    let settings = Settings {
        tolerance_gradient: 1e-9,
        tolerance_progress: 1e-7,
        scale: ObjectiveScale::single(1),
        ..EXACT
    };
    for solution in settings.run(&[5000.0], rounded) {
        assert!(solution.iterations > 0, "{:?}", solution.termination);
        assert_near(&solution.module, 10_000.0, 20.0);
    }
}
