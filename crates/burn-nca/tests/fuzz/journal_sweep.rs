//! Every length and every byte of a journal. Where the checksum tells, it is refused; with the checksum of the damaged state
//! it is refused or does no harm.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use burn_nca::Result;
use rayon::prelude::*;

use super::{MESSAGE, ONE_AT_A_TIME, checkpoints, trials};

/// What follows the work that a journal is of, before eight digits; and what follows these, before the state.
const CHECKSUM: &[u8] = b",\"checksum\":\"";
const STATE: &[u8] = b"\",\"state\":";

/// Where the checksum of a journal without records begins, and where its state does.
fn places(journal: &[u8]) -> [usize; 2] {
    let at = journal.windows(CHECKSUM.len()).position(|bytes| bytes == CHECKSUM).unwrap();
    let checksum = at + CHECKSUM.len();
    [checksum, checksum + 8 + STATE.len()]
}

/// The CRC-32 of ISO 3309, a bit at a time.
fn crc32(bytes: &[u8]) -> u32 {
    let bit = |crc: u32, _| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
    !bytes.iter().fold(!0, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), bit))
}

/// The journal with another state, which need not be JSON, and its checksum.
fn with_state(journal: &[u8], state: &[u8]) -> Vec<u8> {
    let [checksum, start] = places(journal);
    let mut made = journal[..start].to_vec();
    made[checksum..checksum + 8].copy_from_slice(format!("{:08x}", crc32(state)).as_bytes());
    [&made, state, b"}"].concat()
}

/// The bytes with one of them changed by these bits, at each place.
fn changed(bytes: &[u8], bits: u8) -> impl Iterator<Item = (String, Vec<u8>)> {
    (0..bytes.len()).map(move |at| {
        let mut changed = bytes.to_vec();
        changed[at] ^= bits;
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
    let state = &journal[places(journal)[1]..journal.len() - 1];
    assert_eq!(with_state(journal, state), journal, "{kind}: the checksum is made as it was");
    assert!(used(kind, &place().path().join(file), journal, &using), "{kind}: the whole one");

    let told: Vec<_> = cut(journal).chain(changed(journal, 1)).collect();
    told.par_iter().for_each_init(place, |place, (damage, bytes)| {
        let what = format!("{kind}, {damage}");
        assert!(!used(&what, &place.path().join(file), bytes, &using), "{what}: used");
    });
    let renewed: Vec<_> = cut(state).chain(changed(state, 1)).chain(changed(state, 0xff)).collect();
    renewed.par_iter().for_each_init(place, |place, (damage, state)| {
        let what = format!("{kind}, of the state {damage}, with its checksum");
        used(&what, &place.path().join(file), &with_state(journal, state), &using);
    });
}

/// Of the default solver; `checkpoints.rs` damages those of all solvers by a seed.
#[test]
fn every_length_and_byte_of_a_checkpoint() {
    let _lock = ONE_AT_A_TIME.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let estimator = &checkpoints::estimators()[0];
    let journal = checkpoints::checkpoint(estimator).to_bytes();
    sweep("checkpoint", checkpoints::FILE, &journal, |folder| {
        let fitted = checkpoints::go_on(estimator, folder)?;
        let matrix = fitted.matrix().unwrap_or_default();
        assert!(matrix.iter().all(|entry| entry.is_finite()), "{matrix:?}");
        Ok(())
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
