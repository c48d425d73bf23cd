//! Checkpoints of every solver: a fit continues from a damaged one, or says what is wrong with it.

use std::ops::ControlFlow;
use std::path::Path;

use burn::tensor::Device;
use burn_nca_learn::Fitted;
use burn_nca_learn::data::Task;
use burn_nca_learn::estimator::Estimator;
use burn_nca_learn::fit::{
    ConjugateGradientConfig, EarlyStoppingConfig, FitConfig, FitSession, LbfgsConfig,
    OptimizerConfig, Progress, StochasticConfig, Termination,
};
use burn_nca_learn::method::{AnyMethod, Lca, Lmnn, Mlkr, Nca, PairNca};
use rand::RngExt;
use serde_json::Value;

use super::small_models::{classes, numbers, pairs};
use super::{fuzz, json_damage};

pub const FILE: &str = "checkpoint.json";

/// The steps before the fit is cut off, and after it continues.
const STEPS: usize = 3;

pub fn estimators() -> Vec<Estimator> {
    let lbfgs = || OptimizerConfig::Lbfgs(LbfgsConfig::new().with_max_iterations(20));
    let gradient = ConjugateGradientConfig::new().with_max_iterations(20);
    let adam = StochasticConfig::new().with_epochs(Some(20)).with_batch_size(Some(6));
    let of = |method: AnyMethod, optimizer: OptimizerConfig| {
        let fit = FitConfig::new().with_optimizer(optimizer);
        Estimator::new(3, 2, method).with_fit(fit)
    };
    let mut stopping = of(Nca::default().into(), lbfgs());
    stopping.fit.early_stopping = Some(EarlyStoppingConfig::new());
    vec![
        of(Nca::default().into(), lbfgs()),
        of(Nca::default().into(), OptimizerConfig::ConjugateGradient(gradient)),
        of(Nca::default().into(), OptimizerConfig::Adam(adam)),
        stopping,
        of(Mlkr::default().into(), lbfgs()),
        of(Lmnn::default().into(), lbfgs()),
        of(PairNca::default().into(), lbfgs()),
        of(Lca::default().into(), lbfgs()),
    ]
}

/// Continues for some steps with the checkpoint of this folder.
pub fn go_on(estimator: &Estimator, folder: &Path) -> burn_nca_learn::Result<Fitted> {
    let mut steps = 0;
    let mut watch = |_: &Progress| {
        steps += 1;
        if steps < STEPS {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(Termination::Stopped)
        }
    };
    let session = FitSession::new().with_progress(&mut watch);
    let session = session.with_checkpoint(&folder.join(FILE)).keep_checkpoint();
    let device = Device::flex();
    match estimator.method.info().task {
        Some(Task::Numbers) => estimator.fit_session(&numbers(), &device, session),
        Some(Task::Pairs) => estimator.fit_session(&pairs(), &device, session),
        None | Some(Task::Classes) => estimator.fit_session(&classes(), &device, session),
    }
}

/// The checkpoint of a fit that was cut off.
pub fn checkpoint(estimator: &Estimator) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    go_on(estimator, folder.path()).unwrap();
    std::fs::read(folder.path().join(FILE)).unwrap()
}

#[test]
fn damaged_checkpoints() {
    let estimators = estimators();
    let checkpoints = estimators.iter().map(checkpoint);
    let whole: Vec<Value> =
        checkpoints.map(|bytes| serde_json::from_slice(&bytes).unwrap()).collect();
    let which = |folder: &Path| {
        let number = std::fs::read_to_string(folder.join("which")).unwrap();
        &estimators[number.parse::<usize>().unwrap()]
    };
    fuzz(
        "checkpoints",
        300,
        |folder, rng| {
            let at = rng.random_range(0..whole.len());
            std::fs::write(folder.join("which"), at.to_string()).unwrap();
            let bytes = json_damage::edited(&whole[at..=at], rng);
            std::fs::write(folder.join(FILE), &bytes).unwrap();
            bytes.len()
        },
        |folder| go_on(which(folder), folder).map(drop),
    );
}
