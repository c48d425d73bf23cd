//! A disk that fails at any operation, and a process that dies at any: what was done is kept, or was never begun.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use crate::{Place, models, nca, read_json, stdout};

/// A table that is fitted in no time.
const TABLE: &str = "a,b,c\n1,5,x\n2,4,x\n3,5,x\n2,6,x\n7,1,y\n8,2,y\n6,1,y\n7,3,y\n";

fn fit<'a>(data: &'a str, out: &'a str) -> [&'a str; 8] {
    ["fit", data, "--dim", "1", "--max-iterations", "4", "--out", out]
}

/// What must not depend on how often a run was resumed.
fn results(run: &Path) -> Vec<Value> {
    let report = read_json(&run.join("report.json"));
    let fields = ["f", "matrix", "iterations", "evaluations", "termination", "comparison"];
    assert!(run.join("report.html").exists() && run.join("model/model.json").exists());
    fields.map(|field| report[field].clone()).to_vec()
}

/// Meets every operation of a fit with this fault, resumes, and returns how many operations there are.
fn sweep(fault: &str) -> usize {
    let place = Place::new();
    let data = place.file("t.csv", TABLE);
    nca(&fit(&data, &place.at("whole"))).assert().success();
    let expected = results(&place.path("whole"));
    for operation in 0.. {
        let (out, run) = (place.at("run"), place.path("run"));
        let mut program = nca(&fit(&data, &out));
        program.env("NCA_FAULT", &format!("{fault}:{operation}"));
        let output = program.output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        if output.status.success() && !message.contains("injected fault") {
            return operation;
        }
        if !run.exists() {
            assert!(!output.status.success(), "{fault} {operation}: {message}");
            let partial = place.path("run.partial");
            let resume = partial.exists();
            assert!(resume || fault == "fail", "{operation}: a killed process cleans nothing up");
            let arguments = fit(&data, &out);
            let resumed = [&arguments[..], &["--resume"][..usize::from(resume)]].concat();
            nca(&resumed).assert().success();
        }
        assert_eq!(results(&run), expected, "{fault} {operation}");
        fs::remove_dir_all(run).unwrap();
    }
    unreachable!("a run has an end")
}

#[test]
fn a_disk_that_fails_at_any_operation_loses_no_fit() {
    let operations = sweep("fail");
    assert!(operations >= 25, "{operations} operations for checkpoint, model, reports and folder");
}

#[test]
fn a_process_that_dies_at_any_operation_loses_no_fit() {
    let operations = sweep("abort");
    assert!(operations >= 25, "{operations} operations for checkpoint, model, reports and folder");
}

#[test]
fn a_prediction_replaces_the_old_one_or_leaves_it() {
    let place = Place::new();
    let (run, data, _) = models::run(&place);
    let expected = stdout(&["predict", &run, &data]);
    for fault in ["fail", "abort"] {
        for operation in 0..5 {
            let out = place.file("p.csv", "old");
            let mut program = nca(&["predict", &run, &data, "--out", &out]);
            program.env("NCA_FAULT", &format!("{fault}:{operation}"));
            assert!(!program.output().unwrap().status.success());
            let found = fs::read_to_string(&out).unwrap();
            assert!(found == "old" || found == expected, "{fault} {operation}: {found}");
        }
    }
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
