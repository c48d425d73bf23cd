//! The number types that the kernels are compiled for.

use crate::backward::{self, Weighted};
use crate::forward;
use crate::mean::{self, Means};
use crate::{
    Distance, NeighborSets, Summand, Weights, groups, mean_backward, mutual, pair_sum, shares,
    vector,
};

/// Dimensions from which each pair is computed once for both of its points: with fewer, the exponentials decide, which are as
/// many either way (measured at 1797 and 5000 points).
const MUTUAL_FROM: usize = 6;

/// f32 or f64.
///
/// The kernels are its methods, so that they are compiled, and optimized, here and not in the crate that calls them.
pub trait Number: vector::Real {
    /// The least squared distances of all queries `[b, k]` to references `[m, k]`, then the logarithms of
    /// `Σ_j exp(least_i - ||q_i - r_j||²)`: `[2, b]`.
    ///
    /// A query without columns has the least distance ∞ and the logarithm -∞.
    fn statistics(
        queries: &[Self],
        references: &[Self],
        k: usize,
        columns: &NeighborSets,
    ) -> Vec<Self> {
        Self::statistics_of(Distance::SqEuclidean, (queries, references, k), columns)
    }

    /// The same of `||q_i - r_j||² + c_ij` with a cost for each pair, `[b, m]`.
    fn statistics_with_costs(
        points: (&[Self], &[Self], usize),
        costs: &[Self],
        columns: &NeighborSets,
    ) -> Vec<Self>;

    /// `log Σ_j exp(-||q_i - r_j||²)` of all queries `[b, k]` and of each group of references `[m, k]`, which ends at
    /// its number of `ends` and begins where the one before does: `[b, groups]`; -∞ where a group has no column.
    ///
    /// A squared distance may be off by `error`: in many dimensions at less than half the cost, as products about the
    /// mean of the references wherever their rounding is certainly below it.
    ///
    /// # Panics
    /// If the ends fall, or the last is not m.
    fn log_sums_within(
        error: Self,
        points: (&[Self], &[Self], usize),
        columns: &NeighborSets,
        ends: &[usize],
    ) -> Vec<Self>;

    /// The same of distances of this kind.
    fn statistics_of(
        distance: Distance,
        points: (&[Self], &[Self], usize),
        columns: &NeighborSets,
    ) -> Vec<Self>;

    /// The two numbers per row of [`statistics`](Self::statistics), and the entropy in nats of the weights
    /// `p_j = exp(-||q_i - r_j||²) / Σ_l exp(-||q_i - r_l||²)`: `[3, b]`. A query without columns has the entropy 0.
    fn entropies(
        queries: &[Self],
        references: &[Self],
        k: usize,
        columns: &NeighborSets,
    ) -> Vec<Self>;

    /// The sums over its columns of each query `[b, k]` among references `[m, k]`: `[b]`.
    fn sums(
        summand: Summand,
        points: (&[Self], &[Self], usize),
        columns: &NeighborSets,
    ) -> Vec<Self>;

    /// The gradient of `Σ_i g_i s_i` with the sums s of [`statistics`](Self::statistics) or [`sums`](Self::sums):
    /// `-2 Σ_j w_ij (q_i - r_j)` for each query and `2 Σ_i w_ij (q_i - r_j)` for each reference, `[b, k]` and `[m, k]`,
    /// with the w of [`Weights`](crate::Weights).
    fn gradients(of: &Weighted<'_, Self>) -> (Vec<Self>, Vec<Self>);

    /// The gradient with respect to points that are both the queries and the references, `[n, k]`: the sum of the two of
    /// [`gradients`](Self::gradients), at two thirds of the cost in many dimensions where the columns are [mutual](NeighborSets::is_mutual).
    fn gradient(of: &Weighted<'_, Self>) -> Vec<Self>;

    /// The means `Σ_j p_ij v_j` of values `[m, c]` with `p_ij = exp(-||q_i - r_j||² - lse_i)`: `[b, c]`. Zeros for a
    /// query without columns.
    fn means(of: Means<'_, Self>) -> Vec<Self>;

    /// The gradient of `Σ_i g_i · mean_i` with respect to queries, references and values, given the means and `g`,
    /// both `[b, c]`.
    fn mean_gradients(of: Means<'_, Self>, means: &[Self], gradient: &[Self]) -> [Vec<Self>; 3];

    /// Replaces the products `q · r_j` of a query with references by `p_j = exp(b_j - ||q - r_j||) / Σ_l exp(b_l - ||q - r_l||)`,
    /// given `||q||²`, `||r_j||²` and biases b, which are 0 where there are none.
    ///
    /// A reference of the norm ∞ or the product -∞ has no share; some reference has one.
    ///
    /// # Panics
    /// If there is not one norm, and none or one bias, for each product.
    fn euclidean_shares(
        products: &mut [Self],
        of_query: Self,
        of_references: &[Self],
        biases: &[Self],
    );
}

macro_rules! number {
    ($real:ident) => {
        impl Number for $real {
            fn statistics_of(
                distance: Distance,
                points: (&[Self], &[Self], usize),
                columns: &NeighborSets,
            ) -> Vec<Self> {
                forward::statistics(distance, points, 0.0, &[], columns)
            }

            fn log_sums_within(
                error: Self,
                points: (&[Self], &[Self], usize),
                columns: &NeighborSets,
                ends: &[usize],
            ) -> Vec<Self> {
                groups::log_sums(error, points, columns, ends)
            }

            fn statistics_with_costs(
                points: (&[Self], &[Self], usize),
                costs: &[Self],
                columns: &NeighborSets,
            ) -> Vec<Self> {
                forward::statistics(Distance::SqEuclidean, points, 0.0, costs, columns)
            }

            fn entropies(
                queries: &[Self],
                references: &[Self],
                k: usize,
                columns: &NeighborSets,
            ) -> Vec<Self> {
                forward::entropies(queries, references, k, columns)
            }

            fn sums(
                summand: Summand,
                points: (&[Self], &[Self], usize),
                columns: &NeighborSets,
            ) -> Vec<Self> {
                pair_sum::sums(summand, points, columns)
            }

            fn gradients(of: &Weighted<'_, Self>) -> (Vec<Self>, Vec<Self>) {
                backward::gradients(of)
            }

            fn gradient(of: &Weighted<'_, Self>) -> Vec<Self> {
                match of.weights {
                    Weights::Softmax(statistics)
                        if of.k >= MUTUAL_FROM && of.columns.is_mutual() =>
                    {
                        mutual::gradient(of.references, of.k, of.columns, statistics, of.gradient)
                    }
                    _ => {
                        let (mut of_queries, of_references) = backward::gradients(of);
                        of_queries.iter_mut().zip(of_references).for_each(|(x, y)| *x += y);
                        of_queries
                    }
                }
            }

            fn means(of: Means<'_, Self>) -> Vec<Self> {
                mean::means(of)
            }

            fn mean_gradients(
                of: Means<'_, Self>,
                means: &[Self],
                gradient: &[Self],
            ) -> [Vec<Self>; 3] {
                mean_backward::gradients(of, means, gradient)
            }

            fn euclidean_shares(
                products: &mut [Self],
                of_query: Self,
                of_references: &[Self],
                biases: &[Self],
            ) {
                shares::shares(products, of_query, of_references, biases);
            }
        }
    };
}

number!(f32);
number!(f64);
