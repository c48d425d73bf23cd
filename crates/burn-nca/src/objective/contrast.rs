//! Queries against candidates: the one softmax over similarities that the batch losses over classes are made of.

use burn::tensor::activation::log_sigmoid;
use burn::tensor::{Bool, IndexingUpdateOp, Int, Tensor, TensorData, assert_shape};

use super::affinity::assert_rows;
use super::placement::Placement;
use super::similarity::around_mean;
use super::transfer::int_tensor;
use super::{Candidates, Similarity, Temperature};
use crate::pairwise::{Columns, Distance, Summand, log_sum_exp_of, sum as sum_over};

/// Queries against candidates with a class each; positives are of the query's class. A softmax whose logits, distances
/// with the sign changed, are [never held](crate::pairwise).
pub(super) struct Contrast {
    /// Class by class, `[b, k]`.
    queries: Tensor<2>,
    /// Class by class, `[m, k]`.
    references: Tensor<2>,
    distance: Distance,
    placement: Placement,
    /// The label of each candidate, as they were given.
    labels: Vec<i64>,
}

impl Contrast {
    /// Queries `[b, k]` with their classes `[b]` against candidates.
    ///
    /// # Panics
    /// If the shapes contradict each other, or there is no query or no candidate.
    pub fn new(
        (similarity, temperature): (Similarity, Option<&Temperature>),
        queries: Tensor<2>,
        labels: Tensor<1, Int>,
        candidates: &Candidates,
    ) -> Self {
        check_shapes(&queries, &labels, candidates);
        let points = (queries, candidates.embeddings.clone());
        let (distance, points) = similarity.as_distances(temperature, points);
        Self::placed(distance, points, candidates.placement(labels))
    }

    /// Queries `[b, k]` with their classes `[b]` against candidates, by their squared distances.
    ///
    /// # Panics
    /// As [`Contrast::new`].
    pub fn of(queries: Tensor<2>, labels: Tensor<1, Int>, candidates: &Candidates) -> Self {
        Self::new((Similarity::SqEuclidean, None), queries, labels, candidates)
    }

    /// Queries `[b, k]` and references `[m, k]`, as they were given, of 32 bits or more.
    fn placed(
        distance: Distance,
        (queries, references): (Tensor<2>, Tensor<2>),
        (placement, labels): (Placement, Vec<i64>),
    ) -> Self {
        let device = queries.device();
        let queries = queries.select(0, int_tensor(&placement.queries, &device));
        let references = references.select(0, int_tensor(&placement.candidates, &device));
        Self { queries, references, distance, placement, labels }
    }

    /// Where a query has no positive, `[b, 1]`.
    pub fn alone(&self) -> Tensor<2, Bool> {
        self.as_given_mask(&self.is_alone())
    }

    /// `log Σ_a exp(l_ia)` over the candidates that are not excluded, `[b, 1]`, up to the constant of the logits; 0
    /// where there is none.
    pub fn log_all(&self) -> Tensor<2> {
        let columns = self.placement.all();
        let empty: Vec<bool> = (0..columns.queries()).map(|i| columns.count(i) == 0).collect();
        self.as_given(self.sum(&columns).mask_fill(self.mask(&empty), 0.0))
    }

    /// `log p_i`, the log-probability of a positive, `[b, 1]`; 0 where a query is alone.
    ///
    /// The logistic function of two log-sum-exps, over the positives and over the others: near p_i = 1 it keeps the
    /// digits that a difference from the sum over all would lose.
    pub fn log_p(&self) -> Tensor<2> {
        let (alone, without_others) = (self.is_alone(), self.placement.without_others());
        let sums = self.placement.positives();
        let parts = sums.iter().map(|columns| {
            let empty: Vec<bool> = (0..columns.queries()).map(|i| columns.count(i) == 0).collect();
            (self.sum(columns), empty)
        });
        let (same, _) = parts.reduce(|a, b| self.joined(a, b)).expect("one range at least");
        let sure: Vec<bool> = alone.iter().zip(&without_others).map(|(a, b)| *a || *b).collect();
        // A sum over nothing is -∞, which would leave NaN in the gradient.
        let same = same.mask_fill(self.mask(&alone), 0.0);
        let others = self.sum(&self.placement.others());
        let others = others.mask_fill(self.mask(&without_others), 0.0);
        self.as_given(log_sigmoid(same - others).mask_fill(self.mask(&sure), 0.0))
    }

