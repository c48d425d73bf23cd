//! Soft matches as an ordinary Burn loss.

use acceptance::data::uniform;
use burn::nn::loss::Reduction;
use burn::tensor::DType;
use burn_nca_learn::data::{AgreementWidth, Agreements};
use burn_nca_learn::objective::{Criterion, Objective, SoftNcaLossConfig};

use crate::soft::agreements::{index, loss};
use crate::soft::setup::{Case, assert_close, assert_nothing, tensor};

#[test]
fn a_table_of_agreements_gives_the_sum_over_blocks() {
    let n = 17;
    let case = Case::new(n, 3, 2, 31);
    let weight = |i: usize, j: usize| {
        if i == 4 || (i + j).is_multiple_of(4) { 0.0 } else { 1.0 / (1 + j) as f64 }
    };
    let target = index(&Agreements::of_function(n, weight));
    assert_eq!(target.without_agreement(), [4]);
    // What is on the diagonal must not matter.
    let entry = |i: usize, j: usize| if i == j { 0.7 } else { weight(i, j) };
    let table: Vec<f64> = (0..n * n).map(|at| entry(at / n, at % n)).collect();
    for criterion in [Criterion::F, Criterion::G] {
        let config = SoftNcaLossConfig::new().with_criterion(criterion);
        let sum = loss(criterion, false).total(case.embedding(), &target).into_scalar::<f64>();
        for (reduction, expected) in [(Reduction::Sum, sum), (Reduction::Mean, sum / 16.0)] {
            let batch = config.clone().with_reduction(reduction).init();
            let found = batch.forward(case.embedding(), tensor(&table, n, DType::F64));
            assert_close(&[found.into_scalar::<f64>()], &[expected], 1e-12);
        }
    }
}

#[test]
fn targets_give_the_sum_over_blocks_with_unlabeled_rows_in_or_out() {
    let n = 17;
    let case = Case::new(n, 3, 2, 32);
    let mut targets = uniform(2 * n, 33);
    (targets[6], targets[19]) = (f64::NAN, f64::NAN);
    let agreements = Agreements::of_targets(&targets, 2, AgreementWidth::Given(0.6)).unwrap();
    let target = index(&agreements);
    for neighbors in [false, true] {
        for criterion in [Criterion::F, Criterion::G] {
            let objective = loss(criterion, neighbors);
            let leaf = case.embedding().autodiff().require_grad();
            let sum = objective.total(leaf.clone(), &target);
            let expected = leaf.grad(&sum.backward()).unwrap().div_scalar(15.0);
            let leaf = case.embedding().autodiff().require_grad();
            let mean =
                objective.forward_targets(leaf.clone(), tensor(&targets, 2, DType::F64), 0.6);
            let value = mean.clone().into_scalar::<f64>();
            let sum = objective.total(case.embedding(), &target).into_scalar::<f64>();
            assert_close(&[value], &[sum / 15.0], 1e-12);
            let found = leaf.grad(&mean.backward()).unwrap();
            let error = (found - expected).abs().max().into_scalar::<f64>();
            assert!(error < 1e-13, "{error}");
        }
    }
}

#[test]
fn a_batch_that_agrees_on_nothing_gives_0_and_no_nan() {
    let case = Case::new(5, 3, 2, 34);
    let nothing = tensor(&[0.0; 25], 5, DType::F64);
    assert_nothing(&case.embedding(), |z| loss(Criterion::G, false).forward(z, nothing.clone()));
    let unknown = tensor(&[f64::NAN; 5], 1, DType::F64);
    let of_unknown = |z| loss(Criterion::F, false).forward_targets(z, unknown.clone(), 1.0);
    assert_nothing(&case.embedding(), of_unknown);
}
