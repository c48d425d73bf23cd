//! Blocks of any size give the same value and gradient, whatever the classes look like.

use acceptance::data::{overlapping, uniform};
use burn::tensor::{Device, Int, Tensor, TensorData};
use burn_nca_learn::objective::{Criterion, NcaLossConfig, Objective};

use crate::objective::setup::{assert_close, at_block, classes, linear, tensor};

#[test]
fn block_size_does_not_matter() {
    let d = 3;
    // Large classes (pure blocks), tiny classes with singletons (mixed blocks), and one class.
    for (n, classes) in [(41, 2), (41, 30), (12, 1)] {
        let sample = overlapping(n, d, classes, 9);
        let x = tensor(&sample.x, d, &Device::flex());
        for criterion in [Criterion::F, Criterion::G] {
            let objective =
                NcaLossConfig::new().with_criterion(criterion).with_repulsion(0.2).init();
            let model = linear(&uniform(2 * d, 10), d, objective.clone());
            let classes = crate::objective::setup::classes(&sample.y);
            let z = model.forward(x.clone());
            let whole = objective.total(z, &classes).into_scalar::<f64>();
            let (value, gradient) = at_block(&model, &x, &classes, n);
            assert_close(&[value], &[whole], 1e-12);
            for rows in [1, 7, n + 10] {
                let (other, other_gradient) = at_block(&model, &x, &classes, rows);
                assert_close(&[other], &[value], 1e-12);
                assert_close(&other_gradient, &gradient, 1e-11);
            }
        }
    }
}

#[test]
fn the_batch_loss_is_the_sum_over_blocks() {
    let d = 3;
    let sample = overlapping(37, d, 12, 11);
    let x = tensor(&sample.x, d, &Device::flex());
    let labels: Vec<i64> = sample.y.iter().map(|&y| y as i64).collect();
    let labels =
        Tensor::<1, Int>::from_data(TensorData::new(labels, [sample.rows()]), &Device::flex());
    for criterion in [Criterion::F, Criterion::G] {
        let objective = NcaLossConfig::new()
            .with_criterion(criterion)
            .with_repulsion(0.3)
            .with_reduction(burn::nn::loss::Reduction::Sum)
            .init();
        let model = linear(&uniform(2 * d, 12), d, objective);
        let (value, _) = at_block(&model, &x, &classes(&sample.y), 5);
        let batch = model.loss(x.clone(), labels.clone()).into_scalar::<f64>();
        assert_close(&[batch], &[value], 1e-12);
    }
}
