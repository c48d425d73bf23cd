//! The fused sums over pairs against the same formulas over a whole matrix of differences.

use core::ops::Range;

use acceptance::compare::assert_slopes;
use acceptance::data::uniform;
use burn::tensor::activation::softmax;
use burn::tensor::{Bool, DType, Device, Tensor, TensorData};
use burn_nca_fused::{NeighborSets, log_sum_exp, weighted_mean};
pub use burn_nca_learn::data::host_values as values;
pub use burn_nca_learn::objective::transfer::float_tensor as from;

use super::open;

/// Stands for a logit that is left out.
const LEFT_OUT: f64 = -1e30;

/// Random points at distances of about 1, tracked.
pub fn points(shape: [usize; 2], seed: u64, device: &Device, dtype: DType) -> Tensor<2> {
    let spread = 2.0 / (shape[1] as f64).sqrt();
    let values = uniform(shape[0] * shape[1], seed).into_iter().map(|x| x * spread).collect();
    from(values, shape, device, dtype).require_grad()
}

/// `-||q_i - r_j||²` by a matrix of all differences, and what is left out of them.
fn logits(
    q: Tensor<2>,
    r: Tensor<2>,
    keeps: &dyn Fn(usize, usize) -> bool,
) -> (Tensor<2>, Tensor<2, Bool>) {
    let ([b, k], [m, _]) = (q.dims(), r.dims());
    let mask: Vec<bool> = (0..b * m).map(|at| !keeps(at / m, at % m)).collect();
    let mask = Tensor::<2, Bool>::from_data(TensorData::new(mask, [b, m]), &q.device().inner());
    let q = q.reshape([b, 1, k]).expand([b, m, k]);
    let differences = q - r.reshape([1, m, k]).expand([b, m, k]);
    let logits = differences.square().sum_dim(2).neg().reshape([b, m]);
    (logits.mask_fill(mask.clone(), LEFT_OUT), mask)
}

/// The logarithm of the sum over a matrix of all differences.
fn written_out(q: Tensor<2>, r: Tensor<2>, keeps: &dyn Fn(usize, usize) -> bool) -> Tensor<1> {
    let b = q.dims()[0];
    let (logits, _) = logits(q, r, keeps);
    let largest = logits.clone().detach().max_dim(1);
    ((logits - largest.clone()).exp().sum_dim(1).log() + largest).reshape([b])
}

/// Within a tolerance of the largest.
pub fn close(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(1.0, |scale: f64, x| scale.max(x.abs()));
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        let error = (found - expected).abs();
        assert!(error < tolerance * scale, "{what}, {at}: {found} against {expected}");
    }
}

/// The mean of values under a softmax over a matrix of all differences; 0 without any column.
fn mean_written_out(
    q: Tensor<2>,
    r: Tensor<2>,
    v: Tensor<2>,
    keeps: &dyn Fn(usize, usize) -> bool,
) -> Tensor<2> {
    let (logits, mask) = logits(q, r, keeps);
    softmax(logits, 1).mask_fill(mask, 0.0).matmul(v)
}

/// Where the formula is written out: on a GPU every operation compiles for long and may round more, and in f64 it is a
/// reference that rounds less.
fn reference(device: &Device, name: &str, dtype: DType) -> (Device, DType) {
    match name {
        "flex" | "ndarray" => (device.clone(), dtype),
        _ => (Device::flex().autodiff(), DType::F64),
    }
}

/// The references in the span of each query, or all outside of it.
fn neighbor_sets(spans: Vec<Range<usize>>, references: usize, outside: bool) -> NeighborSets {
    match outside {
        true => NeighborSets::outside(spans, references),
        false => NeighborSets::within(spans, references),
    }
}

