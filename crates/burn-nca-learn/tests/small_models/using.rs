//! All that a model is good for.

use std::path::Path;

use burn_nca_learn::data::{Features, TensorFeatures};
use burn_nca_learn::neighbors::PerplexityMean;
use burn_nca_learn::{Error, Fitted, Result};

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
    finite("embedding", embedding.values())?;
    any([
        model.predict(&queries, 1).map(drop),
        model.vote_shares(&queries, 2).and_then(|shares| finite("shares", &shares)),
        model.predict_numbers(&queries, 1).and_then(|found| finite("numbers", &found)),
        model.sq_distances(&queries, &queries).map(drop),
    ])?;
    if let Ok(found) = model.class_probabilities(&queries) {
        finite("probabilities", &found.to_vec())?;
    }
    model.predict_kernel(&queries).map_or(Ok(()), |found| finite("kernel means", &found))
}

/// Errors of what a damaged file leads to are fine; these are not.
fn finite(what: &str, values: &[f64]) -> Result<()> {
    assert!(values.iter().all(|value| value.is_finite()), "{what}: {values:?}");
    Ok(())
}

/// Good where one is, as a model is good for one task; else the last error.
fn any(results: impl IntoIterator<Item = Result<()>>) -> Result<()> {
    let mut last = Error::data("nothing was used");
    for result in results {
        match result {
            Ok(()) => return Ok(()),
            Err(error) => last = error,
        }
    }
    Err(last)
}
