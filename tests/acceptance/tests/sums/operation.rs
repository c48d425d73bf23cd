//! The fused sums over pairs against the same formulas over a whole matrix of differences.

use core::ops::Range;

use acceptance::compare::{assert_near, assert_slopes};
use acceptance::data::uniform;
use acceptance::setup::{at_embedding, matrix, tensor};
use burn::tensor::activation::softmax;
use burn::tensor::{Bool, DType, Device, Tensor, TensorData};
use burn_nca_fused::{NeighborSets, log_sum_exp, weighted_mean};
use burn_nca_learn::data::host_values;

use super::open;

/// Random points at distances of about 1, tracked.
fn points([rows, k]: [usize; 2], seed: u64, on: (&Device, DType)) -> Tensor<2> {
    let spread = 2.0 / (k as f64).sqrt();
    let values: Vec<f64> = uniform(rows * k, seed).into_iter().map(|x| x * spread).collect();
    matrix(&values, k, on).require_grad()
}

/// Which references a query sums over: those in its span, or all outside of it; perhaps without itself.
#[derive(Debug)]
pub struct Case {
    pub spans: Vec<Range<usize>>,
    pub references: usize,
    pub outside: bool,
    pub own: bool,
}

impl Case {
    pub fn of_classes(n: usize, size: usize, outside: bool) -> Self {
        let spans = (0..n).map(|i| i / size * size..(i / size * size + size).min(n)).collect();
        Self { spans, references: n, outside, own: !outside }
    }

    fn sets(&self) -> NeighborSets {
        let spans = self.spans.clone();
        let sets = match self.outside {
            true => NeighborSets::outside(spans, self.references),
            false => NeighborSets::within(spans, self.references),
        };
        if self.own { sets.without_self(0) } else { sets }
    }

    /// Where a reference is left out of the sum of a query.
    fn left_out(&self, device: &Device) -> Tensor<2, Bool> {
        let (b, m) = (self.spans.len(), self.references);
        let keeps = |i: usize, j: usize| {
            self.spans[i].contains(&j) != self.outside && !(self.own && i == j)
        };
        let mask = (0..b * m).map(|at| !keeps(at / m, at % m)).collect();
        Tensor::from_data(TensorData::new(mask, [b, m]), &device.clone().inner())
    }

    /// `-||q_i - r_j||²` by a matrix of all differences, far below the others where a reference is left out.
    fn logits(&self, q: Tensor<2>, r: Tensor<2>) -> Tensor<2> {
        let ([b, k], [m, _], mask) = (q.dims(), r.dims(), self.left_out(&q.device()));
        let q = q.reshape([b, 1, k]).expand([b, m, k]);
        let differences = q - r.reshape([1, m, k]).expand([b, m, k]);
        differences.square().sum_dim(2).neg().reshape([b, m]).mask_fill(mask, -1e30)
    }

    /// The logarithm of each sum, as a column; 0 of none. Fused or written out.
    fn log_sums(&self, is_fused: bool, q: Tensor<2>, r: Tensor<2>) -> Tensor<2> {
        let (b, sets) = (self.spans.len(), self.sets());
        let nothing = (0..b).map(|i| sets.count(i) == 0).collect();
        let nothing = TensorData::new(nothing, [b, 1]);
        let nothing = Tensor::<2, Bool>::from_data(nothing, &q.device().inner());
        let sums = if is_fused {
            log_sum_exp(q, r, &sets).reshape([-1, 1])
        } else {
            let logits = self.logits(q, r);
            let largest = logits.clone().detach().max_dim(1);
            (logits - largest.clone()).exp().sum_dim(1).log() + largest
        };
        sums.mask_fill(nothing, 0.0)
    }

    /// The mean of values under the softmax; 0 of none. Fused or written out.
    fn means(&self, is_fused: bool, q: Tensor<2>, r: Tensor<2>, v: Tensor<2>) -> Tensor<2> {
        if is_fused {
            return weighted_mean(q, r, v, &self.sets());
        }
        let mask = self.left_out(&q.device());
        softmax(self.logits(q, r), 1).mask_fill(mask, 0.0).matmul(v)
    }
}

/// What is computed, in the middle of a graph.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Sums over queries and references of this many dimensions.
    Sums(usize),
    /// Sums over points that are both, of which the references may be held fixed.
    Among { k: usize, fixed: bool },
    /// Means of this many values.
    Means { k: usize, c: usize },
}

impl Kind {
    /// The result and the tracked inputs.
    fn run(self, case: &Case, is_fused: bool, on: (&Device, DType)) -> (Tensor<2>, Vec<Tensor<2>>) {
        let (b, m) = (case.spans.len(), case.references);
        match self {
            Self::Sums(k) => {
                let (q, r) = (points([b, k], 31, on), points([m, k], 32, on));
                let of = (q.clone() * 1.5, r.clone().add_scalar(0.25));
                (case.log_sums(is_fused, of.0, of.1), vec![q, r])
            }
            Self::Among { k, fixed } => {
                let x = points([b, k], 41, on);
                let z = x.clone() * 1.5;
                let references = if fixed { z.clone().detach() } else { z.clone() };
                (case.log_sums(is_fused, z, references), vec![x])
            }
            Self::Means { k, c } => {
                let (z, v) = (points([b, k], 71, on), points([b, c], 72, on));
                let of = (z.clone() * 1.5, z.clone().add_scalar(0.25), v.clone().square());
                (case.means(is_fused, of.0, of.1, of.2), vec![z, v])
            }
        }
    }
}

