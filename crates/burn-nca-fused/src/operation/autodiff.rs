//! The registered derivatives. Of the sums: one backward pass for all, which computes the pairs again from two numbers a row.

use core::fmt::Debug;

use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, AutodiffBackend, Backend};
use burn_autodiff::checkpoint::base::Checkpointer;
use burn_autodiff::checkpoint::strategy::CheckpointStrategy;
use burn_autodiff::grads::Gradients;
use burn_autodiff::ops::{Backward, NodeGuard, Ops, OpsKind};

use super::ops::PairSums;
use crate::{NeighborSets, PairSum};

/// The gradients of the operands, from what an operation kept and the gradient of its output; none of an operand that has
/// its part in that of another.
type OfOperands<B, S, const N: usize> = fn(S, FloatTensor<B>) -> [Option<FloatTensor<B>>; N];

#[derive(Debug)]
struct Derivative<B: Backend, S, const N: usize>(OfOperands<B, S, N>);

impl<B: Backend, S: Clone + Send + Debug + 'static, const N: usize> Backward<B, N>
    for Derivative<B, S, N>
{
    type State = S;

    fn backward(self, ops: Ops<S, N>, grads: &mut Gradients, _checkpointer: &mut Checkpointer) {
        let gradient = grads.consume::<B>(&ops.node);
        for operand in ops.parents.into_iter().zip((self.0)(ops.state, gradient)) {
            if let (Some(node), Some(gradient)) = operand {
                grads.register::<B>(node.id, gradient);
            }
        }
    }
}

/// The output of an operation in the graph of its operands, with what its derivative is computed of.
pub(super) fn tracked<B, C, S, const N: usize>(
    operands: [NodeGuard; N],
    output: FloatTensor<B>,
    kept: S,
    derivative: OfOperands<B, S, N>,
) -> FloatTensor<Autodiff<B, C>>
where
    B: Backend,
    C: CheckpointStrategy,
    S: Clone + Send + Debug + 'static,
{
    match Derivative(derivative).prepare::<C>(operands).compute_bound().stateful() {
        OpsKind::Tracked(prep) => prep.finish(kept, output),
        OpsKind::UnTracked(prep) => prep.finish(output),
    }
}

impl<B: PairSums, C: CheckpointStrategy> PairSums for Autodiff<B, C> {
    fn pair_sum(
        queries: FloatTensor<Self>,
        references: FloatTensor<Self>,
        operand: FloatTensor<Self>,
        sum: PairSum,
        columns: NeighborSets,
    ) -> (FloatTensor<Self>, FloatTensor<Self>) {
        // By the node of the graph: equal numbers of which one is held fixed stay apart.
        let among_themselves = queries.id() == references.id();
        let nodes = [queries.node(), references.node(), operand.node()];
        let [q, r, operand] = [queries, references, operand].map(|tensor| tensor.into_primitive());
        let (sums, rows) = B::pair_sum(q.clone(), r.clone(), operand.clone(), sum, columns.clone());
        let constant = Self::from_inner(rows.clone());
        let kept = ([q, r, operand, sums.clone(), rows], (sum, columns, among_themselves));
        let tracked = tracked::<B, C, _, 3>(nodes, sums, kept, |(tensors, of), gradient| {
            let ([q, r, operand, sums, rows], (sum, columns, among)) = (tensors, of);
            let (dq, dr, dv) =
                B::pair_sum_backward(q, r, operand, sums, rows, gradient, sum, columns, among);
            [Some(dq), (!among).then_some(dr), Some(dv)]
        });
        (tracked, constant)
    }
}
