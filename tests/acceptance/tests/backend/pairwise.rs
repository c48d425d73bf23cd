//! The sums over pairs that are never stored, against the same formula over a whole matrix of differences.

use core::ops::Range;

use acceptance::data::uniform;
use burn::nn::loss::Reduction;
use burn::tensor::activation::softmax;
use burn::tensor::{Bool, DType, Device, Int, Tensor, TensorData};
use burn_nca::objective::{
    ClassIndex, NcaLossConfig, Objective, Similarity, SoftNearestNeighborLossConfig,
    SupConLossConfig, TemperatureConfig,
};
use burn_nca::pairwise::{Columns, log_sum_exp, weighted_mean};

use crate::open;

/// Stands for a logit that is left out.
const LEFT_OUT: f64 = -1e30;

/// Random points at distances of about 1, tracked.
fn points(shape: [usize; 2], seed: u64, device: &Device, dtype: DType) -> Tensor<2> {
    let spread = 2.0 / (shape[1] as f64).sqrt();
    let values = uniform(shape[0] * shape[1], seed).into_iter().map(|x| x * spread).collect();
    from(values, shape, device, dtype).require_grad()
}

fn from(values: Vec<f64>, shape: [usize; 2], device: &Device, dtype: DType) -> Tensor<2> {
    let data = TensorData::new(values, shape).convert_dtype(dtype);
    Tensor::from_data(data, (device, dtype))
}

/// The formula over a matrix of all differences.
fn written_out(q: Tensor<2>, r: Tensor<2>, keeps: &dyn Fn(usize, usize) -> bool) -> Tensor<1> {
    let ([b, k], [m, _]) = (q.dims(), r.dims());
    let mask: Vec<bool> = (0..b * m).map(|at| !keeps(at / m, at % m)).collect();
    let mask = Tensor::<2, Bool>::from_data(TensorData::new(mask, [b, m]), &q.device().inner());
    let q = q.reshape([b, 1, k]).expand([b, m, k]);
    let differences = q - r.reshape([1, m, k]).expand([b, m, k]);
    let logits = differences.square().sum_dim(2).neg().reshape([b, m]);
    let logits = logits.mask_fill(mask, LEFT_OUT);
    let largest = logits.clone().detach().max_dim(1);
    ((logits - largest.clone()).exp().sum_dim(1).log() + largest).reshape([b])
}

fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f64> {
    tensor.into_data().convert::<f64>().try_to_vec().unwrap()
}

/// Within a tolerance of the largest.
fn close(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    let scale = expected.iter().fold(1.0, |scale: f64, x| scale.max(x.abs()));
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        let error = (found - expected).abs();
        assert!(error <= tolerance * scale, "{what}, {at}: {found} against {expected}");
    }
}

/// The mean of values under a softmax over a matrix of all differences; 0 without any column.
fn mean_written_out(
    q: Tensor<2>,
    r: Tensor<2>,
    v: Tensor<2>,
    keeps: &dyn Fn(usize, usize) -> bool,
) -> Tensor<2> {
    let ([b, k], [m, _]) = (q.dims(), r.dims());
    let mask: Vec<bool> = (0..b * m).map(|at| !keeps(at / m, at % m)).collect();
    let mask = Tensor::<2, Bool>::from_data(TensorData::new(mask, [b, m]), &q.device().inner());
    let q = q.reshape([b, 1, k]).expand([b, m, k]);
    let differences = q - r.reshape([1, m, k]).expand([b, m, k]);
    let logits = differences.square().sum_dim(2).neg().reshape([b, m]);
    let logits = logits.mask_fill(mask.clone(), LEFT_OUT);
    softmax(logits, 1).mask_fill(mask, 0.0).matmul(v)
}

/// Where the formula is written out: on a GPU's software driver every operation compiles for long, and in f64 it is a
/// reference that rounds less.
fn reference(device: &Device, name: &str, dtype: DType) -> (Device, DType) {
    if name == "wgpu" { (Device::flex().autodiff(), DType::F64) } else { (device.clone(), dtype) }
}

