//! The number types that the kernels are compiled for.

use crate::backward::{self, Weighted};
use crate::mean::{self, Means};
use crate::{Distance, NeighborSets, Summand, forward, log_sums, mutual, pair_sum, shares, vector};

/// The trait of the number types: each kernel as a method, which is compiled for both of them.
macro_rules! kernels {
    ($(
        $(#[$about:meta])*
        fn $name:ident($($given:ident: $type:ty),+ $(,)?) $(-> $found:ty)? = $kernel:path;
    )+) => {
        /// f32 or f64.
        ///
        /// The kernels are its methods, so that they are compiled, and optimized, here and not in the crate that calls them.
        pub trait Number: vector::Real {
            $($(#[$about])* fn $name($($given: $type),+) $(-> $found)?;)+
        }

        impl Number for f32 {
            $(fn $name($($given: $type),+) $(-> $found)? { $kernel($($given),+) })+
        }

        impl Number for f64 {
            $(fn $name($($given: $type),+) $(-> $found)? { $kernel($($given),+) })+
        }
    };
}

kernels! {
    /// The least squared distances of all queries `[b, k]` to references `[m, k]`, then the logarithms of
    /// `Σ_j exp(least_i - ||q_i - r_j||²)`: `[2, b]`.
    ///
    /// A query without columns has the least distance ∞ and the logarithm -∞.
    fn statistics(
        queries: &[Self],
        references: &[Self],
        k: usize,
        columns: &NeighborSets,
    ) -> Vec<Self> = forward::statistics;

    /// The same of distances of this kind, and with costs `[b, m]` of the pairs, where there are some, of
    /// `||q_i - r_j||² + c_ij`.
    fn statistics_of(
        distance: Distance,
        points: (&[Self], &[Self], usize),
        costs: &[Self],
        columns: &NeighborSets,
    ) -> Vec<Self> = forward::statistics_of;

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
    ) -> Vec<Self> = log_sums::log_sums;

    /// The two numbers per row of [`statistics`](Self::statistics), and the entropy in nats of the weights
    /// `p_j = exp(-||q_i - r_j||²) / Σ_l exp(-||q_i - r_l||²)`: `[3, b]`. A query without columns has the entropy 0.
    fn entropies(
        queries: &[Self],
        references: &[Self],
        k: usize,
        columns: &NeighborSets,
    ) -> Vec<Self> = forward::entropies;

    /// The sums over its columns of each query `[b, k]` among references `[m, k]`: `[b]`.
    fn sums(
        summand: Summand,
        points: (&[Self], &[Self], usize),
        columns: &NeighborSets,
    ) -> Vec<Self> = pair_sum::sums;

    /// The gradient of `Σ_i g_i s_i` with the sums s of [`statistics`](Self::statistics) or [`sums`](Self::sums):
    /// `-2 Σ_j w_ij (q_i - r_j)` for each query and `2 Σ_i w_ij (q_i - r_j)` for each reference, `[b, k]` and `[m, k]`,
    /// with the w of [`Weights`](crate::Weights).
    fn gradients(of: &Weighted<'_, Self>) -> (Vec<Self>, Vec<Self>) = backward::gradients;

    /// The gradient with respect to points that are both the queries and the references, `[n, k]`: the sum of the two of
    /// [`gradients`](Self::gradients), at two thirds of the cost in many dimensions where the columns are [mutual](NeighborSets::is_mutual).
    fn gradient(of: &Weighted<'_, Self>) -> Vec<Self> = mutual::sum_of_gradients;

    /// The means `Σ_j p_ij v_j` of values `[m, c]` with `p_ij = exp(-||q_i - r_j||² - lse_i)`: `[b, c]`. Zeros for a
    /// query without columns.
    fn means(of: Means<'_, Self>) -> Vec<Self> = mean::means;

    /// The gradient of `Σ_i g_i · mean_i` with respect to queries, references and values, given the means and `g`,
    /// both `[b, c]`.
    fn mean_gradients(
        of: Means<'_, Self>,
        means: &[Self],
        gradient: &[Self],
    ) -> [Vec<Self>; 3] = mean::gradients;

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
    ) = shares::shares;
}
