//! Values worked by hand, and the value and gradient of the paper's equations (less their misprints) in loops.

use super::*;
use crate::data::host_values;
use crate::encoder::{DiagonalMap, Encoder, TriangularMap};
use crate::objective::DataTarget;
use crate::objective::batch::testing::{
    assert_costs_nothing, assert_is, assert_slopes, at_blocks, d2, scattered, target, tensor,
    value_and_slope,
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

/// E and its gradient by L (upper triangular, row-major) and log r.
///
/// ```text
/// ∂E/∂θ = Σ_tk g_tk ∂n_tk/∂θ,   g_tk = -2 Σ_i (s_ti - p_ti)(s_tki - p_ti) / Σ_k n_tk
/// ∂n_k/∂L_uv = n_k/(2σ²) ( (2r/(Mσ)) d_k² Σ_m ∂d_m/∂L_uv - ∂d_k²/∂L_uv ),   ∂d_m = ∂d_m²/(2 d_m)
/// ∂d²/∂L_uv = Σ_op (x_o - c_o)(x_p - c_p) ∂A_op/∂L_uv,   ∂A_op/∂L_uv = δ_vo L_up + δ_vp L_uo
/// ∂n_k/∂r = n_k d_k²/(rσ²)
/// ```
fn oracle(l: &[f64], r: f64, k: usize, m: usize) -> (f64, Vec<f64>) {
    let (x, labels) = (x(), labels());
    let apart =
        |t: usize, j: usize| -> Vec<f64> { (0..D).map(|o| x[t * D + o] - x[j * D + o]).collect() };
    let square = |t: usize, j: usize| -> f64 {
        let v = apart(t, j);
        (0..D).map(|u| (0..D).map(|o| l[u * D + o] * v[o]).sum::<f64>().powi(2)).sum()
    };
    // δ_vo L_up + δ_vp L_uo, summed with the differences: 2 (x_v - c_v) Σ_p L_up (x_p - c_p).
    let square_slope = |t: usize, j: usize, u: usize, v: usize| -> f64 {
        let delta = apart(t, j);
        2.0 * delta[v] * (0..D).map(|p| l[u * D + p] * delta[p]).sum::<f64>()
    };
    let mut value = 0.0;
    let mut gradient = vec![0.0; D * D + 1];
    for t in 0..ROWS {
        let mut near: Vec<(f64, usize)> =
            (0..ROWS).filter(|&j| j != t).map(|j| (square(t, j), j)).collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        near.truncate(k);
        let sigma = r / m as f64 * near[..m].iter().map(|(d2, _)| d2.sqrt()).sum::<f64>();
        let n: Vec<f64> = near.iter().map(|(d2, _)| (-d2 / (2.0 * sigma * sigma)).exp()).collect();
        let sum: f64 = n.iter().sum();
        let of_class = |k: usize, i: usize| f64::from(u8::from(labels[near[k].1] == i));
        let p: Vec<f64> =
            (0..3).map(|i| (0..k).map(|k| n[k] * of_class(k, i)).sum::<f64>() / sum).collect();
        let s = |i: usize| f64::from(u8::from(labels[t] == i));
        value += (0..3).map(|i| (s(i) - p[i]).powi(2)).sum::<f64>();
        for at in 0..k {
            let g: f64 =
                (0..3).map(|i| -2.0 * (s(i) - p[i]) * (of_class(at, i) - p[i])).sum::<f64>() / sum;
            let (d2, j) = near[at];
            for u in 0..D {
                for v in u..D {
                    let slopes: f64 = near[..m]
                        .iter()
                        .map(|(d2, j)| square_slope(t, *j, u, v) / (2.0 * d2.sqrt()))
                        .sum();
                    let through_width = 2.0 * r / (m as f64 * sigma) * d2 * slopes;
                    let slope =
                        n[at] / (2.0 * sigma * sigma) * (through_width - square_slope(t, j, u, v));
                    gradient[u * D + v] += g * slope;
                }
            }
            // By log r: times r.
            gradient[D * D] += g * n[at] * d2 / (sigma * sigma);
        }
    }
    (value, gradient)
}

fn found<E: Encoder>(
    encoder: E,
    loss: VariableKernelLoss,
    target: &KernelTarget,
) -> (f64, Vec<f64>) {
    at_blocks((encoder, &tensor(&x(), D)), (loss, target), ROWS)
}

#[test]
fn value_and_gradient_are_those_of_the_paper() {
    let device = Device::flex();
    let target = KernelTarget::new(&labels(), 6, &device).unwrap();
    let l = [0.8, 0.3, -0.2, 0.0, 1.1, 0.4, 0.0, 0.0, 0.6];
    let (expected, slopes) = oracle(&l, 0.7, 6, 3);
    let map = TriangularMap::from_rows(&l, D, &device.clone().autodiff(), DType::F64);
    let (value, gradient) = found(map, loss(6, 3, 0.7, &device.clone().autodiff()), &target);
    assert!((value - expected).abs() < 1e-12, "{value} {expected}");
    for u in 0..D {
        for v in 0..D {
            // The parameter is the transpose of L.
            let (slope, expected) = (gradient[v * D + u], slopes[u * D + v]);
            assert!((slope - expected).abs() < 1e-11, "L_{u}{v}: {slope} {expected}");
        }
    }
    assert!((gradient[D * D] - slopes[D * D]).abs() < 1e-11);
    // E does not depend on the scale: its slope along L is 0.
    let along: f64 = l.iter().zip(&slopes).map(|(l, slope)| l * slope).sum();
    assert!(along.abs() < 1e-12, "{along}");
}

#[test]
fn a_diagonal_map_has_the_slopes_of_the_diagonal() {
    let device = Device::flex();
    let target = KernelTarget::new(&labels(), 5, &device).unwrap();
    let w = [0.8, 1.1, 0.6];
    let l = [w[0], 0.0, 0.0, 0.0, w[1], 0.0, 0.0, 0.0, w[2]];
    let (expected, slopes) = oracle(&l, 1.3, 5, 2);
    let map = DiagonalMap::from_scale(&w, &device.clone().autodiff(), DType::F64);
    let (value, gradient) = found(map, loss(5, 2, 1.3, &device.autodiff()), &target);
    assert!((value - expected).abs() < 1e-12);
    for (at, slope) in gradient.iter().enumerate() {
        let expected = slopes[[0, 4, 8, 9][at]];
        assert!((slope - expected).abs() < 1e-11, "{slope} {expected}");
    }
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
fn weights_count_errors_and_bad_input_is_refused() {
    let device = Device::flex();
    let loss = loss(5, 2, 1.0, &device);
    let target = || KernelTarget::new(&labels(), 5, &device).unwrap();
    let doubled = target().with_weights(&[2.0; ROWS]).unwrap();
    let value =
        |target: &KernelTarget| -> f64 { loss.total(tensor(&x(), D), target).into_scalar() };
    assert!((value(&doubled) - 2.0 * value(&target())).abs() < 1e-12);
    let few = KernelTarget::new(&[0, 1], 10, &device).unwrap_err().to_string();
    assert!(few.contains("2 rows for a rule of 10 neighbors"), "{few}");
    let broken = tensor(&[f64::NAN; ROWS * D], D);
    assert!(loss.total(broken, &target()).into_scalar::<f64>().is_nan());
}

/// The mean error of rows of D columns, for central differences: the equations less their slopes.
fn batch(z: &[f64], labels: &[usize], r: f64, [k, m]: [usize; 2]) -> f64 {
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
    (0..rows).map(error).sum::<f64>() / rows as f64
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
        assert_is(&value, &|z| batch(z, labels, 0.7, [6, 3]), (z, D));
    }
}

#[test]
fn the_width_is_trained_with_the_batch() {
    let device = Device::flex().autodiff();
    let (x, target) = (tensor(&x(), D).autodiff(), target(&labels()));
    let value = |loss: &VariableKernelLoss| loss.batch_loss(x.clone(), &target);
    let at = loss(6, 3, 0.7, &device);
    let slope = host_values(at.log_width.val().grad(&value(&at).backward()).unwrap());
    let of_width = |log: &[f64]| value(&loss(6, 3, 0.7 * log[0].exp(), &device)).into_scalar();
    assert_slopes(&slope, &of_width, &[0.0], 1e-9);
}

#[test]
fn one_row_costs_nothing_and_a_diverged_batch_has_no_value() {
    let loss = loss(6, 3, 0.7, &Device::flex().autodiff());
    assert_costs_nothing(&loss, &[5]);
    let value = |z| loss.batch_loss(z, &target(&[0, 0]));
    assert!(value_and_slope(&value, &[0.0, f64::NAN], 1).0.is_nan());
}

#[test]
fn a_width_apart_from_its_start_costs_each_row() {
    let device = Device::flex().autodiff();
    let target = KernelTarget::new(&labels(), 5, &Device::flex()).unwrap();
    let map = || DiagonalMap::from_scale(&[0.8, 1.1, 0.6], &device, DType::F64);
    let at = |width_penalty: f64| {
        let rule = VariableKernel::new().with_neighbors(5).with_averaged(2);
        let config = VariableKernelLossConfig::new().with_rule(rule.with_width(2.0));
        let mut loss = config.with_width_penalty(width_penalty).init(&device, DType::F64);
        let learned = TensorData::from([0.5_f64.ln()]);
        loss.log_width = Param::from_tensor(Tensor::from_data(learned, (&device, DType::F64)));
        found(map(), loss, &target)
    };
    let ((plain, slopes), (value, penalized)) = (at(0.0), at(0.3));
    // λ n (ln ½ - ln 2)² = 0.3 * 19 * (ln 4)², and its slope along ln r.
    let apart = 4.0_f64.ln();
    assert!((value - plain - 0.3 * ROWS as f64 * apart * apart).abs() < 1e-12);
    assert_eq!(penalized[..D], slopes[..D]);
    assert!((penalized[D] - slopes[D] + 0.3 * ROWS as f64 * 2.0 * apart).abs() < 1e-12);
}
