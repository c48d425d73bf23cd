//! The training rows of a model, read again: a model keeps only their embedding.

use std::ops::ControlFlow;

use anyhow::{Result, bail};
use burn_nca_learn::Fitted;
use burn_nca_learn::data::{Features, Task};
use burn_nca_report::RowNames;

use crate::failure::hinted;
use crate::source::Source;
use crate::tables::{self, Opened, host_values};

/// How far an embedded row may be from the saved one, relative to its length: another device rounds otherwise.
const TOLERANCE: f64 = 1e-3;

/// The training rows as the fit read them, in the order of the model's references, and what the table calls them.
///
/// They are found by the model's source; `moved` is where the table is now. Embedded again, they must be what the
/// model has saved.
pub fn read(
    source: Option<&Source>,
    moved: Option<&str>,
    model: &Fitted,
) -> Result<(Features, RowNames)> {
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
    match of_table(&Source { data: data.to_string(), ..source.clone() }, model)? {
        Some(train) if is_embedded_alike(&train.0, model)? => Ok(train),
        _ => bail!(hinted(
            format!(
                "{data} does not hold the {} rows that the model was fitted on",
                model.references().dims()[0]
            ),
            "give the table of the fit with --train"
        )),
    }
}

/// The training rows of a table; `None` where their targets are not the model's.
fn of_table(source: &Source, model: &Fitted) -> Result<Option<(Features, RowNames)>> {
    if source.task == Task::Pairs {
        let (features, _, names, _) = tables::open_features(source)?;
        return Ok(Some((features, names)));
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
    let places = split.train.iter().map(|&row| names.of_row(row).0 - 1).collect();
    Ok(is_learned.then_some((features, RowNames { places: Some(places), ..names })))
}

fn is_embedded_alike(train: &Features, model: &Fitted) -> Result<bool> {
    model.scaling().check_columns(train.names())?;
    let (found, saved) = (host_values(&model.transform(train)?)?, host_values(model.references())?);
    let dimensions = (saved.len() / train.rows().max(1)).max(1);
    let near = |(found, saved): (&[f64], &[f64])| {
        let difference: f64 = found.iter().zip(saved).map(|(a, b)| (a - b).powi(2)).sum();
        let length: f64 = saved.iter().map(|b| b * b).sum();
        difference <= TOLERANCE * TOLERANCE * (1.0 + length)
    };
    Ok(found.len() == saved.len()
        && found.chunks(dimensions).zip(saved.chunks(dimensions)).all(near))
}
