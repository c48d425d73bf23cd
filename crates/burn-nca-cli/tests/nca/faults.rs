//! A disk that fails at any operation, and a process that dies at any: what was done is kept, or was never begun.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use crate::{Place, models, nca, read_json};

/// A table that is fitted in no time.
const TABLE: &str = "a,b,c\n1,5,x\n2,4,x\n3,5,x\n2,6,x\n7,1,y\n8,2,y\n6,1,y\n7,3,y\n";

fn fit<'a>(data: &'a str, out: &'a str) -> [&'a str; 8] {
    ["fit", data, "--dim", "1", "--max-iterations", "4", "--out", out]
}

/// What must not depend on how often a run was resumed.
fn results(run: &Path) -> Vec<Value> {
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
    ];
    assert!(run.join("report.html").exists() && run.join("model/model.json").exists());
    fields.map(|field| report[field].clone()).to_vec()
}

/// Meets every `stride`-th operation of a fit with this fault, resumes, and returns how many operations there are.
fn sweep(place: &Place, options: &[&str], fault: &str, stride: usize) -> usize {
    let (out, run) = (place.at("run"), place.path("run"));
    let whole = place.at("whole");
    nca(&[options, &["--out", &whole]].concat()).assert().success();
    let expected = results(&place.path("whole"));
    fs::remove_dir_all(&whole).unwrap();
    let arguments = [options, &["--out", &out]].concat();
    for operation in (0..).step_by(stride) {
        let mut program = nca(&arguments);
        program.env("NCA_FAULT", &format!("{fault}:{operation}"));
        let output = program.output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        if output.status.success() && !message.contains("injected fault") {
            fs::remove_dir_all(run).unwrap();
            return operation;
        }
        if !run.exists() {
            assert!(!output.status.success(), "{fault} {operation}: {message}");
            let partial = place.path("run.partial");
            let resume = partial.exists();
            assert!(resume || fault == "fail", "{operation}: a killed process cleans nothing up");
            let resumed = [&arguments[..], &["--resume"][..usize::from(resume)]].concat();
            nca(&resumed).assert().success();
        }
        assert_eq!(results(&run), expected, "{options:?}, {fault} {operation}");
        fs::remove_dir_all(&run).unwrap();
    }
    unreachable!("a run has an end")
}

#[test]
fn a_disk_that_fails_at_any_operation_loses_no_fit() {
    let place = Place::new();
    let data = place.file("t.csv", TABLE);
    let operations = sweep(&place, &fit(&data, "")[..6], "fail", 1);
    assert!(operations >= 25, "{operations} operations for checkpoint, model, reports and folder");
}

#[test]
fn a_process_that_dies_at_any_operation_loses_no_fit() {
    let place = Place::new();
    let data = place.file("t.csv", TABLE);
    let operations = sweep(&place, &fit(&data, "")[..6], "abort", 1);
    assert!(operations >= 25, "{operations} operations for checkpoint, model, reports and folder");
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
    sweep(&place, &[&network[..], &few].concat(), "abort", 3);
    sweep(&place, &[&regression[..], &few].concat(), "fail", 3);
    sweep(&place, &[&partners[..], &few].concat(), "abort", 3);
    // Each candidate is written down as it ends.
    assert!(sweep(&place, &tuned, "fail", 17) > 50);
}

/// Meets every disk operation of a verb that writes this file with a fault: the file is the old one or the new one.
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
    for part in ["the model is kept in", "run.partial", "--resume"] {
        assert!(message.contains(part), "{message}");
    }
    nca(&["info", &place.at("run.partial/model")]).assert().success();
    let resumed = nca(&[&fit(&data, &out)[..], &["--resume"]].concat()).assert().success();
    let message = String::from_utf8(resumed.get_output().stderr.clone()).unwrap();
    assert!(message.contains("resuming"), "{message}");
}

#[test]
fn a_fit_that_is_killed_again_and_again_comes_to_the_same_result() {
    let place = Place::new();
    let settings = ["fit", "iris", "--dim", "2", "--optimizer", "adam", "--epochs", "10"];
    nca(&[&settings[..], &["--out", &place.at("whole")]].concat()).assert().success();
    let (out, partial) = (place.at("run"), place.path("run.partial"));
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut arguments = [&settings[..], &["--out", &out]].concat();
    for _ in 0..6 {
        let mut program = nca(&arguments);
        let mut child = program.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(random.random_range(0..300)));
        child.kill().unwrap();
        child.wait().unwrap();
        if place.path("run").exists() {
            break;
        }
        if partial.exists() && arguments.last() != Some(&"--resume") {
            arguments.push("--resume");
        }
    }
    if !place.path("run").exists() {
        nca(&arguments).assert().success();
    }
    assert_eq!(results(&place.path("run")), results(&place.path("whole")));
}
