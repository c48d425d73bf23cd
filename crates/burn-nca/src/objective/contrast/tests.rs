//! Losses over classes at the ends of number types, and fused sums against the definition.

use burn::nn::loss::Reduction;
use burn::tensor::{DType, Device, TensorData};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::objective::{ClassTarget, Criterion, NcaLossConfig, TemperatureConfig};

const TYPES: [DType; 7] =
    [DType::I64, DType::I32, DType::I16, DType::I8, DType::U32, DType::U16, DType::U8];

fn rows() -> Tensor<2> {
    Tensor::from_floats([[0.0, 1.0], [1.0, 0.5], [2.0, -1.0], [0.3, 0.2]], &Device::flex())
}

#[test]
fn labels_and_numbers_of_any_integer_type_will_do() {
    let device = Device::flex();
    let classes = Tensor::<1, Int>::from_ints([0, 1, 1, 0], &device);
    let nca = NcaLossConfig::new().init();
    let value = |labels: Tensor<1, Int>| nca.forward(rows(), labels).into_scalar::<f64>();
    for dtype in TYPES {
        assert_eq!(value(classes.clone().cast(dtype)), value(classes.clone()), "{dtype:?}");
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
        let [excluded, positive] = candidates.masks(&labels, 0..2);
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

/// What a contrast says, `[b, 1]` each: which have no positive, `log p_i`, and the pull on those that have one.
type Said = [Tensor<2>; 3];

fn said(
    contrasted: &Contrasted,
    queries: &Tensor<2>,
    labels: &Tensor<1, Int>,
    candidates: &Candidates,
) -> Said {
    let pull = |contrast: &dyn Contrast| {
        let pull = contrast.log_all() - contrast.mean_positive();
        pull.mask_fill(contrast.without_positive(), 0.0)
    };
    let all: [&Terms<'_>; 3] =
        [&|contrast| contrast.without_positive().float(), &|contrast| contrast.log_p(), &pull];
    all.map(|terms| contrasted.terms(terms, (queries.clone(), labels.clone()), candidates))
}

/// Values, and slopes by queries, candidates and the temperature.
fn all_of(
    said: impl Fn() -> Said,
    leaves: (&Tensor<2>, &Tensor<2>),
    temperature: &Temperature,
) -> Vec<Vec<f64>> {
    let host = |tensor: Tensor<2>| tensor.into_data().convert::<f64>().try_to_vec::<f64>().unwrap();
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
fn fused_sums_are_those_of_the_definition() {
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
        let mut ints =
            |n: usize, below: i64| (0..n).map(|_| rng.random_range(0..below)).collect::<Vec<_>>();
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
                let labels = of(&query_ids);
                let by = |sums: Sums| {
                    let temperature = temperature.clone();
                    let contrasted = Contrasted { sums, similarity, temperature };
                    said(&contrasted, &queries, &labels, &candidates)
                };
                let leaves = (&queries, &references);
                let found = all_of(|| by(Sums::Fused), leaves, &temperature);
                let expected = all_of(|| by(Sums::Plain), leaves, &temperature);
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
    for sums in [Sums::Auto, Sums::Plain] {
        let (similarity, temperature) = (Similarity::Cosine, Temperature::one());
        let contrasted = Contrasted { sums, similarity, temperature };
        let log_p = |contrast: &dyn Contrast| contrast.log_p();
        let terms = contrasted.terms(&log_p, (rows.clone(), labels.clone()), &candidates);
        let found = terms.exp().into_data().try_to_vec::<f64>().unwrap();
        let e = |x: f64| x.exp();
        let of_second = 1.0 / (1.0 + e(-0.6) + 1.0);
        let of_third = 1.0 / (1.0 + e(-0.6) + 1.0);
        for (a, b) in found.iter().zip([1.0 / 3.0, of_second, of_third, 1.0 / 3.0]) {
            assert!((a - b).abs() < 1e-12, "{found:?}");
        }
    }
}
