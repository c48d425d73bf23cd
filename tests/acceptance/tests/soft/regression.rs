//! Metric learning for kernel regression over a whole data set, and as a loss of a batch.

use acceptance::data::{select, uniform};
use burn::nn::loss::Reduction;
use burn::tensor::{DType, Device};
use burn_nca_learn::objective::{DataTarget, MlkrLoss, MlkrLossConfig, Objective, TargetIndex};

use crate::soft::oracle::kernel_regression;
use crate::soft::setup::{
    Case, assert_close, assert_nothing, at_any_block, check_finite_at_all_scales, check_gradients,
    tensor,
};

pub fn loss() -> MlkrLoss {
    MlkrLossConfig::new().init()
}

pub fn index(targets: &[f64], columns: usize) -> TargetIndex {
    TargetIndex::new(targets, columns, &Device::flex()).unwrap()
}

/// Targets far from 0, in one column and in two.
fn targets(n: usize) -> [(Vec<f64>, usize); 2] {
    let far = |values: Vec<f64>| values.iter().map(|t| 300.0 + 40.0 * t).collect();
    [(far(uniform(n, 61)), 1), (far(uniform(2 * n, 62)), 2)]
}

#[test]
fn the_loss_agrees_with_nested_loops_at_any_block_size() {
    let case = Case::new(31, 3, 2, 41);
    for (targets, columns) in targets(31) {
        let expected = kernel_regression(&case.z, 2, &targets, columns);
        let model = case.linear(loss());
        let found = at_any_block(&model, &case.features(), &index(&targets, columns));
        assert_close(&[found], &[expected.iter().sum()], 1e-10);
        let each = |row: usize| {
            let block = loss().block(case.embedding(), &index(&targets, columns), row..row + 1);
            block.into_scalar::<f64>()
        };
        assert_close(&(0..31).map(each).collect::<Vec<_>>(), &expected, 1e-10);
    }
}

#[test]
fn gradients_agree_with_central_differences() {
    let case = Case::new(19, 3, 2, 42);
    for (targets, columns) in targets(19) {
        // Small numbers keep the differences of large sums apart.
        let small: Vec<f64> = targets.iter().map(|t| (t - 300.0) / 40.0).collect();
        check_gradients(loss(), &case.features(), &index(&small, columns));
    }
}

#[test]
fn value_and_gradient_are_finite_in_f32_at_all_scales() {
    let case = Case::new(31, 3, 2, 43);
    for (targets, columns) in targets(31) {
        check_finite_at_all_scales(loss(), &case, &index(&targets, columns));
    }
}

#[test]
fn a_wide_embedding_has_the_value_of_nested_loops() {
    let mut case = Case::new(31, 3, 2, 44);
    case.z.iter_mut().for_each(|z| *z *= 30.0);
    let [(targets, columns), _] = targets(31);
    let target = index(&targets, columns);
    let found = loss().block(case.embedding(), &target, 0..31).into_scalar::<f64>();
    let expected: f64 = kernel_regression(&case.z, 2, &targets, columns).iter().sum();
    assert_close(&[found], &[expected], 1e-10);
}

#[test]
fn a_batch_is_the_data_set_of_its_rows() {
    let case = Case::new(31, 3, 2, 45);
    let rows = [30, 2, 7, 8, 15, 21];
    for (targets, columns) in targets(31) {
        let (z, t) = (select(&case.z, 2, &rows), select(&targets, columns, &rows));
        let expected: f64 = kernel_regression(&z, 2, &t, columns).iter().sum();
        let z = tensor(&z, 2, DType::F64);
        let batch = index(&targets, columns).subset(&rows);
        assert_close(&[loss().total(z.clone(), &batch).into_scalar()], &[expected], 1e-10);
        let sum = MlkrLossConfig::new().with_reduction(Reduction::Sum).init();
        let t = tensor(&t, columns, DType::F64);
        assert_close(&[sum.forward(z.clone(), t.clone()).into_scalar()], &[expected], 1e-10);
        assert_close(&[loss().forward(z, t).into_scalar()], &[expected / 6.0], 1e-10);
    }
}

#[test]
fn a_single_point_has_no_neighbor_and_adds_nothing() {
    let (z, target) = (tensor(&[1.0, 2.0], 2, DType::F64), tensor(&[7.0], 1, DType::F64));
    assert_nothing(&z, |z| loss().forward(z, target.clone()));
    // Two points predict each other, whatever the metric.
    let pair = tensor(&[0.0, 1e4], 1, DType::F64);
    let found: f64 = loss().forward(pair, tensor(&[1.0, 4.0], 1, DType::F64)).into_scalar();
    assert_close(&[found], &[9.0], 1e-12);
}
