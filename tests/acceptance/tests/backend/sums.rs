//! Sums over pairs on `ndarray`, which has the definition alone, and on a GPU, which has kernels of its own.

use acceptance::data::uniform;
use burn::tensor::{DType, Device};
use burn_nca_fused::{NeighborSets, log_sum_exp};
use burn_nca_learn::Sums;

use super::operation::{
    Case, SHAPES, agrees, check, check_among_themselves, check_means, close, from, used_twice,
    values,
};
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
fn gpu_agrees_among_points_themselves() {
    check_among_themselves(gpu(), (DType::F32, 5e-5));
}

#[test]
fn means_agree_on_a_gpu() {
    check_means(gpu(), (DType::F32, 5e-5));
}

#[test]
fn gpu_agrees() {
    agrees(gpu(), (DType::F32, 5e-5), &SHAPES);
    // Several cubes and several parts of the references; a width that is loaded in pieces.
    agrees(gpu(), (DType::F32, 5e-5), &[(700, 300, 2), (140, 50, 33)]);
}

/// Few queries, whose references are shared out to many units; many queries of one reference.
#[test]
fn gpu_agrees_where_rows_and_columns_differ() {
    for (b, m) in [(1, 1500), (2, 17), (300, 1), (129, 15)] {
        for outside in [false, true] {
            let spans = (0..b).map(|i| i % m..(i % m + m / 2).min(m)).collect();
            let case = Case { spans, references: m, outside, own: false };
            check(gpu(), (DType::F32, 5e-5), 3, &case);
        }
    }
}

#[test]
fn gpu_has_no_sum_where_nothing_is_summed_over() {
    let Some(device) = open(gpu()) else { return };
    let z = from(uniform(3 * 2, 5), [3, 2], &device, DType::F32);
    let columns = NeighborSets::within(vec![0..1, 1..3, 1..3], 3).without_self(0);
    let sums = values(log_sum_exp(z.clone(), z, &columns));
    assert_eq!(sums[0], f64::NEG_INFINITY, "a row alone in its class");
    assert!(sums[1].is_finite() && sums[1] == sums[2], "{sums:?}");
}

/// Copies of a point, an offset that all share, and a group far away: products would have no digits left.
#[test]
fn gpu_keeps_the_digits_of_far_points() {
    let Some(device) = open(gpu()) else { return };
    let n = 40;
    let mut z = uniform(n * 2, 61);
    z.copy_within(0..n, n);
    let at = |row: usize| if row.is_multiple_of(2) { 4096.0 } else { -6000.0 };
    // Multiples of 2^-9: the sums are f32 numbers without rounding.
    let z = z.iter().enumerate().map(|(i, x)| (x * 512.0).round() / 512.0 + at(i / 2)).collect();
    let run = |device: Device, dtype: DType, z: Vec<f64>| {
        let z = from(z, [n, 2], &device.autodiff(), dtype).require_grad();
        let columns = NeighborSets::all(n, n).without_self(0);
        let lse = log_sum_exp(z.clone(), z.clone(), &columns);
        let grads = (lse.clone() * 1.5).sum().backward();
        [values(lse), values(z.grad(&grads).unwrap())]
    };
    let z: Vec<f64> = z;
    let found = run(device.clone(), DType::F32, z.clone());
    let expected = run(Device::flex(), DType::F64, z.clone());
    for (found, expected) in found.iter().zip(&expected) {
        close(found, expected, 1e-6, "far points");
    }
    // No unit adds to the number of another: the same bits again.
    assert_eq!(found, run(device, DType::F32, z));
}

#[test]
fn second_use_in_a_larger_graph_agrees_on_a_gpu() {
    let Some(device) = open(gpu()) else { return };
    let run = |device: Device, dtype| {
        let z = from(uniform(12 * 3, 41), [12, 3], &device.autodiff(), dtype).require_grad();
        values(z.grad(&used_twice(z.clone()).backward()).unwrap())
    };
    let (found, expected) = (run(device, DType::F32), run(Device::flex(), DType::F64));
    close(&found, &expected, 5e-5, "second use on a GPU");
}