/// The result and the gradients of a function of it, fused on the device against the definition. On a GPU every operation
/// compiles for long and may round more: the definition is that of `flex` in f64 there.
pub fn check(name: &str, (dtype, tolerance): (DType, f64), kind: Kind, case: &Case) {
    let Some(device) = open(name) else { return };
    let said = |is_fused: bool, on: (&Device, DType)| {
        let (found, inputs) = kind.run(case, is_fused, on);
        let weights = points(found.dims(), 33, on).detach();
        let total = ((found.clone() * weights).sin() + found.clone().square() * 0.1).sum();
        let gradients = total.backward();
        let slopes = inputs.iter().map(|x| {
            let nothing = || vec![0.0; x.dims().iter().product()];
            x.grad(&gradients).map_or_else(nothing, host_values)
        });
        [host_values(found)].into_iter().chain(slopes).collect::<Vec<_>>()
    };
    let (device, elsewhere) = (device.autodiff(), Device::flex().autodiff());
    let is_cpu = ["flex", "ndarray"].contains(&name);
    let definition = if is_cpu { (&device, dtype) } else { (&elsewhere, DType::F64) };
    let what = format!("{name} {dtype:?}, {kind:?}, {case:?}");
    for (found, expected) in said(true, (&device, dtype)).iter().zip(said(false, definition)) {
        assert_near(found, &expected, tolerance, &what);
    }
}

/// Every kind over classes of points, and sums over spans of any length.
pub fn agrees(name: &str, precision: (DType, f64)) {
    for (n, size, k) in [(37, 9, 3), (20, 6, 32), (1, 1, 1), (5, 2, 2), (150, 70, 4), (9, 4, 300)] {
        for outside in [false, true] {
            // With the self left out, the last class of one has no partner.
            let case = Case { own: true, ..Case::of_classes(n, size, outside) };
            check(name, precision, Kind::Sums(k), &case);
        }
    }
    let spans = vec![0..40, 0..0, 39..40, 3..17];
    let case = Case { spans, references: 40, outside: false, own: false };
    check(name, precision, Kind::Sums(2), &case);
    for (n, size, k, outside) in
        [(150, 70, 7, false), (97, 20, 7, true), (20, 20, 2, false), (9, 4, 300, true)]
    {
        let case = Case::of_classes(n, size, outside);
        assert!(case.sets().is_mutual());
        for fixed in [false, true] {
            check(name, precision, Kind::Among { k, fixed }, &case);
        }
    }
    for (n, size, k, c) in [(70, 20, 3, 4), (1, 1, 1, 1), (9, 4, 2, 1), (20, 6, 33, 41)] {
        for outside in [false, true] {
            check(name, precision, Kind::Means { k, c }, &Case::of_classes(n, size, outside));
        }
    }
}

#[test]
fn flex_agrees_in_f64_and_f32() {
    agrees("flex", (DType::F64, 1e-12));
    agrees("flex", (DType::F32, 2e-5));
}

/// Pairs that enter twice in a graph, as queries and as references.
pub fn used_twice(z: Tensor<2>) -> Tensor<1> {
    let n = z.dims()[0];
    let [partners, others] = [false, true].map(|outside| Case::of_classes(n, 4, outside).sets());
    let twice = z.clone() * 2.0;
    let near = log_sum_exp(z.clone(), z.clone(), &partners);
    let far = log_sum_exp(twice.clone(), twice, &others);
    let crossed = log_sum_exp(z.clone().square(), z, &others);
    ((near - far).exp() + crossed.square()).sum()
}

/// Both arguments are the same tensor, which enters twice: gradients add up.
#[test]
fn second_use_in_a_larger_graph_agrees_with_central_differences() {
    let z = uniform(12 * 3, 41);
    let (_, slopes) = at_embedding(&tensor(&z, 3), used_twice);
    let value = |z: &[f64]| used_twice(tensor(z, 3)).into_scalar();
    assert_slopes(&slopes, &z, (1e-6, 1e-7), "second use", value);
}

/// A constant among the arguments takes no gradient and disturbs none.
#[test]
fn either_argument_may_be_constant() {
    let device = Device::flex().autodiff();
    let on = (&device, DType::F64);
    let (z, constant) = (points([6, 2], 51, on), points([9, 2], 52, on).detach());
    for (q, r) in [(z.clone(), constant.clone()), (constant, z.clone())] {
        let columns = NeighborSets::all(q.dims()[0], r.dims()[0]);
        let grads = log_sum_exp(q, r, &columns).sum().backward();
        assert!(z.grad(&grads).is_some(), "{columns:?}");
    }
}
