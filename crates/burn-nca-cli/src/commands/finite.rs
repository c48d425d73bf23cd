//! Values so large that the embedding of their row is not finite: refused with the row and the column.

use anyhow::{Result, bail};
use burn::tensor::Tensor;
use burn_nca_learn::Fitted;
use burn_nca_learn::data::Features;
use burn_nca_program::number::ascii;

use crate::failure::hinted;

/// The embedding of the rows of `source`; `places` are their places there, from 0.
///
/// # Errors
/// Other columns than the model's, or a row whose embedding is not finite.
pub fn embed(
    model: &Fitted,
    (features, places): (&Features, &[usize]),
    source: &str,
) -> Result<Tensor<2>> {
    let embedding = model.transform(features)?;
    let [_, k] = embedding.dims();
    let values: Vec<f64> = embedding.clone().into_data().convert::<f64>().try_to_vec()?;
    let bad = values.chunks_exact(k).position(|row| row.iter().any(|value| !value.is_finite()));
    let Some(row) = bad else { return Ok(embedding) };
    let (offset, scale) = (model.scaling().offset(), model.scaling().scale());
    let size =
        |column: usize| ((features.value(row, column) - offset[column]) / scale[column]).abs();
    let largest = (0..features.columns()).max_by(|&a, &b| size(a).total_cmp(&size(b)));
    let column = largest.expect("features have a column at least");
    bail!(hinted(
        format!(
            "{source}, row {}: the embedding is not finite, because column {:?} is {:e}, far from the values that the model was fitted on (around {})",
            places.get(row).unwrap_or(&row) + 1,
            features.names()[column],
            features.value(row, column),
            ascii(offset[column], 4)
        ),
        "correct the value, or remove the row"
    ))
}
