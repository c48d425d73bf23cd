//! The solvers fit soft matches and pairs like any objective.

use acceptance::data::uniform;
use burn::tensor::DType;
use burn_nca_learn::MetricModel;
use burn_nca_learn::data::{AgreementWidth, Agreements, Pairs};
use burn_nca_learn::encoder::LinearMap;
use burn_nca_learn::fit::{
    FitConfig, FitSession, LbfgsConfig, OptimizerConfig, Precision, Problem, Solution,
    StochasticConfig, minimize,
};
use burn_nca_learn::objective::{Criterion, Objective};

use crate::soft::agreements;
use crate::soft::pairs;
use crate::soft::setup::{Case, tensor};

const ROWS: usize = 120;

/// Three noisy features; the target is the first but for a little noise.
fn table() -> (Vec<f64>, Vec<f64>) {
    let x = uniform(3 * ROWS, 81);
    let noise = uniform(ROWS, 82);
    let targets = (0..ROWS).map(|i| 10.0 * x[3 * i] + 0.2 * noise[i]).collect();
    (x, targets)
}

fn fit<O: Objective>(
    objective: O,
    x: &[f64],
    target: &O::Target,
    optimizer: OptimizerConfig,
) -> Solution<MetricModel<LinearMap, O>> {
    let mut case = Case::new(2, 3, 2, 83);
    case.a = vec![1.0, 0.0, 0.0, 0.0, 1.0, 1.0];
    let x = tensor(x, 3, DType::F64);
    let problem = Problem::new(case.linear(objective), &x, target);
    let config = FitConfig::new().with_optimizer(optimizer).with_precision(Precision::F64);
    minimize(&problem, &config, FitSession::new()).unwrap()
}

/// How much longer the first feature's column of A is than the longest other one.
fn preference(map: &LinearMap) -> f64 {
    let a = map.matrix();
    let column = |c: usize| a[c].hypot(a[3 + c]);
    column(0) / column(1).max(column(2))
}

fn lbfgs() -> OptimizerConfig {
    OptimizerConfig::Lbfgs(LbfgsConfig::new())
}

fn adam(epochs: usize) -> OptimizerConfig {
    let settings = StochasticConfig::new().with_epochs(Some(epochs)).with_batch_size(Some(40));
    OptimizerConfig::Adam(settings.with_learning_rate(Some(0.1)))
}

#[test]
fn soft_matches_find_the_feature_that_tells_the_target() {
    let (x, mut targets) = table();
    (0..ROWS).filter(|i| i % 4 == 0).for_each(|i| targets[i] = f64::NAN);
    let soft = Agreements::of_targets(&targets, 1, AgreementWidth::Given(1.0)).unwrap();
    for criterion in [Criterion::F, Criterion::G] {
        for optimizer in [lbfgs(), adam(60)] {
            let objective = agreements::loss(criterion, false);
            let solution = fit(objective, &x, &agreements::index(&soft), optimizer);
            let found = preference(&solution.module.encoder);
            assert!(found > 5.0, "{criterion:?}, {}: {found}", solution.termination);
        }
    }
}

#[test]
fn pairs_without_labels_find_the_feature_that_partners_share() {
    let (x, targets) = table();
    let mut order: Vec<usize> = (0..ROWS).collect();
    order.sort_by(|&a, &b| targets[a].total_cmp(&targets[b]));
    let neighbors = order.windows(2).map(|pair| (pair[0], pair[1], 1.0)).collect();
    let target = pairs::index(&Pairs::new(ROWS, neighbors).unwrap());
    for include_self in [true, false] {
        for optimizer in [lbfgs(), adam(120)] {
            let solution = fit(pairs::loss(include_self), &x, &target, optimizer);
            let found = preference(&solution.module.encoder);
            assert!(found > 5.0, "self {include_self}, {}: {found}", solution.termination);
        }
    }
}
