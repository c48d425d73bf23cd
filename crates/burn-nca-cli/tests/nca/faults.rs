//! A disk that fails at any operation, and a process that dies at any: what was done is kept, or was never begun; faults upon
//! faults, too. A process that is killed has done what one has that dies at its next operation.
#![cfg(unix)]
#![allow(clippy::print_stdout)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use crate::program::Program;
use crate::{Place, assert_parts, models};

/// A table that is fitted in no time.
const TABLE: &str = "a,b,c\n1,5,x\n2,4,x\n3,5,x\n2,6,x\n7,1,y\n8,2,y\n6,1,y\n7,3,y\n";

/// Its fit.
const FIT: &str = "fit t.csv --dim 1 --max-iterations 2";

/// `nca` with this command, which keeps its state after every step, not every few seconds.
fn keeping(place: &Place, command: &str) -> Program {
    let mut program = place.nca(command);
    program.env("NCA_JOURNAL_SECONDS", "0");
    program
}

/// What must not depend on how often a run was resumed.
fn results(place: &Place, run: &str) -> Vec<Value> {
    let report = place.json(&format!("{run}/report.json"));
    let of_fit = ["f", "value", "matrix", "iterations", "evaluations", "termination"];
    let of_report = ["scores", "comparison", "replay"];
    for file in ["report.html", "model/model.json"] {
        assert!(place.path(run).join(file).exists());
    }
    of_fit.iter().chain(&of_report).map(|field| report[field].clone()).collect()
}

/// What a sweep has met.
struct Swept {
    /// Operations of the run.
    operations: usize,
    /// Runs that went on in the middle of the fit.
    mid_fit: usize,
}

/// Meets every `stride`-th operation of a fit with this fault, from the `first` on, and resumes.
fn sweep(place: &Place, fit: &str, fault: &str, (first, stride): (usize, usize)) -> Swept {
    let (run, partial) = (place.path("run"), place.path("run.partial"));
    keeping(place, &format!("{fit} --out whole")).success();
    let (expected, left) = (results(place, "whole"), names(&place.path("whole")));
    place.clear("whole");
    let (mut mid_fit, mut has_checkpoint) = (0, false);
    for operation in (first..).step_by(stride) {
        let mut program = keeping(place, &format!("{fit} --out run"));
        let outcome = program.env("NCA_FAULT", &format!("{fault}:{operation}")).run();
        let success = outcome.0.status.success();
        if success && !outcome.stderr().contains("injected fault") {
            assert_eq!(names(&run), left);
            place.clear("run");
            return Swept { operations: operation, mid_fit };
        }
        if !run.exists() {
            assert!(!success, "{fault} {operation}: {outcome}");
            let resume = partial.exists();
            assert!(
                resume || fault == "fail" || operation == 0,
                "{operation}: a killed process cleans nothing up"
            );
            // The old state or the new one, once there is any.
            let checkpoint = partial.join("checkpoint.json").exists();
            assert!(checkpoint || !has_checkpoint, "{fault} {operation} lost the checkpoint");
            has_checkpoint = checkpoint;
            let option = if resume { "--resume" } else { "" };
            let resumed = keeping(place, &format!("{fit} --out run {option}")).said();
            mid_fit += usize::from(resumed.contains("resuming at iteration"));
            assert_eq!(names(&run), left, "{fault} {operation}");
        }
        assert_eq!(results(place, "run"), expected, "{fit}, {fault} {operation}");
        place.clear("run");
    }
    unreachable!("a run has an end")
}

/// Meets every operation of a fit with this fault.
fn loses_no_fit(fault: &str) {
    let place = Place::new();
    place.file("t.csv", TABLE);
    let Swept { operations, mid_fit } = sweep(&place, FIT, fault, (0, 1));
    assert!(operations >= 50, "{operations} operations for checkpoints, model, reports, folder");
    assert!(mid_fit >= 5, "{mid_fit} runs were resumed from a state in the middle of the fit");
}

