//! New rows for a saved model: prepared as those of its fit were.

use anyhow::{Context, Result};
use burn_nca_data::{
    CsvOptions, RawOptions, SparseTable, Table, TargetColumn, TargetKind, TextFormat, has_columns,
    is_sparse, open, open_features_as, open_raw, open_sparse, open_sparse_features,
};
use burn_nca_learn::Fitted;
use burn_nca_learn::data::{Features, Preparation, Prepared, RawTable, Split, name_key};

use super::arrays::{by_position, features_alone, nameless};
use super::hints::{read_as, unmeasured};
use super::of_fit::kept;
use super::roles::Roles;
use super::target::targets;
use crate::cli::table::TextArgs;
use crate::failure::{self, hinted};
use crate::hint::CommandKind;
use crate::output::{self, warning};
use crate::source::{Source, with_given};
use burn_nca_report::Warning;

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
    /// What was unusual.
    pub warnings: Vec<Warning>,
}

impl ModelRows {
    /// All rows of a table of numbers.
    fn all(features: Features) -> Self {
        let total = features.rows();
        Self { features, rows: (0..total).collect(), total, ids: None, warnings: Vec::new() }
    }

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
pub fn rows(
    data: &str,
    (model, source): (&Fitted, Option<&Source>),
    (id, text): (Option<&str>, &TextArgs),
) -> Result<ModelRows> {
    let learned_id = source.and_then(|source| source.columns.id.clone()).filter(|_| id.is_none());
    let format = format_of(source, text);
    if is_sparse(data) && id.is_none() {
        return Ok(ModelRows::all(model.transform_sparse(&open_sparse_features(data)?)?));
    }
    if model.preparation().is_none() && id.is_none() && learned_id.is_none() {
        let names = model.scaling().names();
        let (features, notes) = open_features_as(data, names, &format)?;
        let (features, note) =
            by_position(features.renamed(names), (data, names)).unwrap_or((features, None));
        return Ok(ModelRows {
            warnings: read_as(&notes, CommandKind::Use).into_iter().chain(note).collect(),
            ..ModelRows::all(features)
        });
    }
    let mut options = options_of(model, format);
    options.text.extend(id.map(String::from));
    options.text_if_there.extend(learned_id.clone());
    let (raw, note) = match id.is_some() || has_columns(data) {
        true => (open_raw(data, &options)?, None),
        false => {
            let raw = match nameless(data) {
                true => open_raw(features_alone(data), &RawOptions::default())?,
                false => (&open_features_as(data, &[], &TextFormat::default())?.0).into(),
            };
            let names = columns_of(model);
            by_position(raw.renamed(&names, 0), (data, &names)).unwrap_or((raw, None))
        }
    };
    let ids = id.map(String::from).or(learned_id).and_then(|name| {
        let column = raw.column(&name)?.clone().into_text();
        Some((name, column.iter().map(|text| text.unwrap_or_default().to_string()).collect()))
    });
    let (prepared, remarks) = prepare(model, &raw, data)?;
    let Prepared { features, rows, .. } = prepared;
    let warnings = read_as(raw.notes(), CommandKind::Use).into_iter().chain(note).chain(remarks);
    let warnings = warnings.collect();
    Ok(ModelRows { features, rows, total: raw.rows(), ids, warnings })
}

/// Rows with their targets that a model can be measured on.
#[derive(Debug)]
pub struct LabeledRows {
    /// The rows that were kept.
    pub table: Table,
    /// Which rows of the file these are, from 0; of a sparse table they are not known.
    pub rows: Vec<usize>,
    /// What was unusual.
    pub warnings: Vec<Warning>,
}

/// The rows of `data` with their targets, for a model, and what was unusual; rows that the preparation leaves out, and
/// those without a class, are not among them.
pub fn labeled_table(
    data: &str,
    (model, source): (&Fitted, Option<&Source>),
    (given, text): (Option<&str>, &TextArgs),
    task: TargetKind,
) -> Result<LabeledRows> {
    let unlabeled = source.and_then(|source| source.columns.unlabeled_class.as_deref());
    if is_sparse(data) {
        return embedded_table(model, (data, task), unlabeled);
    }
    let format = format_of(source, text);
    let has_columns = has_columns(data);
    let learned = source.and_then(|source| source.target.clone());
    let learned = learned.filter(|_| given.is_none() && has_columns);
    let name = given.map(String::from).or(learned.clone());
    let target = name.map_or(TargetColumn::Last, TargetColumn::Name);
    let is_prepared = model.preparation().is_some() && (has_columns || nameless(data));
    let found = if is_prepared {
        prepared_table(data, model, (target, task, unlabeled), format)
    } else {
        let features = has_columns.then(|| model.scaling().names().to_vec());
        let format = if has_columns { format } else { TextFormat::default() };
        let options = CsvOptions {
            target,
            task,
            features,
            features_in_order: true,
            format,
            set_unlabeled_apart: true,
            unlabeled_class: unlabeled.map(String::from),
            ..CsvOptions::default()
        };
        open(data, &options).map_err(anyhow::Error::from).map(|table| {
            let apart = table.without_class.as_ref().map_or(&[][..], |without| &without.rows);
            let all = 0..table.features.rows() + apart.len();
            let rows = all.filter(|row| apart.binary_search(row).is_err()).collect();
            let notes = read_as(&table.notes, CommandKind::Use).into_iter();
            let warnings = notes.chain(unmeasured(apart.len())).collect();
            LabeledRows { table, rows, warnings }
        })
    };
    let mut found = match (found, learned) {
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
    let renamed = found.table.features.renamed(names);
    if let Some((renamed, note)) = by_position(renamed, (data, names)) {
        found.table.features = renamed;
        found.warnings.extend(note);
    }
    model.scaling().check_columns(found.table.features.names())?;
    Ok(found)
}

/// The rows of a sparse table where the model puts them: what [`Fitted::of_embedded`] takes.
fn embedded_table(
    model: &Fitted,
    (data, task): (&str, TargetKind),
    unlabeled: Option<&str>,
) -> Result<LabeledRows> {
    let mut table = open_sparse(data, task)?;
    if let Some(class) = unlabeled {
        table = table.set_apart(class);
    }
    let SparseTable { features, target_name, target, without_class, notes } = table;
    let warnings = read_as(&notes, CommandKind::Use).into_iter();
    let warnings = warnings.chain(unmeasured(without_class.len())).collect();
    let (without_class, notes) = (None, Vec::new());
    let features = model.transform_sparse(&features)?;
    let table = Table { features, target_name, target, without_class, notes };
    Ok(LabeledRows { table, rows: Vec::new(), warnings })
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
    let renamed = by_position(raw.renamed(&names, 1), (data, &names));
    let (mut raw, note) = renamed.unwrap_or((raw, None));
    let name = raw.columns().last().map_or(String::new(), |column| column.name().to_string());
    let Some(column) = raw.take(&name) else {
        anyhow::bail!(hinted(format!("{data} has no target"), "name it with --target"))
    };
    let (with_target, target) = targets(column, (task, unlabeled), (data, false))?;
    let mut warnings = read_as(raw.notes(), CommandKind::Use);
    warnings.extend(note);
    let (prepared, remarks) = prepare(model, &raw, data)?;
    warnings.extend(remarks);
    warnings.extend(unmeasured(raw.rows() - with_target.len()));
    let of_rows = ((&with_target[..], target), Vec::new());
    let no_parts = Split { train: Vec::new(), test: Vec::new() };
    let (table, _, _, rows) = kept(&prepared, of_rows, (no_parts, Roles::default()));
    Ok(LabeledRows { table: Table { target_name: name, ..table }, rows, warnings })
}

/// The features of a raw table, which of its rows they are, and what was unusual.
fn prepare(model: &Fitted, raw: &RawTable, data: &str) -> Result<(Prepared, Vec<Warning>)> {
    let prepared = model.prepare(raw).with_context(|| data.to_string())?;
    let remarks = prepared.remarks.iter();
    let warning = |remark| warning!(Prepared, "{data}: {remark}");
    let warnings = remarks.map(warning).collect();
    Ok((prepared, warnings))
}

/// The columns that a model is fitted on.
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

pub fn format_of(source: Option<&Source>, given: &TextArgs) -> TextFormat {
    let learned = source.map_or_else(TextFormat::default, |source| source.columns.format.clone());
    with_given(learned, given)
}
