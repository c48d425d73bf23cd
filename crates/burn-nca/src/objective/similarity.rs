//! How alike two rows of an embedding are: the score that a softmax over candidates is taken of.

use burn::config::Config;
use burn::tensor::Tensor;

use super::affinity::{at_least_f32, logits};
use crate::encoder::unit_rows;

/// How alike two rows of an embedding are.
///
/// ```text
/// SqEuclidean   s_ij = -||z_i - z_j||²
/// Euclidean     s_ij = -||z_i - z_j||
/// Cosine        s_ij = z_i·z_j / (||z_i|| ||z_j||)
/// ```
/// On rows of unit length `-||u - v||² = 2 cos(u, v) - 2`: the squared Euclidean similarity at temperature T
/// is the cosine at temperature T/2.
#[derive(Config, Debug, Copy, PartialEq, Eq)]
pub enum Similarity {
    /// The squared Euclidean distance, as in NCA.
    SqEuclidean,
    /// The Euclidean distance.
    Euclidean,
    /// The cosine of the angle between the rows.
    Cosine,
}

impl Similarity {
    /// The similarities of queries and references, up to a constant of each query.
    ///
    /// Such a constant cancels in a softmax over the references.
    ///
    /// # Shapes
    /// - queries: `[b, k]`, references: `[m, k]`, output: `[b, m]`
    ///
    /// # Numerics
    /// Distances come out of a matrix product around the mean of the queries, where it loses few digits;
    /// the root of one near 0 is uncertain by some 3e-4 of the rows' spread in f32 and 1e-8 in f64. A distance
    /// of 0 has no direction: its gradient is taken as 0, and so is that of the cosine with a row of zeros (the
    /// cosine is 0). Rows of half precision are computed with in f32.
    pub(super) fn scores(self, queries: Tensor<2>, references: Tensor<2>) -> Tensor<2> {
        let (queries, references) = (at_least_f32(queries), at_least_f32(references));
        match self {
            Self::SqEuclidean => {
                let (queries, references) = around_mean(queries, references);
                logits(queries, references)
            }
            Self::Euclidean => {
                let (queries, references) = around_mean(queries, references);
                let own_squares = queries.clone().square().sum_dim(1);
                square_root((own_squares - logits(queries, references)).clamp_min(0.0)).neg()
            }
            Self::Cosine => unit_rows(queries).matmul(unit_rows(references).transpose()),
        }
    }
}

/// Both moved by the mean of the queries.
///
/// The mean carries no gradient: moving all points together changes no distance.
pub(super) fn around_mean(queries: Tensor<2>, references: Tensor<2>) -> (Tensor<2>, Tensor<2>) {
    let mean = queries.clone().without_autodiff().mean_dim(0);
    (queries - mean.clone(), references - mean)
}

/// The square root, with gradient 0 at 0.
pub(super) fn square_root(squares: Tensor<2>) -> Tensor<2> {
    let zero = squares.clone().equal_elem(0.0);
    squares.mask_fill(zero.clone(), 1.0).sqrt().mask_fill(zero, 0.0)
}
