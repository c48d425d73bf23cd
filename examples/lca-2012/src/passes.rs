//! Maps learned in passes: each from the rows where the last put them, so that targets are those of its metric.

use anyhow::{Context, Result};
use burn::tensor::{Device, Tensor};
use burn_nca_learn::data::{
    Features, Labeled, Split, TensorFeatures, random_split, stratified_split,
};
use burn_nca_learn::evaluate::{Accuracy, Embedded, held_out_accuracy};
use burn_nca_learn::method::AnyMethod;
use burn_nca_program::Interrupt;

use crate::energies;
use crate::figures::fitted;
use crate::method::{Embedding, NEIGHBORS};

/// The most passes that are tried.
const MOST: usize = 5;

/// The share of the training rows that settings are chosen by.
const SHARE: f64 = 0.3;

/// As many passes as suit held-out training rows best, by 3-NN or by energies; `None` where the user stopped it.
///
/// LMNN's targets are the nearest of a class in the input; Weinberger and Saul (2009) search them again in what was learned.
///
/// # Errors
/// Rows that the method cannot learn from.
pub fn embed(
    method: &AnyMethod,
    dimension: usize,
    parts: [&Labeled; 2],
    by_energies: bool,
    place: (&Device, &Interrupt),
) -> Result<Option<Embedding>> {
    let train = parts[0];
    let split = held_out(train.labels())?;
    let inner = [train.select(&split.train), train.select(&split.test)];
    let Some(tried) = passes(method, dimension, [&inner[0], &inner[1]], MOST, place)? else {
        return Ok(None);
    };
    let mut best = (0, f64::NEG_INFINITY);
    for (at, found) in tried.iter().enumerate() {
        let [learned, held_out] =
            [0, 1].map(|part| Embedded::new(&found.points[part], inner[part].labels()));
        let accuracy = match by_energies {
            true => Accuracy::of(&of_energies(found, &inner[0])?, inner[1].labels())?,
            false => held_out_accuracy(learned, held_out, NEIGHBORS)?,
        };
        let accuracy = accuracy.value();
        let accuracy = accuracy.context("no row is held out")?;
        if accuracy > best.1 {
            best = (at, accuracy);
        }
    }
    let count = best.0 + 1;
    let Some(mut all) = passes(method, dimension, parts, count, place)? else { return Ok(None) };
    let Some(mut last) = all.pop() else { return Ok(None) };
    if by_energies {
        last.predicted = Some(of_energies(&last, train)?);
    }
    Ok(Some(Embedding { ending: format!("Passes: {count}."), ..last }))
}

/// A part of the training rows to choose by, and those that are learned from meanwhile.
///
/// # Errors
/// Fewer rows than both need.
pub fn held_out(labels: &[usize]) -> Result<Split> {
    let split = stratified_split(labels, SHARE, 0);
    Ok(split.or_else(|_| random_split(labels.len(), SHARE, 0))?)
}

fn of_energies(found: &Embedding, train: &Labeled) -> Result<Vec<usize>> {
    energies::classes([&found.points[0], &found.points[1]], train)
}

/// The embeddings of both parts after each of so many passes.
fn passes(
    method: &AnyMethod,
    dimension: usize,
    parts: [&Labeled; 2],
    count: usize,
    place: (&Device, &Interrupt),
) -> Result<Option<Vec<Embedding>>> {
    let mut rows = parts.map(Labeled::clone);
    let mut found: Vec<Embedding> = Vec::new();
    for _ in 0..count {
        let Some(fitted) = fitted(method.clone(), dimension, &rows[0], place)? else {
            return Ok(None);
        };
        let points: [Tensor<2>; 2] =
            [fitted.transform(rows[0].features())?, fitted.transform(rows[1].features())?];
        for (rows, points) in rows.iter_mut().zip(&points) {
            *rows = rows.with_features(Features::from_tensor(points.clone())?)?;
        }
        let before = found.last().map_or(0, |found| found.iterations);
        found.push(Embedding {
            points,
            predicted: None,
            iterations: before + fitted.summary().iterations,
            ending: String::new(),
        });
    }
    Ok(Some(found))
}
