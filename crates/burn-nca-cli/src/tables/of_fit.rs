//! The table of a fit: read, prepared on its training rows, and split.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use burn_nca_data::{
    CsvOptions, Table, Target, TargetKind, WithoutClass, is_sparse, open as open_numbers, open_raw,
    open_unlabeled,
};
use burn_nca_learn::data::{
    Features, Missing, Preparation, Prepared, RawColumn, RawTable, RawValues, Split, grouped_split,
};

use super::grouping;
use super::hints::{number_of, read_as};
use super::opened::Opened;
use super::roles::Roles;
use super::similar_names::about_similar_texts;
use super::sparse::{self, OnPass};
use super::target::{
    drawn_split, raw_options, refuse_no_such_class, refuse_unseen_classes, select, take_target,
    targets,
};
use super::target_hints::about_raw;
use super::test_rows::{of_test, with_test_rows};
use crate::failure::{hinted, usage};
use crate::hint::CommandKind;
use crate::output::{short_name, warning};
use crate::source::{Columns, Source};
use burn_nca_report::{RowNames, Warning, WarningCode};

/// Opens, prepares and splits the table of a fit, asking before each pass of the reduction of a sparse one.
pub fn open(source: &Source, on_pass: &mut OnPass<'_>) -> Result<Opened> {
    let opened = if is_sparse(&source.data) {
        sparse::open(source, on_pass)?
    } else if source.columns.need_raw_table() {
        raw(source)?
    } else {
        numbers(source)?
    };
    if opened.split.train.is_empty() {
        bail!(hinted("no training row is left", "give rows to learn from"));
    }
    Ok(opened)
}

/// Features, how they were prepared, which rows they are, and what to know of them.
type PreparedFeatures = (Features, Option<Preparation>, RowNames, Vec<Warning>);

pub fn open_features(source: &Source) -> Result<PreparedFeatures> {
    let columns = &source.columns;
    if source.reduce.is_some() {
        return Err(usage(
            "--reduce is for a table with a target, and pairs have none",
            "leave --reduce out",
        ));
    }
    if !columns.need_raw_table() {
        let (data, notes) = open_unlabeled(&source.data, &csv_options(source))?;
        let (names, warnings) = (RowNames::default(), read_as(&notes, CommandKind::Fit));
        return Ok((data, None, names, warnings));
    }
    let mut raw = open_raw(&source.data, &raw_options(source, None))?;
    let ids = Roles::take(&mut raw, columns)?.ids;
    let rows: Vec<usize> = (0..raw.rows()).collect();
    let preparation = columns.preparation().fit(&raw, &rows)?;
    let Prepared { features, remarks, rows } = preparation.apply(&raw)?;
    let said = preparation.sentences().into_iter().chain(remarks);
    let said = said.map(|text| Warning::new(WarningCode::Prepared, text));
    let warnings = read_as(raw.notes(), CommandKind::Fit).into_iter().chain(said).collect();
    let names = RowNames { places: Some(rows), ids, other: None };
    Ok((features, Some(preparation), names, warnings))
}

fn numbers(source: &Source) -> Result<Opened> {
    let mut table = open_numbers(&source.data, &csv_options(source))?;
    if let (Some(class), None) = (&source.columns.unlabeled_class, &table.without_class) {
        let names =
            if let Target::Classes { names, .. } = &table.target { &names[..] } else { &[] };
        refuse_no_such_class(names, class)?;
    }
    let split = drawn_split(&table.target, table.features.rows(), source)?;
    let mut warnings = read_as(&std::mem::take(&mut table.notes), CommandKind::Fit);
    let places = table.without_class.is_some().then(|| with_class(&table));
    let (roles, names) = (Roles::default(), RowNames { places, ..RowNames::default() });
    warnings.extend(about_rows_without_class((&table, &names), &source.columns));
    let (preparation, reduction) = (None, None);
    Ok(Opened { table, split, roles, preparation, reduction, names, warnings })
}

