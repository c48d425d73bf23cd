//! `nca export`: a model for other programs.

use anyhow::{Result, bail};
use burn_nca_files::is_regular;

use super::loaded::load_model;
use crate::cli::ExportArgs;
use crate::failure::hinted;
use crate::fitting::neighbor_count::decision;

/// Writes the map as a plain linear layer, or scaling, map and rule as an ONNX graph: the file's name says which.
pub fn run(args: &ExportArgs) -> Result<()> {
    let extension = args.to.extension().and_then(|extension| extension.to_str());
    let onnx = extension == Some("onnx");
    if !onnx && extension != Some("safetensors") && is_regular(&args.to) {
        bail!(hinted(
            format!("{} is neither a .safetensors nor an .onnx file", args.to.display()),
            "name the file so"
        ));
    }
    if args.with_neighbors && !onnx {
        bail!(hinted(
            "--with-neighbors is for ONNX, and a linear layer holds no training rows",
            "give --to model.onnx"
        ));
    }
    let model = load_model(&args.model)?;
    if !onnx {
        return Ok(model.export_safetensors(&args.to)?);
    }
    let model = match args.rule {
        None => model,
        rule => {
            let decision = decision((rule, None), &model)?;
            model.with_decision(decision)?
        }
    };
    Ok(burn_nca_onnx::export(&model, &args.to, args.with_neighbors)?)
}
