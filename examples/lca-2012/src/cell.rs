//! One method on one split of one set: the unit of work, and of what a run keeps.

use std::time::Instant;

use anyhow::{Context, Result};
use burn::tensor::Device;
use burn_nca_learn::evaluate::{Accuracy, Embedded, held_out_accuracy, leave_one_out_accuracy};
use burn_nca_program::Interrupt;
use serde::{Deserialize, Serialize};

use crate::method::{Method, NEIGHBORS};
use crate::reduce::Prepared;
use crate::sets::Set;

/// What a method reached on a split.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// The set.
    pub set: String,
    /// The split, from 0.
    pub split: usize,
    /// The method.
    pub method: Method,
    /// Dimensions of the space.
    pub dimension: usize,
    /// Share of the test rows that 3-NN classifies wrongly.
    pub error: f64,
    /// Share of the training rows that the 3-NN of the others classifies wrongly.
    #[serde(default)]
    pub training_error: Option<f64>,
    /// Seconds that learning the map took.
    pub seconds: f64,
    /// Steps of the fit.
    pub iterations: usize,
    /// Why the fit ended.
    pub ending: String,
}

/// Learns and judges; `None` where the user stopped it.
///
/// # Errors
/// Rows that the method cannot learn from, with the place.
pub fn measure(
    (set, split, method): (&Set, usize, Method),
    rows: &Prepared,
    place: (&Device, &Interrupt),
) -> Result<Option<Cell>> {
    let name = &set.record.name;
    let started = Instant::now();
    let embedding = method
        .embed(rows, set.plan.dimension, place)
        .with_context(|| format!("the set {name}, split {split}"))?;
    let Some(embedding) = embedding else { return Ok(None) };
    let seconds = started.elapsed().as_secs_f64();
    let [train, test] = &rows.reduced;
    let references = Embedded::new(&embedding.points[0], train.labels());
    let queries = Embedded::new(&embedding.points[1], test.labels());
    let (accuracy, of_training) = match &embedding.predicted {
        Some(predicted) => (Accuracy::of(predicted, test.labels())?, None),
        None => (
            held_out_accuracy(references, queries, NEIGHBORS)?,
            leave_one_out_accuracy(references, NEIGHBORS)?.value(),
        ),
    };
    let accuracy = accuracy.value();
    Ok(Some(Cell {
        set: name.clone(),
        split,
        method,
        dimension: embedding.points[0].dims()[1],
        error: 1.0 - accuracy.context("there is no test row")?,
        training_error: of_training.map(|accuracy| 1.0 - accuracy),
        seconds,
        iterations: embedding.iterations,
        ending: embedding.ending,
    }))
}
