//! Sums over pairs on `ndarray`, which has the definition alone, and on a GPU, which has kernels of its own.

use acceptance::compare::assert_near;
use acceptance::data::uniform;
use acceptance::setup::{at_embedding, matrix};
use burn::tensor::{DType, Device};
use burn_nca_fused::{NeighborSets, log_sum_exp};
use burn_nca_learn::Sums;
use burn_nca_learn::data::host_values;

use super::operation::{Case, Kind, agrees, check, used_twice};
use super::{gpu, open, types_of_gpu, ways};

#[test]
fn ndarray_computes_every_objective_as_it_is_defined() {
    ways::agrees("ndarray", DType::F64, Sums::Auto, 1e-10);
    ways::agrees("ndarray", DType::F32, Sums::Plain, 2e-5);
}

#[test]
fn gpu_computes_every_objective_both_ways() {
    // Auto: costs of pairs and distances that are not squared have no kernel there.
    for (dtype, tolerance) in types_of_gpu() {
        ways::agrees(gpu(), dtype, Sums::Auto, tolerance);
        ways::agrees(gpu(), dtype, Sums::Plain, tolerance);
    }
}

#[test]
fn gpu_agrees() {
    agrees(gpu(), (DType::F32, 5e-5));
    // Several cubes and several parts of the references; a width that is loaded in pieces.
    for (n, size, k) in [(700, 300, 2), (140, 50, 33)] {
        for outside in [false, true] {
            let case = Case { own: true, ..Case::of_classes(n, size, outside) };
            check(gpu(), (DType::F32, 5e-5), Kind::Sums(k), &case);
        }
    }
}

/// Few queries, whose references are shared out to many units; many queries of one reference.
#[test]
fn gpu_agrees_where_rows_and_columns_differ() {
    for (b, m) in [(1, 1500), (2, 17), (300, 1), (129, 15)] {
        for outside in [false, true] {
            let spans = (0..b).map(|i| i % m..(i % m + m / 2).min(m)).collect();
            let case = Case { spans, references: m, outside, own: false };
            check(gpu(), (DType::F32, 5e-5), Kind::Sums(3), &case);
        }
    }
}

#[test]
fn gpu_has_no_sum_where_nothing_is_summed_over() {
    let Some(device) = open(gpu()) else { return };
    let z = matrix(&uniform(3 * 2, 5), 2, (&device, DType::F32));
    let columns = NeighborSets::within(vec![0..1, 1..3, 1..3], 3).without_self(0);
    let sums = host_values(log_sum_exp(z.clone(), z, &columns));
    assert_eq!(sums[0], f64::NEG_INFINITY, "a row alone in its class");
    assert!(sums[1].is_finite() && sums[1] == sums[2], "{sums:?}");
}

#[test]
fn gpu_keeps_the_digits_of_far_points() {
    let Some(device) = open(gpu()) else { return };
    let columns = NeighborSets::all(40, 40).without_self(0);
    let run = |device: &Device, dtype: DType| {
        let z = matrix(&ways::far_points(40), 2, (&device.clone().autodiff(), dtype));
        let z = z.require_grad();
        let lse = log_sum_exp(z.clone(), z.clone(), &columns);
        let grads = (lse.clone() * 1.5).sum().backward();
        [host_values(lse), host_values(z.grad(&grads).unwrap())]
    };
    let (found, expected) = (run(&device, DType::F32), run(&Device::flex(), DType::F64));
    for (found, expected) in found.iter().zip(&expected) {
        assert_near(found, expected, 1e-6, "far points");
    }
    // No unit adds to the number of another: the same bits again.
    assert_eq!(found, run(&device, DType::F32));
}

#[test]
fn second_use_in_a_larger_graph_agrees_on_a_gpu() {
    let Some(device) = open(gpu()) else { return };
    let run = |device: &Device, dtype| {
        let z = matrix(&uniform(12 * 3, 41), 3, (device, dtype));
        at_embedding(&z, used_twice).1
    };
    let (found, expected) = (run(&device, DType::F32), run(&Device::flex(), DType::F64));
    assert_near(&found, &expected, 5e-5, "second use on a GPU");
}
