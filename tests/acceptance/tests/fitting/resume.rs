//! A checkpoint resumes the fit that it belongs to, to the bit and with its whole history, and no other.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use acceptance::data::lbfgs;
use burn::tensor::Device;
use burn_nca_learn::data::{AgreementWidth, Features, Labeled};
use burn_nca_learn::fit::{
    CheckpointEvent, ConjugateGradientConfig, EarlyStoppingConfig, FitSession, OptimizerConfig,
    Progress, StochasticConfig, Termination,
};
use burn_nca_learn::method::{AnyMethod, Mlkr, Modern, SoftNca};
use burn_nca_learn::objective::Criterion;
use burn_nca_learn::{Estimator, Fitted, NcaConfig};
use tempfile::TempDir;

use crate::fitting::{bits, iris, numbers, stop_after, with};

const STEPS: usize = 12;

fn conjugate_gradient(steps: usize) -> OptimizerConfig {
    OptimizerConfig::ConjugateGradient(ConjugateGradientConfig::new().with_max_iterations(steps))
}

fn adam() -> OptimizerConfig {
    let batches = StochasticConfig::new().with_epochs(Some(STEPS)).with_batch_size(Some(50));
    OptimizerConfig::Adam(batches)
}

/// Every solver, without and with early stopping.
fn configs() -> Vec<NcaConfig> {
    let solvers = [lbfgs(STEPS), conjugate_gradient(STEPS), adam()];
    let stops = [None, Some(EarlyStoppingConfig::new().with_patience(3))];
    let config = |(solver, stop): (OptimizerConfig, Option<EarlyStoppingConfig>)| {
        let mut config = with(solver);
        config.fit.early_stopping = stop;
        config
    };
    solvers
        .into_iter()
        .flat_map(|solver| stops.clone().map(|stop| (solver.clone(), stop)))
        .map(config)
        .collect()
}

/// A folder, and the path of a checkpoint in it.
fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = folder.path().join("fit.checkpoint");
    (folder, checkpoint)
}

/// Fits iris from a checkpoint, stopping after this many steps.
fn run(config: &NcaConfig, checkpoint: &Path, stop: usize) -> Fitted {
    let mut watch = stop_after(stop);
    let session = FitSession::new().with_progress(&mut watch).with_checkpoint(checkpoint);
    config.estimator().fit_session(&iris(), &Device::flex(), session).unwrap()
}

/// All numbers of two fits but their times, which no two runs share.
fn assert_equal(resumed: &Fitted, whole: &Fitted) {
    assert_eq!(bits(resumed), bits(whole));
    let [resumed, whole] = [resumed, whole].map(|fitted| {
        let step = |step: &Progress| {
            let numbers = [step.value, step.gradient_max, step.step].map(f64::to_bits);
            (step.iteration, step.evaluations, numbers, step.held_out.map(f64::to_bits))
        };
        let of = fitted.summary();
        let path: Vec<_> = of.history.iter().map(step).collect();
        (path, of.value.to_bits(), of.iterations, of.evaluations, of.termination)
    });
    assert_eq!(resumed, whole);
}

#[test]
fn a_fit_resumes_from_every_step_to_the_same_end() {
    let (_folder, checkpoint) = place();
    for config in configs() {
        let whole = config.fit(&iris(), &Device::flex()).unwrap();
        for step in 1..=whole.summary().iterations {
            let part = run(&config, &checkpoint, step);
            if !checkpoint.exists() {
                continue;
            }
            assert_eq!(part.summary().iterations, step);
            let resumed = run(&config, &checkpoint, usize::MAX);
            assert_equal(&resumed, &whole);
            let summary = resumed.summary();
            assert!(summary.history.is_sorted_by_key(|step| step.seconds));
            assert!(summary.seconds >= summary.history.last().unwrap().seconds);
            // One that ended at its limit may resume with a higher one.
            assert_eq!(checkpoint.exists(), summary.termination == Termination::MaxIterations);
            let _ = std::fs::remove_file(&checkpoint);
        }
    }
}

#[test]
fn members_resume_from_the_steps_that_they_had_taken() {
    let (_folder, checkpoint) = place();
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
        let (part, resumed) = (run(step), run(usize::MAX));
        assert_eq!(resumed_at.get(), part.summary().iterations);
        assert_equal(&resumed, &whole);
        let _ = std::fs::remove_file(&checkpoint);
    }
}

