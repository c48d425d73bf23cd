//! Equation 8 over a whole data set, and as an ordinary Burn loss of a batch of pairs.

use acceptance::data::select;
use burn::nn::loss::Reduction;
use burn::tensor::{DType, Device, Int, Tensor, TensorData, s};
use burn_nca_learn::Sums;
use burn_nca_learn::data::Pairs;
use burn_nca_learn::objective::{DataTarget, Objective, PairIndex, PairLoss, PairLossConfig};

use crate::soft::oracle::pair_cost;
use crate::soft::setup::{
    Case, assert_close, assert_nothing, assert_slopes, at_any_block, at_embedding,
    check_finite_at_all_scales, check_gradients, pairs, some_pairs, tensor, vector,
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
    }
}

#[test]
fn the_normalizer_is_right_over_many_blocks() {
    let n = 900;
    let case = Case::new(n, 3, 2, 42);
    for include_self in [true, false] {
        let objective = loss(include_self).with_sums(Sums::Plain);
        let found = objective.total(case.embedding(), &index(&pairs(n))).into_scalar::<f64>();
        assert_close(&[found], &[pair_cost(&case.z, 2, &some_pairs(n), include_self)], 1e-10);
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
    let z = select(&case.z, 2, &rows);
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

#[test]
fn a_batch_of_pairs_agrees_with_nested_loops() {
    let b = 9;
    let case = Case::new(2 * b, 3, 2, 61);
    let weights: Vec<f64> = (0..b).map(|i| i as f64 / 8.0).collect();
    let list: Vec<(usize, usize, f64)> = (0..b).map(|i| (i, b + i, weights[i])).collect();
    let first = tensor(&case.z[..2 * b], 2, DType::F64);
    let second = tensor(&case.z[2 * b..], 2, DType::F64);
    for include_self in [true, false] {
        let cost = pair_cost(&case.z, 2, &list, include_self);
        for (reduction, expected) in [(Reduction::Sum, cost), (Reduction::Mean, cost / 9.0)] {
            let loss = PairLossConfig::new()
                .with_include_self(include_self)
                .with_reduction(reduction)
                .init();
            let found = loss.forward(first.clone(), second.clone(), vector(&weights));
            assert_close(&[found.into_scalar::<f64>()], &[expected], 1e-10);
        }
    }
}

#[test]
fn a_batch_of_points_with_pairs_among_them_agrees_with_nested_loops() {
    let case = Case::new(20, 3, 2, 62);
    let list = some_pairs(20);
    let ends: Vec<i64> = list.iter().flat_map(|pair| [pair.0 as i64, pair.1 as i64]).collect();
    let ends = Tensor::<2, Int>::from_data(TensorData::new(ends, [list.len(), 2]), &Device::flex());
    let weights: Vec<f64> = list.iter().map(|pair| pair.2).collect();
    for include_self in [true, false] {
        let loss = loss(include_self);
        let found = loss.forward_indexed(case.embedding(), ends.clone(), vector(&weights));
        let expected = pair_cost(&case.z, 2, &list, include_self) / list.len() as f64;
        assert_close(&[found.into_scalar::<f64>()], &[expected], 1e-10);
    }
}

#[test]
fn the_batch_gradient_agrees_with_central_differences() {
    let case = Case::new(8, 3, 2, 63);
    let weights = [0.2, 1.0, 0.0, 0.6];
    for include_self in [true, false] {
        let loss = loss(include_self);
        let value = |z: &Tensor<2>| {
            loss.forward(z.clone().slice(s![0..4]), z.clone().slice(s![4..8]), vector(&weights))
        };
        let (_, gradient) = at_embedding(&case.embedding(), |z| value(&z));
        assert_slopes(&gradient, &case.z, (1e-5, 1e-8), |z| {
            value(&tensor(z, 2, DType::F64)).into_scalar::<f64>()
        });
    }
}
