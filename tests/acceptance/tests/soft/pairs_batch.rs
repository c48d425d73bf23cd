//! Equation 8 as an ordinary Burn loss of a batch of pairs.

use burn::nn::loss::Reduction;
use burn::tensor::{DType, Device, Int, Tensor, TensorData, s};
use burn_nca_learn::data::host_values;
use burn_nca_learn::objective::PairLossConfig;

use crate::soft::oracle::pair_cost;
use crate::soft::setup::{Case, assert_close, assert_slopes, some_pairs, tensor, vector};

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
        let loss = PairLossConfig::new().with_include_self(include_self).init();
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
        let loss = PairLossConfig::new().with_include_self(include_self).init();
        let value = |z: &Tensor<2>| {
            loss.forward(z.clone().slice(s![0..4]), z.clone().slice(s![4..8]), vector(&weights))
        };
        let leaf = case.embedding().autodiff().require_grad();
        let gradient = host_values(leaf.grad(&value(&leaf).backward()).unwrap());
        assert_slopes(&gradient, &case.z, (1e-5, 1e-8), |z| {
            value(&tensor(z, 2, DType::F64)).into_scalar::<f64>()
        });
    }
}
