//! A checkpoint resumes the fit that it belongs to, to the bit and with its whole history, and no other.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::path::Path;

use acceptance::data::lbfgs;
use burn::tensor::Device;
use burn_nca_learn::data::{AgreementWidth, Features, Labeled};
use burn_nca_learn::fit::{
    CheckpointEvent, ConjugateGradientConfig, EarlyStoppingConfig, FitConfig, FitSession,
    OptimizerConfig, Progress, StochasticConfig, Termination,
};
use burn_nca_learn::method::{AnyMethod, Mlkr, Modern, SoftNca};
use burn_nca_learn::objective::Criterion;
use burn_nca_learn::{Estimator, Fitted, NcaConfig};

use crate::fitting::{bits, iris, numbers, stop_after, with};

const STEPS: usize = 12;

fn conjugate_gradient(steps: usize) -> OptimizerConfig {
    OptimizerConfig::ConjugateGradient(ConjugateGradientConfig::new().with_max_iterations(steps))
}

fn adam() -> OptimizerConfig {
    OptimizerConfig::Adam(
        StochasticConfig::new().with_epochs(Some(STEPS)).with_batch_size(Some(50)),
    )
}

fn solvers() -> [OptimizerConfig; 3] {
    [lbfgs(STEPS), conjugate_gradient(STEPS), adam()]
}

/// Fits iris from a checkpoint, stopping after this many steps.
fn run(config: &NcaConfig, checkpoint: &Path, stop: Option<usize>) -> Fitted {
    let mut watch = stop_after(stop.unwrap_or(usize::MAX));
    let session = FitSession::new().with_progress(&mut watch).with_checkpoint(checkpoint);
    config.estimator().fit_session(&iris(), &Device::flex(), session).unwrap()
}

/// A step without the time, which no two runs share, as bits.
type Step = (usize, usize, [u64; 3], Option<u64>);

fn path(fitted: &Fitted) -> Vec<Step> {
    let bits = |step: &Progress| {
        let numbers = [step.value, step.gradient_max, step.step].map(f64::to_bits);
        (step.iteration, step.evaluations, numbers, step.held_out.map(f64::to_bits))
    };
    fitted.summary().history.iter().map(bits).collect()
}

fn assert_equal(resumed: &Fitted, whole: &Fitted) {
    assert_eq!(bits(resumed), bits(whole));
    assert_eq!(path(resumed), path(whole));
    let ends = [resumed, whole].map(|fitted| {
        let summary = fitted.summary();
        (summary.value.to_bits(), summary.iterations, summary.evaluations, summary.termination)
    });
    assert_eq!(ends[0], ends[1]);
}

#[test]
fn a_fit_resumes_from_every_step_to_the_same_end() {
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = folder.path().join("fit.checkpoint");
    for optimizer in solvers() {
        let whole = with(optimizer.clone()).fit(&iris(), &Device::flex()).unwrap();
        for step in 1..=STEPS {
            let part = run(&with(optimizer.clone()), &checkpoint, Some(step));
            assert_eq!(part.summary().iterations, step);
            let resumed = run(&with(optimizer.clone()), &checkpoint, None);
            assert_equal(&resumed, &whole);
            let seconds: Vec<f64> =
                resumed.summary().history.iter().map(|step| step.seconds).collect();
            assert!(seconds.is_sorted(), "{seconds:?}");
            assert!(resumed.summary().seconds >= seconds[STEPS - 1]);
            // One that ended at its limit may resume with a higher one.
            let at_limit = resumed.summary().termination == Termination::MaxIterations;
            assert_eq!(checkpoint.exists(), at_limit);
            let _ = std::fs::remove_file(&checkpoint);
        }
    }
}

