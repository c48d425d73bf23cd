//! Every length and every byte of a journal: its checksum finds each damage.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use burn_nca_learn::Result;
use rayon::prelude::*;

use super::{MESSAGE, ONE_AT_A_TIME, checkpoints, trials};

/// The bytes with a bit of one of them changed, at each place.
fn changed(bytes: &[u8]) -> impl Iterator<Item = (String, Vec<u8>)> {
    (0..bytes.len()).map(move |at| {
        let mut changed = bytes.to_vec();
        changed[at] ^= 1;
        (format!("byte {at} is {}", changed[at]), changed)
    })
}

/// The bytes cut to each length.
fn cut(bytes: &[u8]) -> impl Iterator<Item = (String, Vec<u8>)> {
    (0..bytes.len()).map(move |length| (format!("{length} bytes"), bytes[..length].to_vec()))
}

/// Whether a journal is used; it may be refused briefly, and does not panic.
fn used(
    what: &str,
    path: &Path,
    journal: &[u8],
    using: &(impl Fn(&Path) -> Result<()> + Sync),
) -> bool {
    std::fs::write(path, journal).unwrap();
    let outcome = catch_unwind(AssertUnwindSafe(|| using(path.parent().unwrap())));
    let Ok(outcome) = outcome else { panic!("{what}: a panic") };
    let message = outcome.as_ref().map_or_else(ToString::to_string, |()| String::new());
    assert!(message.len() <= MESSAGE, "{what}: {message}");
    outcome.is_ok()
}

fn sweep(kind: &str, file: &str, journal: &[u8], using: impl Fn(&Path) -> Result<()> + Sync) {
    let place = || tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    assert!(used(kind, &place().path().join(file), journal, &using), "{kind}: the whole one");

    let told: Vec<_> = cut(journal).chain(changed(journal)).collect();
    told.par_iter().for_each_init(place, |place, (damage, bytes)| {
        let what = format!("{kind}, {damage}");
        assert!(!used(&what, &place.path().join(file), bytes, &using), "{what}: used");
    });
}

/// Of the default solver; `checkpoints.rs` damages those of all solvers by a seed.
#[test]
fn every_length_and_byte_of_a_checkpoint() {
    let _lock = ONE_AT_A_TIME.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let estimator = &checkpoints::estimators()[0];
    let journal = checkpoints::checkpoint(estimator);
    sweep("checkpoint", checkpoints::FILE, &journal, |folder| {
        checkpoints::go_on(estimator, folder).map(drop)
    });
}

#[test]
fn every_length_and_byte_of_the_trials_of_a_search() {
    let _lock = ONE_AT_A_TIME.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let folder = tempfile::tempdir().unwrap();
    trials::search(folder.path()).unwrap();
    let journal = std::fs::read(folder.path().join(trials::FILE)).unwrap();
    sweep("trials", trials::FILE, &journal, trials::search);
}
