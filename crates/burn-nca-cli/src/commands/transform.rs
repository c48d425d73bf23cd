//! `nca transform`: the rows of a table where a saved model puts them.

use anyhow::Result;
use burn::tensor::Tensor;
use burn_nca_datasets::open_features;

use super::{finite, load_model};
use crate::cli::TransformArgs;
use crate::output::{self, TableFormat};

/// Embeds the rows of a table.
///
/// # Errors
/// No model, data that do not fit it, or a file that cannot be written.
pub fn run(args: &TransformArgs) -> Result<()> {
    // Known before the work begins.
    let format = TableFormat::of(args.out.as_deref(), &[TableFormat::Csv, TableFormat::Npy])?;
    let model = load_model(&args.model)?;
    let features = open_features(&args.data, model.scaling().names())?;
    let embedding = finite::embed(&model, &features, &args.data)?;
    let bytes = match format {
        TableFormat::Csv => embedding_csv(&embedding),
        TableFormat::Npy => output::matrix_npy(&embedding),
    };
    match &args.out {
        Some(path) => output::write_file(path, &bytes),
        None => output::print(&String::from_utf8_lossy(&bytes)),
    }
}

fn embedding_csv(embedding: &Tensor<2>) -> Vec<u8> {
    let [_, k] = embedding.dims();
    let names: Vec<String> = (1..=k).map(|dimension| format!("z{dimension}")).collect();
    output::matrix_csv(&names, embedding)
}
