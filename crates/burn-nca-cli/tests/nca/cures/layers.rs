//! Encoders and objectives of `burn_nca_learn` as callers of the library have them.

use burn::tensor::{DType, Int, Tensor};
use burn_nca_data::Result;
use burn_nca_learn::encoder::{
    DiagonalMap, LinearMap, TriangularMap, load_weights, save_safetensors,
};
use burn_nca_learn::objective::{
    BatchLoss, ClassIndex, ClassTarget, CoincidenceLossConfig, KernelTarget, LargeMarginLossConfig,
    NcaLossConfig, SubsetLoss, TargetNeighbors,
};

use super::learned::device;
use super::worded::{Refused, caught, refused};

pub(super) fn all() -> Vec<Refused> {
    [encoders(), objectives()].into_iter().flatten().collect()
}

fn encoders() -> Vec<Refused> {
    let triangular =
        |values: &[f64]| TriangularMap::of_transform(values, 2, &device(), DType::F64).map(drop);
    let map = |d: usize| LinearMap::from_weight(&vec![1.0; d], [d, 1], &device(), DType::F32);
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    save_safetensors(&map(2), &file("map.safetensors")).unwrap();
    std::fs::copy(file("map.safetensors"), file("map.bin")).unwrap();
    let scale = DiagonalMap::from_scale(&[1.0, 1.0], &device(), DType::F32);
    save_safetensors(&scale, &file("other.safetensors")).unwrap();
    let load = |name: &str, d: usize| load_weights(map(d), &file(name)).map(drop);
    vec![
        refused(triangular(&[1.0, 2.0, 3.0])).by(
            "a triangular map needs 2 rows or more of 2 values",
            triangular(&[1.0, 2.0, 3.0, 4.0]),
        ),
        refused(triangular(&[1.0, 2.0, 2.0, 4.0]))
            .by("give one of full rank", triangular(&[1.0, 2.0, 3.0, 4.0])),
        refused(load("none.bpk", 2))
            .by("give a .bpk or .safetensors file", load("map.safetensors", 2)),
        refused(load("map.bin", 2)).by("name the file by its format", load("map.safetensors", 2)),
        refused(load("map.safetensors", 3))
            .by("build the encoder with the sizes of the file", load("map.safetensors", 2))
            .by("give its own file", load("map.safetensors", 2)),
        refused(load("other.safetensors", 2))
            .by("give the file of this very encoder", load("map.safetensors", 2)),
    ]
}

fn objectives() -> Vec<Refused> {
    let coincidence = |targets| {
        let config = CoincidenceLossConfig::new().with_targets(targets);
        caught(|| config.init_for_samples(4, &device(), DType::F32)).map(drop)
    };
    let rows =
        || Tensor::<2>::from_floats([[0.0, 1.0], [1.0, 0.5], [2.0, 2.5], [3.0, 0.0]], &device());
    let ids = || Tensor::<1, Int>::from_ints([0, 1, 2, 3], &device());
    let labels = || Tensor::<1, Int>::from_ints([0, 1, 0, 1], &device());
    let target = || ClassTarget { labels: labels(), ids: ids() };
    let of_samples = |samples| {
        let loss = CoincidenceLossConfig::new().with_targets(1).with_local_scales(true);
        let loss = loss.init_for_samples(samples, &device(), DType::F32);
        caught(|| loss.forward_classes(rows(), &target())).map(drop)
    };
    let margin = |neighbors| {
        caught(|| LargeMarginLossConfig::new().with_neighbors(neighbors).init()).map(drop)
    };
    let neighbors = |labels: &[usize], k| TargetNeighbors::new(&rows(), labels, k).map(drop);
    let all = [0, 1, 0, 1];
    let subset = |points: usize| -> Result<()> {
        let labels: Vec<usize> = (0..points).map(|row| row % 2).collect();
        let classes = ClassIndex::new(&labels, &device())?;
        let loss = SubsetLoss::new(NcaLossConfig::new().init(), classes);
        caught(|| loss.batch_loss(rows(), &target())).map(drop)
    };
    let kernel = |rows: usize, k| KernelTarget::new(&vec![0; rows], k, &device()).map(drop);
    vec![
        refused(coincidence(0)).by("give 1 or more, such as 3", coincidence(3)),
        refused(of_samples(2)).by("make it for all (init_for_samples)", of_samples(4)),
        refused(margin(0)).by("give 1 or more, such as 3", margin(3)),
        refused(neighbors(&all, 0)).by("give 1 or more, such as 3", neighbors(&all, 1)),
        refused(neighbors(&all[1..], 1)).by("give one label per row", neighbors(&all, 1)),
        refused(subset(3)).by("number all samples from 0, as the target has them", subset(4)),
        refused(kernel(3, 3))
            .by("give more rows", kernel(4, 3))
            .by("fewer neighbors", kernel(3, 2)),
    ]
}