    /// The mean logit of the positives, `[b, 1]`, up to the constant of the logits; of no meaning where a query is alone.
    pub fn mean_positive(&self) -> Tensor<2> {
        match self.distance {
            Distance::SqEuclidean => self.mean_square(),
            Distance::Euclidean => self.mean_distance(),
        }
    }

    /// `-(1/|P_i|) Σ_{j ∈ P_i} ||q_i - r_j||`.
    fn mean_distance(&self) -> Tensor<2> {
        let sums = self.placement.positives();
        let sums = sums.iter().map(|columns| {
            let points = (self.queries.clone(), self.references.clone());
            sum_over(Summand::Euclidean, points, columns).unsqueeze_dim(1)
        });
        let sum = sums.reduce(|a, b| a + b).expect("one range at least");
        self.as_given((sum / self.num_positives()).neg())
    }

    /// The number of positives of each placed query, 1 where there is none, `[b, 1]`.
    fn num_positives(&self) -> Tensor<2> {
        let (device, dtype) = (self.queries.device(), self.queries.dtype());
        let count = self.placement.num_positives().into_iter().map(|count| count.max(1) as f64);
        let count: Vec<f64> = count.collect();
        let b = count.len();
        Tensor::from_data(TensorData::new(count, [b, 1]).convert_dtype(dtype), (&device, dtype))
    }

    /// `-(1/|P_i|) Σ_{j ∈ P_i} ||q_i - r_j||²` from the sums of each class, around the mean of the queries.
    fn mean_square(&self) -> Tensor<2> {
        let (device, dtype) = (self.queries.device(), self.queries.dtype());
        let (queries, references) = around_mean(self.queries.clone(), self.references.clone());
        let [b, k] = queries.dims();
        let moments = Tensor::cat(vec![references.clone(), references.square().sum_dim(1)], 1);
        let gathered = |to: usize, at: &[usize], moments: Tensor<2>| {
            let none = Tensor::<2>::zeros([to, k + 1], (&device, dtype));
            none.select_assign(0, int_tensor(at, &device), moments, IndexingUpdateOp::Add)
        };
        let (of_queries, of_candidates, classes) = self.placement.classes(&self.labels);
        let sums = gathered(classes, &of_candidates, moments.clone());
        let sums = sums.select(0, int_tensor(&of_queries, &device));
        let (own, own_candidates) = self.placement.own_pairs();
        let sums = if own.is_empty() {
            sums
        } else {
            let of_own = moments.select(0, int_tensor(&own_candidates, &device));
            sums - gathered(b, &own, of_own)
        };
        let means = sums / self.num_positives();
        let (mean, squares) = (means.clone().slice([0..b, 0..k]), means.slice([0..b, k..k + 1]));
        let products = (queries.clone() * mean).sum_dim(1).mul_scalar(2.0);
        self.as_given(products - squares - queries.square().sum_dim(1))
    }

    /// `Σ_j max(0, 1 - ||q_i - r_j||²)²` over the candidates of other classes, `[b, 1]`.
    pub fn hinge(&self) -> Tensor<2> {
        let others = self.placement.others();
        let points = (self.queries.clone(), self.references.clone());
        self.as_given(sum_over(Summand::Hinge, points, &others).unsqueeze_dim(1))
    }

    /// `log Σ_j exp(l_ij)` of the placed queries, `[b, 1]`; -∞ over nothing.
    fn sum(&self, columns: &Columns) -> Tensor<2> {
        let points = (self.queries.clone(), self.references.clone());
        log_sum_exp_of(self.distance, points, columns).unsqueeze_dim(1)
    }

    /// The log-sum-exp over two sets, each with where it is empty, and where both are.
    fn joined(
        &self,
        (a, no_a): (Tensor<2>, Vec<bool>),
        (b, no_b): (Tensor<2>, Vec<bool>),
    ) -> (Tensor<2>, Vec<bool>) {
        let [only_b, only_a] = [self.mask(&no_a), self.mask(&no_b)];
        let (a, b) = (a.mask_fill(only_b.clone(), 0.0), b.mask_fill(only_a.clone(), 0.0));
        // log(e^a + e^b) = a - log σ(a - b)
        let both = a.clone() - log_sigmoid(a.clone() - b.clone());
        let sum = both.mask_where(only_b, b).mask_where(only_a, a);
        (sum, no_a.into_iter().zip(no_b).map(|(a, b)| a && b).collect())
    }

    fn is_alone(&self) -> Vec<bool> {
        self.placement.num_positives().into_iter().map(|positives| positives == 0).collect()
    }

