//! The equation in loops, and that the search has no influence on value or gradient.

use burn::tensor::{DType, Device};

use super::impostors::ImpostorSearch;
use super::*;
use crate::encoder::{Encoder, LinearMap};
use crate::objective::batch::testing::{
    assert_is, assert_slopes, at_blocks, d2, scattered, target, tensor,
};

const ROWS: usize = 23;

fn x() -> Vec<f64> {
    (0..2 * ROWS).map(|i| f64::from((i * i % 41) as u32) / 10.0 - 2.0).collect()
}

/// Three classes, the last of a single row.
fn labels() -> Vec<usize> {
    (0..ROWS).map(|i| if i == 10 { 2 } else { i % 2 }).collect()
}

/// (13) in loops at an embedding of `d` columns, with the target neighbors of a space of `c` columns, row i times `weight(i)`.
fn loops(
    (x, c): (&[f64], usize),
    (z, d): (&[f64], usize),
    (k, mu): (usize, f64),
    weight: fn(usize) -> f64,
) -> f64 {
    let labels = labels();
    let mut value = 0.0;
    for i in 0..ROWS {
        let mut near: Vec<usize> =
            (0..ROWS).filter(|&j| j != i && labels[j] == labels[i]).collect();
        near.sort_by(|&a, &b| d2(x, c, i, a).total_cmp(&d2(x, c, i, b)));
        for &j in near.iter().take(k) {
            let reach = d2(z, d, i, j);
            let others = (0..ROWS).filter(|&l| labels[l] != labels[i]);
            let push: f64 = others.map(|l| (1.0 + reach - d2(z, d, i, l)).max(0.0)).sum();
            value += weight(i) * ((1.0 - mu) * reach + mu * push);
        }
    }
    value
}

fn map(weight: &[f64]) -> LinearMap {
    LinearMap::from_weight(weight, [2, 2], &Device::flex().autodiff(), DType::F64)
}

fn at(map: LinearMap, target: &TargetNeighbors, rows: usize) -> (f64, Vec<f64>) {
    let loss = LargeMarginLossConfig::new().with_push(0.4).init();
    at_blocks((map, &tensor(&x(), 2)), (loss, target), rows)
}

#[test]
fn value_and_gradient_are_those_of_the_equation_at_any_block_size() {
    let (input, x) = (x(), tensor(&x(), 2));
    let target = TargetNeighbors::new(&x, &labels(), 3).unwrap();
    assert_eq!((target.points(), target.counted(), target.of_row(10)), (ROWS, ROWS - 1, &[][..]));
    let weights: Vec<f64> = (0..ROWS).map(|row| row as f64).collect();
    let target = target.with_weights(&weights).unwrap();
    let weight = [0.9, -0.2, 0.3, 0.7];
    let value = |weight: &[f64]| {
        let z = crate::data::host_values(map(weight).valid().forward(x.clone()));
        loops((&input, 2), (&z, 2), (3, 0.4), |row| row as f64)
    };
    for rows in [1, 4, 100] {
        let (found, gradient) = at(map(&weight), &target, rows);
        assert!((found - value(&weight)).abs() < 1e-10 * found, "{found}");
        assert_slopes(&gradient, &value, &weight, 1e-5);
    }
}

#[test]
fn an_earlier_search_changes_no_bit() {
    let x = tensor(&x(), 2);
    let used = TargetNeighbors::new(&x, &labels(), 3).unwrap();
    for step in 0..40 {
        // Small steps that old candidates serve, and now and then one that they do not.
        let scale = 1.0 + 0.004 * f64::from(step) + if step % 10 == 9 { 0.7 } else { 0.0 };
        let weight = [0.9 * scale, -0.2, 0.3, 0.7 * scale];
        let fresh = TargetNeighbors::new(&x, &labels(), 3).unwrap();
        assert_eq!(at(map(&weight), &used, 5), at(map(&weight), &fresh, 5));
    }
}

#[test]
fn too_many_candidates_to_keep_are_searched_block_by_block() {
    let x = tensor(&x(), 2);
    let target = TargetNeighbors::new(&x, &labels(), 3).unwrap();
    let kept = ImpostorSearch::new(&x, &target).unwrap();
    let bare = ImpostorSearch { candidates: None, ..ImpostorSearch::new(&x, &target).unwrap() };
    for terms in [0..ROWS, 3..9] {
        let [kept, bare] =
            [&kept, &bare].map(|scene| scene.active_pairs(&target, terms.clone(), 0.5));
        assert_eq!(kept.value, bare.value);
        assert_eq!((kept.first, kept.second), (bare.first, bare.second));
        assert_eq!(kept.weights, bare.weights);
    }
}

#[test]
fn a_batch_has_target_neighbors_of_its_own() {
    let target = TargetNeighbors::new(&tensor(&x(), 2), &labels(), 3).unwrap();
    let part = target.subset(&[0, 10, 2]);
    assert_eq!([0, 1, 2].map(|row| part.of_row(row)), [&[2][..], &[], &[0]]);
}

#[test]
fn a_batch_is_that_of_the_equation_with_targets_in_the_embedding() {
    let z = scattered(3 * ROWS);
    // The row of class 2 has no target.
    for (reduction, counted) in [(Reduction::Mean, ROWS as f64 - 1.0), (Reduction::Sum, 1.0)] {
        let config = LargeMarginLossConfig::new().with_push(0.3).with_neighbors(2);
        let loss = config.with_reduction(reduction).init();
        let value = |z| loss.batch_loss(z, &target(&labels()));
        assert_is(&value, &|z| loops((z, 3), (z, 3), (2, 0.3), |_| 1.0) / counted, (&z, 3));
    }
}
