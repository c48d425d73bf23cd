//! Queries against candidates: the one softmax over similarities that all batch losses are made of.

use burn::tensor::activation::log_sigmoid;
use burn::tensor::{Bool, DType, Int, Tensor, assert_shape};

use super::affinity::{assert_rows, log_sum_exp_without, mask_out};
use super::{Candidates, Similarity, Temperature};

/// Where entry i of `rows` equals entry j of `columns`, `[b]` and `[m]` to `[b, m]`; of any integer types.
pub(super) fn equal_pairs(rows: Tensor<1, Int>, columns: Tensor<1, Int>) -> Tensor<2, Bool> {
    let ([b], [m]) = (rows.dims(), columns.dims());
    let (rows, columns) = in_one_type(rows, columns);
    rows.reshape([b, 1]).expand([b, m]).equal(columns.reshape([1, m]).expand([b, m]))
}

/// Both in an integer type that holds the values of either.
pub(super) fn in_one_type(
    a: Tensor<1, Int>,
    b: Tensor<1, Int>,
) -> (Tensor<1, Int>, Tensor<1, Int>) {
    let types = [a.dtype(), b.dtype()];
    if types[0] == types[1] {
        return (a, b);
    }
    let fits_i32 = |dtype: &DType| {
        matches!(dtype, DType::I32 | DType::I16 | DType::I8 | DType::U16 | DType::U8)
    };
    let dtype = if types.iter().all(fits_i32) { DType::I32 } else { DType::I64 };
    (a.cast(dtype), b.cast(dtype))
}

/// Queries against candidates: who is how close, and who is a positive of whom.
pub(super) struct Contrast {
    /// The similarities over T, up to a constant of each row, `[b, m]`.
    pub logits: Tensor<2>,
    /// Where a candidate is excluded, `[b, m]`.
    pub excluded: Tensor<2, Bool>,
    /// Where a candidate is a positive of the query, and so not excluded, `[b, m]`.
    pub positive: Tensor<2, Bool>,
    /// Where a query has no positive, `[b, 1]`.
    pub alone: Tensor<2, Bool>,
}

impl Contrast {
    /// Queries and candidates with a class each; positives are of the query's class.
    ///
    /// # Panics
    /// If the shapes contradict each other, or there is no query or no candidate.
    pub fn new(
        (similarity, temperature): (Similarity, Option<&Temperature>),
        queries: Tensor<2>,
        labels: Tensor<1, Int>,
        candidates: &Candidates,
    ) -> Self {
        let [b, k] = queries.dims();
        let [_, m] = candidates.dims();
        let Candidates { embeddings, labels: candidate_labels, excluded } = candidates.clone();
        assert_rows("batch", b);
        assert_rows("set of candidates", m);
        assert_shape!(labels, [b]);
        assert_shape!(embeddings, [m, k]);
        assert_shape!(candidate_labels, [m]);
        assert_shape!(excluded, [b, m]);
        let scores = similarity.scores(queries, embeddings);
        let logits = temperature.map_or(scores.clone(), |temperature| temperature.divide(scores));
        Self::of_masks(logits, excluded, candidates.positive(labels))
    }

    /// Logits with the masks of what is excluded and what is positive, all `[b, m]`.
    pub fn of_masks(
        logits: Tensor<2>,
        excluded: Tensor<2, Bool>,
        positive: Tensor<2, Bool>,
    ) -> Self {
        let alone = positive.clone().any_dim(1).bool_not();
        Self { logits, excluded, positive, alone }
    }

    /// `log Σ_a exp(l_ia)` over the candidates that are not excluded, `[b, 1]`.
    pub fn log_all(&self) -> Tensor<2> {
        log_sum_exp_without(self.logits.clone(), self.excluded.clone())
    }

    /// `log p_i`, the log-probability of a positive, `[b, 1]`; 0 where a query is alone.
    ///
    /// The logistic function of two log-sum-exps, over the positives and over the others: near p_i = 1 it
    /// keeps the digits that a difference from the sum over all would lose.
    pub fn log_p(&self) -> Tensor<2> {
        let others = self.positive.clone().bool_or(self.excluded.clone());
        // Alone, or without another candidate: a probability of one.
        let sure = self.alone.clone().bool_or(others.clone().all_dim(1));
        let same = log_sum_exp_without(self.logits.clone(), self.positive.clone().bool_not());
        let others = log_sum_exp_without(self.logits.clone(), others);
        log_sigmoid(same - others).mask_fill(sure, 0.0)
    }

    /// `log p_i = log Σ_j w_ij p_ij` with weights of the positives, `[b, 1]`; 0 where a query is alone.
    ///
    /// # Shapes
    /// - log_weights: `[b, m]`, `log w_ij` where positive; of no meaning elsewhere
    pub fn log_weighted_p(&self, log_weights: Tensor<2>) -> Tensor<2> {
        let weighted = self.logits.clone() + log_weights;
        let weighted = log_sum_exp_without(weighted, self.positive.clone().bool_not());
        (weighted - self.log_all()).mask_fill(self.alone.clone(), 0.0)
    }

    /// The logits of the candidates that are neither positive nor excluded, the rest masked out, `[b, m]`.
    pub fn others(&self) -> Tensor<2> {
        let mask = self.positive.clone().bool_or(self.excluded.clone());
        mask_out(self.logits.clone(), mask)
    }
}

#[cfg(test)]
mod tests {
    use burn::nn::loss::Reduction;
    use burn::tensor::{Device, TensorData};

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
            let excluded = candidates.excluded.clone().int().sum().into_scalar::<i64>();
            assert_eq!((candidates.dims(), excluded), ([2, 4], 1), "{dtype:?}");
            let labels = Tensor::<1, Int>::from_ints([1, 2], &device).cast(dtype);
            assert_eq!(candidates.without_positive(labels).into_scalar::<i64>(), 1);
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
}
