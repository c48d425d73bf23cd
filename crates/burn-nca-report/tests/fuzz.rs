//! Edited reports: a page, a summary and pictures, or a short error, never a panic, and none of them without bound.
//!
//! The reports of `tests/corpus` are of the first version of the format. `benches/fuzz.py` runs more, as does
//!
//! ```text
//! BURN_NCA_FUZZ_SECONDS=60 BURN_NCA_FUZZ_SEED=1 cargo test --test fuzz
//! ```
// Clippy knows the tests themselves, not the functions they share.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "../../burn-nca-data/tests/fuzz/files.rs"]
mod files;
#[path = "../../burn-nca-learn/tests/fuzz/json_damage.rs"]
mod json_damage;
#[path = "../../burn-nca-data/tests/fuzz/mutate.rs"]
mod mutate;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use burn_nca_report::terminal::Terminal;
use burn_nca_report::{Report, picture_file};
use serde_json::Value;

/// What a page may be larger than its report: styles and scripts, and tags around every number.
const PAGE: usize = 1 << 20;
const A_BYTE: usize = 64;

/// The most characters of a message.
const MESSAGE: usize = 1500;

fn corpus() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut paths: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read =
        |path: &std::path::PathBuf| (path.display().to_string(), std::fs::read(path).unwrap());
    paths.iter().map(read).collect()
}

/// All that people see of a report; the error of one that is none.
fn rendered(bytes: &[u8]) -> Result<(), String> {
    let document: Value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let report = Report::from_document(document).map_err(|error| error.to_string())?;
    let page = report.page();
    assert!(page.len() <= PAGE + A_BYTE * bytes.len(), "a page of {} bytes", page.len());
    for width in [None, Some(40)] {
        assert!(!report.summary(Terminal { width, ..Terminal::PLAIN }).is_empty());
    }
    if let Err(error) = picture_file(&report, Path::new("picture.svg")) {
        let message = format!("{error:#}");
        assert!(message.len() <= MESSAGE, "a long message: {message}");
    }
    report.to_json().map(drop).map_err(|error| error.to_string())
}

#[test]
fn reports_of_the_first_version_are_rendered() {
    for (path, bytes) in corpus() {
        rendered(&bytes).unwrap_or_else(|error| panic!("{path}: {error}"));
    }
}

#[test]
fn edited_reports() {
    let corpus = corpus();
    let documents: Vec<Value> =
        corpus.iter().map(|(_, bytes)| serde_json::from_slice(bytes).unwrap()).collect();
    let (mut tried, mut answered) = (0, 0);
    for number in files::numbers(300) {
        let mut rng = files::generator(number);
        tried += 1;
        let bytes = json_damage::edited(&documents, &mut rng);
        let outcome = catch_unwind(AssertUnwindSafe(|| rendered(&bytes)));
        let failure = match outcome {
            Ok(Ok(())) => {
                answered += 1;
                continue;
            }
            Ok(Err(message)) if message.len() <= MESSAGE => continue,
            Ok(Err(message)) => format!("a long message: {message}"),
            Err(_) => "a panic".to_string(),
        };
        let seed = files::seed();
        let kept = std::env::temp_dir().join(format!("burn-nca-fuzz-report-{seed}-{number}.json"));
        std::fs::write(&kept, &bytes).unwrap();
        panic!("report, seed {seed}, number {number}, kept as {}: {failure}", kept.display());
    }
    println!("report: of {tried} files {answered} were rendered");
    assert!(tried < 100 || answered > 0, "some damage does no harm");
}
