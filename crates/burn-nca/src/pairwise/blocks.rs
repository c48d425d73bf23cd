//! The sums in ordinary tensor operations, a block of rows at a time: the reference, and what backends without
//! kernels of their own run.

use core::ops::Range;

use burn::backend::tensor::{BoolTensor, FloatTensor};
use burn::backend::{Backend, TensorMetadata, get_device_settings};
use burn::tensor::{Shape, Slice, TensorData};

use super::{Columns, Distance, Summand};

/// Numbers of one `[rows, m]` matrix of a block.
const BLOCK: usize = 1 << 22;

/// Dimensions up to which distances are sums of squared differences.
const DIFFERENCES: usize = 64;

/// All queries and references.
pub(super) struct Pairs<'a, B: Backend> {
    queries: FloatTensor<B>,
    references: FloatTensor<B>,
    columns: &'a Columns,
    /// What is added to the distance of each pair, `[b, m]`.
    costs: Option<FloatTensor<B>>,
}

impl<'a, B: Backend> Pairs<'a, B> {
    pub(super) fn new(
        queries: FloatTensor<B>,
        references: FloatTensor<B>,
        columns: &'a Columns,
    ) -> Self {
        Self { queries, references, columns, costs: None }
    }

    pub(super) fn with_costs(self, costs: FloatTensor<B>) -> Self {
        Self { costs: Some(costs), ..self }
    }
}

/// `[2, b]` statistics to `[b]` log-sum-exps.
pub(super) fn combine<B: Backend>(statistics: FloatTensor<B>) -> FloatTensor<B> {
    let b = statistics.shape()[1];
    let row = |at: usize| rows::<B>(statistics.clone(), at..at + 1);
    B::float_reshape(B::float_sub(row(1), row(0)), Shape::new([b]))
}

/// See [`PairwiseOps::pairwise_statistics`](super::ops::PairwiseOps::pairwise_statistics).
pub(super) fn statistics<B: Backend>(pairs: Pairs<'_, B>, distance: Distance) -> FloatTensor<B> {
    let b = pairs.columns.queries();
    let pairs = pairs.centered();
    let (mut least, mut logs) = (Vec::new(), Vec::new());
    for block in pairs.blocks() {
        let mask = pairs.left_out(&block);
        let logits =
            B::float_mask_fill(pairs.logits_of(distance, &block), mask.clone(), f32::MIN.into());
        let largest = B::float_max_dim(logits.clone(), 1);
        let terms = B::float_exp(B::float_sub(logits, largest.clone()));
        let sum = B::float_sum_dim(B::float_mask_fill(terms, mask, 0f32.into()), 1);
        least.push(B::float_neg(largest));
        logs.push(B::float_log(sum));
    }
    let column = |parts| B::float_reshape(B::float_cat(parts, 0), Shape::new([1, b]));
    B::float_cat(vec![column(least), column(logs)], 0)
}

/// See [`PairwiseOps::pairwise_gradients`](super::ops::PairwiseOps::pairwise_gradients).
pub(super) fn gradients<B: Backend>(
    pairs: Pairs<'_, B>,
    distance: Distance,
    statistics: FloatTensor<B>,
    gradient: FloatTensor<B>,
) -> (FloatTensor<B>, FloatTensor<B>) {
    let b = pairs.columns.queries();
    let pairs = pairs.centered();
    let gradient = B::float_reshape(gradient, Shape::new([b, 1]));
    let mut moments = Moments::new(&pairs);
    for block in pairs.blocks() {
        let weights = match distance {
            Distance::SqEuclidean => pairs.weights(&block, &statistics),
            Distance::Euclidean => pairs.weights_of_roots(&block, &statistics),
        };
        let weights = B::float_mul(weights, rows::<B>(gradient.clone(), block.clone()));
        moments.add(block, weights);
    }
    moments.finish()
}

/// See [`PairwiseOps::pairwise_gradient`](super::ops::PairwiseOps::pairwise_gradient).
pub(super) fn gradient<B: Backend>(
    points: FloatTensor<B>,
    columns: &Columns,
    distance: Distance,
    statistics: FloatTensor<B>,
    gradient: FloatTensor<B>,
) -> FloatTensor<B> {
    let pairs = Pairs::new(points.clone(), points, columns);
    let (of_queries, of_references) = gradients::<B>(pairs, distance, statistics, gradient);
    B::float_add(of_queries, of_references)
}

