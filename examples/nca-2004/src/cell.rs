//! One method on one split of one set: the unit of work, and of what a run keeps.

use std::time::Instant;

use anyhow::{Context, Result};
use burn::tensor::Device;
use burn_nca_learn::data::ScalingKind;
use burn_nca_program::Interrupt;
use serde::{Deserialize, Serialize};

use crate::method::{FitNote, Method, Terms};
use crate::parts::Parts;
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
    /// 1-NN accuracy on the training rows, each left out in turn, 0..1.
    pub train: f64,
    /// 1-NN accuracy on the test rows, 0..1.
    pub test: f64,
    /// Seconds that learning the map took on one core.
    pub seconds: f64,
    /// How the fit went, of methods that iterate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fit: Option<FitNote>,
    /// What the rows made necessary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
}

/// A cell to be computed.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// The set.
    pub set: &'a Set,
    /// The split, from 0.
    pub split: usize,
    /// The method.
    pub method: Method,
}

impl Job<'_> {
    /// About how long it takes, in pairs of rows times features.
    pub fn cost(&self) -> usize {
        let record = &self.set.record;
        let pairs = record.train_rows * (record.train_rows + record.test_rows);
        let passes = if self.method.iterates() { record.max_iterations } else { 2 };
        pairs * record.features * passes
    }

    /// Learns and judges; `None` where the user stopped it.
    ///
    /// # Errors
    /// Rows that the method cannot learn from, with the place.
    pub fn run(&self, device: &Device, interrupt: &Interrupt) -> Result<Option<Cell>> {
        self.measured(device, interrupt)
            .with_context(|| format!("the set {}, split {}", self.set.record.name, self.split))
    }

    fn measured(&self, device: &Device, interrupt: &Interrupt) -> Result<Option<Cell>> {
        let split = &self.set.splits[self.split];
        let parts = Parts::of(&self.set.data, split, ScalingKind::Standardize)?;
        let terms = Terms { device, max_iterations: self.set.record.max_iterations, interrupt };
        let started = Instant::now();
        let Some(learned) = self.method.learn(&parts.train, terms)? else { return Ok(None) };
        let seconds = started.elapsed().as_secs_f64();
        let mapped = parts.mapped(&learned.map, device)?;
        Ok(Some(Cell {
            set: self.set.record.name.clone(),
            split: self.split,
            method: self.method,
            dimension: learned.map.shape()[1],
            train: mapped.train_accuracy,
            test: mapped.test_accuracy,
            seconds,
            fit: learned.fit,
            remark: learned.remark,
        }))
    }
}
