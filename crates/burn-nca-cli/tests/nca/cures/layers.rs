//! Encoders and objectives of `burn_nca_learn` as callers of the library have them.

use burn::tensor::{DType, Int, Tensor};
use burn_nca_data::Result;
use burn_nca_learn::encoder::{
    DiagonalMap, LinearMap, TriangularMap, load_weights, save_safetensors,
};
use burn_nca_learn::objective::{
    BatchLoss, ClassIndex, ClassTarget, CoincidenceLossConfig, KernelTarget, LargeMarginLossConfig,
    NcaLossConfig, SubsetLoss,
};

use super::calls::{Refused, caught, refused, varied};
use super::learned::device;

pub(super) fn all() -> Vec<Refused> {
    encoders().into_iter().chain(objectives()).collect()
}

fn encoders() -> Vec<Refused> {
    let triangular =
        |values: &[f64]| TriangularMap::of_transform(values, 2, &device(), DType::F64).map(drop);
    let whole = || triangular(&[1.0, 2.0, 3.0, 4.0]);
    let map = |d: usize| LinearMap::from_weight(&vec![1.0; d], [d, 1], &device(), DType::F32);
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    save_safetensors(&map(2), &file("map.safetensors")).unwrap();
    std::fs::copy(file("map.safetensors"), file("map.bin")).unwrap();
    let scale = DiagonalMap::from_scale(&[1.0, 1.0], &device(), DType::F32);
    save_safetensors(&scale, &file("other.safetensors")).unwrap();
    let load = |name: &str| load_weights(map(2), &file(name)).map(drop);
    vec![
        refused(triangular(&[1.0, 2.0, 3.0])).cured(whole()),
        refused(triangular(&[1.0, 2.0, 2.0, 4.0])).cured(whole()),
        varied(["none.bpk", "map.safetensors"], load),
        varied(["map.bin", "map.safetensors"], load),
        varied(["other.safetensors", "map.safetensors"], load),
        refused(load_weights(map(3), &file("map.safetensors")).map(drop))
            .by("build the encoder with the sizes of the file", load("map.safetensors"))
            .by("give its own file", load("map.safetensors")),
    ]
}

fn objectives() -> Vec<Refused> {
    let rows =
        || Tensor::<2>::from_floats([[0.0, 1.0], [1.0, 0.5], [2.0, 2.5], [3.0, 0.0]], &device());
    let ids = || Tensor::<1, Int>::from_ints([0, 1, 2, 3], &device());
    let target = || ClassTarget { labels: ids().remainder_scalar(2), ids: ids() };
    let of_samples = |samples| {
        let loss = CoincidenceLossConfig::new().with_targets(1).with_local_scales(true);
        let loss = loss.init_for_samples(samples, &device(), DType::F32);
        caught(|| loss.forward_classes(rows(), &target())).map(drop)
    };
    let subset = |points: usize| -> Result<()> {
        let labels: Vec<usize> = (0..points).map(|row| row % 2).collect();
        let classes = ClassIndex::new(&labels, &device())?;
        let loss = SubsetLoss::new(NcaLossConfig::new().init(), classes);
        caught(|| loss.batch_loss(rows(), &target())).map(drop)
    };
    let kernel = |rows: usize, k| KernelTarget::new(&vec![0; rows], k, &device()).map(drop);
    vec![
        varied([0, 3], |targets| {
            let config = CoincidenceLossConfig::new().with_targets(targets);
            caught(|| config.init_for_samples(4, &device(), DType::F32)).map(drop)
        }),
        varied([2, 4], of_samples),
        varied([0, 3], |neighbors| {
            caught(|| LargeMarginLossConfig::new().with_neighbors(neighbors).init()).map(drop)
        }),
        varied([3, 4], subset),
        refused(kernel(3, 3))
            .by("give more rows", kernel(4, 3))
            .by("fewer neighbors", kernel(3, 2)),
    ]
}
