//! How alike two rows of an embedding are: the score that a softmax over candidates is taken of.

use burn::config::Config;
use burn::tensor::Tensor;

use super::Temperature;
use super::affinity::at_least_f32;
#[cfg(test)]
use super::affinity::logits;
use crate::encoder::unit_rows;
use crate::pairwise::{Distance, in_graph_of};

/// How alike two rows of an embedding are.
///
/// ```text
/// SqEuclidean   s_ij = -||z_i - z_j||²
/// Euclidean     s_ij = -||z_i - z_j||
/// Cosine        s_ij = z_i·z_j / (||z_i|| ||z_j||)
/// ```
/// On rows of unit length `-||u - v||² = 2 cos(u, v) - 2`: the squared Euclidean similarity at temperature T
/// is the cosine at temperature T/2. A distance of 0 has no direction: the gradient of the Euclidean one is taken as 0
/// there, and so is that of the cosine with a row of zeros (the cosine is 0). Rows of half precision are computed with in f32.
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
    /// Points whose distances of a kind are the similarities over T with the sign changed, up to a constant of each query.
    ///
    /// ```text
    /// SqEuclidean   z / √T
    /// Euclidean     z / T
    /// Cosine        z / (||z|| √(2T)):   ||u - v||² / (2T) = (1 - cos(u, v)) / T
    /// ```
    /// # Shapes
    /// - queries: `[b, k]`, references: `[m, k]`; one coordinate more where a row of zeros has no direction
    pub(super) fn as_distances(
        self,
        temperature: Option<&Temperature>,
        (queries, references): (Tensor<2>, Tensor<2>),
    ) -> (Distance, (Tensor<2>, Tensor<2>)) {
        let (queries, references) = (at_least_f32(queries), at_least_f32(references));
        let over_root = |points: Tensor<2>, times: f64| match temperature {
            Some(temperature) => temperature.divide_squares(points, times),
            None if times == 1.0 => points,
            None => points.mul_scalar(times.recip().sqrt()),
        };
        let over = |points: Tensor<2>| match temperature {
            Some(temperature) => temperature.divide(points),
            None => points,
        };
        match self {
            Self::SqEuclidean => {
                (Distance::SqEuclidean, (over_root(queries, 1.0), over_root(references, 1.0)))
            }
            Self::Euclidean => (Distance::Euclidean, (over(queries), over(references))),
            Self::Cosine => {
                let (queries, references) = of_unit_length(queries, references);
                (Distance::SqEuclidean, (over_root(queries, 2.0), over_root(references, 2.0)))
            }
        }
    }

    /// The similarities of queries and references, `[b, m]`, up to a constant of each query: what sums that never hold them
    /// are compared with.
    #[cfg(test)]
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

/// The rows at unit length.
///
/// References of zeros get a length of one along a coordinate that no query has, so that their cosine with each is 0.
fn of_unit_length(queries: Tensor<2>, references: Tensor<2>) -> (Tensor<2>, Tensor<2>) {
    let zero = references.clone().without_autodiff().abs().max_dim(1).equal_elem(0.0);
    let (queries, references) = (unit_rows(queries), unit_rows(references));
    if !zero.clone().any().into_scalar::<bool>() {
        return (queries, references);
    }
    let aside = zero.float().cast(references.dtype());
    let aside = in_graph_of(aside, &references);
    let none = queries.clone().without_autodiff().slice([0..queries.dims()[0], 0..1]).zeros_like();
    let none = in_graph_of(none, &queries);
    (Tensor::cat(vec![queries, none], 1), Tensor::cat(vec![references, aside], 1))
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