#[test]
fn a_disk_that_fails_at_any_operation_loses_no_fit() {
    loses_no_fit("fail");
}

#[test]
fn a_process_that_dies_at_any_operation_loses_no_fit() {
    loses_no_fit("abort");
}

#[test]
fn no_kind_of_fit_is_lost_to_a_fault() {
    let place = Place::new();
    place.file("t.csv", TABLE);
    place.file("n.csv", TABLE.replace('x', "1.5").replace('y', "-0.25"));
    place.file("pairs.csv", "row,next\n1,2\n3,4\n5,6\n7,8\n");
    let tuned = "fit t.csv --dim 1 --tune --folds 2 --repeats 1";
    // Their operations are those of the fit above, and all of them would take minutes: each run of the tests tries others.
    let (seed, mut random) = seeded();
    for fault in ["fail", "abort"] {
        for fit in [
            "fit t.csv --encoder mlp --hidden 2",
            "fit n.csv --task regression",
            "fit t.csv --ignore c --pairs pairs.csv",
        ] {
            let first = random.random_range(0..8);
            sweep(&place, &format!("{fit} --dim 1 --max-iterations 2"), fault, (first, 8));
        }
        // Each candidate is written down as it ends.
        let first = random.random_range(0..29);
        let Swept { operations, .. } = sweep(&place, tuned, fault, (first, 29));
        assert!(operations > 50, "{operations} with BURN_NCA_FUZZ_SEED={seed}");
    }
}

/// Meets every disk operation of a command that writes this file with a fault: the file is the old one or the new one.
fn old_or_new(place: &Place, command: &str, name: &str) {
    let read = || fs::read(place.path(name)).unwrap();
    place.file(name, "old");
    place.nca(command).success();
    let new = read();
    assert_ne!(new, b"old", "{command}");
    for fault in ["fail", "abort"] {
        let mut failed = 0;
        loop {
            place.file(name, "old");
            let mut program = place.nca(command);
            let outcome = program.env("NCA_FAULT", &format!("{fault}:{failed}")).run();
            let (of, found) = (format!("{command}: {fault} {failed}"), read());
            assert!(found == b"old" || found == new, "half a file: {of}");
            if outcome.0.status.success() {
                assert_eq!(found, new, "a success without the new file: {of}");
                break;
            }
            let file = name.rsplit('/').next().unwrap();
            assert!(fault == "abort" || outcome.stderr().contains(file), "{of}: {outcome}");
            failed += 1;
        }
        assert!(failed >= 3, "{command} has {failed}: temporary file, contents, rename");
    }
}

#[test]
fn what_any_verb_writes_is_the_old_file_or_the_new_one() {
    let place = Place::new();
    models::run(&place);
    for (command, files) in [
        ("predict run test.csv --out", &["p.csv", "p.json"][..]),
        ("transform run test.csv --out", &["z.csv", "z.npy", "z.parquet"]),
        ("export run --to", &["a.safetensors", "a.onnx"]),
        ("report run --picture", &["rows.svg", "rows.png"]),
    ] {
        for file in files {
            old_or_new(&place, &format!("{command} {file}"), file);
        }
    }
    old_or_new(&place, "report run", "run/report.html");
}

#[test]
fn a_full_disk_keeps_the_model_and_says_how_to_resume() {
    let place = Place::new();
    place.file("t.csv", TABLE);
    let fit = format!("{FIT} --out run");
    // Beyond the operations for the checkpoint, the model and its source.
    let fails_at = |operation: usize| {
        let fault = format!("fail:{operation}");
        let message = place.nca(&fit).env("NCA_FAULT", &fault).run().stderr();
        let found = message.contains("report.json cannot be written");
        if !found {
            place.clear("run.partial");
        }
        found.then_some(message)
    };
    let message = (18..60).find_map(fails_at).unwrap();
    assert_parts(&message, &["the model is kept in", "run.partial", "--resume"]);
    place.nca("info run.partial/model").success();
    assert_parts(&place.nca(&format!("{fit} --resume")).said(), &["resuming"]);
}

