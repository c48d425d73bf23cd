use std::path::Path;

use anyhow::{Result, bail};
use burn::tensor::Tensor;
use burn_nca_datasets::open_features;

use super::load_model;
use crate::cli::TransformArgs;
use crate::output;

/// Embeds the rows of a table.
///
/// # Errors
/// No model, data that do not fit it, or a file that cannot be written.
pub fn run(args: &TransformArgs) -> Result<()> {
    let write = writer(args.out.as_deref())?;
    let model = load_model(&args.model)?;
    let features = open_features(&args.data, model.scaling().names())?;
    let bytes = write(&model.transform(&features)?);
    match &args.out {
        Some(path) => output::write_file(path, &bytes),
        None => output::print(&String::from_utf8_lossy(&bytes)),
    }
}

/// How the embedding is written, by the file's name: known before the work begins.
fn writer(path: Option<&Path>) -> Result<fn(&Tensor<2>) -> Vec<u8>> {
    let extension = path.and_then(Path::extension).and_then(|extension| extension.to_str());
    match (path, extension) {
        (None, _) | (_, Some("csv")) => Ok(embedding_csv),
        (_, Some("npy")) => Ok(output::matrix_npy),
        (Some(path), _) => bail!("{} is neither .csv nor .npy; name the file so", path.display()),
    }
}

fn embedding_csv(embedding: &Tensor<2>) -> Vec<u8> {
    let [_, k] = embedding.dims();
    let names: Vec<String> = (1..=k).map(|dimension| format!("z{dimension}")).collect();
    output::matrix_csv(&names, embedding)
}