    /// A mask of the placed queries, `[b, 1]`.
    fn mask(&self, of: &[bool]) -> Tensor<2, Bool> {
        Tensor::from_data(TensorData::new(of.to_vec(), [of.len(), 1]), &self.queries.device())
    }

    /// A mask of the placed queries in the order in which they were given.
    fn as_given_mask(&self, of: &[bool]) -> Tensor<2, Bool> {
        let given: Vec<bool> = self.placement.places().into_iter().map(|place| of[place]).collect();
        self.mask(&given)
    }

    /// The rows of the placed queries in the order in which they were given.
    fn as_given(&self, rows: Tensor<2>) -> Tensor<2> {
        let device = rows.device();
        rows.select(0, int_tensor(&self.placement.places(), &device))
    }
}

/// Panics if shapes contradict each other, or there is no query or no candidate.
fn check_shapes(queries: &Tensor<2>, labels: &Tensor<1, Int>, candidates: &Candidates) {
    let [b, k] = queries.dims();
    let [m, _] = candidates.embeddings.dims();
    assert_rows("batch", b);
    assert_rows("set of candidates", m);
    assert_shape!(labels, [b]);
    assert_shape!(candidates.embeddings, [m, k]);
    assert_shape!(candidates.labels, [m]);
}

#[cfg(test)]
mod tests {
    use burn::nn::loss::Reduction;
    use burn::tensor::{DType, Device};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::super::masked::MaskedContrast;
    use super::*;
    use crate::objective::{
        ClassTarget, Criterion, NcaLossConfig, ProxyNcaLossConfig, SoftNearestNeighborLossConfig,
        SupConLossConfig, TemperatureConfig,
    };

    const TYPES: [DType; 7] =
        [DType::I64, DType::I32, DType::I16, DType::I8, DType::U32, DType::U16, DType::U8];

    fn rows() -> Tensor<2> {
        Tensor::from_floats([[0.0, 1.0], [1.0, 0.5], [2.0, -1.0], [0.3, 0.2]], &Device::flex())
    }

    #[test]
    fn labels_and_numbers_of_any_integer_type_will_do() {
        let device = Device::flex();
        let classes = Tensor::<1, Int>::from_ints([0, 1, 1, 0], &device);
        let proxies = ProxyNcaLossConfig::new(2, 2).init(&device);
        let near = SoftNearestNeighborLossConfig::new().init(&device);
        let all = SupConLossConfig::new().init(&device);
        let nca = NcaLossConfig::new().init();
        let value = |loss: Tensor<1>| -> f64 { loss.into_scalar() };
        let each = |labels: &Tensor<1, Int>| {
            [
                value(proxies.forward(rows(), labels.clone())),
                value(near.forward(rows(), labels.clone())),
                value(all.forward(rows(), labels.clone())),
                value(nca.forward(rows(), labels.clone())),
            ]
        };
        let expected = each(&classes);
        for dtype in TYPES {
            assert_eq!(each(&classes.clone().cast(dtype)), expected, "{dtype:?}");
        }
    }

    #[test]
    fn samples_are_told_apart_by_numbers_of_any_integer_types() {
        let device = Device::flex();
        let ints = |values: [i32; 4]| Tensor::<1, Int>::from_ints(values, &device);
        for dtype in TYPES {
            let target = ClassTarget { labels: ints([0, 1, 1, 0]), ids: ints([4, 5, 6, 7]) };
            let queries = Tensor::<1, Int>::from_ints([6, 9], &device).cast(dtype);
            let candidates = Candidates::of_samples(rows(), target, queries);
            let labels = Tensor::<1, Int>::from_ints([1, 2], &device).cast(dtype);
            let [excluded, positive] = candidates.masks(labels.clone());
            let count = |mask: Tensor<2, Bool>| mask.int().sum().into_scalar::<i64>();
            assert_eq!((excluded.dims(), count(excluded)), ([2, 4], 1), "{dtype:?}");
            assert_eq!(count(positive), 1, "{dtype:?}");
            assert_eq!(candidates.without_positive(labels), 1);
        }
    }

    #[test]
    fn far_rows_do_not_beat_the_mask() {
        // Logits of -1e32: the two nearest are of one class, so p is 1 for them.
        let far = [[0.0], [1e16], [3e16]];
        let far = Tensor::<2>::from_data(far, (&Device::flex(), DType::F32));
        let labels = Tensor::<1, Int>::from_ints([0, 0, 1], &Device::flex());
        let sum = NcaLossConfig::new().with_reduction(Reduction::Sum).init();
        let found: f64 = sum.forward(far, labels).into_scalar();
        assert!((found + 2.0).abs() < 1e-6, "{found}");
    }

