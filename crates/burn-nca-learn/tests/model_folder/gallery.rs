//! Small models that older versions saved; every later version reads them.
//!
//! A folder of the gallery holds the models that a version saved, and next to them what they made of [`queries`] then:
//! `embeddings.json` and `predictions.json`. No folder is ever written again. Where the format of saved models changes,
//! today's models are saved as a new one:
//!
//! ```text
//! BURN_NCA_GALLERY=v1-NAME cargo test --test model_folder -- --ignored save_todays_models
//! ```

use std::collections::BTreeMap;
use std::path::Path;

use burn_nca_learn::Fitted;
use burn_nca_learn::data::{Features, TensorFeatures};
use serde::de::DeserializeOwned;

use super::small_models::{folders, gallery, of_today, raw};
use super::{embedding, load};

/// What the gallery's models made of rows when they were saved, by model.
const EMBEDDINGS: &str = "embeddings.json";
const PREDICTIONS: &str = "predictions.json";

/// Three rows for a model; by its preparation, where it has one.
fn queries(model: &Fitted) -> Features {
    if model.preparation().is_some() {
        // The first of them has a missing value.
        return model.prepare(&raw().select(&[3, 4, 5])).unwrap().features;
    }
    let values = [0.057, 7.5, -0.466, 1.345, 4.477, 2.95, 2.974, 6.459, 0.563];
    let names = model.scaling().names().to_vec();
    let values = values.into_iter().cycle().take(3 * names.len()).collect();
    Features::new(values, names).unwrap()
}

/// What a model says of rows, by what it is called.
fn predictions(model: &Fitted, queries: &Features) -> BTreeMap<&'static str, Vec<f64>> {
    let mut said = BTreeMap::new();
    if !model.class_names().is_empty() {
        let classes = |k| model.predict(queries, k).unwrap().into_iter().map(|class| class as f64);
        said.insert("classes by 1", classes(1).collect());
        said.insert("classes by 3", classes(3).collect());
        said.insert("shares by 3", model.vote_shares(queries, 3).unwrap());
        said.insert("probabilities", model.class_probabilities(queries).unwrap().to_vec());
    }
    if model.targets().is_some() {
        said.insert("numbers by 1", model.predict_numbers(queries, 1).unwrap());
        said.insert("numbers by 3", model.predict_numbers(queries, 3).unwrap());
        said.insert("numbers by all", model.predict_kernel(queries).unwrap());
    }
    let distances = Features::from_tensor(model.sq_distances(queries, queries).unwrap()).unwrap();
    said.insert("distances", distances.values().to_vec());
    said
}

/// By model, what it made of [`queries`]; `[n, k]`.
type Embeddings = BTreeMap<String, Vec<Vec<f64>>>;
/// By model, what it said of [`queries`], by what that is called.
type Predictions = BTreeMap<String, BTreeMap<String, Vec<f64>>>;

fn read<T: DeserializeOwned>(version: &Path, file: &str) -> T {
    let path = version.join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap()
}

/// Equal in number, and in value to the rounding of f32.
fn assert_close(what: &str, found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        let close = (found - expected).abs() < 1e-5 * expected.abs().max(1.0);
        assert!(close, "{what}: {found}, {expected}");
    }
}

#[test]
fn models_of_every_version_embed_and_predict_as_they_did() {
    for (version, folder) in folders(&gallery()) {
        let embeddings: Embeddings = read(&folder, EMBEDDINGS);
        let predicted: Predictions = read(&folder, PREDICTIONS);
        let models = folders(&folder);
        assert!(models.keys().eq(embeddings.keys()), "{version}: {EMBEDDINGS}");
        assert!(models.keys().eq(predicted.keys()), "{version}: {PREDICTIONS}");
        for (name, folder) in models {
            let what = format!("{version}/{name}");
            let model = load(&folder).unwrap_or_else(|error| panic!("{what}: {error}"));
            let queries = queries(&model);
            assert_eq!(embeddings[&name].len(), queries.rows(), "{what}");
            assert_close(&what, &embedding(&model, &queries), &embeddings[&name].concat());
            let said = predictions(&model, &queries);
            assert!(said.keys().eq(predicted[&name].keys()), "{what}: {:?}", said.keys());
            for (kind, found) in &said {
                assert_close(&format!("{what}, {kind}"), found, &predicted[&name][*kind]);
            }
            assert!(model.summary().seconds > 0.0);
        }
    }
}

#[test]
fn todays_models_are_read_again() {
    for (name, model) in of_today() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("model");
        model.save(&folder).unwrap();
        let (loaded, queries) = (load(&folder).unwrap(), queries(&model));
        let said = |model: &Fitted| (embedding(model, &queries), predictions(model, &queries));
        assert_eq!(said(&loaded), said(&model), "{name}");
        assert_eq!((loaded.rule(), loaded.decision()), (model.rule(), model.decision()), "{name}");
        assert_eq!(format!("{:?}", loaded.card()), format!("{:?}", model.card()), "{name}");
    }
}

/// Saves today's models and what they make of [`queries`] as a new folder of the gallery.
#[test]
#[ignore = "writes the folder that BURN_NCA_GALLERY names; run it by name when the format of saved models changes"]
fn save_todays_models() {
    let version = std::env::var("BURN_NCA_GALLERY").expect("BURN_NCA_GALLERY names the folder");
    let target = gallery().join(&version);
    assert!(!target.exists(), "{version} already exists and stays as it is; give another name");
    let (mut embeddings, mut predicted) = (BTreeMap::new(), BTreeMap::new());
    for (name, model) in of_today() {
        model.save(&target.join(&name)).unwrap();
        let queries = queries(&model);
        let rows = embedding(&model, &queries);
        let rows = rows.chunks_exact(model.card().d_output).map(<[f64]>::to_vec);
        embeddings.insert(name.clone(), rows.collect::<Vec<_>>());
        predicted.insert(name, predictions(&model, &queries));
    }
    std::fs::write(target.join(EMBEDDINGS), serde_json::to_string(&embeddings).unwrap()).unwrap();
    std::fs::write(target.join(PREDICTIONS), serde_json::to_string(&predicted).unwrap()).unwrap();
}
