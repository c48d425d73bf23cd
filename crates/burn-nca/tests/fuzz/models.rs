//! Model folders: `model.json` edited, tensors damaged with and without their checksum.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use burn::tensor::Device;
use burn_nca::data::{
    Categorical, Features, Missing, PreparationConfig, RawColumn, RawTable, RawValues, Task,
};
use burn_nca::estimator::Estimator;
use burn_nca::fit::{FitConfig, LbfgsConfig, OptimizerConfig};
use burn_nca::method::AnyMethod;
use burn_nca::neighbors::PerplexityMean;
use burn_nca::{Fitted, NcaConfig};
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use super::{any, classes, features, finite, fuzz, json_damage, mutate, numbers, pairs};

const CARD: &str = "model.json";

type Files = BTreeMap<String, Vec<u8>>;

/// The models of older versions.
fn gallery() -> Vec<Files> {
    let gallery = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/gallery");
    let inside = |folder: &Path| {
        let mut inside: Vec<PathBuf> =
            folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
        inside.sort();
        inside
    };
    let versions = inside(&gallery).into_iter();
    let models = versions.flat_map(|version| inside(&version)).filter(|path| path.is_dir());
    let files = |model: PathBuf| {
        let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_string();
        inside(&model).iter().map(|path| (name(path), std::fs::read(path).unwrap())).collect()
    };
    models.map(files).collect()
}

fn two_steps() -> FitConfig {
    FitConfig::new()
        .with_optimizer(OptimizerConfig::Lbfgs(LbfgsConfig::new().with_max_iterations(2)))
}

/// A small model of the method, in as many dimensions as it can.
fn fitted(method: &AnyMethod) -> Fitted {
    let device = Device::flex();
    let of_dimension = |k: usize| {
        let estimator = Estimator::new(3, k, method.clone()).with_fit(two_steps());
        match method.info().task {
            Some(Task::Numbers) => estimator.fit(&numbers(), &device),
            Some(Task::Pairs) => estimator.fit(&pairs(), &device),
            None | Some(Task::Classes) => estimator.fit(&classes(), &device),
        }
    };
    let failed = |error| panic!("{}: {error}", method.info().name);
    of_dimension(3).or_else(|_| of_dimension(2)).unwrap_or_else(failed)
}

/// Rows as a file has them: a hole, and text.
fn raw() -> RawTable {
    let features = features();
    let column = |at: usize| (0..12).map(|row| features.row(row)[at]).collect::<Vec<f64>>();
    let mut height = column(0);
    height[3] = f64::NAN;
    let cities = ["Rome", "Oslo", "Bonn"].map(Some).into_iter().cycle().take(12);
    RawTable::new(vec![
        RawColumn::new("height", RawValues::Numbers(height)),
        RawColumn::text("city", cities),
    ])
    .unwrap()
}

/// A model with a preparation and weights.
fn prepared() -> Fitted {
    let config = PreparationConfig {
        missing: Missing::Mean,
        categorical: Categorical::Auto,
        ..PreparationConfig::default()
    };
    let rows: Vec<usize> = (0..12).collect();
    let preparation = config.fit(&raw(), &rows).unwrap();
    let made = preparation.apply(&raw()).unwrap().features;
    let columns = made.columns();
    let data = classes().with_features(made).unwrap().with_balanced_weights();
    let config = NcaConfig::new(columns, 2).with_fit(two_steps());
    config.fit(&data, &Device::flex()).unwrap().with_preparation(preparation).unwrap()
}

fn of_today() -> Vec<Files> {
    let models = AnyMethod::all().iter().map(fitted).chain([prepared()]).collect::<Vec<_>>();
    models.iter().map(|model| model.to_files().unwrap().into_iter().collect()).collect()
}

/// The models of old and of today, as files and as documents.
struct Corpus {
    models: Vec<Files>,
    cards: Vec<Value>,
}

impl Corpus {
    fn new() -> Self {
        let models = [gallery(), of_today()].concat();
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
            let others: Vec<Vec<u8>> = vec![files[name].clone(), self.any(name, rng)];
            files.insert(name.to_string(), mutate::damaged(&others, rng));
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

    fn any(&self, name: &str, rng: &mut ChaCha8Rng) -> Vec<u8> {
        self.models.choose(rng).unwrap()[name].clone()
    }
}

/// All that a model is good for.
fn use_model(model: &Fitted, folder: &Path) -> burn_nca::Result<()> {
    let names = model.scaling().names().to_vec();
    let rows = (0..2 * names.len()).map(|at| at as f64 / 3.0).collect();
    let queries = Features::new(rows, names)?;
    let _ = (model.matrix(), model.metric(), model.feature_norms());
    let _ =
        (model.regression_config(), model.pairs_config(), model.entropy_k(PerplexityMean::Median));
    let _ = model.export_safetensors(&folder.join("layer.safetensors"));
    let _ = model.prepare(&raw()).map(|prepared| model.transform(&prepared.features));
    let _ = (model.leave_one_out(1), model.leave_one_out_kernel(), model.predict_local_k(&queries));
    model.to_files()?;
    let embedding = Features::from_tensor(model.transform(&queries)?)?;
    finite("embedding", embedding.values())?;
    any([
        model.predict(&queries, 1).map(drop),
        model.vote_shares(&queries, 2).and_then(|shares| finite("shares", &shares)),
        model.predict_numbers(&queries, 1).and_then(|found| finite("numbers", &found)),
        model.sq_distances(&queries, &queries).map(drop),
    ])?;
    if let Ok(found) = model.class_probabilities(&queries) {
        let classes = model.class_names().len();
        let of_row = |row| (0..classes).map(move |class| (row, class));
        let values = (0..queries.rows()).flat_map(of_row);
        let values: Vec<f64> = values.map(|(row, class)| found.probability(row, class)).collect();
        finite("probabilities", &values)?;
    }
    model.predict_kernel(&queries).map_or(Ok(()), |found| finite("kernel means", &found))
}

#[test]
fn damaged_models() {
    let corpus = Corpus::new();
    fuzz(
        "models",
        300,
        |folder, rng| corpus.write(folder, rng),
        |folder| use_model(&Fitted::load(folder, &Device::flex())?, folder),
    );
}

#[test]
fn what_the_damage_starts_from_is_whole() {
    let corpus = Corpus::new();
    for files in &corpus.models {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in files {
            std::fs::write(folder.path().join(name), bytes).unwrap();
        }
        let model = Fitted::load(folder.path(), &Device::flex()).unwrap();
        use_model(&model, folder.path()).unwrap();
    }
}
