//! New rows for a saved model: prepared as those of its fit were.

use anyhow::{Context, Result, bail};
use burn::tensor::Tensor;
use burn_nca_data::{
    CsvOptions, Message, RawOptions, SparseTable, Table, TargetColumn, TargetKind, TextFormat,
    has_columns, is_sparse, open, open_features_as, open_raw, open_sparse, open_sparse_features,
};
use burn_nca_learn::Fitted;
use burn_nca_learn::data::{Features, Preparation, Prepared, RawTable, Split, name_key};
use burn_nca_program::number::ascii;

use super::arrays::{by_position, features_alone, nameless};
use super::hints::{read_as, unmeasured};
use super::of_fit::{kept, with_class};
use super::roles::Roles;
use super::target::targets;
use crate::cli::table::TextArgs;
use crate::failure::{self, hinted};
use crate::hint::CommandKind;
use crate::output::{self, warning};
use crate::source::{Source, with_given};
use burn_nca_report::Warning;

/// A saved model for a table.
pub struct Loaded {
    /// The model of the columns of a table.
    pub whole: Fitted,
    /// The model of the rows of a sparse table, which are read as `whole` embeds them.
    pub embedded: Option<Fitted>,
    /// Where the training rows came from; `None` for a model of an earlier version.
    pub source: Option<Source>,
}

#[derive(Debug)]
pub struct ModelRows {
    pub features: Features,
    /// Which rows of the table these are, from 0.
    pub rows: Vec<usize>,
    pub total: usize,
    /// The name of the column that names the rows, and the name of each row of the table.
    pub ids: Option<(String, Vec<String>)>,
    pub warnings: Vec<Warning>,
}

impl ModelRows {
    fn all(features: Features, warnings: Vec<Warning>) -> Self {
        let total = features.rows();
        Self { features, rows: (0..total).collect(), total, ids: None, warnings }
    }

    /// The place of each row of the table among the features; `None` for rows that were left out.
    pub fn places(&self) -> Vec<Option<usize>> {
        let mut places = vec![None; self.total];
        self.rows.iter().enumerate().for_each(|(place, &row)| places[row] = Some(place));
        places
    }
}

/// The values of a tensor, row-major.
pub fn host_values(tensor: &Tensor<2>) -> Result<Vec<f64>> {
    let values = tensor.clone().into_data().convert::<f64>().try_to_vec();
    values.context("an embedding is of floats")
}

impl Loaded {
    /// The model of the rows as they are read.
    pub fn model(&self) -> &Fitted {
        self.embedded.as_ref().unwrap_or(&self.whole)
    }

