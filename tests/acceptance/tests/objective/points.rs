//! A target of other rows than the features is refused, by every objective and in every way in.

use std::panic::{AssertUnwindSafe, catch_unwind};

use acceptance::data::uniform;
use burn::tensor::{DType, Device};
use burn_nca_learn::MetricModel;
use burn_nca_learn::data::{Agreements, LabeledPair, LabeledPairs, Pairs};
use burn_nca_learn::encoder::LinearMap;
use burn_nca_learn::fit::exact::{BlockConfig, value, value_and_gradient};
use burn_nca_learn::fit::{FitConfig, FitSession, Problem, minimize};
use burn_nca_learn::objective::{
    AgreementIndex, ClassIndex, CoincidenceIndex, CoincidenceLossConfig, KernelTarget,
    LargeMarginLossConfig, MlkrLossConfig, NcaLossConfig, NcfsLossConfig, NcfsRegressionLossConfig,
    Objective, PairIndex, PairLossConfig, SoftNcaLossConfig, TargetIndex, TargetNeighbors,
    VariableKernelLossConfig,
};

use crate::objective::setup::tensor;

const EXPECTED: &str = "the target is about 50 points, but there are 125 rows";

fn panics(work: impl FnOnce()) {
    let payload = catch_unwind(AssertUnwindSafe(work)).unwrap_err();
    let message = payload.downcast_ref::<String>().unwrap();
    assert!(message.contains(EXPECTED), "{message}");
}

/// A target of 50 points for 125 rows.
fn check<O: Objective>(objective: O, target: &O::Target) {
    let x = tensor(&uniform(125 * 3, 1), 3, &Device::flex());
    let device = Device::flex().autodiff();
    let map = LinearMap::from_weight(&uniform(6, 2), [3, 2], &device, DType::F64);
    let model = MetricModel::new(map, objective);
    panics(|| drop(value_and_gradient(&model, &x, target, &BlockConfig::new())));
    panics(|| assert!(value(&model, &x, target, &BlockConfig::new()).is_finite()));
    panics(|| drop(model.objective.total(model.forward(x.clone()), target)));
    let problem = Problem::new(model, &x, target);
    let config = FitConfig::new().with_precision(burn_nca_learn::fit::Precision::F64);
    let error = minimize(&problem, &config, FitSession::new()).err().unwrap().to_string();
    assert!(error.contains(EXPECTED), "{error}");
}

#[test]
fn a_target_of_another_number_of_points_is_refused_by_every_objective() {
    let device = Device::flex();
    let labels: Vec<usize> = (0..50).map(|i| i % 3).collect();
    let classes = ClassIndex::new(&labels, &device).unwrap();
    check(NcaLossConfig::new().init(), &classes);
    let targets = TargetIndex::new(&uniform(50, 3), 1, &device).unwrap();
    check(MlkrLossConfig::new().init(), &targets);
    let known: Vec<Option<usize>> = labels.iter().copied().map(Some).collect();
    let agreements = AgreementIndex::new(&Agreements::of_labels(&known), &device).unwrap();
    check(SoftNcaLossConfig::new().init(), &agreements);
    let pairs = Pairs::new(50, vec![(0, 1, 1.0)]).unwrap();
    check(PairLossConfig::new().init(), &PairIndex::new(&pairs, &device));
    let x = tensor(&uniform(50 * 3, 4), 3, &device);
    let neighbors = TargetNeighbors::new(&x, &labels, 2).unwrap();
    check(LargeMarginLossConfig::new().init(), &neighbors);
    let kernel = VariableKernelLossConfig::new().init(&device, DType::F64);
    check(kernel, &KernelTarget::new(&labels, 3, &device).unwrap());
    check(NcfsLossConfig::new().init(), &classes);
    check(NcfsRegressionLossConfig::new().init(), &targets);
    let pairs = vec![LabeledPair::alike(0, 1), LabeledPair::different(0, 2)];
    let index = CoincidenceIndex::new(&LabeledPairs::new(50, pairs).unwrap(), &device);
    check(CoincidenceLossConfig::new().init(&index, &device, DType::F64), &index);
}
