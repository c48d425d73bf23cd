//! The loop on the smallest model: the share of a mixture of two known densities.

use std::ops::ControlFlow;

use super::*;

/// `p f + (1 - p) g` with the densities of each row given; the state is p.
struct Mixture(Vec<[f64; 2]>);

impl ExpectationMaximization for Mixture {
    type State = f64;
    type Expectation = (f64, f64);

    fn expect(&self, share: &f64) -> (f64, f64) {
        let both = |row: &[f64; 2]| share * row[0] + (1.0 - share) * row[1];
        let mean: f64 = self.0.iter().map(|row| share * row[0] / both(row)).sum();
        (mean / self.0.len() as f64, self.0.iter().map(|row| both(row).ln()).sum())
    }

    fn log_likelihood(&self, expectation: &(f64, f64)) -> f64 {
        expectation.1
    }

    fn gradient_max(&self, share: &f64, expectation: &(f64, f64)) -> f64 {
        (expectation.0 / share - 1.0).abs()
    }

    fn maximize(&mut self, _: f64, expectation: &(f64, f64), _: usize) -> Result<Revision<f64>> {
        Ok(Revision { state: expectation.0, objective_changed: false })
    }
}

fn mixture() -> Mixture {
    Mixture(vec![[0.9, 0.2], [0.7, 0.3], [0.1, 0.8], [0.6, 0.5], [0.3, 0.35]])
}

fn problem(config: &FitConfig) -> EmProblem<'_, f64> {
    let identity: &dyn Fn() -> FitIdentity = &|| FitIdentity {
        settings: "mixture".into(),
        features: "five rows".into(),
        targets: String::new(),
    };
    EmProblem { start: 0.01, config, held_out: None, identity: Some(identity) }
}

#[test]
fn the_likelihood_rises_to_a_stationary_point() {
    let fit = FitConfig::new();
    let config = EmConfig::new().with_tolerance_progress(0.0);
    let solution = config.maximize(&mut mixture(), problem(&fit), FitSession::new()).unwrap();
    assert_eq!(solution.termination, Termination::ProgressSmall);
    assert!(solution.gradient_max < 1e-6, "{}", solution.gradient_max);
    assert!(solution.history.windows(2).all(|two| two[1].value <= two[0].value + 1e-12));
    assert_eq!(solution.history.len(), solution.iterations);
}

#[test]
fn an_interrupted_run_resumes_to_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("em.checkpoint");
    let fit = FitConfig::new();
    let config = EmConfig::new().with_max_iterations(40).with_tolerance_progress(0.0);
    let whole = config.maximize(&mut mixture(), problem(&fit), FitSession::new()).unwrap();
    let mut stop = |progress: &Progress| match progress.iteration {
        7 => ControlFlow::Break(Termination::Stopped),
        _ => ControlFlow::Continue(()),
    };
    let session = FitSession::new().with_progress(&mut stop).with_checkpoint(&path);
    let part = config.maximize(&mut mixture(), problem(&fit), session).unwrap();
    assert_eq!((part.termination, part.iterations), (Termination::Stopped, 7));
    let session = FitSession::new().with_checkpoint(&path);
    let rest = config.maximize(&mut mixture(), problem(&fit), session).unwrap();
    assert_eq!(rest.module.to_bits(), whole.module.to_bits());
    assert_eq!((rest.termination, rest.iterations), (whole.termination, whole.iterations));
    assert_eq!(rest.history.len(), whole.history.len());
}

#[test]
fn limits_end_a_run_and_bad_settings_are_refused() {
    let run = |config: EmConfig, fit: &FitConfig| {
        config.maximize(&mut mixture(), problem(fit), FitSession::new())
    };
    let few = run(EmConfig::new().with_max_iterations(3), &FitConfig::new()).unwrap();
    assert_eq!((few.termination, few.iterations), (Termination::MaxIterations, 3));
    let none = run(EmConfig::new(), &FitConfig::new().with_stop_at(Some(0))).unwrap();
    assert_eq!((none.termination, none.module), (Termination::StopAt, 0.01));
    let two = run(EmConfig::new(), &FitConfig::new().with_stop_at(Some(2))).unwrap();
    assert_eq!((two.termination, two.iterations), (Termination::StopAt, 2));
    let config = EmConfig::new().with_tolerance_progress(f64::NAN);
    let error = run(config, &FitConfig::new()).unwrap_err().to_string();
    assert!(error.contains("tolerance_progress is NaN"), "{error}");
}
