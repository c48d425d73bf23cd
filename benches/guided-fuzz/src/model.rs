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

/// A saved model: its folder, and its files by name.
struct Model {
    folder: TempDir,
    files: Vec<(String, Vec<u8>)>,
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

/// A model that is saved with this encoder.
fn saved(encoder: EncoderConfig) -> Model {
    let estimator = Estimator::new(3, 2, AnyMethod::from(Nca::new())).with_encoder(encoder);
    let fitted = estimator.fit(&rows(), &Device::flex()).expect("a fit of twelve rows");
    let mut files = fitted.to_files().expect("a model that can be saved");
    for (_, card) in files.iter_mut().filter(|(name, _)| name == "model.json") {
        *card = without_checksums(card);
    }
    let folder = TempDir::new().expect("a temporary folder");
    for (name, bytes) in &files {
        fs::write(folder.path().join(name), bytes).expect("a file that can be written");
    }
    Model { folder, files }
}

/// Two models, whose files also begin the corpus.
fn models() -> &'static [Model] {
    static MODELS: OnceLock<Vec<Model>> = OnceLock::new();
    MODELS.get_or_init(|| {
        let models: Vec<Model> =
            [EncoderConfig::Linear, EncoderConfig::mlp(&[4])].into_iter().map(saved).collect();
        if let Some(corpus) = std::env::args().nth(1).filter(|path| Path::new(path).is_dir()) {
            let files = models.iter().flat_map(|model| &model.files);
            for (which, (name, bytes)) in files.enumerate() {
                let seed = [&[which as u8], &bytes[..]].concat();
                fs::write(Path::new(&corpus).join(format!("{which}-{name}")), seed)
                    .expect("a corpus that can be written");
            }
        }
        models
    })
}

/// Loads the model with other bytes in one of its files, and predicts where they are a model.
fn load(bytes: &[u8]) -> Corpus {
    let Some((which, bytes)) = bytes.split_first() else { return Corpus::Reject };
    let files = models().iter().flat_map(|model| model.files.iter().map(move |file| (model, file)));
    let Some((model, (name, kept))) = files.cycle().nth(usize::from(*which)) else {
        return Corpus::Reject;
    };
    let path = model.folder.path().join(name);
    fs::write(&path, bytes).expect("a file that can be written");
    // What is no model is refused; nothing may panic, in the predictions of what is one either.
    if let Ok(fitted) = Fitted::load(model.folder.path(), &Device::flex()) {
        let _ = fitted.predict(rows().features(), 3);
        let _ = fitted.class_probabilities(rows().features());
    }
    fs::write(&path, kept).expect("a file that can be written");
    Corpus::Keep
}

fuzz_target!(init: { models(); }, |bytes: &[u8]| -> Corpus { load(bytes) });