/// The seed of the environment, or else a fixed one: the same moments of a run at each test, others in a long run of
/// `benches/fuzz.py`.
fn seeded() -> (u64, ChaCha8Rng) {
    let given = std::env::var("BURN_NCA_FUZZ_SEED").ok().and_then(|text| text.parse().ok());
    let seed = given.unwrap_or(1);
    println!("BURN_NCA_FUZZ_SEED={seed}");
    (seed, ChaCha8Rng::seed_from_u64(seed))
}

/// The names in a folder and below, those of temporary files alike.
fn names(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![(folder.to_path_buf(), String::new())];
    while let Some((folder, above)) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let name = entry.file_name().into_string().unwrap();
            let is_temporary = name.starts_with(".nca-tmp-");
            let name = if is_temporary { ".nca-tmp" } else { &name };
            let name = format!("{above}{name}");
            if entry.path().is_dir() {
                folders.push((entry.path(), format!("{name}/")));
            }
            found.insert(name);
        }
    }
    found
}

fn copy(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("-R").args([from, to]).status().unwrap().success());
}

/// Whatever state a fault leaves a run in, a further fault does not lose what it holds, and a run without one ends
/// it. States are identified by the names of their files, and each is met by faults again, until there is no other.
#[test]
fn faults_upon_faults_lose_no_fit() {
    let place = Place::new();
    place.file("t.csv", TABLE);
    let (run, partial) = (place.path("run"), place.path("run.partial"));
    let fit = format!("{FIT} --out run");
    keeping(&place, &fit).success();
    let (expected, left) = (results(&place, "run"), names(&run));
    place.clear("run");

    let (seed, mut random) = seeded();
    let mut seen: BTreeSet<BTreeSet<String>> = BTreeSet::new();
    let mut with_model = 0;
    let mut states: Vec<Option<PathBuf>> = vec![None];
    while let Some(state) = states.pop() {
        let before = state.as_deref().map(names).unwrap_or_default();
        with_model += usize::from(before.contains("model"));
        // All operations of a new run, and of one that has an old model to replace; of others a few.
        let is_first = state.is_none() || (before.contains("model") && with_model == 1);
        let stride = if is_first { 1 } else { 17 };
        let resume = if state.is_some() { "--resume" } else { "" };
        let offset = random.random_range(0..stride);
        for operation in (offset..).step_by(stride) {
            if let Some(state) = &state {
                copy(state, &partial);
            }
            let fault = ["fail", "abort"][random.random_range(0..2)];
            let of = format!("{fault} {operation} on {before:?}, BURN_NCA_FUZZ_SEED={seed}");
            let mut program = keeping(&place, &format!("{fit} {resume}"));
            program.env("NCA_FAULT", &format!("{fault}:{operation}"));
            let output = program.output().unwrap();
            let success = output.status.success();
            if run.exists() {
                assert_eq!(results(&place, "run"), expected, "{of}");
                assert!(!success || names(&run) == left, "{of}: {:?}", names(&run));
                place.clear("run");
            } else {
                assert!(!success, "{of}");
            }
            if partial.exists() {
                let after = names(&partial);
                let keeps = |files: &[&str]| {
                    let has = |names: &BTreeSet<String>| files.iter().any(|&it| names.contains(it));
                    !has(&before) || has(&after)
                };
                assert!(keeps(&["checkpoint.json"]), "{of}");
                assert!(keeps(&["model/model.json", "model.old/model.json"]), "{of}: {after:?}");
                // What is temporary goes before a run is resumed.
                let lasting = after.into_iter().filter(|name| !name.contains(".nca-tmp")).collect();
                if seen.insert(lasting) {
                    let kept = format!("state-{}", seen.len());
                    place.rename("run.partial", &kept);
                    states.push(Some(place.path(&kept)));
                } else {
                    place.clear("run.partial");
                }
            }
            if success {
                break;
            }
        }
    }
    assert!(seen.len() >= 6 && with_model > 0, "{seen:?}");
}
