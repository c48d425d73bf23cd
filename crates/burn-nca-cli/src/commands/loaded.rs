//! A saved model as a command loads it, where its training rows came from, and the rows of a table for it.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use burn::tensor::{Device, Tensor};
use burn_nca_data::is_sparse;
use burn_nca_learn::data::Features;
use burn_nca_learn::{Fitted, device};
use burn_nca_program::number::ascii;

use crate::cli::ModelArgs;
use crate::failure::hinted;
use crate::fitting::run_folder::MODEL;
use crate::source::Source;

/// The device of this name; one that is not the CPU has passed its self-test.
pub fn open_device(name: &str) -> Result<Device> {
    let device = device::open(name)?;
    if !device::runs_on_host(&device) {
        crate::process::without_panic_message(|| burn_nca_learn::self_test(&device))?;
    }
    Ok(device)
}

/// `RUN/model` where a run's folder is given, else the folder itself.
pub fn model_folder(given: &Path) -> PathBuf {
    let inside = given.join(MODEL);
    if inside.is_dir() { inside } else { given.to_path_buf() }
}

/// A saved model, from its folder or that of the run that made it.
pub fn load_model(args: &ModelArgs) -> Result<Fitted> {
    Ok(Fitted::load(&model_folder(&args.model), &open_device(&args.device.device)?)?)
}

/// A saved model, and where its training rows came from; no source for a model of an earlier version.
pub fn load_with_source(args: &ModelArgs) -> Result<(Fitted, Option<Source>)> {
    Ok((load_model(args)?, Source::of_model(&model_folder(&args.model))?))
}

/// A saved model for a table.
pub struct Loaded {
    /// The model of the columns of a table.
    pub whole: Fitted,
    /// The model of the rows of a sparse table, which are read as `whole` embeds them.
    pub embedded: Option<Fitted>,
    /// Where the training rows came from; `None` for a model of an earlier version.
    pub source: Option<Source>,
}

impl Loaded {
    /// The model for the rows of `data`.
    pub fn open(args: &ModelArgs, data: &str) -> Result<Self> {
        let (whole, source) = load_with_source(args)?;
        let embedded = is_sparse(data).then(|| whole.of_embedded());
        Ok(Self { whole, embedded, source })
    }

    /// The model of the rows as they are read.
    pub fn model(&self) -> &Fitted {
        self.embedded.as_ref().unwrap_or(&self.whole)
    }

    /// The model of the columns, and where its training rows came from.
    pub fn of_columns(&self) -> (&Fitted, Option<&Source>) {
        (&self.whole, self.source.as_ref())
    }

    /// The embedding of the rows of `data`; `places` are their places there, from 0.
    pub fn embed(
        &self,
        (features, places): (&Features, &[usize]),
        data: &str,
    ) -> Result<Tensor<2>> {
        let model = self.model();
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
                "{data}, row {}: the embedding is not finite, because column {:?} is {:e}, far from the values that the model was fitted on (around {})",
                places.get(row).unwrap_or(&row) + 1,
                features.names()[column],
                features.value(row, column),
                ascii(offset[column], 4)
            ),
            "correct the value, or remove the row"
        ))
    }
}
