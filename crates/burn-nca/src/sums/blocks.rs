//! Sums over rows in blocks, each of which Burn differentiates as soon as it is there, so that one block is held at a time.

use core::ops::Range;

use burn::tensor::Tensor;

use crate::device::{runs_on_host, side_by_side};

/// Blocks are added up in this many groups, in order; a fixed number, so that a sum does not depend on the number of threads.
const GROUPS: usize = 16;

/// Numbers `[b, m]` of a block, for each of the coordinates whose differences are kept: what stays near the cache of a core,
/// and on a GPU what keeps it busy.
const ON_HOST: usize = 1 << 18;
const ON_GPU: usize = 1 << 24;

/// Rows of a block among m points of k coordinates.
fn block_rows(references: &Tensor<2>) -> usize {
    let [m, k] = references.dims();
    let numbers = if runs_on_host(&references.device()) { ON_HOST } else { ON_GPU };
    (2 * numbers / (m.max(1) * (k + 1))).max(1)
}

/// Whether this number of rows among the points are one block.
pub(crate) fn is_one_block(references: &Tensor<2>, rows: usize) -> bool {
    rows <= block_rows(references)
}

/// Rows in ranges of `size`, in order; the last may be shorter.
pub fn cut(rows: Range<usize>, size: usize) -> Vec<Range<usize>> {
    let (end, size) = (rows.end, size.max(1));
    rows.step_by(size).map(|start| start..(start + size).min(end)).collect()
}

/// The sum of `terms` over some rows among m points, `[1]`, differentiable in the tensors; the last is that of the points.
///
/// ```text
/// S = Σ_blocks t(T),   G = Σ_blocks dt/dT     a block at a time, on leaf copies of the tensors T
/// S + <T - [T], G>                            the same number, as Burn differentiates it: [T] is constant
/// ```
/// The rows of one block are one graph, as they are. What `terms` is differentiated in must be among the tensors.
pub(crate) fn in_blocks<const N: usize>(
    tensors: [Tensor<2>; N],
    rows: Range<usize>,
    terms: impl Fn([Tensor<2>; N], Range<usize>) -> Tensor<1> + Sync,
) -> Tensor<1> {
    let blocks = cut(rows.clone(), block_rows(&tensors[N - 1]));
    if blocks.len() <= 1 {
        return terms(tensors, rows);
    }
    let group = |blocks: &[Range<usize>]| {
        let parts =
            blocks.iter().map(|rows| BlockSums::of(&tensors, |leaves| terms(leaves, rows.clone())));
        parts.reduce(BlockSums::add).expect("a group has a block")
    };
    let groups = blocks.chunks(blocks.len().div_ceil(GROUPS)).collect();
    let parts = side_by_side(groups, runs_on_host(&tensors[0].device()), group);
    let BlockSums { value, gradients } = parts.into_iter().reduce(BlockSums::add).expect("a group");
    let slopes = tensors.into_iter().zip(gradients).filter_map(|(tensor, gradient)| {
        gradient.map(|gradient| {
            let level = tensor.clone().without_autodiff();
            ((tensor - level) * gradient).sum()
        })
    });
    slopes.fold(value, |sum, slope| slope + sum)
}

/// The rows `[b, c]` that `values` says of some rows among m points, `[rows, c]` in their order, without a graph but that of a
/// single block.
pub(crate) fn rows_in_blocks(
    references: &Tensor<2>,
    rows: Range<usize>,
    values: impl Fn(Range<usize>) -> Tensor<2> + Sync,
) -> Tensor<2> {
    let blocks = cut(rows.clone(), block_rows(references));
    let parts = side_by_side(blocks, runs_on_host(&references.device()), &values);
    if parts.is_empty() { values(rows) } else { Tensor::cat(parts, 0) }
}

/// What some blocks add up to, without a graph.
struct BlockSums<const N: usize> {
    value: Tensor<1>,
    gradients: [Option<Tensor<2>>; N],
}

impl<const N: usize> BlockSums<N> {
    /// A block's value, and its gradient by each tensor that has one.
    fn of(tensors: &[Tensor<2>; N], terms: impl FnOnce([Tensor<2>; N]) -> Tensor<1>) -> Self {
        let leaves = tensors.each_ref().map(|tensor| {
            let inner = tensor.clone().without_autodiff();
            if tensor.is_tracked() { inner.autodiff().require_grad() } else { inner }
        });
        let sum = terms(leaves.clone());
        let value = sum.clone().without_autodiff();
        if !sum.is_tracked() {
            return Self { value, gradients: [const { None }; N] };
        }
        let mut all = sum.backward();
        let gradients =
            leaves.map(|leaf| leaf.is_tracked().then(|| leaf.grad_remove(&mut all)).flatten());
        Self { value, gradients }
    }

    fn add(self, other: Self) -> Self {
        let mut others = other.gradients.into_iter();
        let gradients = self.gradients.map(|mine| match (mine, others.next().flatten()) {
            (Some(mine), Some(part)) => Some(mine + part),
            (mine, part) => mine.or(part),
        });
        Self { value: self.value + other.value, gradients }
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::{DType, Device, TensorData};

    use super::*;
    use crate::data::host_values;
    use crate::nca::squared_distances;

    #[test]
    fn many_blocks_have_the_value_and_the_gradient_of_one_graph() {
        let device = Device::flex().autodiff();
        let points = |rows: usize, factor: f64| {
            let values = (0..rows * 3).map(|i| ((i * i) % 17) as f64 * factor).collect::<Vec<_>>();
            let data = TensorData::new(values, [rows, 3]);
            Tensor::<2>::from_data(data, (&device, DType::F64)).require_grad()
        };
        let (q, r) = (points(50, 0.1), points(20_000, 0.07));
        let terms = |[q, r]: [Tensor<2>; 2], rows: Range<usize>| {
            squared_distances(q.slice([rows]), r).neg().exp().sum()
        };
        assert!(block_rows(&r) < 10);
        let said = |sum: Tensor<1>| {
            // In the middle of a graph.
            let sum = sum.mul_scalar(1e-4);
            let gradients = sum.clone().sin().backward();
            let of = |x: &Tensor<2>| host_values(x.grad(&gradients).unwrap());
            [host_values(sum), of(&q), of(&r)].concat()
        };
        let found = said(in_blocks([q.clone() * 1.5, r.clone()], 5..50, terms));
        let expected = said(terms([q.clone() * 1.5, r.clone()], 5..50));
        for (found, expected) in found.iter().zip(expected) {
            assert!(
                (found - expected).abs() < 1e-10 * (1.0 + expected.abs()),
                "{found} {expected}"
            );
        }
        let fixed = in_blocks([q.without_autodiff(), r.without_autodiff()], 5..50, terms);
        assert!(!fixed.is_tracked());
    }
}
