//! Damaged model folders: a value or a short error, never a panic, and memory in proportion. The checksum of a journal
//! (a checkpoint, the trials of a search) finds each damage: `burn-nca-files` tests it.
//!
//! The tests run some hundred of each kind; `benches/fuzz.py` runs more, as does
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
mod models;
#[path = "../../../burn-nca-data/tests/fuzz/mutate.rs"]
mod mutate;
#[path = "../small_models/mod.rs"]
mod small_models;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use burn_nca_learn::Result;
use peak_alloc::PeakAlloc;
use rand_chacha::ChaCha8Rng;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Bytes that reading and using a file may take, and for each byte of it.
const BUFFERS: usize = 16 << 20;
const A_BYTE: usize = 4096;

/// The most characters of a message.
const MESSAGE: usize = 1500;

/// Damages by number and seed, uses what came out, and watches; how many were used. `damage` writes into the folder and gives the number of
/// bytes.
fn fuzz(
    kind: &str,
    count: u64,
    damage: impl Fn(&Path, &mut ChaCha8Rng) -> usize,
    using: impl Fn(&Path) -> Result<()>,
) -> u64 {
    let (mut tried, mut used) = (0, 0);
    for number in files::numbers(count) {
        let mut rng = files::generator(number);
        tried += 1;
        let folder = tempfile::tempdir().unwrap();
        let bytes = damage(folder.path(), &mut rng);
        let before = MEMORY.current_usage();
        MEMORY.reset_peak_usage();
        let outcome = catch_unwind(AssertUnwindSafe(|| using(folder.path())));
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
        panic!("{kind}, seed {seed}, number {number}, kept as {}: {failure}", kept.display());
    }
    println!("{kind}: of {tried} files {used} were used");
    used
}
