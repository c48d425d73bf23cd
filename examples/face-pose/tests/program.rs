//! The program from outside.

#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::{Command, Output};

fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_face-pose"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("BURN_DEVICE")
        .output()
        .unwrap()
}

fn error(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_short_run_writes_all_it_promises() {
    let folder = tempfile::tempdir().unwrap();
    let arguments =
        ["--steps", "4", "--pairs", "16", "--test-faces", "100", "--out", "a", "--device", "flex"];
    let output = run(folder.path(), &arguments);
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("All steps are done.") && text.contains("supervised poses, k-NN"),
        "{text}"
    );
    let file = |name: &str| folder.path().join("a").join(name);
    let results: serde_json::Value =
        serde_json::from_slice(&std::fs::read(file("results.json")).unwrap()).unwrap();
    assert_eq!(results["settings"]["parameters"], 122_802);
    assert_eq!(results["errors"].as_array().unwrap().len(), 4);
    assert_eq!(results["faces"]["test"][1], 125);
    for name in [
        "figure3.svg",
        "figure3.png",
        "four-faces.svg",
        "four-faces.png",
        "faces.html",
        "network.bpk",
    ] {
        assert!(std::fs::metadata(file(name)).unwrap().len() > 1000, "{name}");
    }
    let count = std::fs::read_dir(folder.path().join("a")).unwrap().count();
    assert_eq!(count, 7, "checkpoints are gone");
    assert!(
        error(folder.path(), &arguments).contains("the folder a already exists; choose another")
    );
}

#[test]
fn what_cannot_be_done_is_refused_with_the_cure() {
    let folder = tempfile::tempdir().unwrap();
    let message = |arguments: &[&str]| error(folder.path(), arguments);
    assert!(message(&["--steps", "0"]).contains("--steps is 0; give at least 1"));
    assert!(
        message(&["--learning-rate=-1"]).contains("--learning-rate is -1; give a number above 0")
    );
    assert!(message(&["--test-faces", "3"]).contains("--test-faces is 3; give at least 20"));
    assert!(message(&["--device", "abacus"]).contains("no device \"abacus\""));
    assert!(message(&["--resume"]).contains("there is no interrupted run"));
    assert!(message(&["--faces", "none.gz"]).contains("none.gz: there is no such file"));
    assert!(message(&["--test-people", "999"]).contains("999 to test on, leave too few"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
