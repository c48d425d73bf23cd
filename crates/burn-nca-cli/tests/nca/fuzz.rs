//! Runs of the program on damaged files of its own: `report.json`, `model.json` and `source.json` of a run.
//!
//! An answer or a short error, never a panic. `files.rs` says how more are run.
// Clippy knows the tests themselves, not the functions they share.
#![allow(clippy::print_stdout)]

#[path = "../../../burn-nca-data/tests/fuzz/files.rs"]
mod files;
#[path = "../../../burn-nca-learn/tests/fuzz/json_damage.rs"]
mod json_damage;
#[path = "../../../burn-nca-data/tests/fuzz/mutate.rs"]
mod mutate;

use std::fs;

use rand::RngExt;
use rand::seq::IndexedRandom;
use serde_json::Value;

use crate::Place;
use crate::continuous::{write_film, write_houses};

/// Runs of every task and their data.
const RUNS: [(&str, &str); 3] =
    [("classes", "iris"), ("numbers", "houses.csv"), ("pairs", "film.csv")];

/// Runs commands on a damaged `file` of one of the runs, so often; `RUN` and `DATA` are a run and its data.
fn fuzz(file: &str, count: u64, commands: &[&str]) {
    let place = Place::new();
    write_houses(&place);
    write_film(&place);
    let options = ["--dim 2 --no-tune", "--task regression", "--pairs pairs.csv"];
    for ((run, data), options) in RUNS.iter().zip(options) {
        place.nca(&format!("fit {data} --out {run} {options}")).success();
    }
    let whole: Vec<Value> =
        RUNS.iter().map(|(run, _)| place.json(&format!("{run}/{file}"))).collect();
    let (mut tried, mut answered) = (0, 0);
    for number in files::numbers(count) {
        let mut rng = files::generator(number);
        tried += 1;
        let at = rng.random_range(0..RUNS.len());
        let (run, data) = RUNS[at];
        let path = place.path(run).join(file);
        let before = fs::read(&path).unwrap();
        let damaged = json_damage::edited(&[&whole[at..=at], &whole].concat(), &mut rng);
        fs::write(&path, &damaged).unwrap();
        let command = commands.choose(&mut rng).unwrap().replace("RUN", run).replace("DATA", data);
        let outcome = place.nca(&command).run();
        let (code, said) = (outcome.0.status.code(), outcome.stderr());
        if !matches!(code, Some(0..=2)) || said.contains("panicked") || said.len() > 6000 {
            let name = format!("burn-nca-fuzz-{number}-{}", file.replace('/', "-"));
            let kept = std::env::temp_dir().join(name);
            fs::write(&kept, damaged).unwrap();
            panic!("{file}, number {number}, kept as {}: {command}\n{outcome}", kept.display());
        }
        answered += u64::from(code == Some(0));
        fs::write(&path, before).unwrap();
    }
    println!("{file}: of {tried} files {answered} were answered");
    assert!(answered > 0, "some damage does no harm");
}

#[test]
fn a_damaged_report_is_drawn_or_refused() {
    fuzz("report.json", 60, &["report RUN"]);
}

#[test]
fn a_damaged_model_answers_or_is_refused() {
    let commands = [
        "info RUN",
        "info RUN --format json",
        "predict RUN DATA",
        "transform RUN DATA",
        "evaluate RUN DATA",
    ];
    fuzz("model/model.json", 100, &commands);
}
