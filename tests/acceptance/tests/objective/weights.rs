//! Weights of rows: one factor per term, against the equations and against rows without weights.

use acceptance::data::{overlapping, uniform};
use acceptance::oracle;
use burn::tensor::{Device, Tensor};
use burn_nca_learn::data::{AgreementWidth, Agreements, Features, Labeled, RegressionData};
use burn_nca_learn::fit::{FitConfig, Precision};
use burn_nca_learn::method::Mlkr;
use burn_nca_learn::objective::{
    AgreementIndex, ClassIndex, Criterion, DataTarget, MlkrLossConfig, NcaLossConfig, Objective,
    SoftNcaLossConfig, TargetIndex,
};
use burn_nca_learn::{Estimator, NcaConfig};

use crate::objective::setup::{assert_close, tensor};

fn embedding(values: &[f64]) -> Tensor<2> {
    tensor(values, 2, &Device::flex())
}

fn number(value: Tensor<1>) -> f64 {
    value.into_scalar()
}

/// The sum over blocks of this many rows.
fn sum<O: Objective>(objective: &O, z: &Tensor<2>, target: &O::Target, rows: usize) -> f64 {
    let blocks = objective.blocks(z, target, rows);
    let block = |range| number(objective.block(z.clone(), target, range));
    blocks.into_iter().map(block).sum()
}

fn weights(n: usize) -> Vec<f64> {
    uniform(n, 71).iter().enumerate().map(|(i, w)| if i == 3 { 0.0 } else { 1.5 + w }).collect()
}

/// The same without a row of weight 0, which a fit leaves out.
fn positive_weights(n: usize) -> Vec<f64> {
    weights(n).into_iter().map(|weight| weight + 0.1).collect()
}

#[test]
fn weighted_f_and_g_agree_with_nested_loops_at_any_block_size() {
    let device = Device::flex();
    // Large classes in pure blocks, then many small ones in mixed blocks.
    for classes in [2, 14] {
        let sample = overlapping(33, 2, classes, 41);
        let weights = weights(33);
        let at = oracle::nca(&sample.x, 2, &sample.y);
        let f: f64 = weights.iter().zip(&at.p).map(|(w, p)| w * p).sum();
        let weighted_log = |(w, p): (&f64, &f64)| if *p > 0.0 { w * p.ln() } else { 0.0 };
        let g: f64 = weights.iter().zip(&at.p).map(weighted_log).sum();
        let target = ClassIndex::new(&sample.y, &device).unwrap().with_weights(&weights).unwrap();
        let z = embedding(&sample.x);
        for (criterion, expected) in [(Criterion::F, f), (Criterion::G, g)] {
            let loss = NcaLossConfig::new().with_criterion(criterion).init();
            for rows in [1, 6, 40] {
                assert_close(&[-sum(&loss, &z, &target, rows)], &[expected], 1e-10);
            }
        }
    }
}

#[test]
fn a_weight_of_1_changes_no_bit_and_one_of_2_counts_the_term_twice() {
    let device = Device::flex();
    let sample = overlapping(20, 2, 3, 42);
    let z = embedding(&sample.x);
    let plain = ClassIndex::new(&sample.y, &device).unwrap();
    for repulsion in [0.0, 0.3] {
        let loss = NcaLossConfig::new().with_repulsion(repulsion).init();
        let value = |weights: &[f64]| {
            number(loss.total(z.clone(), &plain.clone().with_weights(weights).unwrap()))
        };
        let without = number(loss.total(z.clone(), &plain));
        assert_eq!(value(&[1.0; 20]).to_bits(), without.to_bits());
        let alone = |row: usize| {
            let mut only = [0.0; 20];
            only[row] = 1.0;
            value(&only)
        };
        let mut twice = [1.0; 20];
        twice[7] = 2.0;
        assert_close(&[value(&twice)], &[without + alone(7)], 1e-13);
        let terms: f64 = (0..20).map(alone).sum();
        assert_close(&[terms], &[without], 1e-13);
    }
}

