//! Values worked by hand, and the value and gradient of the paper's equations (less their misprints) in loops.

use super::*;
use crate::data::host_values;
use crate::encoder::{DiagonalMap, Encoder, TriangularMap};
use crate::objective::DataTarget;
use crate::objective::batch::testing::{
    assert_is, assert_slopes, at_blocks, d2, scattered, target, tensor,
};

fn loss(k: usize, m: usize, width: f64, device: &Device) -> VariableKernelLoss {
    let rule = VariableKernel::new().with_neighbors(k).with_averaged(m).with_width(width);
    VariableKernelLossConfig::new().with_rule(rule).init(device, DType::F64)
}

#[test]
fn values_are_those_worked_by_hand() {
    let device = Device::flex();
    // K = 2, M = 1, r = 2: of point 0 the distances 1 and 3, σ = 2.
    let x = tensor(&[0.0, 1.0, 3.0], 1);
    let target = KernelTarget::new(&[0, 0, 1], 2, &device).unwrap();
    let share =
        |near: f64, far: f64| 1.0 / (1.0 + ((near * near - far * far) / (8.0 * near * near)).exp());
    // Of 0: 1 (own class), 3. Of 1: 0 (own), 2. Of 3: 2, 3, neither of its class: error 1 + 1.
    let error = |p: f64| 2.0 * (1.0 - p).powi(2);
    let expected = error(share(1.0, 3.0)) + error(share(1.0, 2.0)) + 2.0;
    for scale in [1.0, 1e-150, 1e100] {
        let z = x.clone().mul_scalar(scale);
        let found: f64 = loss(2, 1, 2.0, &device).total(z, &target).into_scalar();
        assert!((found - expected).abs() < 1e-12, "{found} {expected} at {scale:e}");
    }
}

#[test]
fn rows_at_the_same_place_decide_alone_and_give_no_gradient() {
    let device = Device::flex();
    let target = KernelTarget::new(&[0, 1, 0, 1], 3, &device).unwrap();
    let x = tensor(&[2.0, 2.0, 2.0, 5.0], 1).autodiff().require_grad();
    let value = loss(3, 2, 1.0, &device.autodiff()).total(x.clone(), &target);
    let slope = host_values(x.grad(&value.backward()).unwrap());
    assert!(slope.iter().all(|slope| slope.is_finite()), "{slope:?}");
    // Rows 0 and 2: one of two is theirs; row 1: none; row 3: one of three.
    let expected = 2.0 * (0.25 + 0.25) + 2.0 + 2.0 * (4.0 / 9.0);
    assert!((value.into_scalar::<f64>() - expected).abs() < 1e-12);
}

const ROWS: usize = 19;
const D: usize = 3;

fn x() -> Vec<f64> {
    (0..ROWS * D).map(|i| f64::from((i * i + 7 * i) as u32 % 31) / 9.0).collect()
}

fn labels() -> Vec<usize> {
    (0..ROWS).map(|i| (i * i) % 3).collect()
}

/// E of rows of D columns: nested loops.
fn loops(z: &[f64], labels: &[usize], r: f64, [k, m]: [usize; 2]) -> f64 {
    let rows = labels.len();
    let (k, m) = (k.min(rows - 1), m.min(rows - 1));
    let error = |t: usize| -> f64 {
        let others = (0..rows).filter(|&j| j != t);
        let mut near: Vec<(f64, usize)> = others.map(|j| (d2(z, D, t, j), labels[j])).collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        near.truncate(k);
        let sigma = r / m as f64 * near[..m].iter().map(|(d2, _)| d2.sqrt()).sum::<f64>();
        let n = |d2: f64| (-d2 / (2.0 * sigma * sigma)).exp();
        let sum: f64 = near.iter().map(|(d2, _)| n(*d2)).sum();
        let of = |class: usize| near.iter().filter(move |near| near.1 == class);
        let p = |class: usize| of(class).map(|(d2, _)| n(*d2)).sum::<f64>() / sum;
        (0..9).map(|i| (f64::from(u8::from(labels[t] == i)) - p(i)).powi(2)).sum()
    };
    (0..rows).map(error).sum()
}

