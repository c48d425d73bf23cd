//! Tuned NCA compared with plain NCA, fixed settings and closed-form baselines, on the exact splits of others.
//!
//! A task is one set, one split and one rank; tasks run in parallel, and each finished one is written, so that
//! an interrupted measurement continues where it stopped.

mod methods;
mod sets;
mod summary;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Instant;

use anyhow::Context;
use burn::tensor::Device;
use burn_nca_program::{eprint_line, write_file};
use clap::Args;
use methods::{Rank, Run};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::results;

/// The sets of the paper, and digits.
const SETS: &str = "iris,wine,balance,ionosphere,housing-q3,housing-q4,digits,usps";

#[derive(Args)]
pub struct Arguments {
    /// The folder of the sets.
    #[arg(long)]
    data: PathBuf,
    /// The folder of the splits.
    #[arg(long)]
    splits: PathBuf,
    /// The results: read first, written after each task. A table for people is written next to it.
    #[arg(long)]
    out: PathBuf,
    /// The sets.
    #[arg(long, value_delimiter = ',', default_value = SETS)]
    sets: Vec<String>,
    /// The most splits of a set.
    #[arg(long, default_value_t = 40)]
    most_splits: usize,
    /// The ranks of A: square, 2.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "square,two")]
    ranks: Vec<Rank>,
    /// The most seconds of a search.
    #[arg(long)]
    budget: Option<f64>,
    /// Only tuned and plain NCA and the baselines, for sets whose fits take long.
    #[arg(long)]
    without_fixed: bool,
}

/// One set, one split, one rank.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Task {
    set: String,
    split: usize,
    rank: Rank,
}

/// A task with what every method reached.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Done {
    #[serde(flatten)]
    task: Task,
    runs: Vec<Run>,
}

pub fn run(arguments: &Arguments) -> anyhow::Result<Value> {
    let device = Device::flex();
    let sets = sets::open(arguments)?;
    let known = results::read::<Done>(&arguments.out)?;
    let done: HashSet<Task> = known.iter().map(|done| done.task.clone()).collect();
    let mut tasks: Vec<(Task, &sets::Set)> = sets
        .iter()
        .flat_map(|set| {
            let ranks = arguments.ranks.iter();
            ranks.flat_map(move |&rank| {
                let splits = 0..set.splits.len();
                splits.map(move |split| (Task { set: set.name.clone(), split, rank }, set))
            })
        })
        .filter(|(task, _)| !done.contains(task))
        .collect();
    // Split by split, so that a measurement that is cut short has seen all sets alike.
    tasks.sort_by_key(|(task, _)| task.split);
    let (left, started) = (tasks.len(), Instant::now());
    let results = Mutex::new(known);
    tasks.par_iter().try_for_each(|(task, set)| -> anyhow::Result<()> {
        let part = set.part(task.split);
        let runs = methods::run(&part, task.rank, arguments, &device)
            .with_context(|| format!("{} split {}", task.set, task.split))?;
        let mut results = results.lock().expect("a task that panicked ends the measurement");
        results.push(Done { task: task.clone(), runs });
        results::write(&arguments.out, &results)?;
        let seconds = started.elapsed().as_secs_f64();
        eprint_line(&format!(
            "{} split {} {:?}, {left} tasks in all, {seconds:.0} s",
            task.set, task.split, task.rank
        ));
        Ok(())
    })?;
    let mut results = results.into_inner().expect("no task panicked");
    results.sort_by_key(|done| {
        let place = SETS.split(',').position(|set| set == done.task.set);
        (place, done.task.rank, done.task.split)
    });
    results::write(&arguments.out, &results)?;
    let table = summary::markdown(&results);
    write_file(&arguments.out.with_extension("txt"), table.as_bytes())?;
    Ok(
        json!({ "measurement": "tune", "tasks": results.len(), "seconds": started.elapsed().as_secs_f64() }),
    )
}
