//! Weights of rows: one factor per term, against the equations and against rows without weights.

use acceptance::data::{overlapping, select, uniform};
use acceptance::oracle;
use burn::tensor::{Device, Tensor};
use burn_nca_learn::data::{AgreementWidth, Agreements, Features, Labeled, RegressionData};
use burn_nca_learn::fit::{FitConfig, Precision};
use burn_nca_learn::method::Mlkr;
use burn_nca_learn::objective::{
    AgreementIndex, ClassIndex, Criterion, DataTarget, MlkrLossConfig, NcaLossConfig, Objective,
    SoftNcaLossConfig, TargetIndex,
};
use burn_nca_learn::{Estimator, Fitted, NcaConfig};

use crate::objective::setup::{assert_close, loss, tensor};

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
            for rows in [1, 6, 40] {
                assert_close(&[-sum(&loss(criterion), &z, &target, rows)], &[expected], 1e-10);
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
    let z = select(&sample.x, 2, &rows);
    let y: Vec<usize> = rows.iter().map(|&row| sample.y[row]).collect();
    let of_rows: Vec<f64> = rows.iter().map(|&row| weights[row]).collect();
    let expected = ClassIndex::new(&y, &device).unwrap().with_weights(&of_rows).unwrap();
    let (loss, z) = (loss(Criterion::G), embedding(&z));
    let found = number(loss.total(z.clone(), &target.subset(&rows)));
    assert_eq!(found, number(loss.total(z, &expected)));
}

/// The target of 15 points with weights gives the weighted sum of its terms, at any block size, and so does a batch.
fn check_terms<O: Objective>(
    objective: &O,
    plain: &O::Target,
    with_weights: fn(O::Target, &[f64]) -> burn_nca_learn::Result<O::Target>,
) {
    let (z, weights) = (uniform(2 * 15, 44), weights(15));
    let weighted = with_weights(plain.clone(), &weights).unwrap();
    let expected = |z: &Tensor<2>, target: &O::Target, weights: &[f64]| -> f64 {
        let term = |row: usize| number(objective.block(z.clone(), target, row..row + 1));
        weights.iter().enumerate().map(|(row, w)| w * term(row)).sum()
    };
    let whole = embedding(&z);
    let sum_of_terms = expected(&whole, plain, &weights);
    for rows in [1, 4, 20] {
        assert_close(&[sum(objective, &whole, &weighted, rows)], &[sum_of_terms], 1e-12);
    }
    let rows = [14, 2, 9, 3, 8];
    let part = embedding(&select(&z, 2, &rows));
    let sum_of_terms = expected(&part, &plain.subset(&rows), &rows.map(|row| weights[row]));
    let batch = number(objective.total(part, &weighted.subset(&rows)));
    assert_close(&[batch], &[sum_of_terms], 1e-12);
}

#[test]
fn weighted_numbers_and_soft_matches_are_the_weighted_sum_of_their_terms() {
    let device = Device::flex();
    let targets = TargetIndex::new(&uniform(15, 45), 1, &device).unwrap();
    check_terms(&MlkrLossConfig::new().init(), &targets, TargetIndex::with_weights);
    let targets = Agreements::of_targets(&uniform(15, 48), 1, AgreementWidth::Given(0.4)).unwrap();
    let list = (0..14).map(|row| (row, row + 1, 0.5)).collect();
    for agreements in [targets, Agreements::of_list(15, list).unwrap()] {
        let plain = AgreementIndex::new(&agreements, &device).unwrap();
        for criterion in [Criterion::F, Criterion::G] {
            let loss = SoftNcaLossConfig::new().with_criterion(criterion).init();
            check_terms(&loss, &plain, AgreementIndex::with_weights);
        }
    }
}

#[test]
fn weighted_soft_matches_of_classes_are_those_of_nca_whatever_the_order_of_the_rows() {
    let device = Device::flex();
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
    let part = embedding(&select(&sample.x, 2, &rows));
    let found = number(of_soft.total(part.clone(), &soft.subset(&rows)));
    assert_close(&[found], &[number(of_hard.total(part, &hard.subset(&rows)))], 1e-12);
}

/// A fit minimizes the weighted sum, its value; weights of 1 change nothing.
fn check_fit(
    fit: impl Fn(Option<Vec<f64>>) -> Fitted,
    value: impl Fn(&Fitted) -> f64,
    tolerance: f64,
) {
    let (plain, fitted) = (fit(None), fit(Some(positive_weights(40))));
    assert_eq!(plain.matrix(), fit(Some(vec![1.0; 40])).matrix());
    assert_close(&[value(&fitted)], &[fitted.summary().value], tolerance);
    assert!(value(&fitted) < value(&plain), "{} {}", value(&fitted), value(&plain));
}

#[test]
fn a_fit_of_weighted_numbers_minimizes_the_weighted_sum() {
    let device = Device::flex();
    let x = uniform(3 * 40, 50);
    let prices = x.chunks_exact(3).map(|row| row[0] + 0.1 * row[2]).collect();
    let data = RegressionData::new(Features::unnamed(x, 3).unwrap(), "price", prices).unwrap();
    let with = |weights| data.clone().with_weights(weights).unwrap();
    let config =
        Estimator::new(3, 2, Mlkr::new()).with_fit(FitConfig::new().with_precision(Precision::F64));
    let target = TargetIndex::of(&with(positive_weights(40)), &device).unwrap();
    check_fit(
        |weights| config.fit(&weights.map_or(data.clone(), with), &device).unwrap(),
        |fitted| number(MlkrLossConfig::new().init().total(fitted.references().clone(), &target)),
        1e-8,
    );
}

#[test]
fn a_fit_of_weighted_rows_minimizes_the_weighted_sum() {
    let device = Device::flex();
    let data = overlapping(40, 3, 2, 46).labeled();
    let with = |weights| data.clone().with_weights(weights).unwrap();
    let fit = FitConfig::new().with_precision(Precision::F64);
    let config = NcaConfig::new(3, 2).with_criterion(Criterion::G).with_fit(fit.with_l2(0.01));
    let target = ClassIndex::of(&with(positive_weights(40)), &device).unwrap();
    let value = |fitted: &Fitted| {
        let norm: f64 = fitted.matrix().unwrap().iter().map(|a| a * a).sum();
        number(loss(Criterion::G).total(fitted.references().clone(), &target)) + 0.01 * 40.0 * norm
    };
    let fitted =
        |weights: Option<_>| config.fit(&weights.map_or(data.clone(), with), &device).unwrap();
    check_fit(fitted, value, 1e-10);
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
