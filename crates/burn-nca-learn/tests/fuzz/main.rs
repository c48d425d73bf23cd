//! Damaged model folders: a value or a short error, never a panic, and memory in proportion. The checksum of a journal
//! (a checkpoint, the trials of a search) finds each damage: `burn-nca-files` tests it.
//!
//! The test runs some hundred: `model.json` edited, tensors damaged with and without their checksum. `benches/fuzz.py` runs
//! more, as does
//!
//! ```text
//! BURN_NCA_FUZZ_SECONDS=60 BURN_NCA_FUZZ_SEED=1 cargo test --test fuzz
//! ```
//!
//! The models of `tests/gallery` are the corpus, and models of today's fits.
// Clippy knows the tests themselves, not the functions they share.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "../../../burn-nca-data/tests/fuzz/files.rs"]
mod files;
mod json_damage;
#[path = "../../../burn-nca-data/tests/fuzz/mutate.rs"]
mod mutate;
#[path = "../small_models/mod.rs"]
mod small_models;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use burn::tensor::Device;
use burn_nca_learn::Fitted;
use peak_alloc::PeakAlloc;
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use small_models::{FILES, use_model};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Bytes that reading and using a file may take, and for each byte of it.
const BUFFERS: usize = 16 << 20;
const A_BYTE: usize = 4096;

const MESSAGE: usize = 1500;

const CARD: &str = FILES[0];

type Files = BTreeMap<String, Vec<u8>>;

/// The models of older versions and of today, as files and as documents.
struct Corpus {
    models: Vec<Files>,
    cards: Vec<Value>,
}

impl Corpus {
    fn new() -> Self {
        let of_folder = |folder: PathBuf| {
            let file = |name: &str| (name.to_string(), std::fs::read(folder.join(name)).unwrap());
            FILES.map(file).into_iter().collect()
        };
        let gallery = small_models::of_gallery().into_values().map(of_folder);
        let today = small_models::of_today().into_iter();
        let today = today.map(|(_, model)| model.to_files().unwrap().into_iter().collect());
        let models: Vec<Files> = gallery.chain(today).collect();
        let cards = models.iter().map(|files| serde_json::from_slice(&files[CARD]).unwrap());
        Self { cards: cards.collect(), models }
    }

    /// A damaged model in the folder; gives the number of its bytes.
    fn write(&self, folder: &Path, rng: &mut ChaCha8Rng) -> usize {
        let at = rng.random_range(0..self.models.len());
        let mut files = self.models[at].clone();
        let mut card = self.cards[at].clone();
        // Without the checksums the damage is found by what reads the tensors.
        if rng.random() {
            card["sha256"] = json!({});
        }
        if rng.random() {
            let name = *["encoder.bpk", "references.bpk"].choose(rng).unwrap();
            let other = self.models.choose(rng).unwrap()[name].clone();
            let damaged = mutate::damaged(&[files[name].clone(), other], rng);
            files.insert(name.to_string(), damaged);
            files.insert(CARD.to_string(), card.to_string().into_bytes());
        } else {
            let other = self.cards.choose(rng).cloned().unwrap();
            files.insert(CARD.to_string(), json_damage::edited(&[card, other], rng));
        }
        for (name, bytes) in &files {
            std::fs::write(folder.join(name), bytes).unwrap();
        }
        files.values().map(Vec::len).sum()
    }
}

#[test]
fn damaged_models() {
    let corpus = Corpus::new();
    let (mut tried, mut used) = (0, 0);
    for number in files::numbers(300) {
        tried += 1;
        let folder = tempfile::tempdir().unwrap();
        let bytes = corpus.write(folder.path(), &mut files::generator(number));
        let before = MEMORY.current_usage();
        MEMORY.reset_peak_usage();
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            use_model(&Fitted::load(folder.path(), &Device::flex())?, folder.path())
        }));
        let taken = MEMORY.peak_usage().saturating_sub(before);
        let failure = match outcome {
            Err(_) => "a panic".to_string(),
            Ok(_) if taken > BUFFERS + A_BYTE * bytes => format!("{taken} bytes of memory"),
            Ok(Err(error)) if error.to_string().len() > MESSAGE => format!("long: {error}"),
            Ok(outcome) => {
                used += u64::from(outcome.is_ok());
                continue;
            }
        };
        let (kept, seed) = (folder.keep(), files::seed());
        panic!("models, seed {seed}, number {number}, kept as {}: {failure}", kept.display());
    }
    println!("models: of {tried} files {used} were used");
    assert!(used > 0, "some damage does no harm");
}
