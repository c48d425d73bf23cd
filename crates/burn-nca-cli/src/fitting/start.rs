//! Where the map of a fit starts, as `--init` says.

use std::path::Path;

use anyhow::{Result, bail};
use burn_nca_data::{read_csv_features, read_npy_features};
use burn_nca_learn::encoder::EncoderConfig;
use burn_nca_learn::fit::Start;
use burn_nca_learn::method::AnyMethod;

use crate::cli::fit::Init;
use crate::failure::hinted;

/// The rows of the matrix of a start: one of a map that has a weight per feature.
pub fn map_rows((method, encoder): (&AnyMethod, &EncoderConfig), dim: usize) -> usize {
    let is_of_weights =
        matches!(method, AnyMethod::Vsm(_) | AnyMethod::Ncfs(_) | AnyMethod::NcfsRegression(_));
    if is_of_weights || *encoder == EncoderConfig::Diagonal { 1 } else { dim }
}

/// The start of a map whose matrix has so many rows.
///
/// # Errors
/// A file of A that cannot be read, or of another shape.
pub fn start(init: &Init, columns: &[String], rows: usize) -> Result<Start> {
    Ok(match init {
        Init::Auto => Start::Auto,
        Init::Identity => Start::Identity,
        Init::Random(scale) => Start::Random { scale: *scale },
        Init::Pca => Start::Pca,
        Init::Lda => Start::Lda,
        Init::File(path) => Start::Given { weight: given_matrix(path, columns, rows)? },
    })
}

/// A of shape `[rows, d]` from a file.
fn given_matrix(path: &Path, columns: &[String], rows: usize) -> Result<Vec<f64>> {
    let matrix = if path.extension().is_some_and(|extension| extension == "csv") {
        read_csv_features(path, columns)?
    } else {
        read_npy_features(path)?
    };
    if (matrix.rows(), matrix.columns()) != (rows, columns.len()) {
        bail!(hinted(
            format!(
                "{} is of shape {} x {}, and this start needs {rows} x {}",
                path.display(),
                matrix.rows(),
                matrix.columns(),
                columns.len()
            ),
            match rows {
                1 => "give one row with a column per feature",
                _ => "give a row per dimension and a column per feature",
            }
        ));
    }
    Ok(matrix.values().to_vec())
}
