//! Sums over pairs on backends that are enabled on `burn` alone: the module of the library, compiled into this crate, which
//! has none of the library's features.

use acceptance::data::uniform;
use burn::tensor::{Device, Tensor, TensorData};
use burn_nca::pairwise::{Columns, log_sum_exp, weighted_mean};

use super::open;
use pairwise::{Distance, Summand};

#[allow(dead_code, unexpected_cfgs)]
#[path = "../../../../crates/burn-nca/src/pairwise/mod.rs"]
mod pairwise;

/// Points of a device.
fn points(rows: usize, seed: u64, device: &Device) -> Tensor<2> {
    Tensor::from_data(TensorData::new(uniform(rows * 3, seed), [rows, 3]), device)
}

fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f64> {
    tensor.into_data().convert::<f64>().try_to_vec().unwrap()
}

fn close(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        let error = (found - expected).abs();
        assert!(error <= 2e-5 * (1.0 + expected.abs()), "{what}, {at}: {found} not {expected}");
    }
}

/// The sums, and the gradient of the first, are those of the library with its features.
fn agrees_with_the_library(name: &str, device: &Device) {
    let columns = Columns::all(5, 7).without_self(1);
    let (queries, references, v) =
        (points(5, 1, device), points(7, 2, device), points(7, 3, device));
    let found = pairwise::log_sum_exp(queries.clone(), references.clone(), &columns);
    let expected = log_sum_exp(queries.clone(), references.clone(), &columns);
    close(&values(found), &values(expected.clone()), name);
    let costs = Tensor::zeros([5, 7], device);
    let pair = || (queries.clone(), references.clone());
    let found = pairwise::log_sum_exp_with_costs(pair(), costs, &columns);
    close(&values(found), &values(expected), &format!("{name}, without costs"));
    let found = pairwise::weighted_mean(queries.clone(), references.clone(), v.clone(), &columns);
    let expected = weighted_mean(queries, references, v, &columns);
    close(&values(found), &values(expected), &format!("{name}, means"));
    let two = Tensor::<2>::from_floats([[0.0, 0.0], [3.0, 4.0]], device);
    let all = Columns::all(2, 2);
    let both = (two.clone(), two.clone());
    let found = pairwise::sum(Summand::Euclidean, both.clone(), &all);
    close(&values(found), &[5.0, 5.0], &format!("{name}, distances"));
    let found = pairwise::log_sum_exp_of(Distance::Euclidean, both, &all);
    let expected = [(1.0 + (-5f64).exp()).ln(); 2];
    close(&values(found), &expected, &format!("{name}, Euclidean"));
}

/// The gradients are those of the library; points without a graph are constants.
fn has_the_gradients_of_the_library(name: &str, device: &Device, with_graph: &Device) {
    let columns = Columns::all(5, 7).without_self(1);
    let constants = points(7, 2, device);
    let gradient = |of: fn(Tensor<2>, Tensor<2>, &Columns) -> Tensor<1>| {
        let tracked = points(5, 1, with_graph).require_grad();
        let gradients = of(tracked.clone(), constants.clone(), &columns).sum().backward();
        values(tracked.grad(&gradients).unwrap())
    };
    close(&gradient(pairwise::log_sum_exp), &gradient(log_sum_exp), name);
}

fn computes_on(name: &str) {
    let Some(device) = open(name) else { return };
    let with_graph = device.clone().autodiff();
    agrees_with_the_library(name, &device);
    agrees_with_the_library(name, &with_graph);
    has_the_gradients_of_the_library(name, &device, &with_graph);
    let checkpointed = with_graph.gradient_checkpointing();
    has_the_gradients_of_the_library(name, &device, &checkpointed);
}

#[test]
fn a_cpu_backend_that_burn_alone_was_told_of_computes() {
    computes_on("flex");
    computes_on("ndarray");
}

#[test]
fn wgpu_that_burn_alone_was_told_of_computes() {
    computes_on("wgpu");
}
