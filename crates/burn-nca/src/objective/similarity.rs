//! How alike two rows of an embedding are: the score that a softmax over candidates is taken of.

use burn::config::Config;
use burn::module::Content;
use burn::tensor::Tensor;
use burn_nca_fused::Distance;

use super::Temperature;
use crate::encoder::unit_rows;
use crate::nca::squared_distances;
use crate::product::product;

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
    /// Points whose [logits](Self::logits) are the similarities over T.
    ///
    /// ```text
    /// SqEuclidean   z / √T              Euclidean   z / T              Cosine   z / (||z|| √T)
    /// ```
    /// # Shapes
    /// - points: queries `[b, k]` and references `[m, k]`
    pub(super) fn as_logits(
        self,
        temperature: &Temperature,
        points: [Tensor<2>; 2],
    ) -> [Tensor<2>; 2] {
        let points = if self == Self::Cosine { points.map(unit_rows) } else { points };
        self.divided(temperature, points, 1.0)
    }

    /// The logits of queries and references, `[b, k]` and `[m, k]` to `[b, m]`; of the cosine their products.
    pub(super) fn logits(self, queries: Tensor<2>, references: Tensor<2>) -> Tensor<2> {
        match self {
            Self::SqEuclidean => squared_distances(queries, references).neg(),
            Self::Euclidean => square_root(squared_distances(queries, references)).neg(),
            Self::Cosine => product(queries, references.transpose()),
        }
    }

    /// The distances of a kind whose exponentials a fused sum adds up.
    pub(super) fn distance(self) -> Distance {
        match self {
            Self::SqEuclidean | Self::Cosine => Distance::SqEuclidean,
            Self::Euclidean => Distance::Euclidean,
        }
    }

    /// Points whose [distances](Self::distance) are the similarities over T with the sign changed, up to a constant of each
    /// query.
    ///
    /// ```text
    /// SqEuclidean   z / √T
    /// Euclidean     z / T
    /// Cosine        z / (||z|| √(2T)):   ||u - v||² / (2T) = (1 - cos(u, v)) / T
    /// ```
    /// # Shapes
    /// - queries: `[b, k]`, references: `[m, k]`; one coordinate more where a row of zeros has no direction
    #[cfg(feature = "fused")]
    pub(super) fn as_distances(
        self,
        temperature: &Temperature,
        points: [Tensor<2>; 2],
    ) -> [Tensor<2>; 2] {
        match self {
            Self::Cosine => self.divided(temperature, of_unit_length(points), 2.0),
            _ => self.divided(temperature, points, 1.0),
        }
    }

    /// Points whose distances are divided by T, or whose squared distances by `times` T.
    fn divided(
        self,
        temperature: &Temperature,
        points: [Tensor<2>; 2],
        times: f64,
    ) -> [Tensor<2>; 2] {
        points.map(|points| match self {
            Self::Euclidean => temperature.divide(points),
            Self::SqEuclidean | Self::Cosine => temperature.divide_squares(points, times),
        })
    }
}

/// The rows at unit length.
///
/// References of zeros get a length of one along a coordinate that no query has, so that their cosine with each is 0.
#[cfg(feature = "fused")]
fn of_unit_length([queries, references]: [Tensor<2>; 2]) -> [Tensor<2>; 2] {
    let zero = references.clone().without_autodiff().abs().max_dim(1).equal_elem(0.0);
    let (queries, references) = (unit_rows(queries), unit_rows(references));
    if !zero.clone().any().into_scalar::<bool>() {
        return [queries, references];
    }
    let aside = zero.float().cast(references.dtype());
    let aside = in_graph_of(aside, &references);
    let none = queries.clone().without_autodiff().slice([0..queries.dims()[0], 0..1]).zeros_like();
    let none = in_graph_of(none, &queries);
    [Tensor::cat(vec![queries, none], 1), Tensor::cat(vec![references, aside], 1)]
}

/// The square root, with gradient 0 at 0.
pub fn square_root(squares: Tensor<2>) -> Tensor<2> {
    let zero = squares.clone().equal_elem(0.0);
    squares.mask_fill(zero.clone(), 1.0).sqrt().mask_fill(zero, 0.0)
}

/// The tensor with a graph where the other has one: to be joined, both need one.
#[cfg(feature = "fused")]
pub(super) fn in_graph_of(tensor: Tensor<2>, other: &Tensor<2>) -> Tensor<2> {
    if other.is_autodiff() && !tensor.is_autodiff() { tensor.autodiff() } else { tensor }
}

/// `||q_i - r_j||²` by a product of matrices, `[b, k]` and `[m, k]` to `[b, m]`; some 1e-6 of the squared norms is rounding in
/// f32.
pub fn squared_distances_by_product(queries: Tensor<2>, references: Tensor<2>) -> Tensor<2> {
    let (of_queries, of_references) =
        (queries.clone().square().sum_dim(1), references.clone().square().sum_dim(1));
    let products = product(queries, references.transpose()).mul_scalar(2.0);
    (of_queries + of_references.transpose() - products).clamp_min(0.0)
}

/// What a module shows of its similarity and temperature.
pub fn show_affinity(
    content: Content,
    similarity: Similarity,
    temperature: &Temperature,
) -> Content {
    content.add_debug_attribute("similarity", &similarity).add("temperature", temperature)
}
