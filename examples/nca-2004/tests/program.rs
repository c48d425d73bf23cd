//! The program from outside: the folder it writes, resuming it, and what it refuses.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use burn_nca_program::{Identity, write_journal};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The program on these sets and splits in a folder, with more options after them.
fn program(folder: &Path, [sets, splits, out]: [&str; 3], more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nca-2004"));
    command.args(["--sets", sets, "--splits", splits, "--out", out]).args(more);
    command.current_dir(folder);
    command
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

/// What a successful run prints.
fn success(folder: &Path, what: [&str; 3], more: &[&str]) -> String {
    let output: Output = program(folder, what, more).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    text(output.stdout)
}

/// The message of a run that fails with this exit code.
fn failure(folder: &Path, what: [&str; 3], more: &[&str], code: i32) -> String {
    let output = program(folder, what, more).output().unwrap();
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    text(output.stderr)
}

fn read_json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// The sets of a run, as its checkpoint has them.
#[derive(Serialize, Deserialize)]
struct Sets(Value);

impl Identity for Sets {
    fn refusal(&self, _: &Self) -> Option<String> {
        None
    }
}

fn cells(results: &Value) -> &Vec<Value> {
    results["cells"].as_array().unwrap()
}

#[test]
fn a_run_writes_tables_figures_and_numbers() {
    let place = tempfile::tempdir().unwrap();
    let printed = success(place.path(), ["iris,wine,rings", "2", "run"], &[]);
    for words in ["Square A", "diagonal NCA", "report.html"] {
        assert!(printed.contains(words), "{words} is not in {printed}");
    }
    let run = place.path().join("run");
    let results = read_json(&run.join("results.json"));
    assert_eq!(cells(&results).len(), 2 * 2 * 10);
    let euclidean = &results["cells"][4];
    assert_eq!((&euclidean["set"], &euclidean["method"]), (&"iris".into(), &"euclidean".into()));
    assert_eq!(euclidean["dimension"], 4);
    let nca = &results["means"][0];
    assert_eq!(nca["method"], "nca-square");
    assert!(nca["test"]["mean"].as_f64().unwrap() > 0.85 && nca["test"]["splits"] == 2);
    assert_eq!(results["pictures"].as_array().unwrap().len(), 2, "wine and rings");
    for name in ["figure-1-test", "figure-1-train", "figure-2", "figure-2-wine", "figure-2-rings"] {
        let svg = fs::read_to_string(run.join(format!("{name}.svg"))).unwrap();
        assert!(svg.starts_with("<svg"), "{name}");
        let png = fs::read(run.join(format!("{name}.png"))).unwrap();
        assert!(png.starts_with(b"\x89PNG"), "{name}");
    }
    let report = fs::read_to_string(run.join("REPORT.md")).unwrap();
    for words in ["| iris | ", "Paired differences", "(figure-2-rings.svg)", "stratified 70/30"] {
        assert!(report.contains(words), "{words}");
    }
    let page = fs::read_to_string(run.join("report.html")).unwrap();
    assert!(page.contains("--paper:") && page.contains("figcaption {"), "both styles");
    let entries = fs::read_dir(place.path()).unwrap().count();
    assert!(!run.join("checkpoint.json").exists() && entries == 1);
}

#[test]
fn a_run_is_resumed_with_the_cells_it_has() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    success(place.path(), ["iris", "1", "first"], &[]);
    fs::create_dir(at("second.partial")).unwrap();
    let first = read_json(&at("first/results.json"));
    let sets = Sets(first["sets"].clone());
    write_journal(&at("second.partial/checkpoint.json"), &sets, &first["cells"], &[]).unwrap();
    let again = ["iris", "2", "second"];
    assert!(failure(place.path(), again, &[], 1).contains("add --resume"));
    let printed = success(place.path(), again, &["--resume", "--format", "json"]);
    let second = read_json(&at("second/results.json"));
    assert_eq!(serde_json::from_str::<Value>(&printed).unwrap(), second);
    assert_eq!(cells(&second).len(), 20);
    assert_eq!(
        first["cells"][0], second["cells"][0],
        "even its seconds: it was not measured again"
    );
    let command = second["command"].as_str().unwrap();
    assert!(command.starts_with("cargo run --release -p nca-2004 -- --sets iris"), "{command}");
}

#[test]
fn a_peer_is_paired_split_by_split() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    success(place.path(), ["iris", "2", "first"], &[]);
    let results = read_json(&at("first/results.json"));
    let peer = |name: &str, sums: Value| {
        let series = serde_json::json!({ "test": [0, 0], "train": [1, 1], "seconds": [1, 1] });
        let iris = serde_json::json!({ "test_row_sums": sums, "methods": { "nca-rank2": series } });
        let peer = serde_json::json!({
            "program": "other", "version": "9", "sets": { "iris": iris }
        });
        fs::write(at(name), peer.to_string()).unwrap();
    };
    peer("same.json", results["sets"][0]["test_row_sums"].clone());
    success(place.path(), ["iris", "2", "paired"], &["--peer", "same.json"]);
    let paired = read_json(&at("paired/results.json"));
    let difference = &paired["paired"][0]["test"]["mean"];
    assert_eq!(*difference, paired["means"][5]["test"]["mean"], "the peer is always wrong");
    peer("other.json", serde_json::json!([1, 2]));
    let message = failure(place.path(), ["iris", "2", "no"], &["--peer", "other.json"], 1);
    assert!(message.contains("other splits of iris") && !at("no.partial").exists(), "{message}");
}

#[test]
fn what_cannot_be_run_is_refused_with_the_cure() {
    let place = tempfile::tempdir().unwrap();
    let refused = |set: &str, more: &[&str], code: i32, words: &str| {
        let message = failure(place.path(), [set, "1", "run"], more, code);
        assert!(message.contains(words), "{message}");
    };
    refused("irsi", &[], 2, "choose among balance");
    refused("usps", &[], 1, "usps is not bundled; give the folder");
    refused("iris", &["--data", "no-folder"], 2, "is not a folder");
    refused("faces", &["--data", "."], 1, "olivetti-images-idx3-ubyte.gz is not there");
    fs::create_dir(place.path().join("run")).unwrap();
    refused("iris", &[], 1, "exists; choose another");
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_what_is_done() {
    use std::process::Stdio;
    use std::time::{Duration, Instant};

    let place = tempfile::tempdir().unwrap();
    let what = ["balance", "10", "run"];
    let mut child = program(place.path(), what, &[])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let checkpoint = place.path().join("run.partial/checkpoint.json");
    let holds_a_cell =
        || fs::read_to_string(&checkpoint).is_ok_and(|text| text.contains("\"split\""));
    let started = Instant::now();
    while !holds_a_cell() && started.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(child.try_wait().unwrap().is_none(), "the run is still going on");
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    let message = text(output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("interrupted after") && message.contains("--resume"), "{message}");
    let kept = read_json(&checkpoint)["state"].as_array().unwrap().clone();
    assert!(!kept.is_empty() && kept.len() < 100, "{} cells", kept.len());
    success(place.path(), what, &["--resume"]);
    let results = read_json(&place.path().join("run/results.json"));
    assert_eq!(cells(&results).len(), 100);
    assert!(kept.iter().all(|cell| cells(&results).contains(cell)));
}