#[test]
fn the_weights_of_a_batch_are_those_of_its_rows() {
    let device = Device::flex();
    let sample = overlapping(20, 2, 3, 43);
    let weights = weights(20);
    let target = ClassIndex::new(&sample.y, &device).unwrap().with_weights(&weights).unwrap();
    let rows = [19, 3, 8, 4, 11, 0, 12];
    let z: Vec<f64> = rows.iter().flat_map(|row| sample.x[2 * row..][..2].to_vec()).collect();
    let y: Vec<usize> = rows.iter().map(|&row| sample.y[row]).collect();
    let of_rows: Vec<f64> = rows.iter().map(|&row| weights[row]).collect();
    let expected = ClassIndex::new(&y, &device).unwrap().with_weights(&of_rows).unwrap();
    let loss = NcaLossConfig::new().with_criterion(Criterion::G).init();
    let z = embedding(&z);
    let found = number(loss.total(z.clone(), &target.subset(&rows)));
    assert_eq!(found, number(loss.total(z, &expected)));
}

#[test]
fn weighted_kernel_regression_is_the_weighted_sum_of_its_terms() {
    let device = Device::flex();
    let z = embedding(&uniform(2 * 15, 44));
    let targets = TargetIndex::new(&uniform(15, 45), 1, &device).unwrap();
    let weights = weights(15);
    let loss = MlkrLossConfig::new().init();
    let term = |row: usize| number(loss.block(z.clone(), &targets, row..row + 1));
    let expected: f64 = weights.iter().enumerate().map(|(row, w)| w * term(row)).sum();
    let weighted = targets.clone().with_weights(&weights).unwrap();
    for rows in [1, 4, 20] {
        assert_close(&[sum(&loss, &z, &weighted, rows)], &[expected], 1e-12);
    }
    let rows = [14, 2, 9];
    let batch = weighted.subset(&rows);
    let part = z.clone().select(0, burn::tensor::Tensor::from_ints([14, 2, 9], &device));
    let plain = targets.subset(&rows);
    let each = |at: usize| number(loss.block(part.clone(), &plain, at..at + 1));
    let expected: f64 = rows.iter().enumerate().map(|(at, row)| weights[*row] * each(at)).sum();
    assert_close(&[number(loss.total(part.clone(), &batch))], &[expected], 1e-12);
}

#[test]
fn weighted_soft_matches_are_the_weighted_sum_of_their_terms() {
    let device = Device::flex();
    let z = embedding(&uniform(2 * 15, 47));
    let weights = weights(15);
    let numbers = uniform(15, 48);
    let width = AgreementWidth::Given(0.4);
    let targets = Agreements::of_targets(&numbers, 1, width).unwrap();
    let list = (0..14).map(|row| (row, row + 1, 0.5)).collect();
    for agreements in [targets, Agreements::of_list(15, list).unwrap()] {
        let plain = AgreementIndex::new(&agreements, &device).unwrap();
        let weighted = plain.clone().with_weights(&weights).unwrap();
        for criterion in [Criterion::F, Criterion::G] {
            let loss = SoftNcaLossConfig::new().with_criterion(criterion).init();
            let term = |row: usize| number(loss.block(z.clone(), &plain, row..row + 1));
            let expected: f64 = weights.iter().enumerate().map(|(row, w)| w * term(row)).sum();
            for rows in [1, 4, 20] {
                assert_close(&[sum(&loss, &z, &weighted, rows)], &[expected], 1e-12);
            }
        }
    }
    // Of classes they are those of NCA, whatever the order of the rows and of a batch.
    let sample = overlapping(21, 2, 3, 49);
    let (z, weights) = (embedding(&sample.x), self::weights(21));
    let labels: Vec<Option<usize>> = sample.y.iter().copied().map(Some).collect();
    let soft = AgreementIndex::new(&Agreements::of_labels(&labels), &device).unwrap();
    let soft = soft.with_weights(&weights).unwrap();
    let hard = ClassIndex::new(&sample.y, &device).unwrap().with_weights(&weights).unwrap();
    let (of_soft, of_hard) = (SoftNcaLossConfig::new().init(), NcaLossConfig::new().init());
    assert_close(
        &[number(of_soft.total(z.clone(), &soft))],
        &[number(of_hard.total(z, &hard))],
        1e-12,
    );
    let rows = [20, 3, 8, 4, 11, 0, 12];
    let part: Vec<f64> = rows.iter().flat_map(|row| sample.x[2 * row..][..2].to_vec()).collect();
    let part = embedding(&part);
    let found = number(of_soft.total(part.clone(), &soft.subset(&rows)));
    assert_close(&[found], &[number(of_hard.total(part, &hard.subset(&rows)))], 1e-12);
}

