//! The table of a fit once it is open, and the data that it becomes.

use anyhow::{Result, bail};
use burn_nca_data::{Table, WithoutClass};
use burn_nca_learn::data::{
    Labeled, Preparation, RegressionData, ScalingKind, Split, TrainingData,
};

use super::hints::hints;
use super::reduction::Reduction;
use super::roles::{Roles, with_mean_1};
use super::target_hints::about_target;
use super::value_hints::about_values;
use crate::failure::hinted;
use crate::source::Source;
use burn_nca_report::evaluation::Rows;
use burn_nca_report::{RowNames, Warning, WarningCode, counted};

/// A table that is ready for a fit.
#[derive(Debug)]
pub struct Opened {
    pub table: Table,
    pub split: Split,
    pub(super) roles: Roles,
    pub(super) preparation: Option<Preparation>,
    pub(super) reduction: Option<Reduction>,
    /// Which rows of the source the rows are.
    pub names: RowNames,
    pub warnings: Vec<Warning>,
}

pub struct PreparedData<D> {
    pub rows: Rows<D>,
    /// The name of the target; `None` for pairs.
    pub target: Option<String>,
    /// How the table was prepared; `None` for a table of numbers.
    pub preparation: Option<Preparation>,
    /// How the columns were reduced, where they were.
    pub reduction: Option<Reduction>,
    /// Which rows of the source the rows are.
    pub names: RowNames,
    pub warnings: Vec<Warning>,
}

impl Opened {
    /// What may be meant otherwise; `says_classes` where the user has said that the target holds classes.
    pub fn hints(&self, says_classes: bool) -> Vec<Warning> {
        let names = &self.names;
        let mut found = hints(&self.table, (&self.split.train, names), says_classes);
        found.extend(about_values(&self.table.features, names));
        found.extend(about_target(&self.table, &self.split, (names, self.preparation.is_some())));
        found
    }

    /// The rows in `k` directions, where so many are asked for and the table was not sparse: its columns are scaled, by their
    /// units where `scaling` is open, and reduced by PCA of the training rows.
    pub fn reduced(mut self, k: Option<usize>, scaling: Option<ScalingKind>) -> Result<Self> {
        let Some(k) = k.filter(|_| self.reduction.is_none()) else { return Ok(self) };
        let train = self.table.features.select(&self.split.train);
        let kind = scaling.unwrap_or_else(|| ScalingKind::auto(&train));
        let (reduction, share) = Reduction::of_columns(&train, k, kind)?;
        let told = format!(
            "{} are reduced to {k} by PCA of the training rows, with {:.1} % of their variance; the saved model takes the \
             table itself",
            counted(train.columns(), "column"),
            100.0 * share
        );
        self.warnings.push(Warning::new(WarningCode::Prepared, told));
        self.table.features = reduction.apply(&self.table.features)?;
        if let Some(others) = &mut self.table.without_class {
            others.features = reduction.apply(&others.features)?;
        }
        Ok(Self { reduction: Some(reduction), ..self })
    }

    pub fn into_labeled(self, source: &Source) -> Result<PreparedData<Labeled>> {
        let columns = &source.columns;
        self.into_data(source, |table, mut roles, (split, without_class)| {
            let mut data = table.into_labeled()?;
            if let Some(groups) = roles.groups.take() {
                data = data.with_groups(groups)?;
            }
            if let Some(weights) = roles.factors(&data, &split.train, columns.balanced)? {
                data = data.with_weights(weights)?;
            }
            if columns.unlabeled_neighbors {
                let Some(others) = without_class else {
                    bail!(hinted("every row has a class", "leave --unlabeled out"));
                };
                data = data.with_unlabeled(others.features.clone())?;
            }
            Ok(data)
        })
    }

    pub fn into_regression(self, source: &Source) -> Result<PreparedData<RegressionData>> {
        self.into_data(source, |table, roles, (split, _)| {
            let mut data = table.into_regression()?;
            if let Some(groups) = roles.groups {
                data = data.with_groups(groups)?;
            }
            if let Some(weights) = roles.weights {
                data = data.with_weights(with_mean_1(weights, &split.train)?)?;
            }
            Ok(data)
        })
    }

    fn into_data<D: TrainingData>(
        self,
        source: &Source,
        data: impl FnOnce(Table, Roles, (&Split, Option<&WithoutClass>)) -> Result<D>,
    ) -> Result<PreparedData<D>> {
        let Self { mut table, split, roles, preparation, reduction, names, warnings } = self;
        let target = Some(table.target_name.clone());
        let without_class = table.without_class.take();
        let data = data(table, roles, (&split, without_class.as_ref()))?;
        let train = data.part(&split.train)?;
        let rows = Rows::new(data, (split, train), source.split.seed);
        let rows = Rows { without_class, ..rows };
        Ok(PreparedData { rows, target, preparation, reduction, names, warnings })
    }
}