#[test]
fn value_and_gradient_by_map_and_width_are_those_of_the_paper() {
    let device = Device::flex();
    let (x, weights) = (tensor(&x(), D), [2.0; ROWS]);
    let target = KernelTarget::new(&labels(), 6, &device).unwrap().with_weights(&weights).unwrap();
    // The transpose of L, of which the slopes above the diagonal are 0, and log r.
    let at: [f64; 10] = [0.8, 0.0, 0.0, 0.3, 1.1, 0.0, -0.2, 0.4, 0.6, -0.4];
    let map = |weight: &[f64]| TriangularMap { weight: Param::from_tensor(tensor(weight, D)) };
    let expected = |at: &[f64]| {
        let z = host_values(map(&at[..D * D]).forward(x.clone()));
        2.0 * loops(&z, &labels(), at[D * D].exp(), [6, 3])
    };
    let loss = loss(6, 3, at[D * D].exp(), &device.autodiff());
    let (value, slopes) = at_blocks((map(&at[..D * D]).train(), &x), (loss, &target), ROWS);
    assert!((value - expected(&at)).abs() < 1e-12, "{value}");
    assert_slopes(&slopes, &expected, &at, 1e-7);
    // E does not depend on the scale: its slope along L is 0.
    let along: f64 = at.iter().zip(&slopes[..D * D]).map(|(l, slope)| l * slope).sum();
    assert!(along.abs() < 1e-12, "{along}");
}

#[test]
fn neighbors_that_are_held_stay_until_they_are_searched_again() {
    let device = Device::flex();
    let loss = loss(5, 2, 1.0, &device);
    let target = KernelTarget::new(&labels(), 5, &device).unwrap();
    let x = tensor(&x(), D);
    let turned = x.clone() * tensor(&[1.0, -0.1, 3.0], D);
    let held = loss.updated_target(x.clone(), &target).unwrap();
    let value = |z: &Tensor<2>, target: &KernelTarget| -> f64 {
        loss.total(z.clone(), target).into_scalar()
    };
    assert_eq!(value(&x, &held), value(&x, &target));
    assert_ne!(value(&turned, &held), value(&turned, &target));
    let updated = loss.updated_target(turned.clone(), &held).unwrap();
    assert_eq!(value(&turned, &updated), value(&turned, &target));
    // A mini-batch has neighbors of its own.
    let part = held.subset(&[3, 1, 4, 5, 9, 2]);
    assert!(part.neighbors.is_none());
}

#[test]
fn a_batch_is_that_of_the_equations_with_few_rows_and_with_many() {
    let device = Device::flex().autodiff();
    let z = scattered(ROWS * D);
    let labels: Vec<usize> = labels().into_iter().map(|label| 4 * label).collect();
    // Of 19 rows, and of 5 and of 2, which have fewer others than K and than M.
    for rows in [ROWS, 5, 2] {
        let (z, labels) = (&z[..rows * D], &labels[..rows]);
        let loss = loss(6, 3, 0.7, &device);
        let value = |z| loss.batch_loss(z, &target(labels));
        let mean = |z: &[f64]| loops(z, labels, 0.7, [6, 3]) / rows as f64;
        assert_is(&value, &mean, (z, D));
    }
}

#[test]
fn a_width_apart_from_its_start_costs_each_row() {
    let device = Device::flex().autodiff();
    let target = KernelTarget::new(&labels(), 5, &Device::flex()).unwrap();
    let map = DiagonalMap::from_scale(&[0.8, 1.1, 0.6], &device, DType::F64);
    let at = |width_penalty: f64| {
        let rule = VariableKernel::new().with_neighbors(5).with_averaged(2);
        let config = VariableKernelLossConfig::new().with_rule(rule.with_width(2.0));
        let mut loss = config.with_width_penalty(width_penalty).init(&device, DType::F64);
        let learned = float_tensor(vec![0.5_f64.ln()], [1], &device, DType::F64);
        loss.log_width = Param::from_tensor(learned);
        at_blocks((map.clone(), &tensor(&x(), D)), (loss, &target), ROWS)
    };
    let ((plain, slopes), (value, penalized)) = (at(0.0), at(0.3));
    // λ n (ln ½ - ln 2)² = 0.3 * 19 * (ln 4)², and its slope along ln r.
    let apart = 4.0_f64.ln();
    assert!((value - plain - 0.3 * ROWS as f64 * apart * apart).abs() < 1e-12);
    assert_eq!(penalized[..D], slopes[..D]);
    assert!((penalized[D] - slopes[D] + 0.3 * ROWS as f64 * 2.0 * apart).abs() < 1e-12);
}