#[test]
fn a_fit_of_weighted_numbers_minimizes_the_weighted_sum() {
    let device = Device::flex();
    let x = uniform(3 * 40, 50);
    let prices = x.chunks_exact(3).map(|row| row[0] + 0.1 * row[2]).collect();
    let data = RegressionData::new(Features::unnamed(x, 3).unwrap(), "price", prices).unwrap();
    let fit = FitConfig::new().with_precision(Precision::F64);
    let config = Estimator::new(3, 2, Mlkr::new()).with_fit(fit);
    let plain = config.fit(&data, &device).unwrap();
    let one = config.fit(&data.clone().with_weights(vec![1.0; 40]).unwrap(), &device).unwrap();
    assert_eq!(plain.matrix(), one.matrix());
    let data = data.with_weights(positive_weights(40)).unwrap();
    let fitted = config.fit(&data, &device).unwrap();
    let target = TargetIndex::of(&data, &device).unwrap();
    let value = |fitted: &burn_nca_learn::Fitted| {
        number(MlkrLossConfig::new().init().total(fitted.references().clone(), &target))
    };
    assert_close(&[value(&fitted)], &[fitted.summary().value], 1e-8);
    assert!(value(&fitted) < value(&plain), "{} {}", value(&fitted), value(&plain));
}

#[test]
fn a_fit_of_weighted_rows_minimizes_the_weighted_sum() {
    let device = Device::flex();
    let sample = overlapping(40, 3, 2, 46);
    let features = Features::unnamed(sample.x, 3).unwrap();
    let data = Labeled::from_labels(features, sample.y).unwrap();
    let fit = FitConfig::new().with_precision(Precision::F64);
    let config = NcaConfig::new(3, 2).with_criterion(Criterion::G).with_fit(fit.with_l2(0.01));
    let plain = config.fit(&data, &device).unwrap();
    let one = config.fit(&data.clone().with_weights(vec![1.0; 40]).unwrap(), &device).unwrap();
    assert_eq!(plain.matrix(), one.matrix());
    let data = data.with_weights(positive_weights(40)).unwrap();
    let fitted = config.fit(&data, &device).unwrap();
    let target = ClassIndex::of(&data, &device).unwrap();
    let loss = NcaLossConfig::new().with_criterion(Criterion::G).init();
    let value = |fitted: &burn_nca_learn::Fitted| {
        let norm: f64 = fitted.matrix().unwrap().iter().map(|a| a * a).sum();
        number(loss.total(fitted.references().clone(), &target)) + 0.01 * 40.0 * norm
    };
    assert_close(&[value(&fitted)], &[fitted.summary().value], 1e-10);
    assert!(value(&fitted) < value(&plain), "{} {}", value(&fitted), value(&plain));
}

#[test]
fn the_best_that_weighted_rows_could_have_is_no_saturated_start() {
    // f is at its best, which is not the number of rows.
    let device = Device::flex();
    let features = Features::unnamed(vec![0.0, 0.1, 900.0, 900.1], 1).unwrap();
    let data = Labeled::from_labels(features, vec![0, 0, 1, 1]).unwrap();
    let data = data.with_weights(vec![0.5, 0.5, 1.0, 0.25]).unwrap();
    let fit = FitConfig::new().with_scaling(burn_nca_learn::data::ScalingKind::None);
    let fitted = NcaConfig::new(1, 1).with_fit(fit).fit(&data, &device).unwrap();
    assert_close(&[fitted.summary().value], &[-2.25], 1e-5);
    assert!(fitted.summary().termination.converged(), "{}", fitted.summary().termination);
}
