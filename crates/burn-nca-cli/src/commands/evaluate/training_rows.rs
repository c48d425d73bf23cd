//! The training rows of a model, read again: a model keeps only their embedding.

use std::collections::HashSet;

use anyhow::{Context, Result, bail};
use burn::tensor::Tensor;
use burn_nca::Fitted;
use burn_nca::data::Features;
use burn_nca_data::TargetKind;

use crate::fitting::target_settings::FitTask;
use crate::source::Source;
use crate::tables;
use burn_nca_report::{Warning, WarningCode};

/// How far an embedded row may be from the saved one, relative to its length: another device rounds otherwise.
const TOLERANCE: f64 = 1e-3;

/// The training rows as the fit read them, in the order of the model's references.
///
/// They are found by the model's source; `moved` is where the table stands now. Embedded again, they must be what the
/// model has saved.
///
/// # Errors
/// A model without a source, a table that is no longer there (or never was more than a pipe), or one that has changed.
pub fn features(source: Option<&Source>, moved: Option<&str>, model: &Fitted) -> Result<Features> {
    let Some(source) = source else {
        bail!(
            "this model was saved by an earlier version, which did not note where the training rows came from; fit it \
             again"
        );
    };
    if moved.is_none() {
        source.check_rereadable()?;
    }
    let data = moved.unwrap_or(&source.data);
    let train = read(source, data, model)?;
    match train {
        Some(train) if is_embedded_alike(&train, model)? => Ok(train),
        _ => bail!(
            "{data} does not hold the {} rows that the model was fitted on; give the table of the fit with --train",
            model.references().dims()[0]
        ),
    }
}

/// The training rows of the table `data`; `None` where their targets are not the model's.
fn read(source: &Source, data: &str, model: &Fitted) -> Result<Option<Features>> {
    let source = &Source { data: data.to_string(), ..source.clone() };
    Ok(match source.task {
        FitTask::Pairs => Some(tables::open_features(source)?.data),
        FitTask::Classes => {
            let opened = tables::open(source, TargetKind::Classes)?;
            let train = opened.table.into_labeled()?.select(&opened.split.train);
            let names = train.labels().iter().map(|&class| &train.class_names()[class]);
            let learned = model.reference_labels().iter().map(|&class| &model.class_names()[class]);
            names.eq(learned).then(|| train.features().clone())
        }
        FitTask::Numbers => {
            let opened = tables::open(source, TargetKind::Numeric)?;
            let train = opened.table.into_regression()?.select(&opened.split.train);
            let alike = model.targets().is_some_and(|learned| learned == train.targets());
            alike.then(|| train.features().clone())
        }
    })
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

/// A warning where half of `data`, or of the training rows, stand in both: then it is the table of the fit, and not
/// a row or two that two tables share by chance.
pub fn warning(train: &Features, data: &Features) -> Option<Warning> {
    let mut learned = HashSet::with_capacity(train.rows());
    train.each_row(|_, row| {
        learned.insert(bits(row));
    });
    let mut seen = 0;
    data.each_row(|_, row| seen += usize::from(learned.contains(&bits(row))));
    (seen > 0 && 2 * seen >= train.rows().min(data.rows())).then(|| {
        Warning::new(
            WarningCode::TrainingRows,
            format!(
                "{seen} of these {} rows are rows that the model was fitted on, and every such row finds itself: \
                 the figures flatter; those of the held-out rows are in the report of the fit",
                data.rows()
            ),
        )
    })
}

/// A row to look up; -0 and 0 are equal, their bits are not.
pub(super) fn bits(row: &[f64]) -> Vec<u64> {
    row.iter().map(|value| (value + 0.0).to_bits()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_the_fit_are_counted_and_a_chance_hit_is_no_warning() {
        let table = |rows: &[f64]| Features::unnamed(rows.to_vec(), 1).unwrap();
        let train = table(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        let warning = |rows: &[f64]| warning(&train, &table(rows)).map(|warning| warning.text);
        assert!(warning(&[1.0, -0.0, 9.0]).unwrap().starts_with("2 of these 3 rows"));
        assert_eq!(warning(&[1.0, 7.0, 8.0, 9.0]), None);
        assert_eq!(warning(&[7.0]), None);
    }
}
