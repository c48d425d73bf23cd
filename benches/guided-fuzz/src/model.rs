//! Saved models under libFuzzer: the file of a model's folder that the first byte names has the other bytes.
//!
//! ```sh
//! cd benches/guided-fuzz && mkdir -p runs/models  # built as readers.rs says, with --features model
//! target/x86_64-unknown-linux-gnu/release/model runs/models -max_total_time=3600 -max_len=8192
//! ```
//! It begins with the files of two models, which it writes to the folder that is named first.
#![no_main]

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use burn::tensor::Device;
use burn_nca_learn::data::{Features, Labeled};
use burn_nca_learn::encoder::EncoderConfig;
use burn_nca_learn::method::{AnyMethod, Nca};
use burn_nca_learn::{Estimator, Fitted};
use libfuzzer_sys::{Corpus, fuzz_target};
use tempfile::TempDir;

/// The folders of the models, and the names of their files.
struct Models {
    folders: Vec<TempDir>,
    names: Vec<String>,
}

fn rows() -> Labeled {
    let values: Vec<f64> = (0..36).map(|at| f64::from(at * at % 11) / 3.0).collect();
    let features = Features::unnamed(values, 3).expect("finite numbers");
    Labeled::from_labels(features, (0..12).map(|row| row % 2).collect()).expect("two classes")
}

/// A model's card that takes any tensor files.
fn without_checksums(card: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(card);
    let (before, rest) = text.split_once("\"sha256\": {").expect("the checksums of the tensors");
    let (_, after) = rest.split_once('}').expect("their end");
    format!("{before}\"sha256\": {{}}{after}").into_bytes()
}

/// The models, whose files also begin the corpus.
fn models() -> &'static Models {
    static MODELS: OnceLock<Models> = OnceLock::new();
    MODELS.get_or_init(|| {
        let corpus = std::env::args().nth(1).filter(|path| Path::new(path).is_dir());
        let mut models = Models { folders: Vec::new(), names: Vec::new() };
        for encoder in [EncoderConfig::Linear, EncoderConfig::mlp(&[4])] {
            let estimator = Estimator::new(3, 2, AnyMethod::from(Nca::new())).with_encoder(encoder);
            let fitted = estimator.fit(&rows(), &Device::flex()).expect("a fit of twelve rows");
            let mut files = fitted.to_files().expect("a model that can be saved");
            files.iter_mut().filter(|(name, _)| name == "model.json").for_each(|(_, card)| {
                *card = without_checksums(card);
            });
            files.sort();
            let folder = TempDir::new().expect("a temporary folder");
            let number = models.folders.len();
            for (at, (name, bytes)) in files.iter().enumerate() {
                fs::write(folder.path().join(name), bytes).expect("a file that can be written");
                if let Some(corpus) = &corpus {
                    let seed = [&[(number * files.len() + at) as u8], &bytes[..]].concat();
                    fs::write(Path::new(corpus).join(format!("{number}-{name}")), seed)
                        .expect("a corpus that can be written");
                }
            }
            models.names = files.into_iter().map(|(name, _)| name).collect();
            models.folders.push(folder);
        }
        models
    })
}

fuzz_target!(init: { models(); }, |bytes: &[u8]| -> Corpus {
    let models = models();
    let Some((which, bytes)) = bytes.split_first() else { return Corpus::Reject };
    let (which, count) = (usize::from(*which), models.names.len());
    let (folder, name) = (&models.folders[which / count % models.folders.len()], &models.names[which % count]);
    let path = folder.path().join(name);
    let kept = fs::read(&path).expect("a file of the model");
    fs::write(&path, bytes).expect("a file that can be written");
    // What is no model is refused; nothing may panic, and what loads must predict.
    if let Ok(model) = Fitted::load(folder.path(), &Device::flex()) {
        let _ = model.predict(rows().features(), 3);
        let _ = model.class_probabilities(rows().features());
    }
    fs::write(&path, kept).expect("a file that can be written");
    Corpus::Keep
});
