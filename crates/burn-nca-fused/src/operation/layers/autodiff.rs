//! The registered derivatives.

use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, AutodiffBackend};
use burn_autodiff::checkpoint::strategy::CheckpointStrategy;

use super::{LayerGradients, Layers};
use crate::operation::autodiff::tracked;

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
        let kept = ([q, r, values, means.clone(), sums], own);
        let means = tracked::<B, C, _, 2>(nodes, means, kept, |(tensors, own), gradient| {
            B::euclidean_mean_gradients(tensors, gradient, own).map(Some)
        });
        (means, constant)
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
        let kept = [x, f, weight, bias, output.clone()];
        tracked::<B, C, _, 4>(nodes, output, kept, |tensors, gradient| {
            B::periodic_gradients(tensors, gradient).map(Some)
        })
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
        let kept = ([x, gamma, mean, variance], epsilon);
        let output = tracked::<B, C, _, 3>(nodes, output, kept, |(tensors, epsilon), gradient| {
            B::normalize_gradients(tensors, gradient, epsilon).map(Some)
        });
        let [mean, variance] = constants;
        (output, mean, variance)
    }
}
