//! Model folders: `model.json` edited, tensors damaged with and without their checksum.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use burn::tensor::Device;
use burn_nca_learn::Fitted;
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use super::small_models::{self, FILES, use_model};
use super::{fuzz, json_damage, mutate};

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
    let used = fuzz(
        "models",
        300,
        |folder, rng| corpus.write(folder, rng),
        |folder| use_model(&Fitted::load(folder, &Device::flex())?, folder),
    );
    assert!(used > 0, "some damage does no harm");
}
