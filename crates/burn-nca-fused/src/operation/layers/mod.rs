//! Operations of networks on `flex`: means under a softmax of Euclidean distances, periodic embeddings of numbers and batch
//! normalization, each with a registered derivative.

// What the macro writes for a backend that this crate was built without uses no argument.
#![allow(unused_variables, clippy::too_many_arguments)]

mod autodiff;
#[cfg(feature = "flex")]
mod flex;

use burn::backend::tensor::FloatTensor;
use burn::backend::{Backend, Dispatch, backend_extension};
use burn::nn::BatchNorm;
use burn::tensor::Tensor;

use super::takes;
use crate::PairSum;

/// The operations as backends bring them.
#[backend_extension(Flex: cfg(feature = "flex"), Autodiff)]
pub(crate) trait Layers: Backend {
    /// The means `[b, c]`, and of each query the least distance and `Σ_j exp(least_i - d_ij)`, `[b, 2]`.
    fn euclidean_mean(
        queries: FloatTensor<Self>,
        references: FloatTensor<Self>,
        values: FloatTensor<Self>,
        own: Option<usize>,
    ) -> (FloatTensor<Self>, FloatTensor<Self>);

    /// The embedding `[n, d e]`.
    fn periodic(
        x: FloatTensor<Self>,
        frequencies: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self>;

    /// The normalized rows `[n, c]`, and means and variances of the columns, `[c]`.
    fn normalize(
        x: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        epsilon: f64,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>);
}

/// Their derivatives. Burn differentiates once: a derivative has no graph of its own.
pub(crate) trait LayerGradients: Layers {
    /// The gradients of queries and references from these, values, means and sums, and the gradient of the means.
    fn euclidean_mean_gradients(
        of: [FloatTensor<Self>; 5],
        gradient: FloatTensor<Self>,
        own: Option<usize>,
    ) -> [FloatTensor<Self>; 2];

    /// The gradients of the four operands from these, the embedding, and its gradient.
    fn periodic_gradients(
        of: [FloatTensor<Self>; 5],
        gradient: FloatTensor<Self>,
    ) -> [FloatTensor<Self>; 4];

