//! Values and gradients are sums of those of the parts, over all rows, in blocks, and of a batch.

use burn::tensor::{DType, Device};

use super::*;
use crate::data::Pairs;
use crate::encoder::LinearMap;
use crate::objective::batch::testing::{
    assert_both, assert_close, at_blocks, leaf, scattered, target, tensor,
};
use crate::objective::*;

const ROWS: usize = 20;

/// Rows of three classes, of which every fifth has none.
fn classes() -> ClassIndex {
    let labels: Vec<Option<usize>> =
        (0..ROWS).map(|row| (row % 5 != 2).then_some(row % 3)).collect();
    ClassIndex::partly(&labels, &Device::flex()).unwrap()
}

fn pairs() -> PairIndex {
    let pairs = (0..ROWS - 5).map(|row| (row, row + 5, 1.0 + row as f64 / 9.0)).collect();
    PairIndex::new(&Pairs::new(ROWS, pairs).unwrap(), &Device::flex())
}

fn nca() -> NcaLoss {
    NcaLossConfig::new().with_criterion(Criterion::G).with_repulsion(0.2).init()
}

fn sum() -> SumLoss<NcaLoss, PairLoss> {
    SumLossConfig::new().with_weight(0.3).init(nca(), PairLossConfig::new().init())
}

/// What is wanted of a sum: the first, and 0.3 of the second.
fn joined(first: (f64, Vec<f64>), second: (f64, Vec<f64>)) -> (f64, Vec<f64>) {
    let slope = first.1.iter().zip(second.1).map(|(a, b)| a + 0.3 * b).collect();
    (first.0 + 0.3 * second.0, slope)
}

#[test]
fn blocks_of_any_size_give_value_and_gradient_through_an_encoder() {
    let x = tensor(&scattered(3 * ROWS), 3);
    let map = || {
        let weight = [0.9, -0.4, 0.3, 0.8, -0.2, 0.5];
        LinearMap::from_weight(&weight, [3, 2], &Device::flex().autodiff(), DType::F64)
    };
    let target = (classes(), pairs());
    for rows in [1, 7, 100] {
        let found = at_blocks((map(), &x), (sum(), &target), rows);
        let first = at_blocks((map(), &x), (nca(), &target.0), rows);
        let second = at_blocks((map(), &x), (PairLossConfig::new().init(), &target.1), rows);
        let expected = joined(first, second);
        assert_both(&found, &expected, 1e-12);
    }
    // Any cut will do, also one through both.
    let (z, whole) = (x.slice([0..ROWS, 0..2]), target.terms());
    assert_eq!(whole, 16 + ROWS);
    let block = |terms| sum().block(z.clone(), &target, terms).into_scalar::<f64>();
    let cut = block(0..10) + block(10..25) + block(25..25) + block(25..whole);
    assert_close(&[cut], &[block(0..whole)], 1e-12);
}

#[test]
fn a_mini_batch_says_what_both_say() {
    let (sum, whole) = (sum(), (classes(), pairs()));
    // Rows with classes and pairs; rows without a pair; rows without two of a class.
    for rows in [&[0, 5, 10, 3, 8, 6][..], &[0, 3, 6], &[2, 7, 12]] {
        let batch = whole.subset(rows);
        let z = leaf(&scattered(2 * rows.len()), 2);
        let number = |value: Option<Tensor<1>>| value.map_or(0.0, |v| v.into_scalar::<f64>());
        let first = number(sum.first.estimate(z.clone(), &batch.0, &whole.0));
        let second = number(sum.second.estimate(z.clone(), &batch.1, &whole.1));
        assert_close(&[number(sum.estimate(z, &batch, &whole))], &[first + 0.3 * second], 1e-12);
    }
}

#[test]
fn a_target_that_moves_moves_in_the_sum() {
    let (device, labels) = (Device::flex(), [0, 1, 0, 1, 0, 1]);
    let kernel = VariableKernelLossConfig::new()
        .with_rule(crate::neighbors::VariableKernel::new().with_neighbors(2).with_averaged(1))
        .init(&device, DType::F64);
    let target = (
        ClassIndex::new(&labels, &device).unwrap(),
        KernelTarget::new(&labels, 2, &device).unwrap(),
    );
    let sum = SumLossConfig::new().init(NcfsLossConfig::new().init(), kernel);
    let z = tensor(&scattered(12), 2);
    let turned = z.clone() * tensor(&[1.0, 9.0], 2);
    let held = sum.updated_target(z.clone(), &target).unwrap();
    let value = |z: &Tensor<2>, target| sum.total(z.clone(), target).into_scalar::<f64>();
    assert_eq!(value(&z, &held), value(&z, &target));
    assert_ne!(value(&turned, &held), value(&turned, &target));
}

#[test]
fn parameters_and_memories_of_both_are_kept() {
    let device = Device::flex().autodiff();
    let memory = || MemoryLossConfig::new(8, 1).init(nca(), &device);
    let width = VariableKernelLossConfig::new().init(&device, DType::F64);
    let sum = SumLossConfig::new().init(SumLossConfig::new().init(memory(), width), memory());
    let z = leaf(&scattered(4), 1);
    let value = sum.batch_loss(z, &target(&[0, 0, 1, 1]));
    let grads = value.backward();
    let width = sum.first.second.rule().width;
    assert_eq!(width, 1.0);
    let gradients = burn::optim::GradientsParams::from_grads(grads, &sum);
    assert_eq!(gradients.len(), 1, "the width");
    let sum = sum.after_step();
    assert_eq!(sum.second.memory.ids()[..5], [Some(0), Some(1), Some(2), Some(3), None]);
    assert_eq!(sum.first.first.memory.ids(), sum.second.memory.ids());
}
