//! LMNN with as many target neighbors and steps as held-out rows choose for each set: the paper chooses its p so, one for a set.

use std::time::Instant;

use anyhow::{Context, Result, bail};
use burn::tensor::Device;
use burn_nca_learn::device;
use burn_nca_learn::evaluate::{Accuracy, Embedded, held_out_accuracy};
use burn_nca_learn::fit::FitConfig;
use burn_nca_learn::method::Lmnn;
use burn_nca_program::{
    Bar, Cells, Interrupt, RunFolder, Terminal, command_line, plain_table, print, write_file,
};
use serde::{Deserialize, Serialize};

use crate::arguments::Arguments;
use crate::energies;
use crate::figures::fitted_by;
use crate::method::NEIGHBORS;
use crate::passes::held_out;
use crate::reduce::{Prepared, prepared, reduced};
use crate::report::PROGRAM;
use crate::sets::{Limits, Set, load};
use crate::store::Sets;

/// The points of an interrupted run.
const CHECKPOINT: &str = "chosen-checkpoint.json";

/// Target neighbors that are tried.
const TARGETS: [usize; 3] = [3, 10, 30];

/// Steps that are tried, the fewest first: of equal errors the first is chosen.
const STEPS: [usize; 5] = [5, 10, 20, 50, 200];

/// The rules by which an embedding classifies, in the order of [`Point::errors`].
const RULES: [&str; 2] = ["3-NN", "energies"];

/// Target neighbors and steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Candidate {
    targets: usize,
    steps: usize,
}

/// What a candidate reached on a split.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Point {
    set: String,
    split: usize,
    /// Whether on the test rows, learned from all training rows, or on held-out ones.
    on_test: bool,
    #[serde(flatten)]
    candidate: Candidate,
    /// The share of wrongly classified rows by each of [`RULES`].
    errors: [f64; 2],
    seconds: f64,
}

/// What was chosen for a set and a rule.
#[derive(Debug, Serialize)]
struct Choice {
    set: String,
    rule: &'static str,
    #[serde(flatten)]
    candidate: Candidate,
    /// Mean errors over splits, in percent: of held-out rows and of test rows.
    held_out: f64,
    test: f64,
    splits: usize,
}

/// `chosen.json`: the choices and all points.
#[derive(Serialize)]
struct Results<'a> {
    experiment: &'static str,
    program: String,
    command: String,
    choices: &'a [Choice],
    points: &'a [Point],
}

/// Measures the candidates on held-out rows, the chosen ones on test rows, and writes a folder with their numbers.
///
/// # Errors
/// Files that cannot be used, a folder that exists, or a run that was interrupted.
pub fn run(args: &Arguments) -> Result<()> {
    let interrupt = Interrupt::listen("step")?;
    let limits = Limits { splits: args.splits, rows: args.rows };
    let sets = load(&args.sets, args.data.as_deref(), limits)?;
    let folder = RunFolder::open(&args.out, args.resume, &[CHECKPOINT])?;
    let wanted = |point: &Point| {
        let of = |set: &&Set| set.record.name == point.set;
        sets.iter().find(of).is_some_and(|set| point.split < set.splits.len())
    };
    let store = Cells::open(folder.file(CHECKPOINT), Sets::of(&sets), wanted)?;
    let candidates =
        TARGETS.into_iter().flat_map(|targets| STEPS.map(|steps| Candidate { targets, steps }));
    let candidates: Vec<Candidate> = candidates.collect();
    let splits: usize = sets.iter().map(|set| set.splits.len()).sum();
    let bar = Bar::new("{bar:24} {pos}/{len}  {msg}", args.quiet)
        .with_length(splits * (candidates.len() + RULES.len()));
    let device = device::open("cpu")?;
    let mut run = Run { store, bar, place: (&device, &interrupt) };
    let mut choices = Vec::new();
    for set in &sets {
        for split in 0..set.splits.len() {
            run.measure(set, split, false, &candidates)?;
        }
        let chosen: Vec<Candidate> = (0..RULES.len())
            .map(|rule| {
                let error = |of: &Candidate| run.mean(set, *of, false, rule);
                let least = candidates.iter().min_by(|a, b| error(a).total_cmp(&error(b)));
                least.copied().context("there is no candidate")
            })
            .collect::<Result<_>>()?;
        for split in 0..set.splits.len() {
            run.measure(set, split, true, &chosen)?;
        }
        for ((at, rule), candidate) in RULES.into_iter().enumerate().zip(chosen) {
            choices.push(Choice {
                set: set.record.name.clone(),
                rule,
                candidate,
                held_out: run.mean(set, candidate, false, at),
                test: run.mean(set, candidate, true, at),
                splits: set.splits.len(),
            });
        }
    }
    run.bar.finish();
    let (_, points) = run.store.into_parts();
    let results = Results {
        experiment: "lca-2012-chosen",
        program: format!("burn-nca {}", env!("CARGO_PKG_VERSION")),
        command: command_line(PROGRAM),
        choices: &choices,
        points: &points,
    };
    write_file(&folder.file("chosen.json"), &serde_json::to_vec_pretty(&results)?)?;
    folder.finish()?;
    let head = ["set", "splits", "rule", "targets", "steps", "held-out", "test"].map(String::from);
    let row = |of: &Choice| {
        let Candidate { targets, steps } = of.candidate;
        let [held_out, test] = [of.held_out, of.test].map(|error| format!("{error:.2}"));
        let [splits, targets, steps] = [of.splits, targets, steps].map(|count| count.to_string());
        vec![of.set.clone(), splits, of.rule.to_string(), targets, steps, held_out, test]
    };
    print(&format!(
        "{}\nLMNN's error, %: mean over splits, by the settings that held-out rows choose\nnumbers: {}\n",
        plain_table(head.to_vec(), choices.iter().map(row).collect(), Terminal::PLAIN),
        args.out.join("chosen.json").display()
    ))
}

