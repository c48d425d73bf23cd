//! All that a model is good for.

use std::path::Path;

use burn_nca_learn::data::{Features, TensorFeatures};
use burn_nca_learn::neighbors::PerplexityMean;
use burn_nca_learn::{Fitted, Result};

use super::raw;

/// Uses a model for all that it is good for, with a folder to export into.
///
/// # Errors
/// What it refuses to do.
///
/// # Panics
/// Where what it gives is not finite.
pub fn use_model(model: &Fitted, folder: &Path) -> Result<()> {
    let names = model.scaling().names().to_vec();
    let rows = (0..2 * names.len()).map(|at| at as f64 / 3.0).collect();
    let queries = Features::new(rows, names)?;
    let _ = (model.matrix(), model.metric(), model.feature_norms());
    let _ = model.entropy_k(PerplexityMean::Median);
    let _ = model.export_safetensors(&folder.join("layer.safetensors"));
    let _ = model.prepare(&raw()).map(|prepared| model.transform(&prepared.features));
    let _ = (model.leave_one_out(1), model.leave_one_out_kernel(), model.predict_local_k(&queries));
    model.to_files()?;
    let embedding = Features::from_tensor(model.transform(&queries)?)?;
    finite("embedding", embedding.values());
    if let Ok(found) = model.class_probabilities(&queries) {
        finite("probabilities", &found.to_vec());
    }
    finite("kernel means", &model.predict_kernel(&queries).unwrap_or_default());
    finite("shares", &model.vote_shares(&queries, 2).unwrap_or_default());
    finite("numbers", &model.predict_numbers(&queries, 1).unwrap_or_default());
    // A model is good for one task.
    let numbers = model.predict_numbers(&queries, 1).map(drop);
    let distances = model.sq_distances(&queries, &queries).map(drop);
    model.predict(&queries, 1).map(drop).or(numbers).or(distances)
}

fn finite(what: &str, values: &[f64]) {
    assert!(values.iter().all(|value| value.is_finite()), "{what}: {values:?}");
}