/// Means, and gradients of a function in which they stand in the middle of a graph.
fn check_means(name: &str, (dtype, tolerance): (DType, f64)) {
    let Some(device) = open(name) else { return };
    let device = device.autodiff();
    let elsewhere = reference(&device, name, dtype);
    for (n, size, k, c) in [(70, 20, 3, 4), (1, 1, 1, 1), (9, 4, 2, 1), (20, 6, 33, 41)] {
        for outside in [false, true] {
            let spans = classes(n, size);
            let columns = if outside {
                Columns::outside(spans.clone(), n)
            } else {
                Columns::within(spans.clone(), n).without_self(0)
            };
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
fn means_agree_on_cpu_backends() {
    check_means("flex", (DType::F64, 1e-12));
    check_means("flex", (DType::F32, 1e-5));
    check_means("ndarray", (DType::F64, 1e-12));
}

#[test]
fn means_agree_on_wgpu() {
    check_means("wgpu", (DType::F32, 5e-5));
}

/// Values, and gradients of a function in which the sums stand in the middle of a graph.
fn check(name: &str, (dtype, tolerance): (DType, f64), k: usize, case: &Case) {
    let Some(device) = open(name) else { return };
    let device = device.autodiff();
    let (b, m) = (case.spans.len(), case.references);
    let keeps =
        |i: usize, j: usize| case.spans[i].contains(&j) != case.outside && !(case.own && i == j);
    let columns = if case.outside {
        Columns::outside(case.spans.clone(), m)
    } else {
        Columns::within(case.spans.clone(), m)
    };
    let columns = if case.own { columns.without_self(0) } else { columns };
    let empty: Vec<bool> = (0..b).map(|i| columns.count(i) == 0).collect();
    let run = |sums: &dyn Fn(Tensor<2>, Tensor<2>) -> Tensor<1>, device: &Device, dtype| {
        let empty = TensorData::new(empty.clone(), [b]);
        let empty = Tensor::<1, Bool>::from_data(empty, &device.clone().inner());
        let q = points([b, k], 31, device, dtype);
        let r = points([m, k], 32, device, dtype);
        let upstream = points([b, 1], 33, device, dtype).detach().reshape([b]);
        // What goes in comes from operations, and what comes out goes on.
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
struct Case {
    spans: Vec<Range<usize>>,
    references: usize,
    outside: bool,
    own: bool,
}

fn classes(n: usize, size: usize) -> Vec<Range<usize>> {
    (0..n).map(|i| i / size * size..(i / size * size + size).min(n)).collect()
}

const SHAPES: [(usize, usize, usize); 6] =
    [(37, 9, 3), (20, 6, 32), (1, 1, 1), (5, 2, 2), (150, 70, 4), (9, 4, 300)];

fn agrees(name: &str, precision: (DType, f64), shapes: &[(usize, usize, usize)]) {
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
fn flex_agrees_in_f64() {
    agrees("flex", (DType::F64, 1e-12), &SHAPES);
}

#[test]
fn flex_agrees_in_f32() {
    agrees("flex", (DType::F32, 1e-5), &SHAPES);
}

#[test]
fn ndarray_agrees() {
    agrees("ndarray", (DType::F64, 1e-12), &SHAPES);
    agrees("ndarray", (DType::F32, 2e-5), &SHAPES);
}

#[test]
fn wgpu_agrees() {
    agrees("wgpu", (DType::F32, 5e-5), &SHAPES);
    // Several cubes and several parts of the references; a width that is loaded in pieces.
    agrees("wgpu", (DType::F32, 5e-5), &[(700, 300, 2), (140, 50, 33)]);
}

/// Points that are both queries and references, and such whose references are held fixed.
fn check_among_themselves(name: &str, (dtype, tolerance): (DType, f64)) {
    let Some(device) = open(name) else { return };
    let device = device.autodiff();
    let elsewhere = reference(&device, name, dtype);
    for (n, size, k, outside) in
        [(150, 70, 7, false), (97, 20, 7, true), (20, 20, 2, false), (9, 4, 300, true)]
    {
        let spans = classes(n, size);
        let columns = if outside {
            Columns::outside(spans.clone(), n)
        } else {
            Columns::within(spans.clone(), n).without_self(0)
        };
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
    check_among_themselves("ndarray", (DType::F64, 1e-12));
    check_among_themselves("wgpu", (DType::F32, 5e-5));
}

/// Few queries, whose references are shared out to many units; many queries of one reference.
#[test]
fn wgpu_agrees_where_rows_and_columns_differ() {
    for (b, m) in [(1, 1500), (2, 17), (300, 1), (129, 15)] {
        for outside in [false, true] {
            let spans = (0..b).map(|i| i % m..(i % m + m / 2).min(m)).collect();
            let case = Case { spans, references: m, outside, own: false };
            check("wgpu", (DType::F32, 5e-5), 3, &case);
        }
    }
}

/// Copies of a point, an offset that all share, and a group far away: products would have no digits left.
#[test]
fn wgpu_keeps_the_digits_of_far_points() {
    let Some(device) = open("wgpu") else { return };
    let n = 40;
    let mut z = uniform(n * 2, 61);
    z.copy_within(0..n, n);
    let at = |row: usize| if row.is_multiple_of(2) { 4096.0 } else { -6000.0 };
    // Multiples of 2^-9: the sums are f32 numbers without rounding.
    let z = z.iter().enumerate().map(|(i, x)| (x * 512.0).round() / 512.0 + at(i / 2)).collect();
    let run = |device: Device, dtype: DType, z: Vec<f64>| {
        let z = from(z, [n, 2], &device.autodiff(), dtype).require_grad();
        let columns = Columns::all(n, n).without_self(0);
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

/// Pairs that enter twice in a graph, as queries and as references.
fn used_twice(z: Tensor<2>) -> Tensor<1> {
    let n = z.dims()[0];
    let partners = Columns::within(classes(n, 4), n).without_self(0);
    let others = Columns::outside(classes(n, 4), n);
    let twice = z.clone() * 2.0;
    let near = log_sum_exp(z.clone(), z.clone(), &partners);
    let far = log_sum_exp(twice.clone(), twice, &others);
    let crossed = log_sum_exp(z.clone().square(), z, &others);
    ((near - far).exp() + crossed.square()).sum()
}

#[test]
fn second_use_in_a_larger_graph_agrees_on_wgpu() {
    let Some(device) = open("wgpu") else { return };
    let run = |device: Device, dtype| {
        let z = from(uniform(12 * 3, 41), [12, 3], &device.autodiff(), dtype).require_grad();
        values(z.grad(&used_twice(z.clone()).backward()).unwrap())
    };
    let (found, expected) = (run(device, DType::F32), run(Device::flex(), DType::F64));
    close(&found, &expected, 5e-5, "second use on wgpu");
}

/// Both arguments are the same tensor, which enters twice: gradients add up.
#[test]
fn second_use_in_a_larger_graph_agrees_with_central_differences() {
    let device = Device::flex();
    let (n, k) = (12, 3);
    let value = used_twice;
    let at = uniform(n * k, 41);
    let tracked = from(at.clone(), [n, k], &device.clone().autodiff(), DType::F64).require_grad();
    let grads = value(tracked.clone()).backward();
    let found = values(tracked.grad(&grads).unwrap());
    let step = 1e-6;
    let expected: Vec<f64> = (0..n * k)
        .map(|place| {
            let moved = |by: f64| {
                let mut z = at.clone();
                z[place] += by;
                value(from(z, [n, k], &device, DType::F64)).into_scalar::<f64>()
            };
            (moved(step) - moved(-step)) / (2.0 * step)
        })
        .collect();
    close(&found, &expected, 1e-8, "central differences");
}

/// A constant among the arguments takes no gradient and disturbs none.
#[test]
fn either_argument_may_be_constant() {
    let device = Device::flex().autodiff();
    let z = points([6, 2], 51, &device, DType::F64);
    let constant = points([9, 2], 52, &device, DType::F64).detach();
    let columns = Columns::all(6, 9);
    let grads = log_sum_exp(z.clone(), constant.clone(), &columns).sum().backward();
    assert!(z.grad(&grads).is_some());
    let columns = Columns::all(9, 6);
    let grads = log_sum_exp(constant, z.clone(), &columns).sum().backward();
    assert!(z.grad(&grads).is_some());
}

/// f with the hinge, exact over all rows (the pass over pairs) and of a batch (a table of pairs).
fn hinge_agrees(name: &str, (dtype, tolerance): (DType, f64)) {
    let Some(device) = open(name) else { return };
    let labels: Vec<usize> = (0..37).map(|row| row % 3).collect();
    let classes = ClassIndex::new(&labels, &device).unwrap();
    let batch: Vec<i64> = labels.iter().map(|&label| label as i64).collect();
    let batch = Tensor::<1, Int>::from_data(TensorData::new(batch, [37]), &device);
    let loss = NcaLossConfig::new().with_repulsion(0.5).with_reduction(Reduction::Sum).init();
    let run = |of: &dyn Fn(Tensor<2>) -> Tensor<1>| {
        let z = points([37, 2], 81, &device.clone().autodiff(), dtype);
        let value = of(z.clone() * 0.5);
        let grads = value.clone().backward();
        [values(value), values(z.grad(&grads).unwrap())]
    };
    let found = run(&|z| loss.total(z, &classes));
    let expected = run(&|z| loss.forward(z, batch.clone()));
    for (found, expected) in found.iter().zip(&expected) {
        close(found, expected, tolerance, &format!("{name} {dtype:?} hinge"));
    }
}

#[test]
fn the_hinge_agrees_with_its_table_of_pairs() {
    hinge_agrees("flex", (DType::F64, 1e-12));
    hinge_agrees("flex", (DType::F32, 1e-5));
    hinge_agrees("ndarray", (DType::F64, 1e-12));
    hinge_agrees("wgpu", (DType::F32, 5e-5));
}

/// The losses over Euclidean distances, of which two are 0, against those of `flex` in f64.
fn euclidean_agrees(name: &str, (dtype, tolerance): (DType, f64)) {
    if open(name).is_none() {
        return;
    }
    let temperature = || TemperatureConfig::new(0.7);
    let of = |name: &str, dtype: DType| {
        let device = open(name).unwrap().autodiff();
        let labels = TensorData::new((0..37).map(|row| row % 3).collect::<Vec<i64>>(), [37]);
        let labels = Tensor::<1, Int>::from_data(labels, &device);
        let pull = SupConLossConfig::new()
            .with_similarity(Similarity::Euclidean)
            .with_temperature(temperature())
            .init(&device);
        let near = SoftNearestNeighborLossConfig::new()
            .with_similarity(Similarity::Euclidean)
            .with_temperature(temperature())
            .init(&device);
        let losses: [&dyn Fn(Tensor<2>) -> Tensor<1>; 2] =
            [&|z| pull.forward(z, labels.clone()), &|z| near.forward(z, labels.clone())];
        losses.map(|loss| {
            let mut rows = uniform(37 * 3, 83);
            rows.copy_within(..3, 36 * 3);
            let z = from(rows, [37, 3], &device, dtype).require_grad();
            let value = loss(z.clone());
            let grads = value.clone().backward();
            [values(value), values(z.grad(&grads).unwrap())].concat()
        })
    };
    for (found, expected) in of(name, dtype).iter().zip(&of("flex", DType::F64)) {
        close(found, expected, tolerance, &format!("{name} {dtype:?} Euclidean"));
    }
}

#[test]
fn losses_over_euclidean_distances_agree() {
    euclidean_agrees("flex", (DType::F32, 1e-5));
    euclidean_agrees("ndarray", (DType::F64, 1e-12));
    euclidean_agrees("ndarray", (DType::F32, 1e-5));
    euclidean_agrees("wgpu", (DType::F32, 5e-5));
}
