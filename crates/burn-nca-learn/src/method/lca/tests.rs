//! LCA from data to predictions: both methods, both trainers, interrupted and resumed.

use std::ops::ControlFlow;

use burn::tensor::Device;

use super::*;
use crate::data::{Features, Labeled};
use crate::encoder::{Activation, EncoderConfig, HiddenLayers};
use crate::estimator::{Estimator, Fitted};
use crate::fit::{
    EarlyStoppingConfig, FitConfig, FitSession, LbfgsConfig, OptimizerConfig, Progress, Termination,
};
use crate::method::AnyMethod;
use crate::neighbors::Rule;

/// Three classes along the first two features, and a third one of noise that is wider than both.
fn data() -> Labeled {
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for row in 0..60_usize {
        let class = row % 3;
        let noise = |step: usize| ((row * step + step * step) % 29) as f64 / 29.0 - 0.5;
        values.push(class as f64 + 0.9 * noise(7));
        values.push((class == 1) as usize as f64 + 0.9 * noise(11));
        values.push(9.0 * noise(13));
        labels.push(class);
    }
    Labeled::from_labels(Features::unnamed(values, 3).unwrap(), labels).unwrap()
}

fn fit_config(steps: usize) -> FitConfig {
    let solver = LbfgsConfig::new().with_max_iterations(steps);
    FitConfig::new().with_optimizer(OptimizerConfig::Lbfgs(solver))
}

fn estimator(method: impl Into<AnyMethod>, dimensions: usize, steps: usize) -> Estimator {
    Estimator::new(3, dimensions, method.into()).with_fit(fit_config(steps))
}

fn fitted(method: impl Into<AnyMethod>, dimensions: usize, steps: usize) -> Fitted {
    estimator(method, dimensions, steps).fit(&data(), &Device::flex()).unwrap()
}

fn both() -> [AnyMethod; 2] {
    [Lca::new().with_refresh(4).into(), LcaClassifier::new().into()]
}

fn accuracy(fitted: &Fitted, k: usize) -> f64 {
    let (data, predicted) = (data(), fitted.predict(data().features(), k).unwrap());
    let right = predicted.iter().zip(data.labels()).filter(|(a, b)| a == b).count();
    right as f64 / data.rows() as f64
}

#[test]
fn the_default_limit_of_iterations_cuts_off_no_steps_of_em() {
    let lca = || Lca::new().with_steps(230);
    let iterations = |fitted: Fitted| fitted.summary().iterations;
    let default = Estimator::new(3, 2, lca()).fit(&data(), &Device::flex()).unwrap();
    assert_eq!((iterations(default), iterations(fitted(lca(), 2, 210))), (230, 210));
}

#[test]
fn both_methods_and_trainers_learn_to_tell_the_classes() {
    let network =
        EncoderConfig::Mlp(HiddenLayers { activation: Activation::Tanh, ..vec![8].into() });
    let linear = EncoderConfig::Linear;
    for (trainer, encoder) in
        [(Trainer::Em, &linear), (Trainer::Gradient, &linear), (Trainer::Gradient, &network)]
    {
        let fitted = |method| {
            let estimator = estimator(method, 2, 60).with_encoder(encoder.clone());
            estimator.fit(&data(), &Device::flex()).unwrap()
        };
        let metric = fitted(AnyMethod::from(Lca::new().with_trainer(trainer)));
        assert_eq!(metric.card().d_output, 2);
        assert!(accuracy(&metric, 3) > 0.85, "{trainer:?}: {}", accuracy(&metric, 3));
        let classifier = fitted(LcaClassifier::new().with_trainer(trainer).into());
        assert_eq!(classifier.card().d_output, 6, "two dimensions for each of three classes");
        assert!(accuracy(&classifier, 1) > 0.85, "{trainer:?}: {}", accuracy(&classifier, 1));
        assert!(matches!(classifier.rule(), Rule::Coincidence(rule) if rule.latent == 2));
        let probabilities = classifier.class_probabilities(data().features()).unwrap();
        let sum: f64 = (0..3).map(|class| probabilities.probability(7, class)).sum();
        assert!((sum - 1.0).abs() < 1e-9);
        let predicted = classifier.predict(data().features(), 1).unwrap();
        assert_eq!(probabilities.most_probable(), predicted);
    }
}

#[test]
fn the_likelihood_rises_at_every_step_and_the_gradient_reaches_at_least_as_far() {
    for method in [AnyMethod::from(Lca::new().with_refresh(0)), LcaClassifier::new().into()] {
        let em = fitted(method, 2, 80);
        let history = &em.summary().history;
        assert!(history.windows(2).all(|two| two[1].value <= two[0].value + 1e-9));
        let rows = (em.summary().rows, em.summary().held_out_rows);
        assert_eq!(rows, (60, 0));
        let method = em.card().method.with_setting("trainer", "gradient").unwrap();
        let gradient = fitted(method, 2, 400);
        let (reached, em) = (gradient.summary().value, em.summary().value);
        assert!(reached <= em + 1e-3 * em.abs(), "{reached} against {em}");
    }
}

#[test]
fn an_interrupted_fit_resumes_to_the_same_model() {
    let folder = tempfile::tempdir().unwrap();
    for (at, method) in both().into_iter().enumerate() {
        let path = folder.path().join(format!("{at}.checkpoint"));
        let estimator = estimator(method, 2, 15);
        let run = |session| estimator.fit_session(&data(), &Device::flex(), session).unwrap();
        let whole = run(FitSession::new());
        let mut stop = |progress: &Progress| match progress.iteration {
            6 => ControlFlow::Break(Termination::Stopped),
            _ => ControlFlow::Continue(()),
        };
        run(FitSession::new().with_progress(&mut stop).with_checkpoint(&path));
        let resumed = run(FitSession::new().with_checkpoint(&path));
        assert_eq!(resumed.matrix().unwrap(), whole.matrix().unwrap());
        assert_eq!(resumed.rule(), whole.rule());
        assert_eq!(resumed.summary().history.len(), whole.summary().history.len());
    }
}

#[test]
fn early_stopping_follows_held_out_rows() {
    let stop = EarlyStoppingConfig::new().with_patience(3);
    for method in both() {
        let config = fit_config(60).with_early_stopping(Some(stop.clone()));
        let estimator = estimator(method, 2, 60).with_fit(config);
        let model = estimator.fit(&data(), &Device::flex()).unwrap();
        assert_eq!((model.summary().rows, model.summary().held_out_rows), (48, 12));
        assert!(model.summary().history.iter().all(|step| step.held_out.is_some()));
        assert!(accuracy(&model, 3) > 0.8);
    }
}

#[test]
fn rows_without_impostors_have_nothing_to_learn_from() {
    let x = Features::unnamed(vec![0.0, 0.1, 0.2, 9.0, 9.1, 9.2], 1).unwrap();
    let data = Labeled::from_labels(x, vec![0, 0, 0, 1, 1, 1]).unwrap();
    let model = Estimator::new(1, 1, Lca::new()).fit(&data, &Device::flex()).unwrap();
    assert_eq!(model.summary().iterations, 0);
    assert!(model.summary().termination.converged());
    assert_eq!(model.predict(data.features(), 1).unwrap(), data.labels());
}
