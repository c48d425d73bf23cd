//! Operations of networks on `flex`: means under a softmax of Euclidean distances, periodic embeddings of numbers, linear
//! layers and batch normalization, each with a registered derivative.

// What the macro writes for a backend that this crate was built without uses no argument.
#![allow(unused_variables, clippy::too_many_arguments)]

mod autodiff;
#[cfg(feature = "flex")]
mod flex;

use core::ops::Range;

use burn::backend::tensor::FloatTensor;
use burn::backend::{Backend, Dispatch, backend_extension};
use burn::nn::BatchNorm;
use burn::tensor::Tensor;

use super::takes;
use crate::{Hidden, PairSum};

/// The operations as backends bring them.
#[backend_extension(Flex: cfg(feature = "flex"), Autodiff)]
pub(crate) trait Layers: Backend {
    /// The means `[b, c]` of queries that are no references; a constant.
    fn euclidean_mean(
        queries: FloatTensor<Self>,
        references: FloatTensor<Self>,
        values: FloatTensor<Self>,
    ) -> FloatTensor<Self>;

    /// The means `[b, c]` of some of the points, and if they are kept what their gradient is computed of: sums of rows, and a number
    /// for each pair with padding; constants.
    fn euclidean_row_mean(
        points: FloatTensor<Self>,
        values: FloatTensor<Self>,
        rows: Range<usize>,
        keeps_pairs: bool,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>);

    /// Adds to `so_far` the gradient of the points from these, values, means, sums and pairs, and the gradient of the means; a
    /// constant.
    fn add_row_mean_gradient(
        so_far: FloatTensor<Self>,
        points: FloatTensor<Self>,
        values: FloatTensor<Self>,
        means: FloatTensor<Self>,
        sums: FloatTensor<Self>,
        pairs: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        rows: Range<usize>,
    ) -> FloatTensor<Self>;

    /// A value `[1]` with its gradient by the points.
    fn with_gradient(
        value: FloatTensor<Self>,
        points: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
    ) -> FloatTensor<Self>;

    /// The embedding `[n, d e]`.
    fn periodic(
        x: FloatTensor<Self>,
        frequencies: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
    ) -> FloatTensor<Self>;

