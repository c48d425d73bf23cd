//! The registered derivatives.

use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, AutodiffBackend, Backend};
use burn_autodiff::checkpoint::base::Checkpointer;
use burn_autodiff::checkpoint::strategy::CheckpointStrategy;
use burn_autodiff::grads::Gradients;
use burn_autodiff::ops::{Backward, Ops, OpsKind};

use super::{LayerGradients, Layers};

/// Registers the gradients of the operands that are in the graph, from the state of an operation and the gradient of its output.
fn backward<B: Backend, S, const N: usize>(
    ops: Ops<S, N>,
    grads: &mut Gradients,
    gradients: impl FnOnce(S, FloatTensor<B>) -> [FloatTensor<B>; N],
) {
    let gradient = grads.consume::<B>(&ops.node);
    for (node, gradient) in ops.parents.into_iter().zip(gradients(ops.state, gradient)) {
        if let Some(node) = node {
            grads.register::<B>(node.id, gradient);
        }
    }
}

#[derive(Debug)]
struct EuclideanMean;

impl<B: LayerGradients> Backward<B, 2> for EuclideanMean {
    type State = ([FloatTensor<B>; 5], Option<usize>);

    fn backward(
        self,
        ops: Ops<Self::State, 2>,
        grads: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        backward::<B, _, 2>(ops, grads, |(tensors, own), gradient| {
            B::euclidean_mean_gradients(tensors, gradient, own)
        });
    }
}

#[derive(Debug)]
struct Periodic;

impl<B: LayerGradients> Backward<B, 4> for Periodic {
    type State = [FloatTensor<B>; 5];

    fn backward(
        self,
        ops: Ops<Self::State, 4>,
        grads: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        backward::<B, _, 4>(ops, grads, B::periodic_gradients);
    }
}

#[derive(Debug)]
struct Normalize;

impl<B: LayerGradients> Backward<B, 3> for Normalize {
    type State = ([FloatTensor<B>; 4], f64);

    fn backward(
        self,
        ops: Ops<Self::State, 3>,
        grads: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        backward::<B, _, 3>(ops, grads, |(tensors, epsilon), gradient| {
            B::normalize_gradients(tensors, gradient, epsilon)
        });
    }
}

impl<B: LayerGradients, C: CheckpointStrategy> Layers for Autodiff<B, C> {
    fn euclidean_mean(
        queries: FloatTensor<Self>,
        references: FloatTensor<Self>,
        values: FloatTensor<Self>,
        own: Option<usize>,
    ) -> (FloatTensor<Self>, FloatTensor<Self>) {
        let nodes = [queries.node(), references.node()];
        let [q, r, values] = [queries, references, values].map(|tensor| tensor.into_primitive());
        let (means, sums) = B::euclidean_mean(q.clone(), r.clone(), values.clone(), own);
        let constant = Self::from_inner(sums.clone());
        let tracked = match EuclideanMean.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prep) => {
                prep.finish(([q, r, values, means.clone(), sums], own), means)
            }
            OpsKind::UnTracked(prep) => prep.finish(means),
        };
        (tracked, constant)
    }

    fn periodic(
        x: FloatTensor<Self>,
        frequencies: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let nodes = [x.node(), frequencies.node(), weight.node(), bias.node()];
        let [x, f, weight, bias] =
            [x, frequencies, weight, bias].map(|tensor| tensor.into_primitive());
        let output = B::periodic(x.clone(), f.clone(), weight.clone(), bias.clone());
        match Periodic.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prep) => prep.finish([x, f, weight, bias, output.clone()], output),
            OpsKind::UnTracked(prep) => prep.finish(output),
        }
    }

    fn normalize(
        x: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        epsilon: f64,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
        let nodes = [x.node(), gamma.node(), beta.node()];
        let [x, gamma, beta] = [x, gamma, beta].map(|tensor| tensor.into_primitive());
        let (output, mean, variance) = B::normalize(x.clone(), gamma.clone(), beta, epsilon);
        let constants = [mean.clone(), variance.clone()].map(Self::from_inner);
        let tracked = match Normalize.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prep) => prep.finish(([x, gamma, mean, variance], epsilon), output),
            OpsKind::UnTracked(prep) => prep.finish(output),
        };
        let [mean, variance] = constants;
        (tracked, mean, variance)
    }
}
