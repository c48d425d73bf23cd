//! Equation 8 over a whole data set.

use burn::tensor::{DType, Device, s};
use burn_nca_learn::data::Pairs;
use burn_nca_learn::objective::{DataTarget, Objective, PairIndex, PairLoss, PairLossConfig};

use crate::soft::oracle::{log_normalizer, pair_cost};
use crate::soft::setup::{
    Case, assert_close, assert_nothing, at_any_block, check_finite_at_all_scales, check_gradients,
    pairs, some_pairs, tensor,
};

pub fn loss(include_self: bool) -> PairLoss {
    PairLossConfig::new().with_include_self(include_self).init()
}

pub fn index(pairs: &Pairs) -> PairIndex {
    PairIndex::new(pairs, &Device::flex())
}

#[test]
fn equation_8_agrees_with_nested_loops_at_any_block_size() {
    let case = Case::new(31, 3, 2, 41);
    let target = index(&pairs(31));
    for include_self in [true, false] {
        let model = case.linear(loss(include_self));
        let found = at_any_block(&model, &case.features(), &target);
        assert_close(&[found], &[pair_cost(&case.z, 2, &some_pairs(31), include_self)], 1e-10);
        let log_z = model.objective.normalizer(case.embedding()).log_z();
        assert_close(&[log_z], &[log_normalizer(&case.z, 2, include_self)], 1e-12);
    }
}

#[test]
fn the_first_pass_is_right_over_many_blocks() {
    // More rows than a block of the first pass holds.
    let n = 900;
    let case = Case::new(n, 3, 2, 42);
    for include_self in [true, false] {
        let log_z = loss(include_self).normalizer(case.embedding()).log_z();
        assert_close(&[log_z], &[log_normalizer(&case.z, 2, include_self)], 1e-11);
    }
}

#[test]
fn gradients_agree_with_central_differences() {
    let case = Case::new(19, 3, 2, 43);
    for include_self in [true, false] {
        check_gradients(loss(include_self), &case.features(), &index(&pairs(19)));
    }
}

#[test]
fn equation_8_is_finite_in_f32_at_all_scales() {
    let case = Case::new(31, 3, 2, 47);
    for include_self in [true, false] {
        check_finite_at_all_scales(loss(include_self), &case, &index(&pairs(31)));
    }
}

#[test]
fn a_batch_holds_the_pairs_inside_it() {
    let case = Case::new(31, 3, 2, 49);
    let rows = [4, 30, 0, 2, 1, 17];
    let z: Vec<f64> = rows.iter().flat_map(|row| &case.z[row * 2..][..2]).copied().collect();
    let at = |row: usize| rows.iter().position(|&other| other == row);
    let inside: Vec<(usize, usize, f64)> = some_pairs(31)
        .iter()
        .filter_map(|&(a, b, weight)| Some((at(a)?, at(b)?, weight)))
        .collect();
    assert!(inside.len() >= 3, "{inside:?}");
    for include_self in [true, false] {
        let objective = loss(include_self);
        let batch = index(&pairs(31)).subset(&rows);
        let found = objective.total(tensor(&z, 2, DType::F64), &batch).into_scalar::<f64>();
        assert_close(&[found], &[pair_cost(&z, 2, &inside, include_self)], 1e-10);
        // No pair: the value is 0 and so is the gradient.
        let batch = index(&pairs(31)).subset(&[5, 12, 20]);
        assert_nothing(&case.embedding().slice(s![0..3]), |z| objective.total(z, &batch));
    }
}