    #[test]
    fn what_is_excluded_is_left_out_by_position_however_low_the_others_are() {
        // The nearest logits are below a quarter of the least number of the type.
        let device = Device::flex().autodiff();
        let far = [[0.0, 0.0], [1.2e19, 0.0], [0.0, 1.3e19]];
        let far = Tensor::<2>::from_data(far, (&device, DType::F32)).require_grad();
        let labels = Tensor::<1, Int>::from_ints([0, 0, 1], &device);
        let sum = NcaLossConfig::new().with_reduction(Reduction::Sum).init();
        let loss = sum.forward(far.clone(), labels.clone());
        let slope = far.grad(&loss.backward()).unwrap().into_data();
        assert!((loss.into_scalar::<f64>() + 2.0).abs() < 1e-6);
        assert!(slope.try_to_vec::<f32>().unwrap().iter().all(|slope| *slope == 0.0));
        // One class alone: a probability of one, and no row at all among others.
        let near = rows().autodiff().require_grad();
        let log = NcaLossConfig::new().with_criterion(Criterion::G).init();
        for labels in [[0; 4], [0, 1, 2, 3]] {
            let labels = Tensor::<1, Int>::from_ints(labels, &device);
            let loss = log.forward(near.clone(), labels);
            let slope = near.grad(&loss.backward()).unwrap().into_data();
            assert_eq!(loss.into_scalar::<f64>(), 0.0);
            assert!(slope.try_to_vec::<f32>().unwrap().iter().all(|slope| *slope == 0.0));
        }
    }

    #[test]
    fn half_precision_is_computed_with_in_f32() {
        let device = Device::flex().autodiff();
        // Squared norms of 360000 are beyond f16.
        let values = TensorData::from([[600f32, 0.0], [600.5, 0.0], [598.5, 1.0], [598.0, 1.0]]);
        let labels = Tensor::<1, Int>::from_ints([0, 0, 1, 1], &device);
        let loss = SoftNearestNeighborLossConfig::new()
            .with_temperature(TemperatureConfig::new(4.0))
            .init(&device);
        let at = |dtype: DType| {
            let z = Tensor::<2>::from_data(values.clone(), (&device, DType::F32));
            let z = z.without_autodiff().cast(dtype).autodiff().require_grad();
            let value = loss.forward(z.clone(), labels.clone());
            let slope = z.grad(&value.backward()).unwrap();
            assert_eq!(slope.dtype(), dtype);
            let slope = slope.into_data().convert::<f32>().try_to_vec::<f32>().unwrap();
            (value.into_scalar::<f64>(), slope)
        };
        let ((half, half_slope), (single, slope)) = (at(DType::F16), at(DType::F32));
        assert!((half - single).abs() < 1e-6 && half.is_finite(), "{half} {single}");
        assert!(half_slope.iter().zip(&slope).all(|(a, b)| (a - b).abs() < 1e-3), "{half_slope:?}");
    }

    /// What a contrast says, `[b, 1]` each: who is alone, `log p_i`, and the pull on those that are not alone.
    type Said = [Tensor<2>; 3];

    fn streamed(contrast: &Contrast) -> Said {
        let pull = contrast.log_all() - contrast.mean_positive();
        let pull = pull.mask_fill(contrast.alone(), 0.0);
        [contrast.alone().float(), contrast.log_p(), pull]
    }

    /// The same of logits that are held.
    fn held(contrast: &MaskedContrast) -> Said {
        let pull = contrast.log_all() - contrast.mean_positive();
        let pull = pull.mask_fill(contrast.alone.clone(), 0.0);
        [contrast.alone.clone().float(), contrast.log_p(), pull]
    }

    /// Values, and slopes by queries, candidates and the temperature.
    fn all_of(
        said: impl Fn() -> Said,
        leaves: (&Tensor<2>, &Tensor<2>),
        temperature: &Temperature,
    ) -> Vec<Vec<f64>> {
        let host =
            |tensor: Tensor<2>| tensor.into_data().convert::<f64>().try_to_vec::<f64>().unwrap();
        let mut all = vec![host(said()[0].clone())];
        for term in [1, 2] {
            let values = said()[term].clone();
            let [b, _] = values.dims();
            let weights: Vec<f64> = (0..b).map(|i| 1.0 + i as f64).collect();
            let weights = TensorData::new(weights, [b, 1]);
            let weights = Tensor::<2>::from_data(weights, (&values.device(), DType::F64));
            all.push(host(values.clone()));
            let slopes = (values * weights).sum().backward();
            for leaf in [leaves.0, leaves.1] {
                all.push(leaf.grad(&slopes).map_or(Vec::new(), &host));
            }
            let slope = temperature.log().and_then(|log| log.grad(&slopes));
            all.push(vec![slope.map_or(0.0, |slope| slope.into_scalar::<f64>())]);
        }
        all
    }

