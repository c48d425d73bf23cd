//! Files that were cut, changed or mixed: refused, and never a panic.

use std::fs;
use std::path::{Path, PathBuf};

use burn_nca::NcaConfig;
use burn_nca::encoder::EncoderConfig;
use burn_nca::objective::Criterion;

use super::{FILES, load, saved};

/// Overwrites a file, runs the check, and puts the file back.
fn with_bytes(path: &Path, bytes: &[u8], check: impl FnOnce()) {
    let whole = fs::read(path).unwrap();
    fs::write(path, bytes).unwrap();
    check();
    fs::write(path, whole).unwrap();
}

fn refusal(folder: &Path) -> String {
    load(folder).expect_err("a damaged model is refused").to_string()
}

#[test]
fn every_file_that_was_cut_is_refused() {
    let (_place, folder) = saved(&NcaConfig::new(3, 2));
    for file in FILES {
        let path = folder.join(file);
        let whole = fs::read(&path).unwrap();
        for length in (0..whole.len()).step_by(if file == "model.json" { 11 } else { 1 }) {
            with_bytes(&path, &whole[..length], || {
                assert!(refusal(&folder).contains(file), "{file} cut to {length} bytes");
            });
        }
    }
    assert!(load(&folder).is_ok());
}

#[test]
fn every_changed_byte_of_the_tensors_is_refused() {
    let (_place, folder) = saved(&NcaConfig::new(3, 2));
    for file in &FILES[1..] {
        let path = folder.join(file);
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1 << (at % 8);
            with_bytes(&path, &changed, || {
                assert!(refusal(&folder).contains("SHA-256 differs"), "{file}, byte {at}");
            });
        }
    }
}

#[test]
fn a_changed_byte_of_the_settings_or_of_an_old_model_never_panics() {
    let (_place, folder) = saved(&NcaConfig::new(3, 2));
    let old = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/gallery/v1/linear");
    let place = tempfile::tempdir().unwrap();
    for file in FILES {
        fs::copy(old.join(file), place.path().join(file)).unwrap();
    }
    let swept = [(folder.as_path(), FILES[0]), (place.path(), FILES[1]), (place.path(), FILES[2])];
    for (folder, file) in swept {
        let path = folder.join(file);
        let whole = fs::read(&path).unwrap();
        // The settings at every third byte; of the tensors the header, before their numbers.
        let (end, stride) = if file == FILES[0] { (whole.len(), 3) } else { (256, 1) };
        for at in (0..end).step_by(stride) {
            let mut changed = whole.clone();
            changed[at] ^= if at % 2 == 0 { 0xff } else { 1 << (at % 8) };
            // Some changes are no damage: another digit of a number, or a byte of padding.
            with_bytes(&path, &changed, || drop(load(folder)));
        }
        for length in (0..whole.len()).step_by(23) {
            with_bytes(&path, &whole[..length], || assert!(load(folder).is_err()));
        }
    }
}

#[test]
fn files_of_two_models_do_not_go_together() {
    let (_place, folder) = saved(&NcaConfig::new(3, 2));
    let other = NcaConfig::new(3, 2).with_criterion(Criterion::G);
    let (_other_place, other) = saved(&other);
    for file in &FILES[1..] {
        let bytes = fs::read(other.join(file)).unwrap();
        with_bytes(&folder.join(file), &bytes, || {
            let error = refusal(&folder);
            assert!(error.contains(file) && error.contains("another model"), "{error}");
        });
    }
}

#[test]
fn a_missing_file_is_named_as_missing() {
    for file in FILES {
        let (_place, folder) = saved(&NcaConfig::new(3, 3).with_encoder(EncoderConfig::Diagonal));
        fs::remove_file(folder.join(file)).unwrap();
        let error = refusal(&folder);
        assert!(error.contains(&format!("{file} is missing")), "{error}");
    }
}
