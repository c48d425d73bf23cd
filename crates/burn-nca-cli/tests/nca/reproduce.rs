//! `nca reproduce`: the folder it writes, going on after Ctrl-C, and what it refuses.

use std::fs;

use predicates::prelude::*;
use predicates::str::contains;

use crate::{Place, failure, nca, numbers, read_json};

/// A run of few splits of small sets.
fn arguments<'a>(sets: &'a str, splits: &'a str, out: &'a str) -> Vec<&'a str> {
    vec!["reproduce", "nca-2004", "--sets", sets, "--splits", splits, "--out", out]
}

#[test]
fn a_run_writes_tables_figures_and_numbers() {
    let place = Place::new();
    let out = place.at("run");
    let outcome = nca(&arguments("iris,wine,rings", "2", &out)).assert().success();
    outcome.stdout(contains("Square A").and(contains("diagonal NCA")).and(contains("report.html")));
    let results = read_json(&place.path("run/results.json"));
    assert_eq!(results["cells"].as_array().unwrap().len(), 2 * 2 * 9);
    let euclidean = &results["cells"][4];
    assert_eq!((&euclidean["set"], &euclidean["method"]), (&"iris".into(), &"euclidean".into()));
    assert_eq!(euclidean["dimension"], 4);
    let nca = &results["means"][0];
    assert_eq!(nca["method"], "nca-square");
    assert!(nca["test"]["mean"].as_f64().unwrap() > 0.85 && nca["test"]["splits"] == 2);
    assert_eq!(results["pictures"].as_array().unwrap().len(), 2, "wine and rings");
    for name in ["figure-1-test", "figure-1-train", "figure-2", "figure-2-wine", "figure-2-rings"] {
        let svg = fs::read_to_string(place.path(&format!("run/{name}.svg"))).unwrap();
        assert!(svg.starts_with("<svg"), "{name}");
        let png = fs::read(place.path(&format!("run/{name}.png"))).unwrap();
        assert!(png.starts_with(b"\x89PNG"), "{name}");
    }
    let report = fs::read_to_string(place.path("run/REPORT.md")).unwrap();
    for words in ["| iris | ", "Paired differences", "(figure-2-rings.svg)", "stratified 70/30"] {
        assert!(report.contains(words), "{words}");
    }
    assert!(!place.path("run/checkpoint.json").exists() && !place.path("run.partial").exists());
}

#[test]
fn a_run_goes_on_with_the_cells_it_has() {
    let place = Place::new();
    let (first, second) = (place.at("first"), place.at("second"));
    nca(&arguments("iris", "1", &first)).assert().success();
    fs::create_dir(place.path("second.partial")).unwrap();
    fs::copy(place.path("first/results.json"), place.path("second.partial/checkpoint.json"))
        .unwrap();
    let again = arguments("iris", "2", &second);
    nca(&again).assert().failure().code(1).stderr(contains("add --resume"));
    nca(&[&again[..], &["--resume"]].concat()).assert().success();
    let (first, second) = (
        read_json(&place.path("first/results.json")),
        read_json(&place.path("second/results.json")),
    );
    assert_eq!(second["cells"].as_array().unwrap().len(), 18);
    assert_eq!(
        first["cells"][0], second["cells"][0],
        "even its seconds: it was not measured again"
    );
}

#[test]
fn a_peer_is_paired_split_by_split() {
    let place = Place::new();
    let out = place.at("first");
    nca(&arguments("iris", "2", &out)).assert().success();
    let results = read_json(&place.path("first/results.json"));
    let sums = numbers(&results["sets"][0]["test_row_sums"]);
    let peer = |sums: &[f64]| {
        serde_json::json!({
            "program": "other", "version": "9",
            "sets": { "iris": { "test_row_sums": sums.iter().map(|sum| *sum as u64).collect::<Vec<_>>(),
                "methods": { "nca-rank2": { "test": [0.0, 0.0], "train": [1.0, 1.0], "seconds": [1, 1] } } } }
        })
        .to_string()
    };
    let same = place.file("same.json", &peer(&sums));
    let paired = place.at("paired");
    nca(&[&arguments("iris", "2", &paired)[..], &["--peer", &same]].concat()).assert().success();
    let paired = read_json(&place.path("paired/results.json"));
    let difference = &paired["paired"][0]["test"]["mean"];
    assert_eq!(*difference, paired["means"][5]["test"]["mean"], "the peer is always wrong");
    let other = place.file("other.json", &peer(&[1.0, 2.0]));
    let message =
        failure(&[&arguments("iris", "2", &place.at("no"))[..], &["--peer", &other]].concat(), 1);
    assert!(
        message.contains("other splits of iris") && !place.path("no.partial").exists(),
        "{message}"
    );
}

#[test]
fn what_cannot_be_run_is_refused_with_the_cure() {
    let place = Place::new();
    let out = place.at("run");
    let message = failure(&arguments("irsi", "1", &out), 2);
    assert!(message.contains("\"irsi\"; choose among balance"), "{message}");
    let message = failure(&arguments("usps", "1", &out), 1);
    assert!(message.contains("usps is not bundled") && message.contains("--data"), "{message}");
    let no_folder = place.at("no-folder");
    let message =
        failure(&[&arguments("iris", "1", &out)[..], &["--data", &no_folder]].concat(), 2);
    assert!(message.contains("is not a folder"), "{message}");
    let empty = place.at("");
    let message = failure(&[&arguments("faces", "1", &out)[..], &["--data", &empty]].concat(), 1);
    assert!(message.contains("olivetti-images-idx3-ubyte.gz is not there"), "{message}");
    fs::create_dir(place.path("run")).unwrap();
    let message = failure(&arguments("iris", "1", &out), 1);
    assert!(message.contains("exists; choose another"), "{message}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_what_is_done() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    let place = Place::new();
    let out = place.at("run");
    let mut child = Command::new(env!("CARGO_BIN_EXE_nca"))
        .args(arguments("balance", "10", &out))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let checkpoint = place.path("run.partial/checkpoint.json");
    let holds_a_cell =
        || fs::read_to_string(&checkpoint).is_ok_and(|text| text.contains("\"split\""));
    let started = Instant::now();
    while !holds_a_cell() && started.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(child.try_wait().unwrap().is_none(), "the run is still going on");
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("interrupted after") && message.contains("--resume"), "{message}");
    let kept = read_json(&checkpoint)["cells"].as_array().unwrap().clone();
    assert!(!kept.is_empty() && kept.len() < 90, "{} cells", kept.len());
    let again = [&arguments("balance", "10", &out)[..], &["--resume"]].concat();
    nca(&again).assert().success();
    let cells = read_json(&place.path("run/results.json"))["cells"].as_array().unwrap().clone();
    assert_eq!(cells.len(), 90);
    assert!(kept.iter().all(|cell| cells.contains(cell)));
}
