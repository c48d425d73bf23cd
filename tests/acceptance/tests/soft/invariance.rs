//! What must not change the value: a translation, a rotation, another order of the points.

use burn::tensor::DType;
use burn_nca_learn::data::{AgreementWidth, Agreements, Pairs};
use burn_nca_learn::objective::{Criterion, Objective};
use proptest::prelude::*;

use crate::soft::agreements;
use crate::soft::pairs;
use crate::soft::setup::{some_pairs, tensor};

pub fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-10 * (1.0 + b.abs())
}

/// Points in the plane, a target each, and an order of them.
pub fn points() -> impl Strategy<Value = (Vec<f64>, Vec<f64>, Vec<usize>)> {
    (4usize..20).prop_flat_map(|n| {
        let order = Just((0..n).collect::<Vec<usize>>()).prop_shuffle();
        (prop::collection::vec(-3.0..3.0, 2 * n), prop::collection::vec(-2.0..2.0, n), order)
    })
}

pub fn rotated_and_moved(z: &[f64], angle: f64, by: [f64; 2]) -> Vec<f64> {
    let (sin, cos) = angle.sin_cos();
    z.chunks_exact(2)
        .flat_map(|p| [cos * p[0] - sin * p[1] + by[0], sin * p[0] + cos * p[1] + by[1]])
        .collect()
}

pub fn in_order(values: &[f64], columns: usize, order: &[usize]) -> Vec<f64> {
    order.iter().flat_map(|row| &values[row * columns..][..columns]).copied().collect()
}

fn soft(criterion: Criterion, z: &[f64], targets: &[f64]) -> f64 {
    let targets = Agreements::of_targets(targets, 1, AgreementWidth::Given(0.8)).unwrap();
    let z = tensor(z, 2, DType::F64);
    agreements::loss(criterion, false).total(z, &agreements::index(&targets)).into_scalar::<f64>()
}

fn eq_8(include_self: bool, z: &[f64], list: Vec<(usize, usize, f64)>) -> f64 {
    let target = pairs::index(&Pairs::new(z.len() / 2, list).unwrap());
    pairs::loss(include_self).total(tensor(z, 2, DType::F64), &target).into_scalar::<f64>()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn soft_matches_do_not_depend_on_position_rotation_or_order(
        (z, targets, order) in points(), angle in 0.0..6.3, by in prop::array::uniform2(-20.0..20.0),
    ) {
        for criterion in [Criterion::F, Criterion::G] {
            let value = soft(criterion, &z, &targets);
            let moved = soft(criterion, &rotated_and_moved(&z, angle, by), &targets);
            prop_assert!(close(moved, value), "{} against {}", moved, value);
            let permuted =
                soft(criterion, &in_order(&z, 2, &order), &in_order(&targets, 1, &order));
            prop_assert!(close(permuted, value), "{} against {}", permuted, value);
            let elsewhere: Vec<f64> = targets.iter().map(|t| t + 1000.0).collect();
            prop_assert!(close(soft(criterion, &z, &elsewhere), value));
        }
    }

    #[test]
    fn equation_8_does_not_depend_on_position_rotation_or_order(
        (z, _, order) in points(), angle in 0.0..6.3, by in prop::array::uniform2(-20.0..20.0),
    ) {
        let list = some_pairs(z.len() / 2);
        for include_self in [true, false] {
            let value = eq_8(include_self, &z, list.clone());
            let moved = eq_8(include_self, &rotated_and_moved(&z, angle, by), list.clone());
            prop_assert!(close(moved, value), "{} against {}", moved, value);
            // The order of the points, and of each pair's ends.
            let place = |row: usize| order.iter().position(|&other| other == row).unwrap();
            let renamed = list.iter().map(|&(a, b, w)| (place(b), place(a), w)).collect();
            let permuted = eq_8(include_self, &in_order(&z, 2, &order), renamed);
            prop_assert!(close(permuted, value), "{} against {}", permuted, value);
        }
    }
}
