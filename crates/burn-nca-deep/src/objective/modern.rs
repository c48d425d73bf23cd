//! The loss of modern NCA: what the others' targets are on average under a kernel of the distance itself.

use core::ops::Range;

use burn::config::Config;
use burn::module::Module;
use burn::nn::loss::Reduction;
use burn::tensor::Tensor;
use burn_nca::internal::{
    assert_rows, at_least_f32, cut, reduce_sum, square_root, squared_distances_by_product,
};
use burn_nca::nca::mlkr::{predicted, squared_errors};
use burn_nca::nca::own_pairs;
use burn_nca::objective::{BatchLoss, Objective, TargetIndex};
use burn_nca::shown_on_one_line;
#[cfg(feature = "fused")]
use burn_nca_fused::has_layers;

/// The least probability whose logarithm is taken: an outlier pulls no harder than that.
const LEAST: f64 = 1e-7;

/// What the targets of modern NCA are.
#[derive(Config, Debug, Copy, PartialEq, Eq)]
pub enum ModernTarget {
    /// Classes, a column of 0 and 1 for each.
    Classes,
    /// Numbers.
    Numbers,
}

/// Settings of a [`ModernNcaLoss`].
#[derive(Config, Debug)]
pub struct ModernNcaLossConfig {
    /// What the targets are.
    pub target: ModernTarget,
    /// How [`ModernNcaLoss::forward`] reduces over the points.
    #[config(default = "Reduction::Mean")]
    pub reduction: Reduction,
}

impl ModernNcaLossConfig {
    /// The loss with these settings.
    pub fn init(&self) -> ModernNcaLoss {
        ModernNcaLoss { config: self.clone() }
    }
}

/// Modern NCA: the error of the kernel rule over the other points, by the Euclidean distance and not its square.
///
/// ```text
/// p_ij = exp(-||z_i - z_j||) / Σ_{l≠i} exp(-||z_i - z_l||),   t̂_i = Σ_{j≠i} p_ij t_j
/// classes   -log(p_i + 1e-7),   p_i = Σ_{j: y_j = y_i} p_ij = 1 - ½ Σ_c |t_ic - t̂_ic|,   t_ic = [y_i = c]
/// numbers   ||t_i - t̂_i||²
/// ```
/// # Numerics
/// Squared distances are `||q||² + ||r||² - 2 q·r`: some 1e-6 of the squared norms is rounding in f32. The point itself is left
/// out by its place. Memory: `[b, m]`, or blocks of it of 32 MiB, on flex, where the means are one operation
/// (`burn_nca_fused::sum_of_euclidean_means`), else some ten `[b, m]`.
///
/// # References
/// H.-J. Ye, H.-H. Yin, D.-C. Zhan, Modern Neighborhood Components Analysis, ICLR 2025.
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct ModernNcaLoss {
    #[module(skip)]
    config: ModernNcaLossConfig,
}

shown_on_one_line!(ModernNcaLoss, |module, content| content
    .add_debug_attribute("target", &module.config.target));

/// `-||q_i - r_j||`, `[b, k]` and `[m, k]` to `[b, m]`, by a product of matrices.
fn negated_distances(queries: Tensor<2>, references: Tensor<2>) -> Tensor<2> {
    square_root(squared_distances_by_product(queries, references)).neg()
}

/// `Σ_j p_ij t_j` of queries that are no references, `[b, k]`, `[m, k]` and `[m, c]` to `[b, c]`.
fn means(queries: Tensor<2>, references: Tensor<2>, targets: Tensor<2>) -> Tensor<2> {
    #[cfg(feature = "fused")]
    if has_layers(&[&queries, &references, &targets]) {
        return burn_nca_fused::euclidean_mean(queries, references, targets);
    }
    means_written_out(queries, references, targets, None)
}

/// Without the operations none is taken.
#[cfg(not(feature = "fused"))]
fn has_layers(_: &[&Tensor<2>]) -> bool {
    false
}

/// The same in ordinary operations; the queries are `own` of the references, or none of them.
fn means_written_out(
    queries: Tensor<2>,
    references: Tensor<2>,
    targets: Tensor<2>,
    own: Option<Range<usize>>,
) -> Tensor<2> {
    let ([b, _], [m, _]) = (queries.dims(), references.dims());
    let device = queries.device().inner();
    let own = match own {
        Some(rows) => own_pairs(rows, m, &device),
        None => Tensor::<2>::zeros([b, m], &device).equal_elem(1.0),
    };
    predicted(negated_distances(queries, references), own, targets)
}