    /// The output `[n, e]` of a linear layer.
    fn dense(
        x: FloatTensor<Self>,
        weight: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        hidden: Option<Hidden>,
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
    /// A tensor times a number `[1]`.
    fn scaled(tensor: FloatTensor<Self>, by: FloatTensor<Self>) -> FloatTensor<Self>;

    /// The gradients of the four operands from these, the embedding, and its gradient.
    fn periodic_gradients(
        of: [FloatTensor<Self>; 5],
        gradient: FloatTensor<Self>,
    ) -> [FloatTensor<Self>; 4];

    /// The gradients of x, weight and bias from x, weight, the output, and its gradient.
    fn dense_gradients(
        of: [FloatTensor<Self>; 3],
        gradient: FloatTensor<Self>,
        hidden: Option<Hidden>,
    ) -> [FloatTensor<Self>; 3];

    /// The gradients of x, gamma and beta from x, gamma, means and variances, and the gradient of the output.
    fn normalize_gradients(
        of: [FloatTensor<Self>; 4],
        gradient: FloatTensor<Self>,
        epsilon: f64,
    ) -> [FloatTensor<Self>; 3];
}

/// Whether [`euclidean_mean`], [`periodic_embedding`], [`linear`] and [`batch_norm`] are operations for these tensors: on `flex`, all
/// in f32 or all in f64; not in a browser, where they would add to the page.
pub fn has_layers(tensors: &[&Tensor<2>]) -> bool {
    if cfg!(target_arch = "wasm32") {
        return false;
    }
    // Sums with costs are operations on `flex` alone, in the same types.
    takes(PairSum::CostedLogSumExp, tensors)
        && tensors.windows(2).all(|pair| pair[0].dtype() == pair[1].dtype())
}

/// The mean of values under the softmax of `-||q_i - r_j||`, by a product of matrices: for many coordinates. No gradient.
///
/// ```text
/// mean_i = Σ_j p_ij v_j,   p_ij = exp(-||q_i - r_j||) / Σ_l exp(-||q_i - r_l||)
/// ```
/// A row without references has the mean 0.
///
/// # Numerics
/// Squared distances are `||q||² + ||r||² - 2 q·r`: some 1e-6 of the squared norms is rounding in f32. No matrix is kept.
///
/// # Shapes
/// - queries: `[b, k]`, references: `[m, k]`, values: `[m, c]`, of the same type and device
/// - output: `[b, c]`
///
/// # Panics
/// If the shapes contradict each other, or the device has no such operation ([`has_layers`]).
pub fn euclidean_mean(queries: Tensor<2>, references: Tensor<2>, values: Tensor<2>) -> Tensor<2> {
    let ([_, k], [_, of_references]) = (queries.dims(), references.dims());
    assert_eq!(k, of_references, "queries have {k} columns, references {of_references}");
    check_values(&references, &values);
    check_device(&[&queries, &references, &values]);
    let [queries, references, values] =
        [queries, references, values].map(|tensor| tensor.without_autodiff().into_dispatch());
    Tensor::from_dispatch(Dispatch::euclidean_mean(queries, references, values))
}

/// The sum of what `terms` says of the [`euclidean_mean`] of some of the points by all others, differentiable in the points.
///
/// ```text
/// S = Σ_blocks terms(means, rows),   mean_i = Σ_{j≠i} p_ij v_j,   p_ij = exp(-||z_i - z_j||) / Σ_{l≠i} exp(-||z_i - z_l||)
/// g_i = ∂terms/∂mean_i by Burn,   a_ij = -p_ij (g_i · v_j - g_i · mean_i) / ||z_i - z_j||
/// ∂S/∂z_i += Σ_j a_ij (z_i - z_j),   ∂S/∂z_j -= Σ_i a_ij (z_i - z_j)
/// ```
/// A block is differentiated as soon as it is there, so that a number for each of its pairs is kept no longer. A point without another
/// has the mean 0 and no gradient. Between equal points a distance has no direction: its gradient is taken as 0.
///
/// # Shapes
/// - points: `[m, k]`, values: `[m, c]`, of the same type and device; terms: `[rows, c]` to `[1]`
/// - output: `[1]`
///
/// # Panics
/// If the shapes contradict each other, there are no such rows, or the device has no such operation ([`has_layers`]).
pub fn sum_of_euclidean_means(
    points: Tensor<2>,
    values: Tensor<2>,
    rows: Range<usize>,
    terms: impl Fn(Tensor<2>, Range<usize>) -> Tensor<1>,
) -> Tensor<1> {
    let ([m, _], is_tracked) = (points.dims(), points.is_tracked());
    assert!(rows.start <= rows.end && rows.end <= m, "rows {rows:?} of {m} points");
    check_values(&points, &values);
    let [level, values] = [points.clone(), values].map(|tensor| tensor.without_autodiff());
    check_device(&[&level, &values]);
    let mut sum = Tensor::<1>::zeros([1], (&level.device(), level.dtype()));
    let mut gradient = level.zeros_like();
    let size = block_rows(rows.len(), m);
    for first in rows.clone().step_by(size) {
        let some = first..rows.end.min(first + size);
        let [z, v] = [&level, &values].map(|tensor| tensor.clone().into_dispatch());
        let (means, sums, pairs) =
            Dispatch::euclidean_row_mean(z.clone(), v.clone(), some.clone(), is_tracked);
        let means = Tensor::<2>::from_dispatch(means);
        if !is_tracked {
            sum = sum + terms(means, some);
            continue;
        }
        let leaf = means.clone().autodiff().require_grad();
        let of_block = terms(leaf.clone(), some.clone());
        sum = sum + of_block.clone().without_autodiff();
        // What is said may be a constant.
        let gradients = of_block.is_tracked().then(|| of_block.backward());
        if let Some(g) = gradients.and_then(|gradients| leaf.grad(&gradients)) {
            let [so_far, means, g] = [gradient, means, g].map(Tensor::into_dispatch);
            let so_far = Dispatch::add_row_mean_gradient(so_far, z, v, means, sums, pairs, g, some);
            gradient = Tensor::from_dispatch(so_far);
        }
    }
    if !is_tracked {
        return sum;
    }
    let [points, gradient] = [points, gradient.autodiff()].map(Tensor::into_dispatch);
    let sum = sum.autodiff().into_dispatch();
    Tensor::from_dispatch(Dispatch::with_gradient(sum, points, gradient))
}

/// Pairs of which a number is kept at once, 32 MiB in f32.
const KEPT: usize = 1 << 23;

/// Rows of a block of b rows among m points, of equal blocks in whole groups of the kernel.
fn block_rows(b: usize, m: usize) -> usize {
    let blocks = b.saturating_mul(m).div_ceil(KEPT).max(1);
    b.div_ceil(blocks).max(1).next_multiple_of(256)
}

fn check_values(references: &Tensor<2>, values: &Tensor<2>) {
    let ([m, _], [rows, _]) = (references.dims(), values.dims());
    assert_eq!(m, rows, "{m} references, but {rows} rows of values");
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

/// `x W + b`, or of hidden units `ReLU(dropout(x W + b))`.
///
/// ```text
/// y_ij = u_ij,   of hidden units 0 where they are dropped, else max(0, s u_ij),   u = x W + b
/// ```
/// Differentiable in x, W and b; that of x is computed whether it is asked for or not.
///
/// # Shapes
/// - x: `[n, d]`, weight: `[d, e]`, bias: `[e]`, of the same type and device
/// - output: `[n, e]`
///
/// # Panics
/// If the shapes contradict each other, or the device has no such operation ([`has_layers`]).
pub fn linear(
    x: Tensor<2>,
    weight: Tensor<2>,
    bias: Tensor<1>,
    hidden: Option<Hidden>,
) -> Tensor<2> {
    let ([n, d], [inputs, e], [of_bias]) = (x.dims(), weight.dims(), bias.dims());
    assert_eq!(
        (d, e),
        (inputs, of_bias),
        "{d} columns, {of_bias} biases, weights of {inputs} x {e}"
    );
    let dropped = hidden.as_ref().map_or(0, |hidden| hidden.dropped.len());
    assert!(dropped == 0 || dropped == n * e, "{dropped} dropped units of {n} x {e}");
    check_device(&[&x, &weight]);
    let [x, weight] = [x, weight].map(Tensor::into_dispatch);
    Tensor::from_dispatch(Dispatch::dense(x, weight, bias.into_dispatch(), hidden))
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
