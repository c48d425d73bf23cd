//! The training rows of a model, read again: a model keeps only their embedding.

use std::ops::ControlFlow;

use anyhow::{Context, Result, bail};
use burn::tensor::Tensor;
use burn_nca_learn::Fitted;
use burn_nca_learn::data::{Features, Task};

use crate::failure::hinted;
use crate::source::Source;
use crate::tables::{self, Opened};

/// How far an embedded row may be from the saved one, relative to its length: another device rounds otherwise.
const TOLERANCE: f64 = 1e-3;

/// The training rows of a model as the fit read them, in the order of the model's references.
pub struct TrainingRows {
    /// Their features.
    pub features: Features,
    /// The number of each in the table, from 1, and what the table calls it.
    pub names: Vec<RowName>,
}

/// The number of a row, and its identifier where the table has one.
pub type RowName = (usize, Option<String>);

/// That of a training row; its number among the training rows where their table is not known.
pub fn name_of(names: &[RowName], row: usize) -> RowName {
    names.get(row).cloned().unwrap_or((row + 1, None))
}

/// Whether any row has an identifier.
pub fn have_ids(names: &[RowName]) -> bool {
    names.iter().any(|(_, id)| id.is_some())
}

/// The training rows, read again.
///
/// They are found by the model's source; `moved` is where the table is now. Embedded again, they must be what the
/// model has saved.
pub fn read(source: Option<&Source>, moved: Option<&str>, model: &Fitted) -> Result<TrainingRows> {
    let Some(source) = source else {
        bail!(hinted(
            "this model was saved by an earlier version, which did not note where the training rows came from",
            "fit it again"
        ));
    };
    if moved.is_none() {
        source.check_rereadable()?;
    }
    let data = moved.unwrap_or(&source.data);
    match of_table(source, data, model)? {
        Some(train) if is_embedded_alike(&train.features, model)? => Ok(train),
        _ => bail!(hinted(
            format!(
                "{data} does not hold the {} rows that the model was fitted on",
                model.references().dims()[0]
            ),
            "give the table of the fit with --train"
        )),
    }
}

/// The training rows of the table `data`; `None` where their targets are not the model's.
fn of_table(source: &Source, data: &str, model: &Fitted) -> Result<Option<TrainingRows>> {
    let source = &Source { data: data.to_string(), ..source.clone() };
    if source.task == Task::Pairs {
        let (features, _, names, _) = tables::open_features(source)?;
        let names = (0..features.rows()).map(|row| names.of_row(row)).collect();
        return Ok(Some(TrainingRows { features, names }));
    }
    let Opened { table, split, names, .. } =
        tables::open(source, &mut |_, _| Ok(ControlFlow::Continue(())))?;
    let (features, is_learned) = if source.task == Task::Numbers {
        let train = table.into_regression()?.select(&split.train);
        (train.features().clone(), model.targets() == Some(train.targets()))
    } else {
        let train = table.into_labeled()?.select(&split.train);
        let classes = train.labels().iter().map(|&class| &train.class_names()[class]);
        let learned = model.reference_labels().iter().map(|&class| &model.class_names()[class]);
        let is_learned = classes.eq(learned);
        (train.features().clone(), is_learned)
    };
    let names = split.train.into_iter().map(|row| names.of_row(row)).collect();
    Ok(is_learned.then_some(TrainingRows { features, names }))
}

fn is_embedded_alike(train: &Features, model: &Fitted) -> Result<bool> {
    model.scaling().check_columns(train.names())?;
    let (found, saved) = (values(model.transform(train)?)?, values(model.references().clone())?);
    if found.len() != saved.len() {
        return Ok(false);
    }
    let dimensions = (saved.len() / train.rows().max(1)).max(1);
    let near = |(found, saved): (&[f64], &[f64])| {
        let difference: f64 = found.iter().zip(saved).map(|(a, b)| (a - b).powi(2)).sum();
        let length: f64 = saved.iter().map(|b| b * b).sum();
        difference <= TOLERANCE * TOLERANCE * (1.0 + length)
    };
    Ok(found.chunks(dimensions).zip(saved.chunks(dimensions)).all(near))
}

fn values(tensor: Tensor<2>) -> Result<Vec<f64>> {
    tensor.into_data().convert::<f64>().try_to_vec().context("an embedding is of floats")
}
