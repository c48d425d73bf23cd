//! Small models that older versions saved; every later version reads them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use burn_nca::data::Features;

use super::{embedding, load};

/// The versions of the gallery and the models of each.
const GALLERY: [(&str, &[&str]); 2] = [
    ("v1", &["diagonal", "linear", "linear-f64", "mlp", "pairs", "regression", "soft-regression"]),
    ("v1-sha256", &["linear", "mlp", "regression"]),
];

#[test]
fn models_of_every_version_embed_as_they_did() {
    let queries = [0.057, 7.5, -0.466, 1.345, 4.477, 2.95, 2.974, 6.459, 0.563].to_vec();
    let names = ["height", "weight", "width"].map(String::from).to_vec();
    let queries = Features::new(queries, names).unwrap();
    for (version, models) in GALLERY {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/gallery").join(version);
        let text = std::fs::read_to_string(folder.join("embeddings.json")).unwrap();
        let expected: BTreeMap<String, Vec<Vec<f64>>> = serde_json::from_str(&text).unwrap();
        for name in models {
            let model = load(&folder.join(name)).unwrap();
            let found = embedding(&model, &queries);
            for (found, expected) in found.iter().zip(expected[*name].iter().flatten()) {
                assert!((found - expected).abs() < 1e-5, "{version}/{name}: {found}, {expected}");
            }
            assert!(model.summary().seconds > 0.0);
        }
    }
}

/// Writes the models of v1 as this version saves them, for a new folder of the gallery.
#[test]
#[ignore = "writes a folder; run it by name when the format of saved models changes"]
fn save_the_gallery_anew() {
    let gallery = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/gallery");
    let target = gallery.join("new");
    for name in ["linear", "mlp", "regression"] {
        load(&gallery.join("v1").join(name)).unwrap().save(&target.join(name)).unwrap();
    }
    std::fs::copy(gallery.join("v1/embeddings.json"), target.join("embeddings.json")).unwrap();
}
