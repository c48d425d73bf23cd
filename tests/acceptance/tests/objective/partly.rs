//! Rows without a class among labeled ones: in denominators only, against nested loops.

use acceptance::data::{overlapping, uniform};
use burn::tensor::{Device, Tensor};
use burn_nca_learn::data::{Features, Labeled, host_values};
use burn_nca_learn::fit::{FitConfig, Precision};
use burn_nca_learn::objective::{ClassIndex, Criterion, DataTarget, Objective, SampledTerms};
use burn_nca_learn::{Fitted, NcaConfig};

use crate::objective::setup::{assert_close, assert_slopes, at_embedding, criteria, tensor};
use crate::soft::oracle::soft_matches;

/// The losses -f and -g by nested loops: rows of one class agree, and those without a class are neighbors alone.
fn losses(z: &[f64], labels: &[Option<usize>]) -> [f64; 2] {
    let labeled: Vec<bool> = labels.iter().map(Option::is_some).collect();
    let agreement =
        |i: usize, j: usize| if labels[i] == labels[j] { 0.0 } else { f64::NEG_INFINITY };
    let at = soft_matches(z, 2, &labeled, true, agreement);
    [-at.f, -at.g]
}

fn sample(n: usize, classes: usize, seed: u64) -> (Vec<f64>, Vec<Option<usize>>) {
    let sample = overlapping(n, 2, classes, seed);
    let hidden = |(row, label)| if row * row % 5 == 1 { None } else { Some(label) };
    (sample.x, sample.y.into_iter().enumerate().map(hidden).collect())
}

#[test]
fn value_and_gradient_are_those_of_the_definition_at_any_block_size() {
    // Large classes in pure blocks, then many small ones in mixed blocks.
    for classes in [2, 12] {
        let (z, labels) = sample(34, classes, 51);
        let target = ClassIndex::partly(&labels, &Device::flex()).unwrap();
        for (which, loss) in criteria().into_iter().enumerate() {
            let embedding = tensor(&z, 2, &Device::flex());
            assert_eq!(target.terms(), labels.iter().flatten().count());
            let blocks = (0..target.terms()).collect::<Vec<_>>();
            let parts = blocks.chunks(7).map(|part| part[0]..part[part.len() - 1] + 1);
            let block = |terms| loss.block(embedding.clone(), &target, terms);
            let sum: f64 = parts.map(|terms| block(terms).into_scalar::<f64>()).sum();
            assert_close(&[sum], &[losses(&z, &labels)[which]], 1e-10);
            let (_, slopes) = at_embedding(&embedding, |z| loss.total(z, &target));
            assert_slopes(&slopes, &z, (1e-5, 1e-6), |z| losses(z, &labels)[which]);
        }
    }
}

#[test]
fn without_a_row_that_lacks_a_class_nothing_changes_and_batches_are_unbiased() {
    let (z, labels) = sample(30, 3, 52);
    let device = Device::flex();
    let embedding = tensor(&z, 2, &device);
    let known: Vec<usize> = labels.iter().map(|label| label.unwrap_or(3)).collect();
    let all: Vec<Option<usize>> = known.iter().copied().map(Some).collect();
    for loss in criteria() {
        let total =
            |target: &ClassIndex| -> f64 { loss.total(embedding.clone(), target).into_scalar() };
        let plain = total(&ClassIndex::new(&known, &device).unwrap());
        assert_eq!(plain, total(&ClassIndex::partly(&all, &device).unwrap()));
        // Three batches of all kinds of rows, each among all rows.
        let target = ClassIndex::partly(&labels, &device).unwrap();
        let estimate = |batch: usize| -> f64 {
            let (rows, others): (Vec<usize>, Vec<usize>) =
                (0..30).partition(|row| (7 * row + 2) % 3 == batch);
            let sample = SampledTerms::of(&target, &rows, &others).unwrap();
            let order: Vec<i32> = sample.points().iter().map(|row| *row as i32).collect();
            let order = Tensor::from_ints(order.as_slice(), &device);
            sample.estimate(&loss, embedding.clone().select(0, order)).unwrap().into_scalar()
        };
        let mean = (0..3).map(estimate).sum::<f64>() / 3.0;
        assert_close(&[mean], &[total(&target)], 1e-10);
        // A batch without any class says nothing.
        let hidden: Vec<usize> = (0..30).filter(|row| labels[*row].is_none()).collect();
        let batch = target.subset(&hidden);
        let part = tensor(&uniform(2 * hidden.len(), 5), 2, &device);
        assert!(loss.estimate(part, &batch, &target).is_none());
    }
}

#[test]
fn a_fit_among_rows_without_a_class_ends_lower_than_one_without_them() {
    let (x, labels) = sample(60, 3, 53);
    let rows = |wanted: bool| -> Vec<usize> {
        (0..60).filter(|row| labels[*row].is_some() == wanted).collect()
    };
    let features = Features::unnamed(x, 2).unwrap();
    let known: Vec<usize> = labels.iter().flatten().copied().collect();
    let data = Labeled::from_labels(features.select(&rows(true)), known).unwrap();
    let others = features.select(&rows(false));
    let partly = data.clone().with_unlabeled(others.clone()).unwrap();
    let fit = FitConfig::new().with_precision(Precision::F64);
    let config = NcaConfig::new(2, 2).with_criterion(Criterion::G).with_fit(fit);
    let value = |fitted: &Fitted| {
        let z = [fitted.transform(data.features()), fitted.transform(&others)];
        let z = z.map(|z| host_values(z.unwrap())).concat();
        let none = (0..others.rows()).map(|_| None);
        let labels: Vec<_> = data.labels().iter().copied().map(Some).chain(none).collect();
        losses(&z, &labels)[1]
    };
    let plain = config.fit(&data, &Device::flex()).unwrap();
    let fitted = config.fit(&partly, &Device::flex()).unwrap();
    assert_close(&[value(&fitted)], &[fitted.summary().value], 1e-8);
    assert!(value(&fitted) < value(&plain), "{} {}", value(&fitted), value(&plain));
    // References and votes are of the rows with a class.
    assert_eq!(fitted.references().dims(), plain.references().dims());
    assert_eq!(fitted.predict(&others, 3).unwrap().len(), others.rows());
}
