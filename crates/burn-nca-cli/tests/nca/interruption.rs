//! Ctrl-C and --resume.
#![cfg(unix)]

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::{Place, nca, read_json};

/// Runs until the state of the fit can be interrupted, then sends Ctrl-C; returns what was said.
fn interrupted(arguments: &[&str], place: &Place) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_nca"))
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let started = Instant::now();
    while !place.path("run.partial").exists() && started.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(20));
    assert!(child.try_wait().unwrap().is_none(), "the fit is still running");
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn an_interrupted_fit_goes_on_to_the_same_result() {
    let place = Place::new();
    let (out, whole) = (place.at("run"), place.at("whole"));
    let settings = [
        "fit",
        "digits",
        "--dim",
        "2",
        "--optimizer",
        "adam",
        "--epochs",
        "12",
        "--batch-size",
        "200",
    ];
    let message = interrupted(&[&settings[..], &["--out", &out]].concat(), &place);
    assert!(message.contains("interrupted after") && message.contains("--resume"), "{message}");
    assert!(!place.path("run").exists());
    nca(&[&settings[..], &["--out", &out]].concat()).assert().code(1);
    nca(&[&settings[..], &["--out", &out, "--resume"]].concat()).assert().success();
    nca(&[&settings[..], &["--out", &whole]].concat()).assert().success();
    let (resumed, uninterrupted) =
        (read_json(&place.path("run/report.json")), read_json(&place.path("whole/report.json")));
    for field in ["f", "matrix", "iterations", "evaluations", "termination", "embedding", "curve"] {
        assert_eq!(resumed[field], uninterrupted[field], "{field}");
    }
    assert!(!place.path("run/checkpoint.json").exists() && !place.path("run.partial").exists());
}

#[test]
fn an_interrupted_search_goes_on_after_the_candidates_that_are_finished() {
    let place = Place::new();
    let (out, whole) = (place.at("run"), place.at("whole"));
    let settings = [
        "fit",
        "digits",
        "--dim",
        "2",
        "--tune",
        "--folds",
        "2",
        "--l2",
        "0.01",
        "--max-iterations",
        "8",
    ];
    let started = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_nca"))
        .args([&settings[..], &["--out", &out]].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !place.path("run.partial/trials.json").exists()
        && started.elapsed() < Duration::from_secs(60)
    {
        std::thread::sleep(Duration::from_millis(5));
    }
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success() && child.wait().unwrap().code() == Some(1));
    assert!(place.path("run.partial/trials.json").exists());
    nca(&[&settings[..], &["--out", &out, "--resume"]].concat()).assert().success();
    nca(&[&settings[..], &["--out", &whole]].concat()).assert().success();
    let (resumed, uninterrupted) =
        (read_json(&place.path("run/report.json")), read_json(&place.path("whole/report.json")));
    assert_eq!(resumed["matrix"], uninterrupted["matrix"]);
    assert_eq!(resumed["settings"], uninterrupted["settings"]);
    assert!(!place.path("run.partial").exists());
}