/// See [`PairwiseOps::pairwise_sum`](super::ops::PairwiseOps::pairwise_sum).
pub(super) fn sum<B: Backend>(pairs: Pairs<'_, B>, summand: Summand) -> FloatTensor<B> {
    let b = pairs.columns.queries();
    let pairs = pairs.centered();
    let blocks = pairs.blocks().into_iter();
    let sum = |block| {
        let terms = match summand {
            Summand::Hinge => {
                let near = pairs.nearness(&block);
                B::float_mul(near.clone(), near)
            }
            Summand::Euclidean => {
                B::float_mask_fill(pairs.distances(&block), pairs.left_out(&block), 0f32.into())
            }
        };
        B::float_sum_dim(terms, 1)
    };
    B::float_reshape(B::float_cat(blocks.map(sum).collect(), 0), Shape::new([b]))
}

/// See [`PairwiseOps::pairwise_sum_gradients`](super::ops::PairwiseOps::pairwise_sum_gradients).
pub(super) fn sum_gradients<B: Backend>(
    pairs: Pairs<'_, B>,
    summand: Summand,
    gradient: FloatTensor<B>,
) -> (FloatTensor<B>, FloatTensor<B>) {
    let b = pairs.columns.queries();
    let pairs = pairs.centered();
    let factor: f32 = match summand {
        Summand::Hinge => 2.0,
        // The gradient of a distance is half of that of its square, over it.
        Summand::Euclidean => -1.0,
    };
    let factors =
        B::float_mul_scalar(B::float_reshape(gradient, Shape::new([b, 1])), factor.into());
    let mut moments = Moments::new(&pairs);
    for block in pairs.blocks() {
        let weights = match summand {
            Summand::Hinge => pairs.nearness(&block),
            Summand::Euclidean => {
                let inverses = pairs.half_inverses(&block);
                B::float_mask_fill(inverses, pairs.left_out(&block), 0f32.into())
            }
        };
        let weights = B::float_mul(weights, rows::<B>(factors.clone(), block.clone()));
        moments.add(block, weights);
    }
    moments.finish()
}

/// See [`PairwiseOps::pairwise_means`](super::ops::PairwiseOps::pairwise_means).
pub(super) fn means<B: Backend>(
    pairs: Pairs<'_, B>,
    values: FloatTensor<B>,
    statistics: FloatTensor<B>,
) -> FloatTensor<B> {
    let pairs = pairs.centered();
    let blocks = pairs.blocks().into_iter();
    let mean = |block| B::float_matmul(pairs.weights(&block, &statistics), values.clone());
    B::float_cat(blocks.map(mean).collect(), 0)
}

/// See [`PairwiseOps::pairwise_mean_gradients`](super::ops::PairwiseOps::pairwise_mean_gradients).
pub(super) fn mean_gradients<B: Backend>(
    pairs: Pairs<'_, B>,
    values: FloatTensor<B>,
    statistics: FloatTensor<B>,
    means: FloatTensor<B>,
    gradient: FloatTensor<B>,
) -> (FloatTensor<B>, FloatTensor<B>, FloatTensor<B>) {
    let pairs = pairs.centered();
    let dots = B::float_sum_dim(B::float_mul(means, gradient.clone()), 1);
    let mut moments = Moments::new(&pairs);
    let mut of_values = B::float_mul_scalar(values.clone(), 0f32.into());
    for block in pairs.blocks() {
        let weights = pairs.weights(&block, &statistics);
        let gradient = rows::<B>(gradient.clone(), block.clone());
        let spread = B::float_matmul(B::float_transpose(weights.clone()), gradient.clone());
        of_values = B::float_add(of_values, spread);
        let products = B::float_matmul(gradient, B::float_transpose(values.clone()));
        let products = B::float_sub(products, rows::<B>(dots.clone(), block.clone()));
        moments.add(block, B::float_mul(weights, products));
    }
    let (of_queries, of_references) = moments.finish();
    (of_queries, of_references, of_values)
}

/// The gradients that come of weights `w_ij` of the exponents `-||q_i - r_j||²`.
struct Moments<'a, B: Backend> {
    pairs: &'a Pairs<'a, B>,
    of_queries: Vec<FloatTensor<B>>,
    of_references: FloatTensor<B>,
}

impl<'a, B: Backend> Moments<'a, B> {
    fn new(pairs: &'a Pairs<'a, B>) -> Self {
        let of_references = B::float_mul_scalar(pairs.references.clone(), 0f32.into());
        Self { pairs, of_queries: Vec::new(), of_references }
    }

