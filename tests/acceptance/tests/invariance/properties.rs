//! Properties of f and g that hold for every embedding.

use acceptance::data::{overlapping, uniform};
use acceptance::oracle;
use burn::nn::loss::Reduction;
use burn::tensor::{DType, Device, Int, Tensor, TensorData};
use burn_nca_learn::objective::{ClassIndex, Criterion, NcaLossConfig, Objective};
use proptest::prelude::*;

fn embedding(values: &[f64], k: usize) -> Tensor<2> {
    let shape = [values.len() / k, k];
    Tensor::from_data(TensorData::new(values.to_vec(), shape), (&Device::flex(), DType::F64))
}

fn value(z: &[f64], k: usize, y: &[usize], criterion: Criterion) -> f64 {
    let classes = ClassIndex::new(y, &Device::flex()).unwrap();
    let loss = NcaLossConfig::new().with_criterion(criterion).init();
    let ranges = loss.blocks(&classes, 5);
    let sum: f64 = ranges
        .into_iter()
        .map(|range| loss.block(embedding(z, k), &classes, &(), range).into_scalar::<f64>())
        .sum();
    sum
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-9 * (1.0 + b.abs()), "{a} against {b}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn rotation_translation_permutation_and_relabeling_change_nothing(
        seed in 0u64..1000, n in 2usize..24, classes in 1usize..6, angle in 0.0f64..6.2, shift in -50.0f64..50.0,
    ) {
        let sample = overlapping(n, 2, classes, seed);
        for criterion in [Criterion::F, Criterion::G] {
            let expected = value(&sample.x, 2, &sample.y, criterion);
            let (sin, cos) = angle.sin_cos();
            let moved: Vec<f64> = sample
                .x
                .chunks(2)
                .flat_map(|p| [cos * p[0] - sin * p[1] + shift, sin * p[0] + cos * p[1] - shift])
                .collect();
            close(value(&moved, 2, &sample.y, criterion), expected);
            let reversed: Vec<f64> = sample.x.chunks(2).rev().flatten().copied().collect();
            let y_reversed: Vec<usize> = sample.y.iter().rev().copied().collect();
            close(value(&reversed, 2, &y_reversed, criterion), expected);
            let relabeled: Vec<usize> = sample.y.iter().map(|y| 40 - 7 * y).collect();
            close(value(&sample.x, 2, &relabeled, criterion), expected);
        }
    }

    #[test]
    fn the_value_is_the_oracle_s(
        seed in 0u64..1000, n in 2usize..20, classes in 1usize..8, scale in 0.01f64..6.0,
    ) {
        let sample = overlapping(n, 3, classes, seed);
        let z: Vec<f64> = sample.x.iter().map(|x| scale * x).collect();
        let at = oracle::nca(&z, 3, &sample.y);
        close(-value(&z, 3, &sample.y, Criterion::F), at.f);
        close(-value(&z, 3, &sample.y, Criterion::G), at.g);
    }

    #[test]
    fn duplicates_are_neighbors_of_each_other(seed in 0u64..1000, n in 2usize..10) {
        // Every point twice: the copy is at distance 0, and only the point itself is left out.
        let sample = overlapping(n, 2, 2, seed);
        let z = [sample.x.clone(), sample.x.clone()].concat();
        let y = [sample.y.clone(), sample.y.clone()].concat();
        let at = oracle::nca(&z, 2, &y);
        close(-value(&z, 2, &y, Criterion::F), at.f);
        let far: Vec<f64> = z.iter().map(|z| 1e4 * z).collect();
        close(-value(&far, 2, &y, Criterion::F), 2.0 * n as f64);
    }

    #[test]
    fn single_precision_stays_finite_at_any_scale(seed in 0u64..100, power in -6i32..7) {
        let n = 16;
        let scale = 10f64.powi(power) as f32;
        let z: Vec<f32> = uniform(2 * n, seed).iter().map(|z| *z as f32 * scale).collect();
        let device = Device::flex().autodiff();
        for criterion in [Criterion::F, Criterion::G] {
            let z = TensorData::new(z.clone(), [n, 2]);
            let z = Tensor::<2>::from_data(z, (&device, DType::F32)).require_grad();
            let y = TensorData::new((0..n as i64).map(|i| i % 3).collect::<Vec<_>>(), [n]);
            let y = Tensor::<1, Int>::from_data(y, &device);
            let loss = NcaLossConfig::new()
                .with_criterion(criterion)
                .with_reduction(Reduction::Sum)
                .init()
                .forward(z.clone(), y);
            prop_assert!(loss.clone().into_scalar::<f32>().is_finite());
            let gradient = z.grad(&loss.backward()).unwrap().into_data();
            let gradient: Vec<f32> = gradient.try_to_vec().unwrap();
            prop_assert!(gradient.iter().all(|g| g.is_finite()), "{gradient:?}");
        }
    }
}
