use anyhow::{Result, bail};
use burn_nca::Fitted;
use burn_nca_files::is_regular;

use super::load_model;
use crate::cli::ExportArgs;

/// Writes the map as a plain linear layer.
///
/// # Errors
/// No model, a network, another file name than `.safetensors`, or a file that cannot be written.
pub fn run(args: &ExportArgs) -> Result<()> {
    let named = args.to.extension().is_some_and(|extension| extension == "safetensors");
    if !named && is_regular(&args.to) {
        bail!("{} is no .safetensors file; name the file so", args.to.display());
    }
    let model: Fitted = load_model(&args.model)?;
    model.export_safetensors(&args.to)?;
    Ok(())
}
