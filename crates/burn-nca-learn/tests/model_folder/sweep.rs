//! Every length and every byte of the files of every model of the gallery, with no checksum to catch the damage: what is
//! loaded is used, what is refused is refused briefly.
//!
//! A line of the settings or a header of tensors that several models have is damaged in the first of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use rayon::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::load;
use super::small_models::{FILES, of_gallery, use_model};

/// The most characters of a message, its path included.
const MESSAGE: usize = 700;

/// The lengths to cut the numbers of a tensor file to, whatever there are of them.
const PAYLOAD_CUTS: usize = 24;

/// A model of the gallery in a folder of its own, to be damaged there.
struct Model {
    name: String,
    place: TempDir,
    /// The files, each with the places of the bytes to change.
    files: BTreeMap<&'static str, (Vec<u8>, Vec<usize>)>,
}

impl Model {
    /// Without its checksums, the indentation of its JSON, and the steps of its fit but for one; the bytes to change are those
    /// of the settings and of the headers that are not among those seen before, which they join.
    fn of(name: &str, folder: &Path, seen: &mut BTreeSet<Vec<u8>>) -> Self {
        // In memory where that is to be had: a folder is read some thousand times.
        let place = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let mut files = BTreeMap::new();
        for file in FILES {
            let mut bytes = fs::read(folder.join(file)).unwrap();
            if file == FILES[0] {
                let mut card: Value = serde_json::from_slice(&bytes).unwrap();
                card["sha256"] = json!({});
                for history in ["/summary/history", "/times/history"] {
                    if let Some(Value::Array(steps)) = card.pointer_mut(history) {
                        steps.truncate(1);
                    }
                }
                let text = serde_json::to_string_pretty(&card).unwrap();
                bytes = text.lines().map(str::trim).collect::<Vec<_>>().join("\n").into_bytes();
            }
            fs::write(place.path().join(file), &bytes).unwrap();
            let pieces: Vec<&[u8]> = match file == FILES[0] {
                true => bytes.split_inclusive(|&byte| byte == b'\n').collect(),
                false => vec![&bytes[..header(&bytes)]],
            };
            let (mut at, mut fresh) = (0, Vec::new());
            for piece in pieces {
                if seen.insert(piece.to_vec()) {
                    fresh.extend(at..at + piece.len());
                }
                at += piece.len();
            }
            files.insert(file, (bytes, fresh));
        }
        Self { name: name.to_string(), place, files }
    }

    /// Whether the model with another content of this file is loaded; it is then used.
    fn loads(&self, file: &str, bytes: &[u8], damage: &str) -> bool {
        let folder = self.place.path();
        fs::write(folder.join(file), bytes).unwrap();
        let outcome = catch_unwind(AssertUnwindSafe(|| match load(folder) {
            Ok(model) => (true, use_model(&model, folder).err()),
            Err(error) => (false, Some(error)),
        }));
        let what = format!("{}, {file}, {damage}", self.name);
        let Ok((loaded, error)) = outcome else { panic!("{what}: a panic") };
        if let Some(error) = error {
            let message = error.to_string();
            assert!(damage != "whole" && message.len() <= MESSAGE, "{what}: {message}");
            let place = folder.to_str().unwrap();
            assert!(loaded || message.starts_with(place), "{what} is not named: {message}");
        }
        loaded
    }
}

/// The bytes of a tensor file before its numbers: a magic number of 4, a version of 2, the length of the list of tensors
/// in 4, little-endian, and the list. Up to a multiple of 256 there is padding, which nothing reads.
fn header(bytes: &[u8]) -> usize {
    10 + u32::from_le_bytes(bytes[6..10].try_into().unwrap()) as usize
}

/// All lengths of the settings and within a header, and some within the numbers: the first, the last and those between at equal
/// distances.
fn lengths(file: &str, bytes: &[u8]) -> Vec<usize> {
    let (length, settings) = (bytes.len(), file == FILES[0]);
    let header = if settings { length } else { header(bytes) };
    let step = (length - header).div_ceil(PAYLOAD_CUTS).max(1);
    (0..header).chain((header..length).step_by(step)).chain([length - 1]).collect()
}

#[test]
fn every_length_is_refused_and_every_byte_is_refused_or_does_no_harm() {
    let mut seen = BTreeSet::new();
    let models = of_gallery();
    let models: Vec<Model> =
        models.iter().map(|(name, folder)| Model::of(name, folder, &mut seen)).collect();
    models.par_iter().with_max_len(1).for_each(|model| {
        for (file, (whole, fresh)) in &model.files {
            assert!(model.loads(file, whole, "whole"));
            for length in lengths(file, whole) {
                let loaded = model.loads(file, &whole[..length], &format!("{length} bytes"));
                assert!(!loaded, "{}, {file} of {length} bytes was loaded", model.name);
            }
            for &at in fresh {
                for value in [whole[at] ^ 0xff, whole[at] ^ 1, 0] {
                    let mut changed = whole.clone();
                    changed[at] = value;
                    model.loads(file, &changed, &format!("byte {at} is {value}"));
                }
            }
            assert!(model.loads(file, whole, "whole"));
        }
    });
}