#[test]
fn members_resume_from_the_steps_that_they_had_taken() {
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = folder.path().join("fit.checkpoint");
    let estimator = Estimator::new(4, 4, Modern::new().with_members(2).with_epochs(6));
    let whole = estimator.fit(&iris(), &Device::flex()).unwrap();
    for step in [1, 5] {
        let resumed_at = Cell::new(0);
        let run = |stop: usize| {
            let mut watch = stop_after(stop);
            let session = FitSession::new().with_progress(&mut watch).with_checkpoint(&checkpoint);
            let session = session.with_checkpoint_events(|event| {
                if let CheckpointEvent::Resumed { iteration, .. } = event {
                    resumed_at.set(*iteration);
                }
            });
            estimator.fit_session(&iris(), &Device::flex(), session).unwrap()
        };
        let part = run(step);
        let resumed = run(usize::MAX);
        assert_eq!(resumed_at.get(), part.summary().iterations);
        assert_equal(&resumed, &whole);
        let _ = std::fs::remove_file(&checkpoint);
    }
}

#[test]
fn early_stopping_resumes_from_every_step_with_the_best_one() {
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = folder.path().join("fit.checkpoint");
    for optimizer in solvers() {
        let mut config = with(optimizer);
        config.fit.early_stopping = Some(EarlyStoppingConfig::new().with_patience(3));
        let whole = config.fit(&iris(), &Device::flex()).unwrap();
        for step in 1..=whole.summary().iterations {
            run(&config, &checkpoint, Some(step));
            let resumed =
                if checkpoint.exists() { run(&config, &checkpoint, None) } else { continue };
            assert_equal(&resumed, &whole);
            let _ = std::fs::remove_file(&checkpoint);
        }
    }
}

#[test]
fn a_higher_limit_continues_where_a_lower_one_ended() {
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = folder.path().join("fit.checkpoint");
    for solver in [lbfgs as fn(usize) -> OptimizerConfig, conjugate_gradient] {
        let whole = with(solver(STEPS)).fit(&iris(), &Device::flex()).unwrap();
        let part = run(&with(solver(5)), &checkpoint, None);
        assert_eq!(part.summary().termination, Termination::MaxIterations);
        assert_equal(&run(&with(solver(STEPS)), &checkpoint, None), &whole);
        std::fs::remove_file(&checkpoint).unwrap();

        let mut hasty = with(solver(STEPS));
        hasty.fit.time_budget = Some(1e-9);
        let part = run(&hasty, &checkpoint, None);
        assert_eq!(part.summary().termination, Termination::TimeBudget);
        assert_equal(&run(&with(solver(STEPS)), &checkpoint, None), &whole);
        std::fs::remove_file(&checkpoint).unwrap();
    }
}

#[test]
fn the_checkpoint_of_an_end_that_is_kept_gives_the_end_at_once() {
    let folder = tempfile::tempdir().unwrap();
    for (index, optimizer) in [lbfgs(200), adam()].into_iter().enumerate() {
        let checkpoint = folder.path().join(format!("{index}.checkpoint"));
        let mut config = with(optimizer);
        config.fit.early_stopping = Some(EarlyStoppingConfig::new().with_patience(2));
        let mut steps = 0;
        let mut fit = || {
            let mut count = |_: &Progress| {
                steps += 1;
                ControlFlow::Continue(())
            };
            let session = FitSession::new().with_progress(&mut count);
            let session = session.with_checkpoint(&checkpoint).keep_checkpoint();
            let fitted = config.estimator().fit_session(&iris(), &Device::flex(), session).unwrap();
            (fitted, steps)
        };
        let (first, taken) = fit();
        assert!(checkpoint.exists() && !first.summary().termination.can_resume());
        let (second, taken_in_all) = fit();
        assert_eq!(taken_in_all, taken);
        assert_equal(&second, &first);
    }
}

