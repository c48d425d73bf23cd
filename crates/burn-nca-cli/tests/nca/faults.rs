//! A disk that fails at any operation, and a process that dies at any: what was done is kept, or was never begun.
#![cfg(unix)]

use std::fs;
use std::path::Path;

use rand::RngExt;
use serde_json::Value;

use crate::crashes::seeded;
use crate::program::Program;
use crate::{Place, assert_parts, models, nca, read_json};

/// A table that is fitted in no time.
pub const TABLE: &str = "a,b,c\n1,5,x\n2,4,x\n3,5,x\n2,6,x\n7,1,y\n8,2,y\n6,1,y\n7,3,y\n";

pub fn fit<'a>(data: &'a str, out: &'a str) -> [&'a str; 8] {
    ["fit", data, "--dim", "1", "--max-iterations", "2", "--out", out]
}

/// `nca` with these arguments, which keeps its state after every step, not every few seconds.
pub fn keeping(arguments: &[&str]) -> Program {
    let mut program = nca(arguments);
    program.env("NCA_JOURNAL_SECONDS", "0");
    program
}

/// What must not depend on how often a run was resumed.
pub fn results(run: &Path) -> Vec<Value> {
    let report = read_json(&run.join("report.json"));
    let fields = [
        "f",
        "value",
        "matrix",
        "iterations",
        "evaluations",
        "termination",
        "scores",
        "comparison",
        "replay",
    ];
    assert!(run.join("report.html").exists() && run.join("model/model.json").exists());
    fields.map(|field| report[field].clone()).to_vec()
}

/// Files that a finished run leaves, with those of its model.
fn files(run: &Path) -> Vec<String> {
    let within = |folder: &Path| {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        entries.map(|name| name.into_string().unwrap()).collect::<Vec<_>>()
    };
    let mut names = within(run);
    names.extend(within(&run.join("model")).iter().map(|name| format!("model/{name}")));
    names.sort();
    names
}

/// What a sweep has met.
struct Swept {
    /// Operations of the run.
    operations: usize,
    /// Runs that went on in the middle of the fit.
    mid_fit: usize,
}

/// Meets every `stride`-th operation of a fit with this fault, from the `first` on, and resumes.
fn sweep(place: &Place, options: &[&str], fault: &str, (first, stride): (usize, usize)) -> Swept {
    let (out, run) = (place.at("run"), place.path("run"));
    let partial = place.path("run.partial");
    let whole = place.at("whole");
    keeping(&[options, &["--out", &whole]].concat()).assert().success();
    let (expected, left) = (results(&place.path("whole")), files(&place.path("whole")));
    fs::remove_dir_all(&whole).unwrap();
    let arguments = [options, &["--out", &out]].concat();
    let (mut mid_fit, mut has_checkpoint) = (0, false);
    for operation in (first..).step_by(stride) {
        let mut program = keeping(&arguments);
        program.env("NCA_FAULT", &format!("{fault}:{operation}"));
        let output = program.output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        if output.status.success() && !message.contains("injected fault") {
            assert_eq!(files(&run), left);
            fs::remove_dir_all(run).unwrap();
            return Swept { operations: operation, mid_fit };
        }
        if !run.exists() {
            assert!(!output.status.success(), "{fault} {operation}: {message}");
            let resume = partial.exists();
            assert!(
                resume || fault == "fail" || operation == 0,
                "{operation}: a killed process cleans nothing up"
            );
            // The old state or the new one, once there is any.
            let checkpoint = partial.join("checkpoint.json").exists();
            assert!(checkpoint || !has_checkpoint, "{fault} {operation} lost the checkpoint");
            has_checkpoint = checkpoint;
            let resumed = [&arguments[..], &["--resume"][..usize::from(resume)]].concat();
            let resumed = keeping(&resumed).assert().success();
            let told = String::from_utf8_lossy(&resumed.get_output().stderr).into_owned();
            mid_fit += usize::from(told.contains("resuming at iteration"));
            assert_eq!(files(&run), left, "{fault} {operation}");
        }
        assert_eq!(results(&run), expected, "{options:?}, {fault} {operation}");
        fs::remove_dir_all(&run).unwrap();
    }
    unreachable!("a run has an end")
}