#[test]
fn a_higher_limit_continues_where_a_lower_one_ended() {
    let (_folder, checkpoint) = place();
    for solver in [lbfgs as fn(usize) -> OptimizerConfig, conjugate_gradient] {
        let whole = with(solver(STEPS)).fit(&iris(), &Device::flex()).unwrap();
        let mut hasty = with(solver(STEPS));
        hasty.fit.time_budget = Some(1e-9);
        let limits =
            [(with(solver(5)), Termination::MaxIterations), (hasty, Termination::TimeBudget)];
        for (limited, end) in limits {
            assert_eq!(run(&limited, &checkpoint, usize::MAX).summary().termination, end);
            assert_equal(&run(&with(solver(STEPS)), &checkpoint, usize::MAX), &whole);
            std::fs::remove_file(&checkpoint).unwrap();
        }
    }
}

#[test]
fn the_checkpoint_of_an_end_that_is_kept_gives_the_end_at_once() {
    for optimizer in [lbfgs(200), adam()] {
        let (_folder, checkpoint) = place();
        let mut config = with(optimizer);
        config.fit.early_stopping = Some(EarlyStoppingConfig::new().with_patience(2));
        let steps = Cell::new(0);
        let fit = || {
            let mut count = |_: &Progress| {
                steps.set(steps.get() + 1);
                ControlFlow::Continue(())
            };
            let session = FitSession::new().with_progress(&mut count);
            let session = session.with_checkpoint(&checkpoint).keep_checkpoint();
            let fitted = config.estimator().fit_session(&iris(), &Device::flex(), session).unwrap();
            (fitted, steps.get())
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
    let (_folder, checkpoint) = place();
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
    let (mut labels, mut values) = (data.labels().to_vec(), data.features().values().to_vec());
    labels.swap(0, 149);
    values[7] += 0.5;
    let moved = Features::new(values, data.features().names().to_vec()).unwrap();
    let of = |features: &Features, labels: &[usize]| {
        Labeled::from_labels(features.clone(), labels.to_vec()).unwrap()
    };
    for config in configs() {
        let fit = |config: &NcaConfig, data: &Labeled, session: FitSession<'_>| {
            config.estimator().fit_session(data, &Device::flex(), session)
        };
        let said = |other: &NcaConfig, by: &Labeled| {
            refusal(|session| fit(&config, &data, session), |session| fit(other, by, session))
        };
        assert_eq!(said(&config, &of(data.features(), &labels)), "other targets");
        assert_eq!(said(&config, &of(&moved, data.labels())), "other features");
        assert_eq!(said(&config, &of(&moved, &labels)), "other features and other targets");
        let another_solver = match config.fit.optimizer {
            OptimizerConfig::Lbfgs(_) => adam(),
            _ => lbfgs(3),
        };
        for other in [config.clone().with_criterion(Criterion::G), with(another_solver)] {
            assert_eq!(said(&other, &data), "other settings");
        }
    }
}

#[test]
fn a_warm_start_is_known_by_its_encoder() {
    let from = |steps| {
        let encoder = with(lbfgs(steps)).fit(&iris(), &Device::flex()).unwrap().encoder;
        move |session: FitSession<'_>| {
            let estimator = with(lbfgs(STEPS)).estimator();
            estimator.fit_from(encoder.clone(), &iris(), &Device::flex(), session)
        }
    };
    assert_eq!(refusal(from(1), from(2)), "another start");
}

#[test]
fn fits_of_numbers_are_known_by_theirs() {
    let soft = |width| {
        let width = AgreementWidth::Given(width);
        AnyMethod::from(SoftNca { criterion: Criterion::G, width })
    };
    let of = |method: &AnyMethod, shift| {
        let (config, data) = (Estimator::new(3, 2, method.clone()), numbers(shift));
        move |session: FitSession<'_>| config.fit_session(&data, &Device::flex(), session)
    };
    for method in [Mlkr::new().into(), soft(0.2)] {
        assert_eq!(refusal(of(&method, 0.0), of(&method, 0.5)), "other targets");
    }
    assert_eq!(refusal(of(&soft(0.2), 0.0), of(&soft(0.3), 0.0)), "other settings");
}