/// A table with text, missing values or columns that are no features.
fn raw(source: &Source) -> Result<Opened> {
    let (columns, task) = (&source.columns, source.kind());
    let target = Some((source.target_column(), task));
    let mut raw = open_raw(&source.data, &raw_options(source, target))?;
    let target_name = raw.columns().last().map_or("", RawColumn::name).to_string();
    let groups = columns.groups.as_deref().and_then(|name| raw.column(name));
    let similar_groups = groups.and_then(|groups| about_similar_texts("groups", groups));
    let mut roles = Roles::take(&mut raw, columns)?;
    let first_rows = raw.rows();
    let test = columns.test.as_deref();
    let tested =
        test.map(|test| with_test_rows(test, source, &target_name, (&mut raw, &mut roles)));
    let (preparation, note) = tested.transpose()?.unzip();
    if test.is_some() {
        roles.is_test = Some((0..raw.rows()).map(|row| row >= first_rows).collect());
    }
    let note: Option<Warning> = note.flatten();
    let notes: Vec<Warning> =
        read_as(raw.notes(), CommandKind::Fit).into_iter().chain(note).collect();
    let column = take_target(&mut raw, &target_name)?;
    if let (RawValues::Text(text), Some(class), 0) =
        (column.values(), &columns.unlabeled_class, column.num_missing())
    {
        refuse_no_such_class(text.distinct(), class)?;
    }
    let drops_rows = columns.missing == Missing::Drop;
    let kind = (task, columns.unlabeled_class.as_deref());
    let (rows, target) = targets(column, kind, (&source.data, drops_rows))?;
    let is_without = |row: &usize| task == TargetKind::Classes && rows.binary_search(row).is_err();
    let without: Vec<usize> = (0..raw.rows()).filter(is_without).collect();
    let (rows, target, without_weight) = weighted((rows, target), roles.weights.as_deref())?;
    let groups = grouping::settle(&rows, &target, &mut roles, source)?;
    let split = split_of(source, (&rows, &target), &roles)?;
    let groups =
        groups.or_else(|| grouping::settle_training(&in_table(&rows, &split.train), &mut roles));
    if split.train.is_empty() {
        bail!(hinted("no row is marked for training", "write train in the column of some rows"));
    }
    let preparation = match preparation {
        Some(preparation) => preparation,
        None => columns.preparation().fit(&raw, &in_table(&rows, &split.train))?,
    };
    let prepared = preparation.apply(&raw)?;
    let said = preparation
        .sentences()
        .into_iter()
        .chain(prepared.remarks.clone())
        .chain(about_roles(columns, &roles, &raw))
        .chain(without_weight)
        .map(|text| Warning::new(WarningCode::Prepared, text));
    let mut warnings: Vec<Warning> = notes.into_iter().chain(said).collect();
    warnings.extend(about_raw((&raw, &preparation), &rows, &target));
    let is_used = |column: &&RawColumn| preparation.columns().any(|name| name == column.name());
    let used = raw.columns().iter().filter(is_used);
    let levels = used.filter_map(|column| about_similar_texts("levels", column));
    warnings.extend(similar_groups.into_iter().chain(levels));
    drop(raw);
    let ids = roles.ids.take();
    let (table, split, roles, places) = kept(&prepared, ((&rows, target), without), (split, roles));
    let table = Table { target_name, ..table };
    let other = test.map(|test| (first_rows, of_test(test)));
    let names = RowNames { places: Some(places), ids, other };
    warnings.extend(groups);
    warnings.extend(about_rows_without_class((&table, &names), columns));
    if test.is_some() || columns.split.is_some() {
        refuse_unseen_classes(&table.target, &split)?;
    }
    let (preparation, reduction) = (Some(preparation), None);
    Ok(Opened { table, split, roles, preparation, reduction, names, warnings })
}

/// The table of the rows with a target and without one that a preparation kept: those with missing values may have been left
/// out. With their split and roles, and their places in the table that was read.
pub(super) fn kept(
    prepared: &Prepared,
    ((rows, target), without): ((&[usize], Target), Vec<usize>),
    (split, roles): (Split, Roles),
) -> (Table, Split, Roles, Vec<usize>) {
    let place = |row: usize| prepared.rows.binary_search(&row).ok();
    let kept: Vec<usize> = (0..rows.len()).filter(|&at| place(rows[at]).is_some()).collect();
    let features_of = |rows: &[usize]| {
        let places: Vec<usize> = rows.iter().filter_map(|&row| place(row)).collect();
        prepared.features.select(&places)
    };
    let without: Vec<usize> = without.into_iter().filter(|&row| place(row).is_some()).collect();
    let places = in_table(rows, &kept);
    let table = Table {
        features: features_of(&places),
        target_name: String::new(),
        target: select(target, &kept),
        without_class: (!without.is_empty())
            .then(|| WithoutClass { features: features_of(&without), rows: without.clone() }),
        notes: Vec::new(),
    };
    let renumbered =
        |part: &[usize]| part.iter().filter_map(|at| kept.binary_search(at).ok()).collect();
    let split = Split { train: renumbered(&split.train), test: renumbered(&split.test) };
    let of_rows = |values: Vec<f64>| places.iter().map(|&row| values[row]).collect();
    let roles = Roles {
        weights: roles.weights.map(of_rows),
        groups: roles.groups.map(|groups| in_table(&groups, &places)),
        is_test: None,
        ids: None,
    };
    (table, split, roles, places)
}

