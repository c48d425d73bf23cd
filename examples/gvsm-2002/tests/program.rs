//! The program from outside: the folder it writes, and resuming it.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use burn_nca_program::write_journal;
use serde_json::Value;

fn program(folder: &Path, options: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gvsm-2002"));
    // Fewer rows than by default: they take minutes where nothing is optimized.
    command
        .args(["--seeds", "1", "--limit-rows", "20000", "--out", "run"])
        .args(options)
        .current_dir(folder);
    command.output().unwrap()
}

#[test]
fn a_run_is_resumed_and_writes_figures_tables_and_numbers() {
    let place = tempfile::tempdir().unwrap();
    let run = place.path().join("run");
    // All points but one are there already.
    let correlations = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95];
    let mut cells = Vec::new();
    for noise in [[0.3, 0.5], [0.55, 0.7]] {
        for correlation in correlations {
            cells.push(serde_json::json!({
                "noise": noise, "correlation": correlation, "seed": 0, "accuracies": [["vsm", 0.5]]
            }));
        }
    }
    cells.truncate(21);
    fs::create_dir(place.path().join("run.partial")).unwrap();
    let checkpoint = place.path().join("run.partial/checkpoint.json");
    write_journal(&checkpoint, &(), &cells, &[]).unwrap();
    let refused = program(place.path(), &[]);
    assert!(String::from_utf8(refused.stderr).unwrap().contains("--resume"));
    let output = program(place.path(), &["--resume"]);
    assert!(output.status.success(), "{output:?}");
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.contains("| 0.95 | "), "{printed}");
    let results: Value =
        serde_json::from_slice(&fs::read(run.join("results.json")).unwrap()).unwrap();
    assert_eq!(results["cells"].as_array().unwrap().len(), 22);
    assert_eq!(results["points"].as_array().unwrap().len(), 22);
    let last = &results["points"][21];
    assert_eq!(
        (&last["figure"], &last["means"][3]["method"]),
        (&"figure-4".into(), &"gvsm".into())
    );
    let gvsm = last["means"][3]["mean"].as_f64().unwrap();
    let bayes = last["bayes"].as_f64().unwrap();
    assert!(gvsm > 0.9 && bayes > 0.99, "{last}");
    for stem in ["figure-3", "figure-4"] {
        assert!(fs::read_to_string(run.join(format!("{stem}.svg"))).unwrap().starts_with("<svg"));
    }
    let report = fs::read_to_string(run.join("REPORT.md")).unwrap();
    assert!(report.contains("What came out") && !run.join("checkpoint.json").exists());
}
