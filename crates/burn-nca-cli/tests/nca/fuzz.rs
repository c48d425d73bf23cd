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
use std::path::{Path, PathBuf};

use rand::RngExt;
use rand::seq::IndexedRandom;
use serde_json::Value;

use crate::continuous::{film, houses};
use crate::{Place, nca, read_json};

/// Runs of every task, with the data of each.
fn runs(place: &Place) -> Vec<(PathBuf, String)> {
    let houses = houses(place);
    let (film, pairs) = film(place);
    let tasks: [(&str, &str, &[&str]); 3] = [
        ("classes", "iris", &["--dim", "2", "--no-tune"]),
        ("numbers", &houses, &["--task", "regression"]),
        ("pairs", &film, &["--pairs", &pairs]),
    ];
    let run = |(name, data, more): (&str, &str, &[&str])| {
        let out = place.at(name);
        nca(&[&["fit", data, "--out", &out][..], more].concat()).assert().success();
        (place.path(name), data.to_string())
    };
    tasks.into_iter().map(run).collect()
}

/// Runs `arguments` on a damaged `file` of one of the runs, so often.
fn fuzz(file: &str, count: u64, arguments: &[fn(&str, &str) -> Vec<String>]) {
    let place = Place::new();
    let runs = runs(&place);
    let whole: Vec<Value> = runs.iter().map(|(run, _)| read_json(&run.join(file))).collect();
    let (mut tried, mut answered) = (0, 0);
    for number in files::numbers(count) {
        let mut rng = files::generator(number);
        tried += 1;
        let at = rng.random_range(0..runs.len());
        let (run, data) = &runs[at];
        let path = run.join(file);
        let (before, damaged) = (
            fs::read(&path).unwrap(),
            json_damage::edited(&[&whole[at..=at], &whole].concat(), &mut rng),
        );
        fs::write(&path, &damaged).unwrap();
        let arguments = arguments.choose(&mut rng).unwrap()(run.to_str().unwrap(), data);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let outcome = nca(&arguments).assert();
        let found = outcome.get_output();
        let said = String::from_utf8_lossy(&found.stderr);
        let code = found.status.code();
        if !matches!(code, Some(0..=2)) || said.contains("panicked") || said.len() > 6000 {
            let kept = keep(&damaged, file, number);
            panic!("{file}, number {number}, kept as {}: {arguments:?}\n{outcome}", kept.display());
        }
        answered += u64::from(code == Some(0));
        fs::write(&path, before).unwrap();
    }
    println!("{file}: of {tried} files {answered} were answered");
    assert!(answered > 0, "some damage does no harm");
}

fn keep(bytes: &[u8], file: &str, number: u64) -> PathBuf {
    let name = Path::new(file).file_name().unwrap().to_str().unwrap();
    let kept = std::env::temp_dir().join(format!("burn-nca-fuzz-{number}-{name}"));
    fs::write(&kept, bytes).unwrap();
    kept
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(ToString::to_string).collect()
}

#[test]
fn a_damaged_report_is_drawn_or_refused() {
    fuzz("report.json", 60, &[|run, _| words(&["report", run])]);
}

#[test]
fn a_damaged_model_answers_or_is_refused() {
    fuzz(
        "model/model.json",
        60,
        &[
            |run, _| words(&["info", run]),
            |run, _| words(&["info", run, "--format", "json"]),
            |run, data| words(&["predict", run, data]),
            |run, data| words(&["transform", run, data]),
            |run, data| words(&["evaluate", run, data]),
        ],
    );
}