    /// The embedding of the rows of `data`, whose `places` there are counted from 0; a row whose embedding is not finite is
    /// refused with its column.
    pub fn embed(
        &self,
        (features, places): (&Features, &[usize]),
        data: &str,
    ) -> Result<Tensor<2>> {
        let model = self.model();
        let embedding = model.transform(features)?;
        let [_, k] = embedding.dims();
        let values = host_values(&embedding)?;
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

    /// How a table is written: as that of the fit, or as the options say.
    pub fn format(&self, given: &TextArgs) -> TextFormat {
        let learned = self.source.as_ref().map(|source| source.columns.format.clone());
        with_given(learned.unwrap_or_default(), given)
    }

    /// The rows of `data`; `id` names them, or the column that named them in the fit, where it is there.
    ///
    /// Of a sparse table they are where the model puts them: what [`Fitted::of_embedded`] takes.
    pub fn rows(&self, data: &str, (id, text): (Option<&str>, &TextArgs)) -> Result<ModelRows> {
        let (model, source) = (&self.whole, self.source.as_ref());
        let learned_id =
            source.and_then(|source| source.columns.id.clone()).filter(|_| id.is_none());
        let format = self.format(text);
        if is_sparse(data) && id.is_none() {
            let features = model.transform_sparse(&open_sparse_features(data)?)?;
            return Ok(ModelRows::all(features, Vec::new()));
        }
        if model.preparation().is_none() && id.is_none() && learned_id.is_none() {
            let names = model.scaling().names();
            let (features, notes) = open_features_as(data, names, &format)?;
            let renamed = features.renamed(names);
            let (features, note) = by_position(features, renamed, (data, names));
            return Ok(ModelRows::all(features, said(&notes, note)));
        }
        let mut options = options_of(model, format);
        options.text.extend(id.map(String::from));
        options.text_if_there.extend(learned_id.clone());
        let (raw, note) = if id.is_some() || has_columns(data) {
            (open_raw(data, &options)?, None)
        } else {
            let raw = match nameless(data) {
                true => open_raw(features_alone(data), &RawOptions::default())?,
                false => (&open_features_as(data, &[], &TextFormat::default())?.0).into(),
            };
            let names = columns_of(model);
            let renamed = raw.renamed(&names, 0);
            by_position(raw, renamed, (data, &names))
        };
        let ids = id.map(String::from).or(learned_id).and_then(|name| {
            let column = raw.column(&name)?.clone().into_text();
            Some((name, column.iter().map(|text| text.unwrap_or_default().to_string()).collect()))
        });
        let (Prepared { features, rows, .. }, remarks) = prepare(model, &raw, data)?;
        let warnings = said(raw.notes(), note.into_iter().chain(remarks));
        Ok(ModelRows { features, rows, total: raw.rows(), ids, warnings })
    }

    /// The rows of `data` with their targets, and what was unusual; rows that the preparation leaves out, and those without a
    /// class, are not among them. The target is that of the fit, or `given`.
    pub fn labeled(
        &self,
        data: &str,
        (given, text): (Option<&str>, &TextArgs),
        task: TargetKind,
    ) -> Result<(Table, Vec<Warning>)> {
        let (model, source) = (&self.whole, self.source.as_ref());
        let unlabeled = source.and_then(|source| source.columns.unlabeled_class.as_deref());
        if is_sparse(data) {
            let (table, warnings) = embedded_table(model, (data, task), unlabeled)?;
            self.embed((&table.features, &[]), data)?;
            return Ok((table, warnings));
        }
        let (format, has_columns) = (self.format(text), has_columns(data));
        let learned = source.and_then(|source| source.target.clone());
        let learned = learned.filter(|_| given.is_none() && has_columns);
        let name = given.map(String::from).or(learned.clone());
        let target = name.map_or(TargetColumn::Last, TargetColumn::Name);
        let is_prepared = model.preparation().is_some() && (has_columns || nameless(data));
        let found = if is_prepared {
            prepared_table(data, model, (target, task, unlabeled), format)
        } else {
            plain_table(data, model, (target, task, unlabeled), format)
        };
        let (table, rows, mut warnings) = match (found, learned) {
            (Err(error), Some(target)) if lacks_column(&error, &target) => {
                let target = output::short_name(&target);
                return Err(hinted(
                    format!("the model's target is \"{target}\": {}", failure::text(&error)),
                    format!("name that of {data} with --target"),
                ));
            }
            (found, _) => found?,
        };
        let names = model.scaling().names();
        let renamed = table.features.renamed(names);
        let (features, note) = by_position(table.features, renamed, (data, names));
        warnings.extend(note);
        model.scaling().check_columns(features.names())?;
        self.embed((&features, &rows), data)?;
        Ok((Table { features, ..table }, warnings))
    }
}

/// The rows of a sparse table where the model puts them: what [`Fitted::of_embedded`] takes.
fn embedded_table(
    model: &Fitted,
    (data, task): (&str, TargetKind),
    unlabeled: Option<&str>,
) -> Result<(Table, Vec<Warning>)> {
    let mut table = open_sparse(data, task)?;
    if let Some(class) = unlabeled {
        table = table.set_apart(class);
    }
    let SparseTable { features, target_name, target, without_class, notes } = table;
    let warnings = said(&notes, unmeasured(without_class.len()));
    let features = model.transform_sparse(&features)?;
    let (without_class, notes) = (None, Vec::new());
    Ok((Table { features, target_name, target, without_class, notes }, warnings))
}

/// How a table was read, and what else to know of it.
fn said(notes: &[Message], more: impl IntoIterator<Item = Warning>) -> Vec<Warning> {
    read_as(notes, CommandKind::Use).into_iter().chain(more).collect()
}

/// The rows that were kept, which rows of the file these are, and what was unusual.
type LabeledRows = (Table, Vec<usize>, Vec<Warning>);

fn plain_table(
    data: &str,
    model: &Fitted,
    (target, task, unlabeled): (TargetColumn, TargetKind, Option<&str>),
    format: TextFormat,
) -> Result<LabeledRows> {
    let has_columns = has_columns(data);
    let options = CsvOptions {
        target,
        task,
        features: has_columns.then(|| model.scaling().names().to_vec()),
        features_in_order: true,
        format: if has_columns { format } else { TextFormat::default() },
        set_unlabeled_apart: true,
        unlabeled_class: unlabeled.map(String::from),
        ..CsvOptions::default()
    };
    let table = open(data, &options)?;
    let apart = table.without_class.as_ref().map_or(0, |without| without.rows.len());
    let (rows, warnings) = (with_class(&table), said(&table.notes, unmeasured(apart)));
    Ok((table, rows, warnings))
}

/// The key of the group of each row of `data` by this column, where it has one; `None` without the column.
pub fn groups_of(data: &str, column: &str, format: &TextFormat) -> Option<Vec<Option<String>>> {
    let options = RawOptions {
        columns: Some(vec![column.to_string()]),
        text: vec![column.to_string()],
        format: format.clone(),
        ..RawOptions::default()
    };
    let raw = open_raw(data, &options).ok()?;
    let text = raw.column(column)?.clone().into_text();
    Some(text.iter().map(|name| name.map(|name| name_key(name).into_owned())).collect())
}

/// Whether an error says that there is no column of this name.
fn lacks_column(error: &anyhow::Error, name: &str) -> bool {
    // Long names are cut in messages.
    let shown = format!("{:?}", name.chars().take(40).collect::<String>());
    error.to_string().contains(&format!("has no column {}", shown.trim_end_matches('"')))
}

fn prepared_table(
    data: &str,
    model: &Fitted,
    (target, task, unlabeled): (TargetColumn, TargetKind, Option<&str>),
    format: TextFormat,
) -> Result<LabeledRows> {
    let of_columns =
        if has_columns(data) { options_of(model, format) } else { RawOptions::default() };
    let options = RawOptions {
        target: Some((target, task)),
        unlabeled_class: unlabeled.map(String::from),
        ..of_columns
    };
    let (raw, names) = (open_raw(data, &options)?, columns_of(model));
    let renamed = raw.renamed(&names, 1);
    let (mut raw, note) = by_position(raw, renamed, (data, &names));
    let name = raw.columns().last().map_or(String::new(), |column| column.name().to_string());
    let Some(column) = raw.take(&name) else {
        anyhow::bail!(hinted(format!("{data} has no target"), "name it with --target"))
    };
    let (with_target, target) = targets(column, (task, unlabeled), (data, false))?;
    let (prepared, remarks) = prepare(model, &raw, data)?;
    let left_out = unmeasured(raw.rows() - with_target.len());
    let warnings = said(raw.notes(), note.into_iter().chain(remarks).chain(left_out));
    let of_rows = ((&with_target[..], target), Vec::new());
    let no_parts = Split { train: Vec::new(), test: Vec::new() };
    let (table, _, _, rows) = kept(&prepared, of_rows, (no_parts, Roles::default()));
    Ok((Table { target_name: name, ..table }, rows, warnings))
}

/// The features of a raw table, which of its rows they are, and what was unusual.
fn prepare(model: &Fitted, raw: &RawTable, data: &str) -> Result<(Prepared, Vec<Warning>)> {
    let prepared = model.prepare(raw).with_context(|| data.to_string())?;
    let warning = |remark| warning!(Prepared, "{data}: {remark}");
    let warnings = prepared.remarks.iter().map(warning).collect();
    Ok((prepared, warnings))
}

fn columns_of(model: &Fitted) -> Vec<String> {
    match model.preparation() {
        Some(preparation) => preparation.columns().map(String::from).collect(),
        None => model.scaling().names().to_vec(),
    }
}

fn options_of(model: &Fitted, format: TextFormat) -> RawOptions {
    let levels = model.preparation().into_iter().flat_map(Preparation::text_columns);
    let levels = levels.map(String::from).collect();
    RawOptions {
        format,
        columns: Some(columns_of(model)),
        columns_in_order: true,
        levels,
        ..RawOptions::default()
    }
}