    /// The gradients of x, gamma and beta from x, gamma, means and variances, and the gradient of the output.
    fn normalize_gradients(
        of: [FloatTensor<Self>; 4],
        gradient: FloatTensor<Self>,
        epsilon: f64,
    ) -> [FloatTensor<Self>; 3];
}

/// Whether [`euclidean_mean`], [`periodic_embedding`] and [`batch_norm`] are operations for these tensors: on `flex`, all in f32 or
/// all in f64; not in a browser, where they would add to the page.
pub fn has_layers(tensors: &[&Tensor<2>]) -> bool {
    if cfg!(target_arch = "wasm32") {
        return false;
    }
    // Sums with costs are operations on `flex` alone, in the same types.
    takes(PairSum::CostedLogSumExp, tensors)
        && tensors.windows(2).all(|pair| pair[0].dtype() == pair[1].dtype())
}

/// The mean of values under the softmax of `-||q_i - r_j||`, by a product of matrices: for many coordinates.
///
/// ```text
/// mean_i = Σ_j p_ij v_j,   p_ij = exp(-||q_i - r_j||) / Σ_l exp(-||q_i - r_l||)
/// ∂/∂q_i = Σ_j a_ij (q_i - r_j),   ∂/∂r_j = -Σ_i a_ij (q_i - r_j),   a_ij = -p_ij (g_i · v_j - g_i · mean_i) / ||q_i - r_j||
/// ```
/// Query i is reference `own + i`, which does not count for it; with `None` all count. A row without any has the mean 0 and no
/// gradient. Differentiable in queries and references.
///
/// # Numerics
/// Squared distances are `||q||² + ||r||² - 2 q·r`: some 1e-6 of the squared norms is rounding in f32. Between equal points a
/// distance has no direction: its gradient is taken as 0. Distances are computed for 1024 queries and references at a time, again in
/// the backward pass: no matrix is kept.
///
/// # Shapes
/// - queries: `[b, k]`, references: `[m, k]`, values: `[m, c]`, of the same type and device
/// - output: `[b, c]`
///
/// # Panics
/// If the shapes contradict each other, or the device has no such operation ([`has_layers`]).
pub fn euclidean_mean(
    queries: Tensor<2>,
    references: Tensor<2>,
    values: Tensor<2>,
    own: Option<usize>,
) -> Tensor<2> {
    let ([_, k], [m, of_references], [rows, _]) =
        (queries.dims(), references.dims(), values.dims());
    assert_eq!(k, of_references, "queries have {k} columns, references {of_references}");
    assert_eq!(m, rows, "{m} references, but {rows} rows of values");
    let values = values.without_autodiff();
    check_device(&[&queries, &references, &values]);
    let [queries, references, values] = [queries, references, values].map(Tensor::into_dispatch);
    let (means, _) = Dispatch::euclidean_mean(queries, references, values, own);
    Tensor::from_dispatch(means)
}

/// Periodic embeddings of numbers with a linear layer that all features share, and a rectifier.
///
/// ```text
/// e_c(x) = ReLU([cos(2π f_c x_c), sin(2π f_c x_c)] W + b)
/// ```
/// Differentiable in all operands. The waves are computed again in the backward pass: no number is kept for them.
///
/// # Numerics
/// Whole turns are taken off `f x` without a rounding, up to 2^22 of them in f32.
///
/// # Shapes
/// - x: `[n, d]`, frequencies: `[d, m]`, weight: `[2 m, e]`, bias: `[e]`, of the same type and device
/// - output: `[n, d e]`
///
/// # References
/// Y. Gorishniy et al., On Embeddings for Numerical Features in Tabular Deep Learning, NeurIPS 2022.
///
/// # Panics
/// If the shapes contradict each other, or the device has no such operation ([`has_layers`]).
pub fn periodic_embedding(
    x: Tensor<2>,
    frequencies: Tensor<2>,
    weight: Tensor<2>,
    bias: Tensor<1>,
) -> Tensor<2> {
    let ([_, d], [of_features, m]) = (x.dims(), frequencies.dims());
    assert_eq!(d, of_features, "{d} features, but frequencies of {of_features}");
    let ([waves, e], [of_bias]) = (weight.dims(), bias.dims());
    assert_eq!(
        (2 * m, e),
        (waves, of_bias),
        "{m} frequencies and {e} numbers of a feature, but weights of {waves} waves and {of_bias} biases"
    );
    check_device(&[&x, &frequencies, &weight]);
    let [x, frequencies, weight] = [x, frequencies, weight].map(Tensor::into_dispatch);
    let embedding = Dispatch::periodic(x, frequencies, weight, bias.into_dispatch());
    Tensor::from_dispatch(embedding)
}

/// The layer as its `forward` is: of rows that a network is trained on, in one operation where there is one ([`has_layers`]).
///
/// ```text
/// y = (x - mean) / sqrt(variance + ε) γ + β
/// ```
/// The means and variances (by n) of the columns move the running statistics of the layer. Differentiable in x, γ and β.
///
/// # Shapes
/// - x and output: `[n, c]`
///
/// # References
/// S. Ioffe, C. Szegedy, Batch Normalization, ICML 2015.
///
/// # Panics
/// If x has other columns than the layer.
pub fn batch_norm(layer: &BatchNorm, x: Tensor<2>) -> Tensor<2> {
    let trains = x.device().is_autodiff() && layer.training.is_enabled();
    if !trains || layer.gamma.dtype() != x.dtype() || !has_layers(&[&x]) {
        return layer.forward(x);
    }
    let ([_, c], [of_layer]) = (x.dims(), layer.gamma.dims());
    assert_eq!(c, of_layer, "{c} columns, and a layer of {of_layer}");
    let [gamma, beta] = [&layer.gamma, &layer.beta].map(|param| param.val().into_dispatch());
    let (y, mean, variance) = Dispatch::normalize(x.into_dispatch(), gamma, beta, layer.epsilon);
    for (running, now) in [(&layer.running_mean, mean), (&layer.running_var, variance)] {
        let now = Tensor::<1>::from_dispatch(now).detach().mul_scalar(layer.momentum);
        let before = running.value_sync().to_device(&now.device());
        running.update((before.mul_scalar(1.0 - layer.momentum) + now).detach());
    }
    Tensor::from_dispatch(y)
}

fn check_device(tensors: &[&Tensor<2>]) {
    assert!(
        has_layers(tensors),
        "no such operation on {:?} in {:?}; compute on flex in f32 or f64",
        tensors[0].device(),
        tensors[0].dtype()
    );
}
