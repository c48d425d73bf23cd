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
    files: BTreeMap<&'static str, Vec<u8>>,
    /// The places of the bytes to change, by file.
    fresh: BTreeMap<&'static str, Vec<usize>>,
}

impl Model {
    /// Without its checksums, the indentation of its JSON, and the steps of its fit but for one.
    fn of(name: &str, folder: &Path) -> Self {
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
            files.insert(file, bytes);
        }
        Self { name: name.to_string(), place, files, fresh: BTreeMap::new() }
    }

    /// Notes the bytes of the settings and of the headers that are not among those seen before, which they join.
    fn note_fresh(&mut self, seen: &mut BTreeSet<Vec<u8>>) {
        for (file, bytes) in &self.files {
            let pieces: Vec<&[u8]> = if *file == FILES[0] {
                bytes.split_inclusive(|&byte| byte == b'\n').collect()
            } else {
                vec![&bytes[..header(bytes)]]
            };
            let (mut at, mut fresh) = (0, Vec::new());
            for piece in pieces {
                if seen.insert(piece.to_vec()) {
                    fresh.extend(at..at + piece.len());
                }
                at += piece.len();
            }
            self.fresh.insert(file, fresh);
        }
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
            assert!(message.len() <= MESSAGE, "{what}: {message}");
            let place = folder.to_str().unwrap();
            assert!(loaded || message.starts_with(place), "{what} is not named: {message}");
        }
        loaded
    }

    /// Every byte of the settings or of the header of a file, with several values.
    fn change_bytes(&self, file: &str) {
        let whole = &self.files[file];
        for &at in &self.fresh[file] {
            for value in [whole[at] ^ 0xff, whole[at] ^ 1, 0] {
                let mut changed = whole.clone();
                changed[at] = value;
                self.loads(file, &changed, &format!("byte {at} is {value}"));
            }
        }
        assert!(self.loads(file, whole, "whole"));
    }

    /// These lengths of a file, all of which are too short.
    fn cut(&self, file: &str, lengths: impl Iterator<Item = usize>) {
        let whole = &self.files[file];
        for length in lengths {
            let loaded = self.loads(file, &whole[..length], &format!("{length} bytes"));
            assert!(!loaded, "{}, {file} of {length} bytes was loaded", self.name);
        }
        assert!(self.loads(file, whole, "whole"));
    }
}

/// The bytes of a tensor file before its numbers: a magic number of 4, a version of 2, the length of the list of tensors
/// in 4, little-endian, and the list. Up to a multiple of 256 there is padding, which nothing reads.
fn header(bytes: &[u8]) -> usize {
    10 + u32::from_le_bytes(bytes[6..10].try_into().unwrap()) as usize
}

fn each_model(sweep: impl Fn(&Model) + Sync) {
    let mut models: Vec<Model> =
        of_gallery().iter().map(|(name, folder)| Model::of(name, folder)).collect();
    let mut seen = BTreeSet::new();
    models.iter_mut().for_each(|model| model.note_fresh(&mut seen));
    models.par_iter().with_max_len(1).for_each(&sweep);
}

#[test]
fn every_model_without_checksums_is_used() {
    each_model(|model| {
        let model = load(model.place.path()).unwrap_or_else(|error| panic!("{error}"));
        let place = tempfile::tempdir().unwrap();
        use_model(&model, place.path()).unwrap();
    });
}

#[test]
fn every_length_of_the_settings_is_refused() {
    each_model(|model| model.cut(FILES[0], 0..model.files[FILES[0]].len()));
}

#[test]
fn every_byte_of_the_settings_is_refused_or_does_no_harm() {
    each_model(|model| model.change_bytes(FILES[0]));
}

/// All lengths within the header, and some within the numbers: the first, the last and those between at equal distances.
#[test]
fn every_length_of_the_tensors_is_refused() {
    each_model(|model| {
        for file in &FILES[1..] {
            let (length, header) = (model.files[file].len(), header(&model.files[file]));
            let step = (length - header).div_ceil(PAYLOAD_CUTS);
            let payload = (header..length).step_by(step);
            model.cut(file, (0..header).chain(payload).chain([length - 1]));
        }
    });
}

#[test]
fn every_byte_of_the_tensors_headers_is_refused_or_does_no_harm() {
    each_model(|model| {
        for file in &FILES[1..] {
            model.change_bytes(file);
        }
    });
}
