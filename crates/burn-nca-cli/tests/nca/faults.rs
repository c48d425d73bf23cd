//! A disk that fails at any operation, and a process that dies at any: what was done is kept, or was never begun; faults upon
//! faults, too. A process that is killed has done what one has that dies at its next operation.
#![cfg(unix)]
#![allow(clippy::print_stdout)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use crate::program::Outcome;
use crate::{Place, assert_parts, models};

/// The fit of a table that takes no time.
const FIT: &str = "fit t.csv --dim 1 --max-iterations 2";

/// A place with the table, and with one of numbers and pairs.
fn place() -> Place {
    let place = Place::new();
    let table = "a,b,c\n1,5,x\n2,4,x\n3,5,x\n2,6,x\n7,1,y\n8,2,y\n6,1,y\n7,3,y\n";
    place.file("t.csv", table);
    place.file("n.csv", table.replace('x', "1.5").replace('y', "-0.25"));
    place.file("pairs.csv", "row,next\n1,2\n3,4\n5,6\n7,8\n");
    place
}

/// Runs a command with a fault such as `fail:7`, or none; it keeps its state after every step, not every few seconds.
fn run(place: &Place, command: &str, fault: &str) -> Outcome {
    place.nca(command).env("NCA_JOURNAL_SECONDS", "0").env("NCA_FAULT", fault).run()
}

/// What must not depend on how often a run was resumed, and the names of its files.
fn results(place: &Place, run: &str) -> (Vec<Value>, BTreeSet<String>) {
    let report = place.json(&format!("{run}/report.json"));
    let fields = ["f", "value", "matrix", "iterations", "evaluations", "termination"];
    let fields = fields.iter().chain(&["scores", "comparison", "replay"]);
    for file in ["report.html", "model/model.json"] {
        assert!(place.path(run).join(file).exists(), "{file}");
    }
    (fields.map(|field| report[field].clone()).collect(), names(&place.path(run)))
}

/// The results of a fit without a fault.
fn whole(place: &Place, fit: &str) -> (Vec<Value>, BTreeSet<String>) {
    run(place, &format!("{fit} --out whole"), "").success();
    let found = results(place, "whole");
    place.clear("whole");
    found
}

/// Meets every `stride`-th operation of a fit with this fault, from the `first` on, and resumes; gives the number of its
/// operations, and that of the runs that went on in the middle of the fit.
fn sweep(place: &Place, fit: &str, fault: &str, [first, stride]: [usize; 2]) -> [usize; 2] {
    let expected = whole(place, fit);
    let (mut mid_fit, mut has_checkpoint) = (0, false);
    for operation in (first..).step_by(stride) {
        let of = format!("{fit}, {fault} {operation}");
        let outcome = run(place, &format!("{fit} --out run"), &format!("{fault}:{operation}"));
        let is_done = outcome.0.status.success();
        let is_whole = is_done && !outcome.stderr().contains("injected fault");
        let is_open = !place.path("run").exists();
        if is_open {
            assert!(!is_done, "{of}: {outcome}");
            let resume = place.path("run.partial").exists();
            // A killed process cleans nothing up.
            assert!(resume || fault == "fail" || operation == 0, "{of}");
            // The old state or the new one, once there is any.
            let checkpoint = place.path("run.partial/checkpoint.json").exists();
            assert!(checkpoint || !has_checkpoint, "{of} lost the checkpoint");
            has_checkpoint = checkpoint;
            let resume = if resume { "--resume" } else { "" };
            let resumed = run(place, &format!("{fit} --out run {resume}"), "").success();
            mid_fit += usize::from(resumed.stderr().contains("resuming at iteration"));
        }
        let found = results(place, "run");
        place.clear("run");
        assert_eq!(found.0, expected.0, "{of}");
        // A fault at the end may leave something temporary.
        assert!(found.1 == expected.1 || !is_open && !is_whole, "{of}: {:?}", found.1);
        if is_whole {
            return [operation, mid_fit];
        }
    }
    unreachable!("a run has an end")
}