impl ModernNcaLoss {
    /// The loss of a batch, as an ordinary Burn loss; everything stays on the device.
    ///
    /// # Shapes
    /// - embeddings: `[n, k]`
    /// - targets: `[n, m]`, one-hot for classes
    /// - output: `[1]`
    ///
    /// # Panics
    /// If there is not one target row per embedding row, or no row.
    pub fn forward(&self, embeddings: Tensor<2>, targets: Tensor<2>) -> Tensor<1> {
        let [n, _] = embeddings.dims();
        assert_rows("batch", n);
        assert_eq!(targets.dims()[0], n, "one row of targets for each embedding");
        let embeddings = at_least_f32(embeddings);
        let targets = targets.without_autodiff().cast(embeddings.dtype());
        let sum = self.sum(embeddings, &targets, 0..n, |terms, _| terms.sum());
        reduce_sum(sum, n, &self.config.reduction)
    }

    /// The sum of what a function says of the terms `[b, 1]` of some points.
    fn sum(
        &self,
        z: Tensor<2>,
        targets: &Tensor<2>,
        rows: Range<usize>,
        of_terms: impl Fn(Tensor<2>, Range<usize>) -> Tensor<1>,
    ) -> Tensor<1> {
        let terms = |predicted: Tensor<2>, rows: Range<usize>| {
            of_terms(self.errors(targets.clone().slice([rows.clone()]), predicted), rows)
        };
        #[cfg(feature = "fused")]
        if has_layers(&[&z, targets]) {
            return burn_nca_fused::sum_of_euclidean_means(z, targets.clone(), rows, terms);
        }
        let queries = z.clone().slice([rows.clone()]);
        terms(means_written_out(queries, z, targets.clone(), Some(rows.clone())), rows)
    }

    /// The errors of predictions, `[b, m]` both to `[b, 1]`.
    fn errors(&self, truth: Tensor<2>, predicted: Tensor<2>) -> Tensor<2> {
        match self.config.target {
            ModernTarget::Classes => {
                let wrong = (truth - predicted).abs().sum_dim(1).mul_scalar(0.5);
                (wrong.neg().add_scalar(1.0).clamp_min(0.0)).add_scalar(LEAST).log().neg()
            }
            ModernTarget::Numbers => squared_errors(truth, predicted),
        }
    }

    /// The mean term of queries that are no references, without a graph; smaller is better.
    ///
    /// # Shapes
    /// - queries: `[b, k]`, truth: `[b, m]`, references: `[n, k]`, targets: `[n, m]`
    pub fn mean_error(
        &self,
        (queries, truth): (Tensor<2>, Tensor<2>),
        (references, targets): (Tensor<2>, Tensor<2>),
    ) -> f64 {
        let [b, _] = queries.dims();
        // The operation holds no more of them at once.
        let size = if has_layers(&[&queries, &references, &targets]) { b } else { PREDICTED };
        let sums = cut(0..b, size).into_iter().map(|rows| {
            let some = queries.clone().slice([rows.clone()]);
            let predicted = means(some, references.clone(), targets.clone());
            self.errors(truth.clone().slice([rows]), predicted).sum().into_scalar::<f64>()
        });
        sums.sum::<f64>() / b as f64
    }
}

/// Queries whose predictions are made together in ordinary operations.
const PREDICTED: usize = 256;

impl BatchLoss for ModernNcaLoss {
    /// The targets of each row, `[n, m]`.
    type Target = Tensor<2>;

    fn batch_loss(&self, embeddings: Tensor<2>, targets: &Tensor<2>) -> Tensor<1> {
        self.forward(embeddings, targets.clone())
    }
}

impl Objective for ModernNcaLoss {
    type Target = TargetIndex;

    fn lower_bound(&self, _targets: &TargetIndex) -> Option<f64> {
        Some(0.0)
    }

    fn exponents(&self, queries: Tensor<2>, references: Tensor<2>) -> Tensor<2> {
        negated_distances(queries, references)
    }

    fn block(&self, embedding: Tensor<2>, targets: &TargetIndex, rows: Range<usize>) -> Tensor<1> {
        let t = targets.centered(embedding.dtype());
        self.sum(embedding, &t, rows, |terms, rows| targets.weigh(terms, rows).sum())
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::{Device, TensorData};
    use burn_nca::data::host_values;

    use super::*;

    /// Numbers that repeat after so many.
    fn table(rows: usize, columns: usize, period: usize) -> Tensor<2> {
        let value = |at: usize| ((at * at) % period) as f32 * 2.15 / period as f32;
        let values: Vec<f32> = (0..rows * columns).map(value).collect();
        Tensor::from_data(TensorData::new(values, [rows, columns]), &Device::flex().autodiff())
    }

    fn check_close(found: Vec<f64>, expected: Vec<f64>) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.into_iter().zip(expected) {
            assert!((found - expected).abs() < 1e-4 * (1.0 + expected.abs()), "{found} {expected}");
        }
    }