/// Means, and gradients of a function in which they are in the middle of a graph.
pub fn check_means(name: &str, (dtype, tolerance): (DType, f64)) {
    let Some(device) = open(name) else { return };
    let device = device.autodiff();
    let elsewhere = reference(&device, name, dtype);
    for (n, size, k, c) in [(70, 20, 3, 4), (1, 1, 1, 1), (9, 4, 2, 1), (20, 6, 33, 41)] {
        for outside in [false, true] {
            let spans = classes(n, size);
            let columns = neighbor_sets(spans.clone(), n, outside);
            let columns = if outside { columns } else { columns.without_self(0) };
            let keeps =
                |i: usize, j: usize| spans[i].contains(&j) != outside && (outside || i != j);
            type Mean<'a> = &'a dyn Fn(Tensor<2>, Tensor<2>, Tensor<2>) -> Tensor<2>;
            let run = |mean: Mean, device: &Device, dtype| {
                let z = points([n, k], 71, device, dtype);
                let v = points([n, c], 72, device, dtype);
                let means = mean(z.clone() * 1.5, z.clone().add_scalar(0.25), v.clone().square());
                let grads = (means.clone() * 3.0).sin().sum().backward();
                let of = |x: &Tensor<2>| {
                    x.grad(&grads).map_or_else(|| vec![0.0; x.dims().iter().product()], values)
                };
                [values(means), of(&z), of(&v)]
            };
            let found = run(&|q, r, v| weighted_mean(q, r, v, &columns), &device, dtype);
            let written_out = |q, r, v| mean_written_out(q, r, v, &keeps);
            let expected = run(&written_out, &elsewhere.0, elsewhere.1);
            for (found, expected) in found.iter().zip(&expected) {
                let what = format!("{name} {dtype:?} means, {n} {k} {c} outside {outside}");
                close(found, expected, tolerance, &what);
            }
        }
    }
}

#[test]
fn means_agree_on_flex() {
    check_means("flex", (DType::F64, 1e-12));
    check_means("flex", (DType::F32, 1e-5));
}

/// Values, and gradients of a function in which the sums are in the middle of a graph.
pub fn check(name: &str, (dtype, tolerance): (DType, f64), k: usize, case: &Case) {
    let Some(device) = open(name) else { return };
    let device = device.autodiff();
    let (b, m) = (case.spans.len(), case.references);
    let keeps =
        |i: usize, j: usize| case.spans[i].contains(&j) != case.outside && !(case.own && i == j);
    let columns = neighbor_sets(case.spans.clone(), m, case.outside);
    let columns = if case.own { columns.without_self(0) } else { columns };
    let empty: Vec<bool> = (0..b).map(|i| columns.count(i) == 0).collect();
    let run = |sums: &dyn Fn(Tensor<2>, Tensor<2>) -> Tensor<1>, device: &Device, dtype| {
        let empty = TensorData::new(empty.clone(), [b]);
        let empty = Tensor::<1, Bool>::from_data(empty, &device.clone().inner());
        let q = points([b, k], 31, device, dtype);
        let r = points([m, k], 32, device, dtype);
        let upstream = points([b, 1], 33, device, dtype).detach().reshape([b]);
        // What goes in comes from operations, and what comes out continues.
        let lse = sums(q.clone() * 1.5, r.clone().add_scalar(0.25)).mask_fill(empty.clone(), 0.0);
        let total = ((lse.clone() * upstream).sin() + lse.clone().square() * 0.1).sum();
        let grads = total.backward();
        let of = |x: &Tensor<2>| x.grad(&grads).map_or_else(|| vec![0.0; x.dims()[0] * k], values);
        [values(lse), of(&q), of(&r)]
    };
    let found = run(&|q, r| log_sum_exp(q, r, &columns), &device, dtype);
    let (device, dtype) = reference(&device, name, dtype);
    let expected = run(&|q, r| written_out(q, r, &keeps), &device, dtype);
    for (found, expected) in found.iter().zip(&expected) {
        close(found, expected, tolerance, &format!("{name}, k = {k}, {case:?}"));
    }
}

#[derive(Debug)]
pub struct Case {
    pub spans: Vec<Range<usize>>,
    pub references: usize,
    pub outside: bool,
    pub own: bool,
}

fn classes(n: usize, size: usize) -> Vec<Range<usize>> {
    (0..n).map(|i| i / size * size..(i / size * size + size).min(n)).collect()
}

pub const SHAPES: [(usize, usize, usize); 6] =
    [(37, 9, 3), (20, 6, 32), (1, 1, 1), (5, 2, 2), (150, 70, 4), (9, 4, 300)];