/// Meets every operation of a fit with this fault.
fn loses_no_fit(fault: &str) {
    let [operations, mid_fit] = sweep(&place(), FIT, fault, [0, 1]);
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
    let place = place();
    // Their operations are those of the fit above, and all of them would take minutes: each run of the tests tries others.
    let (seed, mut random) = seeded();
    for fault in ["fail", "abort"] {
        for (fit, stride) in [
            ("fit t.csv --encoder mlp --hidden 2 --dim 1 --max-iterations 2", 8),
            ("fit n.csv --task regression --dim 1 --max-iterations 2", 8),
            ("fit t.csv --ignore c --pairs pairs.csv --dim 1 --max-iterations 2", 8),
            // Each candidate is written down as it ends.
            ("fit t.csv --dim 1 --tune --folds 2 --repeats 1", 29),
        ] {
            let first = random.random_range(0..stride);
            let [operations, _] = sweep(&place, fit, fault, [first, stride]);
            assert!(stride == 8 || operations > 50, "{operations}, BURN_NCA_FUZZ_SEED={seed}");
        }
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
        for operation in 0.. {
            place.file(name, "old");
            let outcome = run(place, command, &format!("{fault}:{operation}"));
            let (of, found) = (format!("{command}: {fault} {operation}"), read());
            assert!(found == b"old" || found == new, "half a file: {of}");
            if outcome.0.status.success() {
                assert_eq!(found, new, "a success without the new file: {of}");
                assert!(operation >= 3, "{of}: temporary file, contents, rename");
                break;
            }
            let file = name.rsplit('/').next().unwrap();
            assert!(fault == "abort" || outcome.stderr().contains(file), "{of}: {outcome}");
        }
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
    let place = place();
    let fit = format!("{FIT} --out run");
    // Beyond the operations for the checkpoint, the model and its source.
    let fails_at = |operation: usize| {
        let message = place.nca(&fit).env("NCA_FAULT", &format!("fail:{operation}")).run().stderr();
        let is_found = message.contains("report.json cannot be written");
        if !is_found {
            place.clear("run.partial");
        }
        is_found.then_some(message)
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
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        let name = if name.starts_with(".nca-tmp-") { ".nca-tmp".into() } else { name };
        if entry.path().is_dir() {
            found.extend(names(&entry.path()).iter().map(|below| format!("{name}/{below}")));
        }
        found.insert(name);
    }
    found
}

/// Whatever state a fault leaves a run in, a further fault does not lose what it holds, and a run without one ends it.
#[test]
fn faults_upon_faults_lose_no_fit() {
    let place = place();
    let expected = whole(&place, FIT);
    let (seed, mut random) = seeded();
    let mut with_model = 0;
    for round in 0..40 {
        let mut before = BTreeSet::new();
        loop {
            let resume = if before.is_empty() { "" } else { "--resume" };
            let [fault, operation] = [random.random_range(0..2), random.random_range(0..80)];
            let fault = format!("{}:{operation}", ["fail", "abort"][fault]);
            let of = format!("{fault} on {before:?}, round {round}, BURN_NCA_FUZZ_SEED={seed}");
            let outcome = run(&place, &format!("{FIT} --out run {resume}"), &fault);
            let is_done = outcome.0.status.success();
            if place.path("run").exists() {
                let found = results(&place, "run");
                assert_eq!(found.0, expected.0, "{of}");
                assert!(!is_done || found.1 == expected.1, "{of}: {:?}", found.1);
                place.clear("run");
                let _ = fs::remove_dir_all(place.path("run.partial"));
                break;
            }
            assert!(!is_done, "{of}: {outcome}");
            let partial = place.path("run.partial");
            let after = if partial.exists() { names(&partial) } else { BTreeSet::new() };
            for kept in [&["checkpoint.json"][..], &["model/model.json", "model.old/model.json"]] {
                let has = |names: &BTreeSet<String>| kept.iter().any(|&it| names.contains(it));
                assert!(!has(&before) || has(&after), "{of}: {after:?} without {kept:?}");
            }
            with_model += usize::from(after.contains("model"));
            before = after;
        }
    }
    assert!(with_model > 9, "{with_model} runs had a model to lose");
}
