//! How every loss is shown, and what all of them refuse.

#[cfg(feature = "fourier")]
mod series;

use burn::tensor::{Device, Int, Tensor};

use super::*;
use crate::error::refusal;

fn zeros<const D: usize>(shape: [usize; D]) -> Tensor<D> {
    Tensor::zeros(shape, &Device::flex())
}

fn soft() -> SoftNcaLoss {
    SoftNcaLossConfig::new().init()
}

fn pairs() -> PairLoss {
    PairLossConfig::new().init()
}

#[test]
fn operations_on_the_host_are_of_all_terms_and_others_of_blocks() {
    let device = Device::flex();
    let labels: Vec<usize> = (0..5000).map(|row| row % 2).collect();
    let (classes, z) = (ClassIndex::new(&labels, &device).unwrap(), zeros([5000, 2]));
    let blocks = |sums| NcaLossConfig::new().with_sums(sums).init().blocks(&z, &classes, 100);
    assert_eq!(blocks(Sums::Fused), [0..5000]);
    assert_eq!(blocks(Sums::Plain), [0..4096, 4096..5000]);
}

#[test]
fn every_loss_prints_its_settings() {
    let device = Device::flex();
    let nca = NcaLossConfig::new().with_repulsion(0.5).init();
    for (shown, starts) in [
        (nca.to_string(), "NcaLoss {criterion: F, repulsion: 0.5}"),
        (soft().to_string(), "SoftNcaLoss {criterion: F, unlabeled_neighbors: false}"),
        (pairs().to_string(), "PairLoss {include_self: true}"),
        (MlkrLossConfig::new().init().to_string(), "MlkrLoss {reduction: Mean}"),
        (
            TemperatureConfig::new(0.5).init(&device).to_string(),
            "Temperature {start: 0.5, learned: false",
        ),
    ] {
        assert!(shown.starts_with(starts), "{shown}");
    }
}

#[test]
fn a_loss_of_classes_asks_for_rows_and_for_one_label_each() {
    let device = Device::flex();
    let nca = NcaLossConfig::new().init();
    let labels = Tensor::from_ints([0, 1], &device);
    let words = refusal(|| drop(nca.forward(zeros([3, 2]), labels)));
    assert!(words.contains('3'), "{words}");
    let words = refusal(|| drop(nca.forward(zeros([0, 2]), Tensor::zeros([0], &device))));
    assert!(words.contains("the batch has no row"), "{words}");
}

#[test]
fn what_does_not_fit_a_loss_is_refused() {
    let device = Device::flex();
    let ends = || Tensor::<2, Int>::from_ints([[0, 1]], &device);
    let mlkr = MlkrLossConfig::new().init();
    let refused: [(&str, &dyn Fn()); 11] = [
        ("3", &|| drop(mlkr.forward(zeros([3, 1]), zeros([2, 1])))),
        ("3", &|| drop(soft().forward(zeros([3, 1]), zeros([3, 2])))),
        ("3", &|| drop(soft().forward_targets(zeros([3, 1]), zeros([2, 1]), 1.0))),
        ("2", &|| drop(pairs().forward(zeros([2, 1]), zeros([3, 1]), zeros([2])))),
        ("1", &|| drop(pairs().forward_indexed(zeros([2, 1]), ends(), zeros([2])))),
        ("the batch has no row", &|| drop(mlkr.forward(zeros([0, 2]), zeros([0, 1])))),
        ("the batch has no row", &|| drop(soft().forward(zeros([0, 2]), zeros([0, 0])))),
        ("the batch has no row", &|| {
            drop(pairs().forward(zeros([0, 1]), zeros([0, 1]), zeros([0])));
        }),
        ("must be positive and finite, got 0", &|| {
            drop(soft().forward_targets(zeros([3, 1]), zeros([3, 1]), 0.0));
        }),
        ("must be finite and not negative, got -1", &|| {
            NcaLossConfig::new().with_repulsion(-1.0).init();
        }),
        ("must be positive and finite, got 0", &|| drop(TemperatureConfig::new(0.0).init(&device))),
    ];
    for (expected, call) in refused {
        let words = refusal(call);
        assert!(words.contains(expected), "{words}");
    }
}