    #[test]
    fn sums_that_are_never_stored_are_those_of_the_matrix() {
        let device = Device::flex().autodiff();
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for case in 0..12 {
            let (b, m, k) = (1 + case * 3, 2 + case * 5, 1 + case % 4);
            let mut rows = |n: usize| {
                let values: Vec<f64> = (0..n * k).map(|_| rng.random_range(-1.0..1.0)).collect();
                let values = TensorData::new(values, [n, k]);
                Tensor::<2>::from_data(values, (&device, DType::F64)).require_grad()
            };
            let (queries, references) = (rows(b), rows(m));
            let mut ints = |n: usize, below: i64| {
                (0..n).map(|_| rng.random_range(0..below)).collect::<Vec<_>>()
            };
            // A sample's class follows from its number; a class may be missing, or hold all.
            let (query_ids, ids) = (ints(b, 20), ints(m, 20));
            let classes = 1 + case as i64 % 5;
            let tensor = |ints: &[i64]| Tensor::<1, Int>::from_data(ints, &device);
            let of = |ids: &[i64]| tensor(&ids.iter().map(|id| id % classes).collect::<Vec<_>>());
            let target = ClassTarget { labels: of(&ids), ids: tensor(&ids) };
            let usable: Vec<bool> = (0..m).map(|j| j == 0 || case % 3 > 0 || j % 4 > 0).collect();
            let usable = Tensor::<1, Bool>::from_data(TensorData::new(usable, [m]), &device);
            let candidates = [
                Candidates::of_samples(references.clone(), target, tensor(&query_ids)).only(usable),
                Candidates::of_others(references.clone(), of(&ids)),
            ];
            for candidates in candidates {
                let all = [Similarity::SqEuclidean, Similarity::Euclidean, Similarity::Cosine];
                for similarity in all {
                    let temperature = TemperatureConfig::new(0.7).with_learned(true).init(&device);
                    let affinity = (similarity, Some(&temperature));
                    let labels = of(&query_ids);
                    let streamed = || {
                        let (queries, labels) = (queries.clone(), labels.clone());
                        streamed(&Contrast::new(affinity, queries, labels, &candidates))
                    };
                    let held = || {
                        let scores = similarity.scores(queries.clone(), references.clone());
                        let [excluded, positive] = candidates.masks(labels.clone());
                        let logits = temperature.divide(scores);
                        held(&MaskedContrast::new(logits, excluded, positive))
                    };
                    let leaves = (&queries, &references);
                    let found = all_of(streamed, leaves, &temperature);
                    let expected = all_of(held, leaves, &temperature);
                    for (part, (found, expected)) in found.iter().zip(&expected).enumerate() {
                        // The temperature is a parameter in f32, and so is its slope.
                        let digits = if matches!(part, 4 | 8) { 1e-5 } else { 1e-8 };
                        for (a, b) in found.iter().zip(expected) {
                            let bound = digits * (1.0 + b.abs());
                            assert!((a - b).abs() < bound, "{case} {similarity:?} {part}: {a} {b}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_candidate_of_zeros_has_cosine_0() {
        let device = Device::flex();
        let rows = [[0.0, 0.0], [3.0, 4.0], [-1.0, 0.0], [0.0, 0.0]];
        let rows = Tensor::<2>::from_data(rows, (&device, DType::F64));
        let labels = Tensor::<1, Int>::from_ints([0, 0, 1, 1], &device);
        let candidates = Candidates::of_batch(rows.clone(), labels.clone());
        let contrast = Contrast::new((Similarity::Cosine, None), rows, labels, &candidates);
        let found = contrast.log_p().exp().into_data().try_to_vec::<f64>().unwrap();
        let e = |x: f64| x.exp();
        let of_second = 1.0 / (1.0 + e(-0.6) + 1.0);
        let of_third = 1.0 / (1.0 + e(-0.6) + 1.0);
        for (a, b) in found.iter().zip([1.0 / 3.0, of_second, of_third, 1.0 / 3.0]) {
            assert!((a - b).abs() < 1e-12, "{found:?}");
        }
    }
}
