//! Faults upon faults: a run that is resumed again and again comes to its result. One that is killed has done what one has that
//! dies at its next operation (`faults.rs`).
#![cfg(unix)]
#![allow(clippy::print_stdout)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::Place;
use crate::faults::{FIT, TABLE, keeping, results};

/// The seed of the environment, or else a fixed one: the same moments of a run at each test, others in a long run of
/// `benches/fuzz.py`.
pub fn seeded() -> (u64, ChaCha8Rng) {
    let given = std::env::var("BURN_NCA_FUZZ_SEED").ok().and_then(|text| text.parse().ok());
    let seed = given.unwrap_or(1);
    println!("BURN_NCA_FUZZ_SEED={seed}");
    (seed, ChaCha8Rng::seed_from_u64(seed))
}

/// The names in a folder and below, those of temporary files alike.
fn names(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![(folder.to_path_buf(), String::new())];
    while let Some((folder, above)) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let name = entry.file_name().into_string().unwrap();
            let is_temporary = name.starts_with(".nca-tmp-");
            let name = if is_temporary { ".nca-tmp" } else { &name };
            let name = format!("{above}{name}");
            if entry.path().is_dir() {
                folders.push((entry.path(), format!("{name}/")));
            }
            found.insert(name);
        }
    }
    found
}

fn copy(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("-R").args([from, to]).status().unwrap().success());
}

/// Whatever state a fault leaves a run in, a further fault does not lose what it holds, and a run without one ends
/// it. States are identified by the names of their files, and each is met by faults again, until there is no other.
#[test]
fn faults_upon_faults_lose_no_fit() {
    let place = Place::new();
    place.file("t.csv", TABLE);
    let (run, partial) = (place.path("run"), place.path("run.partial"));
    let fit = format!("{FIT} --out run");
    keeping(&place, &fit).success();
    let (expected, left) = (results(&place, "run"), names(&run));
    place.clear("run");

    let (seed, mut random) = seeded();
    let mut seen: BTreeSet<BTreeSet<String>> = BTreeSet::new();
    let mut with_model = 0;
    let mut states: Vec<Option<PathBuf>> = vec![None];
    while let Some(state) = states.pop() {
        let before = state.as_deref().map(names).unwrap_or_default();
        with_model += usize::from(before.contains("model"));
        // All operations of a new run, and of one that has an old model to replace; of others a few.
        let is_first = state.is_none() || (before.contains("model") && with_model == 1);
        let stride = if is_first { 1 } else { 17 };
        let resume = if state.is_some() { "--resume" } else { "" };
        let offset = random.random_range(0..stride);
        for operation in (offset..).step_by(stride) {
            if let Some(state) = &state {
                copy(state, &partial);
            }
            let fault = ["fail", "abort"][random.random_range(0..2)];
            let of = format!("{fault} {operation} on {before:?}, BURN_NCA_FUZZ_SEED={seed}");
            let mut program = keeping(&place, &format!("{fit} {resume}"));
            program.env("NCA_FAULT", &format!("{fault}:{operation}"));
            let output = program.output().unwrap();
            let success = output.status.success();
            if run.exists() {
                assert_eq!(results(&place, "run"), expected, "{of}");
                assert!(!success || names(&run) == left, "{of}: {:?}", names(&run));
                place.clear("run");
            } else {
                assert!(!success, "{of}");
            }
            if partial.exists() {
                let after = names(&partial);
                assert!(
                    !before.contains("checkpoint.json") || after.contains("checkpoint.json"),
                    "{of}"
                );
                let has_model = |names: &BTreeSet<String>| {
                    let models = ["model/model.json", "model.old/model.json"];
                    models.iter().any(|name| names.contains(*name))
                };
                assert!(!has_model(&before) || has_model(&after), "{of}: {after:?}");
                // What is temporary goes before a run is resumed.
                let lasting = after.into_iter().filter(|name| !name.contains(".nca-tmp")).collect();
                if seen.insert(lasting) {
                    let kept = format!("state-{}", seen.len());
                    place.rename("run.partial", &kept);
                    states.push(Some(place.path(&kept)));
                } else {
                    place.clear("run.partial");
                }
            }
            if success {
                break;
            }
        }
    }
    assert!(seen.len() >= 6 && with_model > 0, "{seen:?}");
}
