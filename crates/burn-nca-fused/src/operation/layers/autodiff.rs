//! The registered derivatives.

use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, AutodiffBackend, Backend};
use burn_autodiff::checkpoint::base::Checkpointer;
use burn_autodiff::checkpoint::strategy::CheckpointStrategy;
use burn_autodiff::grads::Gradients;
use burn_autodiff::ops::{Backward, Ops, OpsKind};

use super::Layers;

#[derive(Debug)]
struct EuclideanMean;

/// What the backward pass of the means needs.
#[derive(Clone, Debug)]
struct MeanState<B: Backend> {
    queries: FloatTensor<B>,
    references: FloatTensor<B>,
    values: FloatTensor<B>,
    means: FloatTensor<B>,
    distances: FloatTensor<B>,
    rows: FloatTensor<B>,
    own: Option<usize>,
}

impl<B: Layers> Backward<B, 2> for EuclideanMean {
    type State = MeanState<B>;

    fn backward(
        self,
        ops: Ops<MeanState<B>, 2>,
        grads: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        let MeanState { queries, references, values, means, distances, rows, own } = ops.state;
        let gradient = grads.consume::<B>(&ops.node);
        let (dq, dr) = B::euclidean_mean_backward(
            queries, references, values, means, distances, rows, gradient, own,
        );
        for (node, gradient) in ops.parents.into_iter().zip([dq, dr]) {
            if let Some(node) = node {
                grads.register::<B>(node.id, gradient);
            }
        }
    }
}

#[derive(Debug)]
struct Periodic;

/// What the backward pass of the embedding needs.
#[derive(Clone, Debug)]
struct PeriodicState<B: Backend> {
    operands: [FloatTensor<B>; 4],
    output: FloatTensor<B>,
}

impl<B: Layers> Backward<B, 4> for Periodic {
    type State = PeriodicState<B>;

    fn backward(
        self,
        ops: Ops<PeriodicState<B>, 4>,
        grads: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        let PeriodicState { operands: [x, frequencies, weight, bias], output } = ops.state;
        let gradient = grads.consume::<B>(&ops.node);
        let (of_x, of_frequencies, of_weight, of_bias) =
            B::periodic_backward(x, frequencies, weight, bias, output, gradient);
        let gradients = [of_x, of_frequencies, of_weight, of_bias];
        for (node, gradient) in ops.parents.into_iter().zip(gradients) {
            if let Some(node) = node {
                grads.register::<B>(node.id, gradient);
            }
        }
    }
}

impl<B: Layers, C: CheckpointStrategy> Layers for Autodiff<B, C> {
    fn euclidean_mean(
        queries: FloatTensor<Self>,
        references: FloatTensor<Self>,
        values: FloatTensor<Self>,
        own: Option<usize>,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
        let nodes = [queries.node(), references.node()];
        let [queries, references, values] =
            [queries, references, values].map(|tensor| tensor.into_primitive());
        let (means, distances, rows) =
            B::euclidean_mean(queries.clone(), references.clone(), values.clone(), own);
        let constants = [distances.clone(), rows.clone()].map(Self::from_inner);
        let tracked = match EuclideanMean.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prep) => {
                let output = means.clone();
                prep.finish(
                    MeanState { queries, references, values, means, distances, rows, own },
                    output,
                )
            }
            OpsKind::UnTracked(prep) => prep.finish(means),
        };
        let [distances, rows] = constants;
        (tracked, distances, rows)
    }

    fn euclidean_mean_backward(
        _queries: FloatTensor<Self>,
        _references: FloatTensor<Self>,
        _values: FloatTensor<Self>,
        _means: FloatTensor<Self>,
        _distances: FloatTensor<Self>,
        _rows: FloatTensor<Self>,
        _gradient: FloatTensor<Self>,
        _own: Option<usize>,
    ) -> (FloatTensor<Self>, FloatTensor<Self>) {
        unimplemented!("Burn differentiates once; a derivative has no graph of its own")
    }

    fn periodic(
        x: FloatTensor<Self>,
        frequencies: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let nodes = [x.node(), frequencies.node(), weight.node(), bias.node()];
        let operands = [x, frequencies, weight, bias].map(|tensor| tensor.into_primitive());
        let [x, frequencies, weight, bias] = operands.clone();
        let output = B::periodic(x, frequencies, weight, bias);
        match Periodic.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prep) => {
                prep.finish(PeriodicState { operands, output: output.clone() }, output)
            }
            OpsKind::UnTracked(prep) => prep.finish(output),
        }
    }

    fn periodic_backward(
        _x: FloatTensor<Self>,
        _frequencies: FloatTensor<Self>,
        _weight: FloatTensor<Self>,
        _bias: FloatTensor<Self>,
        _output: FloatTensor<Self>,
        _gradient: FloatTensor<Self>,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
        unimplemented!("Burn differentiates once; a derivative has no graph of its own")
    }
}
