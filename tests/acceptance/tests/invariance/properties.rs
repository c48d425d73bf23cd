//! Properties of f and g that hold for every embedding.

use acceptance::data::overlapping;
use burn::tensor::Device;
use burn_nca_learn::objective::{ClassIndex, Criterion, NcaLossConfig, Objective};
use proptest::prelude::*;

use crate::objective::setup::tensor;

fn value(z: &[f64], k: usize, y: &[usize], criterion: Criterion) -> f64 {
    let classes = ClassIndex::new(y, &Device::flex()).unwrap();
    let loss = NcaLossConfig::new().with_criterion(criterion).init();
    let ranges = loss.blocks(&classes, 5);
    let sum: f64 = ranges
        .into_iter()
        .map(|range| {
            loss.block(tensor(z, k, &Device::flex()), &classes, range).into_scalar::<f64>()
        })
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
}