    /// Adds the weights `[rows, m]` of a block.
    fn add(&mut self, block: Range<usize>, weights: FloatTensor<B>) {
        let references = self.pairs.references.clone();
        let queries = rows::<B>(self.pairs.queries.clone(), block);
        let of_rows = B::float_sum_dim(weights.clone(), 1);
        let toward = B::float_matmul(weights.clone(), references.clone());
        self.of_queries.push(B::float_sub(toward, B::float_mul(queries.clone(), of_rows)));
        let weights = B::float_transpose(weights);
        let of_columns = B::float_sum_dim(weights.clone(), 1);
        let toward = B::float_matmul(weights, queries);
        let part = B::float_sub(toward, B::float_mul(references, of_columns));
        self.of_references = B::float_add(self.of_references.clone(), part);
    }

    fn finish(self) -> (FloatTensor<B>, FloatTensor<B>) {
        let of_queries = B::float_mul_scalar(B::float_cat(self.of_queries, 0), 2f32.into());
        (of_queries, B::float_mul_scalar(self.of_references, 2f32.into()))
    }
}

impl<B: Backend> Pairs<'_, B> {
    /// The same pairs with the mean of the references at the origin, where products lose fewer digits.
    fn centered(self) -> Self {
        let mean = B::float_mean_dim(self.references.clone(), 0);
        Self {
            queries: B::float_sub(self.queries, mean.clone()),
            references: B::float_sub(self.references, mean),
            ..self
        }
    }

    fn blocks(&self) -> Vec<Range<usize>> {
        let b = self.columns.queries();
        let size = (BLOCK / self.columns.references().max(1)).clamp(16, 1024);
        (0..b).step_by(size).map(|start| start..(start + size).min(b)).collect()
    }

    /// The distances of a kind, and what is added to them, with the sign changed, of a block.
    fn logits_of(&self, distance: Distance, block: &Range<usize>) -> FloatTensor<B> {
        let logits = match distance {
            Distance::SqEuclidean => self.logits(block),
            Distance::Euclidean => B::float_neg(self.distances(block)),
        };
        match &self.costs {
            Some(costs) => B::float_sub(logits, rows::<B>(costs.clone(), block.clone())),
            None => logits,
        }
    }

    /// `||q_i - r_j||` of a block.
    fn distances(&self, block: &Range<usize>) -> FloatTensor<B> {
        B::float_sqrt(B::float_clamp_min(B::float_neg(self.logits(block)), 0f32.into()))
    }

    /// `1 / 2||q_i - r_j||` of a block; 0 between equal points, whose distance has no direction.
    fn half_inverses(&self, block: &Range<usize>) -> FloatTensor<B> {
        let distances = self.distances(block);
        let bool = get_device_settings::<B>(&distances.device()).bool_dtype;
        let none = B::float_equal_elem(distances.clone(), 0f32.into(), bool);
        let inverses = B::float_recip(B::float_mul_scalar(distances, 2f32.into()));
        B::float_mask_fill(inverses, none, 0f32.into())
    }

    /// `-||q_i - r_j||²` of a block.
    fn logits(&self, block: &Range<usize>) -> FloatTensor<B> {
        if self.references.shape()[1] <= DIFFERENCES {
            self.logits_by_differences(block)
        } else {
            self.logits_by_product(block)
        }
    }

    /// `-Σ_c (q_ic - r_jc)²`: far groups, outliers and offsets lose no digit.
    fn logits_by_differences(&self, block: &Range<usize>) -> FloatTensor<B> {
        let queries = rows::<B>(self.queries.clone(), block.clone());
        let [n, k] = [block.len(), queries.shape()[1]];
        let m = self.references.shape()[0];
        let column = |of: &FloatTensor<B>, rows: usize, axis: usize| {
            B::float_slice(of.clone(), &[Slice::from(0..rows), Slice::from(axis..axis + 1)])
        };
        let sum = (0..k).map(|axis| {
            let queries = B::float_expand(column(&queries, n, axis), Shape::new([n, m]));
            let references = B::float_transpose(column(&self.references, m, axis));
            let apart = B::float_sub(queries, B::float_expand(references, Shape::new([n, m])));
            B::float_mul(apart.clone(), apart)
        });
        match sum.reduce(B::float_add) {
            Some(sum) => B::float_neg(sum),
            // Points without a coordinate are all in one place.
            None => self.logits_by_product(block),
        }
    }

    /// `2 q_i·r_j - ||q_i||² - ||r_j||²`, in one matrix product: many differences would take too long.
    fn logits_by_product(&self, block: &Range<usize>) -> FloatTensor<B> {
        let queries = rows::<B>(self.queries.clone(), block.clone());
        let of_queries = B::float_neg(squares::<B>(queries.clone()));
        let of_references = B::float_neg(squares::<B>(self.references.clone()));
        let one = |of: &FloatTensor<B>| {
            B::float_add_scalar(B::float_mul_scalar(of.clone(), 0f32.into()), 1f32.into())
        };
        let ones = (one(&of_queries), one(&of_references));
        let queries = B::float_mul_scalar(queries, 2f32.into());
        let left = B::float_cat(vec![queries, of_queries, ones.0], 1);
        let right = B::float_cat(vec![self.references.clone(), ones.1, of_references], 1);
        B::float_matmul(left, B::float_transpose(right))
    }

    /// `exp(-||q_i - r_j||² - lse_i)` of a block, `[rows, m]`; 0 for what is left out.
    fn weights(&self, block: &Range<usize>, statistics: &FloatTensor<B>) -> FloatTensor<B> {
        self.softmax(Distance::SqEuclidean, block, statistics)
    }

    /// `exp(-||q_i - r_j|| - lse_i) / 2||q_i - r_j||` of a block, `[rows, m]`; 0 for what is left out and equal points.
    fn weights_of_roots(
        &self,
        block: &Range<usize>,
        statistics: &FloatTensor<B>,
    ) -> FloatTensor<B> {
        let shares = self.softmax(Distance::Euclidean, block, statistics);
        B::float_mul(shares, self.half_inverses(block))
    }

    fn softmax(
        &self,
        distance: Distance,
        block: &Range<usize>,
        statistics: &FloatTensor<B>,
    ) -> FloatTensor<B> {
        let statistic = |at: usize| {
            let slices = [Slice::from(at..at + 1), Slice::from(block.clone())];
            let row = B::float_slice(statistics.clone(), &slices);
            B::float_reshape(row, Shape::new([block.len(), 1]))
        };
        let shifted = B::float_add(self.logits_of(distance, block), statistic(0));
        let weights = B::float_exp(B::float_sub(shifted, statistic(1)));
        B::float_mask_fill(weights, self.left_out(block), 0f32.into())
    }

    /// `max(0, 1 - ||q_i - r_j||²)` of a block, `[rows, m]`; 0 for what is left out.
    fn nearness(&self, block: &Range<usize>) -> FloatTensor<B> {
        let near = B::float_add_scalar(self.logits(block), 1f32.into());
        let near = B::float_clamp_min(near, 0f32.into());
        B::float_mask_fill(near, self.left_out(block), 0f32.into())
    }

    /// Which pairs `[rows, m]` of a block are not summed.
    fn left_out(&self, block: &Range<usize>) -> BoolTensor<B> {
        let (rows, m) = (block.len(), self.columns.references());
        let device = self.queries.device();
        let settings = get_device_settings::<B>(&device);
        let (int, bool) = (settings.int_dtype, settings.bool_dtype);
        let [starts, ends, own] = self.columns.bounds(block.clone()).map(|positions| {
            let data = TensorData::new(positions, [rows, 1]).convert_dtype(int.into());
            B::int_expand(B::int_from_data(data, &device), Shape::new([rows, m]))
        });
        let columns = B::int_arange(0..m as i64, &device, int);
        let columns = B::int_reshape(columns, Shape::new([1, m]));
        let columns = B::int_expand(columns, Shape::new([rows, m]));
        let before = B::int_lower(columns.clone(), starts, bool);
        let after = B::int_greater_equal(columns.clone(), ends, bool);
        let outside = B::bool_or(before, after);
        let own = B::int_equal(columns, own, bool);
        if self.columns.is_outside() {
            B::bool_or(B::bool_not(outside), own)
        } else {
            B::bool_or(outside, own)
        }
    }
}

/// `||x_i||²` as a column.
fn squares<B: Backend>(x: FloatTensor<B>) -> FloatTensor<B> {
    B::float_sum_dim(B::float_mul(x.clone(), x), 1)
}

fn rows<B: Backend>(x: FloatTensor<B>, range: Range<usize>) -> FloatTensor<B> {
    B::float_slice(x, &[Slice::from(range)])
}
