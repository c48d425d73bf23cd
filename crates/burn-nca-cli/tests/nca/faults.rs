//! A disk that fails at any operation, and a process that dies at any: what was done is kept, or was never begun.
#![cfg(unix)]

use std::fs;

use rand::RngExt;
use serde_json::Value;

use crate::crashes::seeded;
use crate::program::Program;
use crate::{Place, assert_parts, models};

/// A table that is fitted in no time.
pub const TABLE: &str = "a,b,c\n1,5,x\n2,4,x\n3,5,x\n2,6,x\n7,1,y\n8,2,y\n6,1,y\n7,3,y\n";

/// Its fit.
pub const FIT: &str = "fit t.csv --dim 1 --max-iterations 2";

/// `nca` with this command, which keeps its state after every step, not every few seconds.
pub fn keeping(place: &Place, command: &str) -> Program {
    let mut program = place.nca(command);
    program.env("NCA_JOURNAL_SECONDS", "0");
    program
}

/// What must not depend on how often a run was resumed.
pub fn results(place: &Place, run: &str) -> Vec<Value> {
    let report = place.json(&format!("{run}/report.json"));
    let of_fit = ["f", "value", "matrix", "iterations", "evaluations", "termination"];
    let of_report = ["scores", "comparison", "replay"];
    for file in ["report.html", "model/model.json"] {
        assert!(place.path(run).join(file).exists());
    }
    of_fit.iter().chain(&of_report).map(|field| report[field].clone()).collect()
}

/// Files that a finished run leaves, with those of its model.
fn files(place: &Place, run: &str) -> Vec<String> {
    [run.to_string(), format!("{run}/model")]
        .iter()
        .flat_map(|folder| place.names(folder))
        .collect()
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
    let (expected, left) = (results(place, "whole"), files(place, "whole"));
    place.clear("whole");
    let (mut mid_fit, mut has_checkpoint) = (0, false);
    for operation in (first..).step_by(stride) {
        let mut program = keeping(place, &format!("{fit} --out run"));
        let outcome = program.env("NCA_FAULT", &format!("{fault}:{operation}")).run();
        let success = outcome.0.status.success();
        if success && !outcome.stderr().contains("injected fault") {
            assert_eq!(files(place, "run"), left);
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
            assert_eq!(files(place, "run"), left, "{fault} {operation}");
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
    let message = place.nca(&format!("{fit} --resume")).said();
    assert!(message.contains("resuming"), "{message}");
}