pub fn agrees(name: &str, precision: (DType, f64), shapes: &[(usize, usize, usize)]) {
    for &(n, size, k) in shapes {
        for outside in [false, true] {
            // With the self left out, the last class of one has no partner.
            let case = Case { spans: classes(n, size), references: n, outside, own: true };
            check(name, precision, k, &case);
        }
    }
    let spans = vec![0..40, 0..0, 39..40, 3..17];
    check(name, precision, 2, &Case { spans, references: 40, outside: false, own: false });
}

#[test]
fn flex_agrees_in_f64_and_f32() {
    agrees("flex", (DType::F64, 1e-12), &SHAPES);
    agrees("flex", (DType::F32, 1e-5), &SHAPES);
}

/// Points that are both queries and references, and such whose references are held fixed.
pub fn check_among_themselves(name: &str, (dtype, tolerance): (DType, f64)) {
    let Some(device) = open(name) else { return };
    let device = device.autodiff();
    let elsewhere = reference(&device, name, dtype);
    for (n, size, k, outside) in
        [(150, 70, 7, false), (97, 20, 7, true), (20, 20, 2, false), (9, 4, 300, true)]
    {
        let spans = classes(n, size);
        let columns = neighbor_sets(spans.clone(), n, outside);
        let columns = if outside { columns } else { columns.without_self(0) };
        assert!(columns.is_mutual());
        let keeps = |i: usize, j: usize| spans[i].contains(&j) != outside && i != j;
        for fixed in [false, true] {
            type Sums<'a> = &'a dyn Fn(Tensor<2>, Tensor<2>) -> Tensor<1>;
            let run = |sums: Sums, device: &Device, dtype| {
                let x = points([n, k], 41, device, dtype);
                let z = x.clone() * 1.5;
                let references = if fixed { z.clone().detach() } else { z.clone() };
                let lse = sums(z, references);
                let grads = (lse.clone().sin() + lse * 0.1).sum().backward();
                x.grad(&grads).map(values).unwrap()
            };
            let found = run(&|q, r| log_sum_exp(q, r, &columns), &device, dtype);
            let expected = run(&|q, r| written_out(q, r, &keeps), &elsewhere.0, elsewhere.1);
            let what = format!("{name}, {n} x {k}, outside {outside}, fixed {fixed}");
            close(&found, &expected, tolerance, &what);
        }
    }
}

#[test]
fn points_among_themselves() {
    check_among_themselves("flex", (DType::F64, 1e-12));
    check_among_themselves("flex", (DType::F32, 2e-5));
}

/// Pairs that enter twice in a graph, as queries and as references.
pub fn used_twice(z: Tensor<2>) -> Tensor<1> {
    let n = z.dims()[0];
    let partners = NeighborSets::within(classes(n, 4), n).without_self(0);
    let others = NeighborSets::outside(classes(n, 4), n);
    let twice = z.clone() * 2.0;
    let near = log_sum_exp(z.clone(), z.clone(), &partners);
    let far = log_sum_exp(twice.clone(), twice, &others);
    let crossed = log_sum_exp(z.clone().square(), z, &others);
    ((near - far).exp() + crossed.square()).sum()
}

/// Both arguments are the same tensor, which enters twice: gradients add up.
#[test]
fn second_use_in_a_larger_graph_agrees_with_central_differences() {
    let device = Device::flex();
    let (n, k) = (12, 3);
    let at = uniform(n * k, 41);
    let tracked = from(at.clone(), [n, k], &device.clone().autodiff(), DType::F64).require_grad();
    let grads = used_twice(tracked.clone()).backward();
    let found = values(tracked.grad(&grads).unwrap());
    assert_slopes(&found, &at, (1e-6, 1e-7), |z| {
        used_twice(from(z.to_vec(), [n, k], &device, DType::F64)).into_scalar()
    });
}

/// A constant among the arguments takes no gradient and disturbs none.
#[test]
fn either_argument_may_be_constant() {
    let device = Device::flex().autodiff();
    let z = points([6, 2], 51, &device, DType::F64);
    let constant = points([9, 2], 52, &device, DType::F64).detach();
    for (q, r) in [(z.clone(), constant.clone()), (constant, z.clone())] {
        let columns = NeighborSets::all(q.dims()[0], r.dims()[0]);
        let grads = log_sum_exp(q, r, &columns).sum().backward();
        assert!(z.grad(&grads).is_some(), "{columns:?}");
    }
}