/// Meets every operation of a fit with this fault.
fn loses_no_fit(fault: &str) {
    let place = Place::new();
    let data = place.file("t.csv", TABLE);
    let Swept { operations, mid_fit } = sweep(&place, &fit(&data, "")[..6], fault, (0, 1));
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
    let classes = place.file("t.csv", TABLE);
    let numbers = place.file("n.csv", &TABLE.replace('x', "1.5").replace('y', "-0.25"));
    let pairs = place.file("pairs.csv", "row,next\n1,2\n3,4\n5,6\n7,8\n");
    let few = ["--dim", "1", "--max-iterations", "2"];
    let network = ["fit", &classes, "--encoder", "mlp", "--hidden", "2"];
    let regression = ["fit", &numbers, "--task", "regression"];
    let partners = ["fit", &classes, "--ignore", "c", "--pairs", &pairs];
    let tuned = ["fit", &classes, "--dim", "1", "--tune", "--folds", "2", "--repeats", "1"];
    // Their operations are those of the fit above, and all of them would take minutes: each run of the tests tries others.
    let (seed, mut random) = seeded();
    for fault in ["fail", "abort"] {
        for fit in [&network[..], &regression, &partners] {
            let first = random.random_range(0..8);
            sweep(&place, &[fit, &few].concat(), fault, (first, 8));
        }
        // Each candidate is written down as it ends.
        let first = random.random_range(0..29);
        let Swept { operations, .. } = sweep(&place, &tuned, fault, (first, 29));
        assert!(operations > 50, "{operations} with BURN_NCA_FUZZ_SEED={seed}");
    }
}

/// Meets every disk operation of a command that writes this file with a fault: the file is the old one or the new one.
fn old_or_new(arguments: &[&str], file: &Path) {
    fs::write(file, "old").unwrap();
    nca(arguments).assert().success();
    let new = fs::read(file).unwrap();
    assert_ne!(new, b"old", "{arguments:?}");
    for fault in ["fail", "abort"] {
        let mut failed = 0;
        loop {
            fs::write(file, "old").unwrap();
            let mut program = nca(arguments);
            let output = program.env("NCA_FAULT", &format!("{fault}:{failed}")).output().unwrap();
            let found = fs::read(file).unwrap();
            assert!(
                found == b"old" || found == new,
                "{arguments:?}: half a file at {fault} {failed}"
            );
            if output.status.success() {
                assert_eq!(
                    found, new,
                    "{arguments:?}: a success at {fault} {failed} without the new file"
                );
                break;
            }
            let message = String::from_utf8_lossy(&output.stderr);
            let name = file.file_name().unwrap().to_string_lossy();
            assert!(fault == "abort" || message.contains(&*name), "{arguments:?}: {message}");
            failed += 1;
        }
        assert!(
            failed >= 3,
            "{arguments:?} has {failed} operations: temporary file, contents, rename"
        );
    }
}

#[test]
fn what_any_verb_writes_is_the_old_file_or_the_new_one() {
    let place = Place::new();
    let (run, data, _) = models::run(&place);
    for file in ["p.csv", "p.json"] {
        let out = place.at(file);
        old_or_new(&["predict", &run, &data, "--out", &out], &place.path(file));
    }
    for file in ["z.csv", "z.npy", "z.parquet"] {
        let out = place.at(file);
        old_or_new(&["transform", &run, &data, "--out", &out], &place.path(file));
    }
    for file in ["a.safetensors", "a.onnx"] {
        let to = place.at(file);
        old_or_new(&["export", &run, "--to", &to], &place.path(file));
    }
    for file in ["rows.svg", "rows.png"] {
        let picture = place.at(file);
        old_or_new(&["report", &run, "--picture", &picture], &place.path(file));
    }
    old_or_new(&["report", &run], &place.path("run/report.html"));
}

#[test]
fn a_full_disk_keeps_the_model_and_says_how_to_resume() {
    let place = Place::new();
    let (data, out) = (place.file("t.csv", TABLE), place.at("run"));
    // Beyond the operations for the checkpoint, the model and its source.
    let fails_at = |operation: usize| {
        let mut program = nca(&fit(&data, &out));
        let output = program.env("NCA_FAULT", &format!("fail:{operation}")).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        let found = message.contains("report.json cannot be written");
        if !found {
            fs::remove_dir_all(place.path("run.partial")).unwrap();
        }
        found.then_some(message)
    };
    let message = (18..60).find_map(fails_at).unwrap();
    assert_parts(&message, &["the model is kept in", "run.partial", "--resume"]);
    nca(&["info", &place.at("run.partial/model")]).assert().success();
    let resumed = nca(&[&fit(&data, &out)[..], &["--resume"]].concat()).assert().success();
    let message = String::from_utf8(resumed.get_output().stderr.clone()).unwrap();
    assert!(message.contains("resuming"), "{message}");
}