/// A run under way.
struct Run<'a> {
    store: Cells<Sets, Point>,
    bar: Bar,
    place: (&'a Device, &'a Interrupt),
}

impl Run<'_> {
    /// Measures candidates on a split, where that is not done.
    fn measure(
        &mut self,
        set: &Set,
        split: usize,
        on_test: bool,
        candidates: &[Candidate],
    ) -> Result<()> {
        let mut rows = None;
        for &candidate in candidates {
            let Candidate { targets, steps } = candidate;
            self.bar.step(
                self.store.done().len(),
                format!("{}, {targets} targets, {steps} steps (split {split})", set.record.name),
            );
            let is = |point: &Point| {
                (point.set.as_str(), point.split, point.on_test, point.candidate)
                    == (set.record.name.as_str(), split, on_test, candidate)
            };
            if self.store.done().iter().any(is) {
                continue;
            }
            let rows = match &mut rows {
                Some(rows) => rows,
                none if on_test => none.insert(prepared(set, split)?),
                none => none.insert(with_held_out(set, split)?),
            };
            let started = Instant::now();
            let Some(errors) = errors(rows, set.plan.dimension, candidate, self.place)
                .with_context(|| format!("the set {}, split {split}", set.record.name))?
            else {
                bail!("interrupted; resume it with: {} --resume", command_line(PROGRAM));
            };
            self.store.add(Point {
                set: set.record.name.clone(),
                split,
                on_test,
                candidate,
                errors,
                seconds: started.elapsed().as_secs_f64(),
            })?;
        }
        Ok(())
    }

    /// The mean error over splits, in percent; infinite where nothing is measured.
    fn mean(&self, set: &Set, candidate: Candidate, on_test: bool, rule: usize) -> f64 {
        let of = |point: &&Point| {
            (point.set.as_str(), point.on_test, point.candidate)
                == (set.record.name.as_str(), on_test, candidate)
        };
        let points = self.store.done().iter().filter(of);
        let errors: Vec<f64> = points.map(|point| 100.0 * point.errors[rule]).collect();
        if errors.is_empty() {
            return f64::INFINITY;
        }
        errors.iter().sum::<f64>() / errors.len() as f64
    }
}

/// The training rows with the rows that a split does not use, or, where it uses all, with a part of the training rows
/// instead of its test rows.
fn with_held_out(set: &Set, split: usize) -> Result<Prepared> {
    let split = &set.splits[split];
    let mut is_used = vec![false; set.labels.len()];
    split.train.iter().chain(&split.test).for_each(|row| is_used[*row] = true);
    let unused: Vec<usize> = (0..is_used.len()).filter(|row| !is_used[*row]).collect();
    if !unused.is_empty() {
        return reduced(set, [&split.train, &unused]);
    }
    let labels: Vec<usize> = split.train.iter().map(|row| set.labels[*row]).collect();
    let inner = held_out(&labels)?;
    let [train, others] =
        [inner.train, inner.test].map(|rows| rows.iter().map(|row| split.train[*row]).collect());
    let parts: [Vec<usize>; 2] = [train, others];
    reduced(set, [&parts[0], &parts[1]])
}

/// The errors of a candidate by each of [`RULES`]; `None` where the user stopped it.
fn errors(
    rows: &Prepared,
    dimension: usize,
    candidate: Candidate,
    place: (&Device, &Interrupt),
) -> Result<Option<[f64; 2]>> {
    let [train, test] = &rows.reduced;
    let d = train.features().columns();
    let method = Lmnn::new().with_neighbors(candidate.targets).into();
    let fit = FitConfig::new().with_stop_at(Some(candidate.steps));
    let Some(fitted) = fitted_by(fit, method, dimension.min(d), train, place)? else {
        return Ok(None);
    };
    let [a, b] = [fitted.transform(train.features())?, fitted.transform(test.features())?];
    let accuracies = [
        held_out_accuracy(
            Embedded::new(&a, train.labels()),
            Embedded::new(&b, test.labels()),
            NEIGHBORS,
        )?,
        Accuracy::of(&energies::classes([&a, &b], train)?, test.labels())?,
    ];
    let mut errors = [0.0; 2];
    for (error, accuracy) in errors.iter_mut().zip(accuracies) {
        *error = 1.0 - accuracy.value().context("no row is held out")?;
    }
    Ok(Some(errors))
}