    #[cfg(feature = "fused")]
    #[test]
    fn means_are_those_of_ordinary_operations_with_their_gradients() {
        // Rows of which some are copies, more than are compared at a time, and more than a block.
        for (n, period, some) in
            [(50, 43, 7..20), (1100, 100_003, 7..1050), (3100, 100_003, 0..3000)]
        {
            let (z, targets) = (table(n, 6, period).require_grad(), table(n, 3, period));
            let terms = |means: Tensor<2>, _: Range<usize>| (means * 3.0).sin().sum();
            let said = |sum: Tensor<1>| {
                // In the middle of a graph.
                let sum = sum.mul_scalar(0.25);
                let gradients = sum.clone().sin().backward();
                [host_values(sum), host_values(z.grad(&gradients).unwrap())].concat()
            };
            for rows in [0..n.min(2000), some] {
                let found = burn_nca_fused::sum_of_euclidean_means(
                    z.clone() * 1.5,
                    targets.clone(),
                    rows.clone(),
                    terms,
                );
                let points = z.clone() * 1.5;
                let queries = points.clone().slice([rows.clone()]);
                let expected =
                    means_written_out(queries, points, targets.clone(), Some(rows.clone()));
                check_close(said(found), said(terms(expected, rows)));
            }
            let others = table(n.min(500), 6, period + 2);
            let expected = means_written_out(others.clone(), z.clone(), targets.clone(), None);
            check_close(host_values(means(others, z, targets)), host_values(expected));
        }
        // What is said of the means may be a constant.
        let z = table(9, 6, 43).require_grad();
        let constant = |_, _| Tensor::<1>::ones([1], &Device::flex());
        let (points, targets) = (z.clone() * 1.5, table(9, 3, 43));
        let sum = burn_nca_fused::sum_of_euclidean_means(points, targets, 0..9, constant);
        let gradient = z.grad(&sum.backward()).unwrap();
        assert!(host_values(gradient).iter().all(|slope| *slope == 0.0));
        // A point without another has the mean 0 and no gradient.
        let z = table(1, 6, 43).require_grad();
        let sum = |means: Tensor<2>, _| means.sum();
        let found = burn_nca_fused::sum_of_euclidean_means(z.clone(), table(1, 3, 43), 0..1, sum);
        assert_eq!(host_values(found.clone()), [0.0]);
        let gradient = z.grad(&found.backward()).unwrap();
        assert!(host_values(gradient).iter().all(|slope| *slope == 0.0));
    }

    /// Points 0, 1, 3 on a line in the unit in which exp(-d) is 2^(-d).
    fn line() -> Tensor<2> {
        let unit = 2f32.ln();
        Tensor::from_floats([[0.0], [unit], [3.0 * unit]], &Device::flex())
    }

    #[test]
    fn values_are_those_worked_by_hand() {
        // Of classes a, a, b: p_0 = 2^-1 / (2^-1 + 2^-3) = 4/5, p_1 = 2^-1 / (2^-1 + 2^-2) = 2/3, the third is alone.
        let device = Device::flex();
        let one_hot = Tensor::<2>::from_floats([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], &device);
        let classes = ModernNcaLossConfig::new(ModernTarget::Classes).init();
        let expected = -(0.8f64.ln() + (2.0f64 / 3.0).ln() + 1e-7f64.ln());
        let found: f64 = classes.forward(line(), one_hot).into_scalar();
        assert!((found - expected / 3.0).abs() < 1e-4, "{found} {expected}");
        let index = TargetIndex::new(&[1.0, 0.0, 1.0, 0.0, 0.0, 1.0], 2, &device).unwrap();
        let exact: f64 = classes.total(line(), &index).into_scalar();
        assert!((exact - expected).abs() < 1e-3, "{exact} {expected}");
        let of_middle = classes.exponents(line().slice([1..2]), line());
        let expected = [-1.0, 0.0, -2.0].map(|apart| apart * 2f64.ln());
        for (found, expected) in host_values(of_middle).into_iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
        // Numbers 0, 0, 1: errors 1/5, 1/3 and 1.
        let numbers = ModernNcaLossConfig::new(ModernTarget::Numbers).init();
        let expected = 0.2f64.powi(2) + (1.0f64 / 3.0).powi(2) + 1.0;
        let index = TargetIndex::new(&[0.0, 0.0, 1.0], 1, &device).unwrap();
        let found: f64 = numbers.total(line(), &index).into_scalar();
        assert!((found - expected).abs() < 1e-5, "{found} {expected}");
        let targets = Tensor::<2>::from_floats([[0.0], [0.0], [1.0]], &device);
        let error = numbers.mean_error(
            (line().slice([0..1]), targets.clone().slice([0..1])),
            (line().slice([1..3]), targets.slice([1..3])),
        );
        assert!((error - 0.2f64.powi(2)).abs() < 1e-6, "{error}");
    }
}
