//! New rows for a saved model: prepared as those of its fit were.

use std::path::Path;

use anyhow::{Context, Result};
use burn_nca::Fitted;
use burn_nca::data::{Features, RawTable};
use burn_nca_datasets::{
    CsvOptions, RawOptions, Table, Target, TargetColumn, Task, TextFormat, by_name, is_sparse,
    open, open_features_as, open_raw, open_sparse_features,
};

use crate::cli::table::TextArgs;
use crate::output;
use crate::source::{Source, with_given};
use burn_nca_report::counted;

/// Rows that a model can embed.
#[derive(Debug)]
pub struct ModelRows {
    /// The features of the rows that were kept.
    pub features: Features,
    /// Which rows of the table these are, from 0.
    pub rows: Vec<usize>,
    /// Number of rows of the table.
    pub total: usize,
    /// The name of the column that names the rows, and the name of each row of the table.
    pub ids: Option<(String, Vec<String>)>,
}

impl ModelRows {
    /// The place of each row of the table among the features; `None` for rows that were left out.
    pub fn places(&self) -> Vec<Option<usize>> {
        let mut places = vec![None; self.total];
        self.rows.iter().enumerate().for_each(|(place, &row)| places[row] = Some(place));
        places
    }
}

/// The rows of `data` for a model; `id` names them, or the column that named them in the fit, where it is there.
///
/// Of a sparse table they are where the model puts them: what [`Fitted::of_embedded`] takes.
///
/// # Errors
/// A table that cannot be read, or that lacks what the model needs.
pub fn rows(
    data: &str,
    (model, source): (&Fitted, Option<&Source>),
    (id, text): (Option<&str>, &TextArgs),
) -> Result<ModelRows> {
    let learnt_id = source.and_then(|source| source.columns.id.clone()).filter(|_| id.is_none());
    let format = format_of(source, text);
    if is_sparse(data) && id.is_none() {
        let features = model.transform_sparse(&open_sparse_features(data)?)?;
        let total = features.rows();
        return Ok(ModelRows { features, rows: (0..total).collect(), total, ids: None });
    }
    if model.preparation().is_none() && id.is_none() && learnt_id.is_none() {
        let features = open_features_as(data, model.scaling().names(), &format)?;
        let total = features.rows();
        return Ok(ModelRows { features, rows: (0..total).collect(), total, ids: None });
    }
    let mut options = options_of(model, format);
    options.text.extend(id.map(String::from));
    options.text_if_there.extend(learnt_id.clone());
    let raw = open_raw(data, &options)?;
    let ids = id.map(String::from).or(learnt_id).and_then(|name| {
        let column = raw.column(&name)?.clone().into_text();
        Some((name, column.iter().map(|text| text.unwrap_or_default().to_string()).collect()))
    });
    let prepared = prepare(model, &raw, data)?;
    let (total, rows) = (raw.rows(), prepared.1);
    Ok(ModelRows { features: prepared.0, rows, total, ids })
}

/// The rows of `data` with their targets, for a model; rows that the preparation leaves out, and those without a class,
/// are not among them.
///
/// # Errors
/// As [`rows`]; or no target.
pub fn labelled_table(
    data: &str,
    (model, source): (&Fitted, Option<&Source>),
    (given, text): (Option<&str>, &TextArgs),
    task: Task,
) -> Result<Table> {
    let format = format_of(source, text);
    let is_file = data == "-" || Path::new(data).exists();
    let has_columns = by_name(data).is_none() && is_file;
    let learnt = source.and_then(|source| source.target.clone());
    let learnt = learnt.filter(|_| given.is_none() && has_columns);
    let name = given.map(String::from).or(learnt.clone());
    let target = name.map_or(TargetColumn::Last, TargetColumn::Name);
    let table = if model.preparation().is_some() && has_columns {
        prepared_table(data, model, (target, task), format)
    } else {
        let features = has_columns.then(|| model.scaling().names().to_vec());
        let format = if has_columns { format } else { TextFormat::default() };
        let options = CsvOptions {
            target,
            task,
            features,
            format,
            set_unlabelled_apart: true,
            ..CsvOptions::default()
        };
        open(data, &options).map_err(anyhow::Error::from)
    };
    let table = match learnt {
        Some(target) => table.with_context(|| {
            let target = output::short_name(&target);
            format!("the model's target is \"{target}\"; name that of {data} with --target")
        })?,
        None => table?,
    };
    model.scaling().check_columns(table.features.names())?;
    if let Some(without) = &table.without_class {
        warn_without_class(without.rows.len());
    }
    Ok(table)
}

fn warn_without_class(rows: usize) {
    output::warn(&format!("{} without a class left out of the measures", counted(rows, "row")));
}

fn prepared_table(
    data: &str,
    model: &Fitted,
    target: (TargetColumn, Task),
    format: TextFormat,
) -> Result<Table> {
    let task = target.1;
    let mut raw =
        open_raw(data, &RawOptions { target: Some(target), ..options_of(model, format) })?;
    let name = raw.columns().last().map_or(String::new(), |column| column.name().to_string());
    let Some(column) = raw.take(&name) else {
        anyhow::bail!("{data} has no target; name it with --target")
    };
    let (with_target, target) = super::of_fit::targets(column, task, data)?;
    let (features, rows) = prepare(model, &raw, data)?;
    let place = |row: usize| rows.binary_search(&row).ok();
    let kept: Vec<usize> =
        (0..with_target.len()).filter(|&at| place(with_target[at]).is_some()).collect();
    let places: Vec<usize> = kept.iter().filter_map(|&at| place(with_target[at])).collect();
    let lost = raw.rows() - with_target.len();
    if lost > 0 {
        warn_without_class(lost);
    }
    let target: Target = super::of_fit::select(target, &kept);
    let features = features.select(&places);
    Ok(Table { features, target_name: name, target, without_class: None })
}

/// The features of a raw table, and which of its rows they are; says what was unusual.
fn prepare(model: &Fitted, raw: &RawTable, data: &str) -> Result<(Features, Vec<usize>)> {
    let prepared = model.prepare(raw).with_context(|| data.to_string())?;
    prepared.remarks.iter().for_each(|remark| output::warn(&format!("{data}: {remark}")));
    Ok((prepared.features, prepared.rows))
}

fn options_of(model: &Fitted, format: TextFormat) -> RawOptions {
    let mut options = RawOptions { format, ..RawOptions::default() };
    match model.preparation() {
        Some(preparation) => {
            options.columns = Some(preparation.columns().map(String::from).collect());
            options.text.extend(preparation.text_columns().map(String::from));
        }
        None => options.columns = Some(model.scaling().names().to_vec()),
    }
    options
}

fn format_of(source: Option<&Source>, given: &TextArgs) -> TextFormat {
    let learnt = source.map_or_else(TextFormat::default, |source| source.columns.format.clone());
    with_given(learnt, given)
}
