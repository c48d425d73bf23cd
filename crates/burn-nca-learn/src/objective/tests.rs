//! What holds for each loss: how it is shown, what it costs where nothing can be said, and what it refuses.

use burn::tensor::{DType, Device, Tensor};

use super::batch::testing::{assert_panics, scattered, target, tensor, value_and_slope};
use super::*;
use crate::data::Pairs;

fn device() -> Device {
    Device::flex().autodiff()
}

fn coincidence() -> CoincidenceLoss {
    CoincidenceLossConfig::new().init_for_samples(9, &device(), DType::F64)
}

fn variable_kernel() -> VariableKernelLoss {
    VariableKernelLossConfig::new().init(&device(), DType::F64)
}

#[test]
fn every_loss_prints_its_settings() {
    let pairs = PairIndex::new(&Pairs::new(9, vec![(0, 4, 1.0)]).unwrap(), &Device::flex());
    let subset = SubsetLoss::new(PairLossConfig::new().init(), pairs);
    let sum = SumLossConfig::new().with_weight(0.3).init(subset, variable_kernel());
    let coincidence = coincidence().to_string();
    assert_eq!(coincidence, "CoincidenceLoss {local_scales: false, params: 1}");
    assert_eq!(NcfsLossConfig::new().init().to_string(), "NcfsLoss {distance: \"L1\"}");
    let numbers = NcfsRegressionLossConfig::new().init().to_string();
    assert_eq!(numbers, "NcfsRegressionLoss {distance: \"L1\"}");
    let margin = LargeMarginLossConfig::new().init().to_string();
    assert_eq!(margin, "LargeMarginLoss {push: 0.5, neighbors: 3}");
    let expected = "SumLoss {first: SubsetLoss {objective: PairLoss {include_self: true}, points: 9}, \
                    second: VariableKernelLoss {neighbors: 10, averaged: 5, params: 1}, weight: 0.3, \
                    params: 1}";
    assert_eq!(sum.to_string(), expected);
}

/// A value of 0 with a gradient of 0.
fn assert_costs_nothing<L: BatchLoss<Target = ClassTarget>>(loss: &L, batches: &[&[usize]]) {
    for labels in batches {
        let z = scattered(2 * labels.len());
        let found = value_and_slope(&|z| loss.batch_loss(z, &target(labels)), &z, 2);
        assert_eq!(found, (0.0, vec![0.0; z.len()]), "{labels:?}");
    }
}

#[test]
fn rows_of_which_nothing_can_be_said_cost_nothing() {
    let alone: [&[usize]; 2] = [&[0], &[0, 1, 2]];
    assert_costs_nothing(&NcfsLossConfig::new().init(), &alone);
    assert_costs_nothing(&LargeMarginLossConfig::new().init(), &alone);
    assert_costs_nothing(&coincidence(), &alone);
    // No row of another class can be as near.
    assert_costs_nothing(&coincidence(), &[&[4, 4, 4]]);
    assert_costs_nothing(&variable_kernel(), &[&[5]]);
}

/// Of a batch, and of all rows.
fn assert_no_value<L>(loss: &L, whole: &<L as Objective>::Target)
where
    L: Objective + BatchLoss<Target = ClassTarget>,
{
    let z = tensor(&[0.0, f64::NAN], 1);
    let batch = loss.batch_loss(z.clone(), &target(&[0, 0])).into_scalar::<f64>();
    let total = loss.total(z, whole).into_scalar::<f64>();
    assert!(batch.is_nan() && total.is_nan(), "{batch} {total}");
}

#[test]
fn a_diverged_embedding_has_no_value() {
    let (x, device) = (tensor(&[0.0, 1.0], 1), Device::flex());
    let targets = TargetNeighbors::new(&x, &[0, 0], 1).unwrap();
    assert_no_value(&LargeMarginLossConfig::new().init(), &targets);
    let rule = crate::neighbors::VariableKernel::new().with_neighbors(1).with_averaged(1);
    let config = VariableKernelLossConfig::new().with_rule(rule);
    let kernel = KernelTarget::new(&[0, 0], 1, &device).unwrap();
    assert_no_value(&config.init(&device, DType::F64), &kernel);
    let loss = CoincidenceLossConfig::new().init_for_samples(2, &device, DType::F64);
    let value = loss.batch_loss(tensor(&[0.0, f64::NAN], 1), &target(&[0, 0]));
    assert!(value.into_scalar::<f64>().is_nan());
}

#[test]
fn what_does_not_fit_a_loss_is_refused() {
    let targets = || tensor(&[1.0, f64::NAN], 1);
    let numbers = |z, targets| NcfsRegressionLossConfig::new().init().forward(z, targets);
    assert_panics(|| numbers(tensor(&[0.0; 2], 1), targets()), "the target of row 2 is NaN");
    let subset = || {
        let classes = ClassIndex::new(&[0, 1], &Device::flex()).unwrap();
        let loss = SubsetLoss::new(NcaLossConfig::new().init(), classes);
        loss.batch_loss(tensor(&[0.0; 3], 1), &target(&[0, 0, 1]))
    };
    assert_panics(subset, "sample 2 of a target of 2 rows");
    let push = || LargeMarginLossConfig::new().with_push(1.0).init();
    assert_panics(push, "the push must be between 0 and 1, got 1");
    let nca = || NcaLossConfig::new().init();
    let negative = || SumLossConfig::new().with_weight(-1.0).init(nca(), nca());
    assert_panics(negative, "must be finite and not negative, got -1");
    let sigma = CoincidenceLossConfig::new().with_sigma_sq(0.0);
    let sigma = || sigma.init_for_samples(2, &device(), DType::F64);
    assert_panics(sigma, "sigma_sq must be positive and finite, got 0");
    let none = CoincidenceLossConfig::new().with_targets(0);
    let none = || none.init_for_samples(2, &device(), DType::F64);
    assert_panics(none, "0 targets were asked for");
    let none = || LargeMarginLossConfig::new().with_neighbors(0).init();
    assert_panics(none, "0 target neighbors were asked for");
    let scales = CoincidenceLossConfig::new().with_local_scales(true);
    let scales = scales.init_for_samples(2, &device(), DType::F64);
    let third = || scales.batch_loss(tensor(&[0.0, 1.0, 0.5], 1), &target(&[0, 0, 1]));
    assert_panics(third, "sample 2 of a loss for 2 samples");
    let empty = || Tensor::<2>::zeros([0, 2], &Device::flex());
    let labels = || Tensor::zeros([0], &Device::flex());
    let coincide = || Tensor::<1>::zeros([0], &Device::flex()).greater_elem(0.5);
    let batches: [&dyn Fn() -> Tensor<1>; 6] = [
        &|| numbers(empty(), empty()),
        &|| NcfsLossConfig::new().init().forward(empty(), labels()),
        &|| LargeMarginLossConfig::new().init().forward(empty(), labels()),
        &|| variable_kernel().forward(empty(), labels()),
        &|| coincidence().forward(empty(), empty(), coincide()),
        &|| coincidence().forward_classes(empty(), &ClassTarget::of_labels(labels())),
    ];
    for batch in batches {
        assert_panics(batch, "the batch has no row");
    }
}
