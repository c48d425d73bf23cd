//! Sparse tables: reduced before a fit, and embedded by its model without writing their zeros out.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use anyhow::{Result, bail};
use burn_nca_data::{SparseTable, Table, Target, open_sparse};
use burn_nca_learn::baseline::TruncatedSvdConfig;
use burn_nca_learn::data::{Features, SparseFeatures, Split};

use super::hints::read_as;
use super::opened::Opened;
use super::reduction::{Reduction, directions};
use super::roles::Roles;
use super::target::{drawn_split, refuse_no_such_class};
use crate::failure::hinted;
use crate::hint::CommandKind;
use crate::output::warning;
use crate::source::Source;
use burn_nca_report::evaluation::about_constant;
use burn_nca_report::{RowNames, Warning, WarningCode, counted};

/// Directions that a table is reduced to where the user names no number.
const DIRECTIONS: usize = 100;

/// Asked before each pass of a reduction, with the number of passes so far and that of all: a break takes the directions
/// so far, and an error ends the work.
pub type OnPass<'a> = dyn FnMut(usize, usize) -> Result<ControlFlow<()>> + 'a;

/// Opens, splits and reduces a sparse table.
pub(super) fn open(source: &Source, on_pass: &mut OnPass<'_>) -> Result<Opened> {
    let columns = &source.columns;
    let chosen = source.target.is_some()
        || !source.ignored.is_empty()
        || columns.features.is_some()
        || columns.unlabeled_neighbors
        || columns.need_raw_table();
    if chosen {
        bail!(hinted(
            format!(
                "{} is a sparse table, whose columns have no names: --target, --ignore and the options of columns are for CSV files",
                source.data
            ),
            "leave them out"
        ));
    }
    let mut table = open_sparse(&source.data, source.kind())?;
    if let Some(class) = &columns.unlabeled_class {
        if let Target::Classes { names, .. } = &table.target {
            refuse_no_such_class(names, class)?;
        }
        table = table.set_apart(class);
    }
    let SparseTable { features, target_name, target, without_class, notes } = table;
    let split = drawn_split(&target, features.rows(), source)?;
    let (reduction, reduced, mut warnings) = reduced(&features, (&split, source.reduce), on_pass)?;
    warnings.extend(read_as(&notes, CommandKind::Fit));
    if !without_class.is_empty() {
        warnings.push(warning!(
            RowsWithoutClass,
            "{} of {} without a class are kept out of the fit and of its figures",
            counted(without_class.len(), "row"),
            source.data
        ));
    }
    let (without_class, notes) = (None, Vec::new());
    let table = Table { features: reduced, target_name, target, without_class, notes };
    let (roles, reduction, names) = (Roles::default(), Some(reduction), RowNames::default());
    Ok(Opened { table, split, roles, preparation: None, reduction, names, warnings })
}

/// The rows in the directions of largest variance of the training rows, and what to say of them.
fn reduced(
    features: &SparseFeatures,
    (split, wanted): (&Split, Option<usize>),
    on_pass: &mut OnPass<'_>,
) -> Result<(Reduction, Features, Vec<Warning>)> {
    let train = features.select(&split.train);
    let most = train.rows().min(train.columns());
    let k = wanted.unwrap_or(DIRECTIONS.min(most));
    let config = TruncatedSvdConfig::new(k).with_center(true);
    let svd = config.fit_until(&train, |passes| on_pass(passes, config.iterations));
    let svd = svd.map_err(|error: anyhow::Error| match error.is::<burn_nca_learn::Error>() {
        true => error.context("the table cannot be reduced; give another --reduce"),
        false => error,
    })?;
    let [_, found] = svd.projection.shape();
    let all = features.rows() as f64 * features.columns() as f64;
    let mut remark = format!(
        "{} of which {:.1} % are not 0 are reduced to {found} by a truncated SVD of the training rows{}; the saved model takes \
         the table itself",
        counted(features.columns(), "column"),
        100.0 * features.entries() as f64 / all.max(1.0),
        if found < k { ", which vary in no other direction" } else { "" },
    );
    if svd.passes < config.iterations {
        remark += &format!(
            "; after {} of {} passes the time budget was spent, so the directions are less exact",
            svd.passes, config.iterations
        );
    }
    let rows = directions(&svd.apply(features)?)?;
    let prepared = Warning::new(WarningCode::Prepared, remark);
    let warnings = std::iter::once(prepared).chain(about_constant_columns(&train)).collect();
    Ok((Reduction { scaling: None, projection: svd.projection }, rows, warnings))
}

/// About columns of equal entries; columns without any are common in a sparse table.
fn about_constant_columns(train: &SparseFeatures) -> Option<Warning> {
    let entries = |row| train.row(row).filter(|entry| entry.1 != 0.0);
    let filled: BTreeSet<usize> =
        (0..train.rows()).flat_map(entries).map(|entry| entry.0).collect();
    let constant = train.constant_columns().into_iter().filter(|column| filled.contains(column));
    let names: Vec<String> = constant.map(|column| format!("x{}", column + 1)).collect();
    about_constant(&names.iter().map(String::as_str).collect::<Vec<_>>())
}