/// Interrupts a fit after its first step and resumes another one from its checkpoint; what is said.
fn refusal(
    first: impl Fn(FitSession<'_>) -> burn_nca_learn::Result<Fitted>,
    second: impl Fn(FitSession<'_>) -> burn_nca_learn::Result<Fitted>,
) -> String {
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = folder.path().join("fit.checkpoint");
    let mut stop = stop_after(1);
    let session = FitSession::new().with_progress(&mut stop).with_checkpoint(&checkpoint);
    first(session).unwrap();
    let error = second(FitSession::new().with_checkpoint(&checkpoint)).unwrap_err().to_string();
    assert!(checkpoint.exists(), "nothing is lost");
    let (_, rest) = error.split_once("belongs to a fit with ").expect(&error);
    rest.split_once("; give those again").expect(&error).0.to_string()
}

#[test]
fn a_fit_of_classes_is_known_by_settings_features_and_labels() {
    let data = iris();
    let device = Device::flex();
    let labels = data.labels().to_vec();
    let mut swapped = labels.clone();
    swapped.swap(0, 149);
    let relabeled = Labeled::from_labels(data.features().clone(), swapped.clone()).unwrap();
    let mut values = data.features().values().to_vec();
    values[7] += 0.5;
    let moved = Features::new(values, data.features().names().to_vec()).unwrap();
    let moved_too = Labeled::from_labels(moved.clone(), swapped).unwrap();
    let moved = Labeled::from_labels(moved, labels).unwrap();
    for optimizer in solvers() {
        for early_stopping in [None, Some(EarlyStoppingConfig::new())] {
            let mut config = with(optimizer.clone());
            config.fit.early_stopping = early_stopping;
            let fit =
                |session: FitSession<'_>| config.estimator().fit_session(&data, &device, session);
            let on = |other: &Labeled| {
                refusal(fit, |session| config.estimator().fit_session(other, &device, session))
            };
            assert_eq!(on(&relabeled), "other targets");
            assert_eq!(on(&moved), "other features");
            assert_eq!(on(&moved_too), "other features and other targets");
            let another_solver = match optimizer {
                OptimizerConfig::Lbfgs(_) => adam(),
                _ => lbfgs(3),
            };
            for other in [config.clone().with_criterion(Criterion::G), with(another_solver)] {
                let said =
                    refusal(fit, |session| other.estimator().fit_session(&data, &device, session));
                assert_eq!(said, "other settings");
            }
        }
    }
}

#[test]
fn a_warm_start_is_known_by_its_encoder() {
    let estimator = || with(lbfgs(STEPS)).estimator();
    let from = |steps| {
        let encoder = with(lbfgs(steps)).fit(&iris(), &Device::flex()).unwrap().encoder;
        move |session: FitSession<'_>| {
            estimator().fit_from(encoder.clone(), &iris(), &Device::flex(), session)
        }
    };
    assert_eq!(refusal(from(1), from(2)), "another start");
}

#[test]
fn fits_of_numbers_are_known_by_theirs() {
    let soft = |width| SoftNca { criterion: Criterion::G, width: AgreementWidth::Given(width) };
    for method in [AnyMethod::from(Mlkr::new()), soft(0.2).into()] {
        let config = Estimator::new(3, 2, method);
        let of = |shift| {
            let (config, data) = (&config, numbers(shift));
            move |session: FitSession<'_>| config.fit_session(&data, &Device::flex(), session)
        };
        assert_eq!(refusal(of(0.0), of(0.5)), "other targets");
    }
    let wide = |width| {
        let config = Estimator::new(3, 2, soft(width));
        move |session: FitSession<'_>| config.fit_session(&numbers(0.0), &Device::flex(), session)
    };
    assert_eq!(refusal(wide(0.2), wide(0.3)), "other settings");
}

#[test]
fn a_planned_number_of_steps_ends_as_planned() {
    let mut config = with(lbfgs(200));
    config.fit.stop_at = Some(3);
    let summary = config.fit(&iris(), &Device::flex()).unwrap().summary().clone();
    assert_eq!((summary.termination, summary.iterations), (Termination::StopAt, 3));
    assert!(summary.termination.is_planned() && !summary.termination.converged());
    assert!(!summary.termination.sentence().contains("held-out"));
    assert!(FitConfig::new().stop_at.is_none());
}