/// Which rows of the file those with a class are.
pub(super) fn with_class(table: &Table) -> Vec<usize> {
    let apart = table.without_class.as_ref().map_or(&[][..], |without| &without.rows);
    let all = 0..table.features.rows() + apart.len();
    all.filter(|row| apart.binary_search(row).is_err()).collect()
}

/// The rows of a table at places among some of them.
fn in_table(rows: &[usize], places: &[usize]) -> Vec<usize> {
    places.iter().map(|&at| rows[at]).collect()
}

/// The rows with a target that have a weight, too, and what to say of the others.
fn weighted(
    (rows, target): (Vec<usize>, Target),
    weights: Option<&[f64]>,
) -> Result<(Vec<usize>, Target, Option<String>)> {
    let Some(weights) = weights else { return Ok((rows, target, None)) };
    let kept: Vec<usize> = (0..rows.len()).filter(|&at| weights[rows[at]] > 0.0).collect();
    let none = rows.len() - kept.len();
    if none == 0 {
        return Ok((rows, target, None));
    }
    if kept.is_empty() && none > 1 {
        bail!(hinted(
            format!("none of the {none} rows has a positive weight"),
            "give some rows a positive weight"
        ))
    }
    let said =
        number_of(none, "row has weight 0 and is left out", "rows have weight 0 and are left out");
    Ok((in_table(&rows, &kept), select(target, &kept), Some(said)))
}

/// The training and the test rows among those with a target.
fn split_of(source: &Source, (rows, target): (&[usize], &Target), roles: &Roles) -> Result<Split> {
    if let Some(is_test) = &roles.is_test {
        let (test, train) = (0..rows.len()).partition(|&at| is_test[rows[at]]);
        return Ok(Split { train, test });
    }
    let Some(groups) = &roles.groups else { return drawn_split(target, rows.len(), source) };
    let labels = match target {
        Target::Classes { labels, .. } => labels.clone(),
        _ => vec![0; rows.len()],
    };
    Ok(grouped_split(&labels, &in_table(groups, rows), source.split.share, source.split.seed)?)
}

fn about_roles(columns: &Columns, roles: &Roles, raw: &RawTable) -> impl Iterator<Item = String> {
    let named = |name: &Option<String>| name.as_deref().map(short_name);
    let groups = roles.groups.as_ref().map(|groups| groups.iter().collect::<BTreeSet<_>>().len());
    let said = [
        named(&columns.weights)
            .map(|name| format!("rows count as column \"{name}\" says, scaled to a mean of 1")),
        named(&columns.split)
            .map(|name| format!("training and test rows are those of column \"{name}\"")),
        columns.test.as_ref().map(|test| format!("the test rows are those of {test}")),
        named(&columns.groups).zip(groups).map(|(name, groups)| {
            format!(
                "the {groups} groups of column \"{name}\" ({} rows) stay whole in splits and folds, and no score counts rows \
                 of a row's own group (the objective of the fit does)",
                raw.rows()
            )
        }),
    ];
    said.into_iter().flatten()
}

fn about_rows_without_class(
    (table, names): (&Table, &RowNames),
    columns: &Columns,
) -> Option<Warning> {
    let without = table.without_class.as_ref()?;
    let (count, first) = (without.rows.len(), names.name_of_place(*without.rows.first()?));
    let rows = number_of(count, "row has", "rows have");
    let verb = if count == 1 { "is" } else { "are" };
    let part = if columns.unlabeled_neighbors {
        "part of the denominators of the fit and of no score"
    } else {
        "left out of the fit and of all scores"
    };
    Some(warning!(
        RowsWithoutClass,
        "{rows} no class (the first is {first}) and {verb} {part} (gray in the picture); nca predict gives their classes"
    ))
}

fn csv_options(source: &Source) -> CsvOptions {
    CsvOptions {
        target: source.target_column(),
        ignore: source.ignored.clone(),
        features: source.columns.features.clone(),
        format: source.columns.format.clone(),
        set_unlabeled_apart: source.kind() == TargetKind::Classes,
        unlabeled_class: source.columns.unlabeled_class.clone(),
        task: source.kind(),
        ..CsvOptions::default()
    }
}
