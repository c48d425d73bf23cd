//! What `nca evaluate` is asked: a model, the rows to measure it on, and where its training rows came from.

use std::collections::HashSet;

use anyhow::{Result, bail};
use burn_nca_data::{Table, TargetKind};
use burn_nca_learn::Fitted;
use burn_nca_learn::data::Features;

use crate::cli::{EvaluateArgs, SourceArgs};
use crate::commands::finite;
use crate::commands::training_rows::{self, TrainingRows};
use crate::output::short_name;
use crate::source::Source;
use crate::tables::{self, LabeledRows};
use burn_nca_report::{Warning, WarningCode, counted};

/// A model, where it came from, and what is asked of it.
pub struct Question<'a> {
    /// The options.
    pub args: &'a EvaluateArgs,
    /// The model; of a sparse table that of embedded rows.
    pub model: &'a Fitted,
    /// The model of a sparse table's columns.
    pub whole: Option<&'a Fitted>,
    /// Where its training rows came from; `None` for a model of an earlier version.
    pub source: Option<Source>,
}

impl Question<'_> {
    /// The table to measure on, with the model's columns, and what was unusual in it.
    ///
    /// From a CSV file the columns are picked by their names, and the target by the name it had in the fit; others may
    /// are next to them.
    ///
    /// # Errors
    /// A table that cannot be read, or of other columns; a row whose embedding is not finite.
    pub fn table(&self, task: TargetKind) -> Result<(Table, Vec<Warning>)> {
        let SourceArgs { data, target, text, .. } = &self.args.source;
        if let Some(whole) = self.whole {
            let of = (whole, self.source.as_ref());
            let (table, warnings) = tables::embedded_table(data, of, task)?;
            finite::embed(self.model, (&table.features, &[]), data)?;
            return Ok((table, warnings));
        }
        let of = (self.model, self.source.as_ref());
        let LabeledRows { table, rows, warnings } =
            tables::labeled_table(data, of, (target.as_deref(), text), task)?;
        finite::embed(self.model, (&table.features, &rows), data)?;
        Ok((table, warnings))
    }

    /// The features to measure on, without a target, and what was unusual in them.
    ///
    /// # Errors
    /// As [`table`](Self::table).
    pub fn features(&self) -> Result<(Features, Vec<Warning>)> {
        let SourceArgs { data, text, .. } = &self.args.source;
        let model = self.whole.unwrap_or(self.model);
        let rows = tables::rows(data, (model, self.source.as_ref()), (None, text))?;
        finite::embed(self.model, (&rows.features, &rows.rows), data)?;
        Ok((rows.features, rows.warnings))
    }

    /// The training rows, read again.
    ///
    /// # Errors
    /// As [`training_rows::read`].
    pub fn training_rows(&self) -> Result<TrainingRows> {
        if self.whole.is_some() {
            bail!("the rows of a sparse table are not compared by Euclidean distance");
        }
        training_rows::read(self.source.as_ref(), self.args.train.as_deref(), self.model)
    }

    /// About rows to measure on that are of the group of a training row, where the fit has groups.
    pub fn about_groups(&self, train: &TrainingRows) -> Option<Warning> {
        let source = self.source.as_ref()?;
        let column = source.columns.groups.as_deref()?;
        let SourceArgs { data, text, .. } = &self.args.source;
        let rows = tables::groups_of(data, column, &tables::format_of(Some(source), text))?;
        let of_fit = self.args.train.as_deref().unwrap_or(&source.data);
        let of_fit = tables::groups_of(of_fit, column, &source.columns.format)?;
        let known = train.names.iter().filter_map(|(row, _)| of_fit.get(row - 1)?.as_ref());
        let known: HashSet<&String> = known.collect();
        let seen = rows.iter().flatten().filter(|group| known.contains(group)).count();
        let verb = if seen == 1 { "is" } else { "are" };
        (seen > 0).then(|| {
            Warning::new(
                WarningCode::TrainingRows,
                format!(
                    "{seen} of {} {verb} of a group of training rows (column \"{}\"): for new groups the scores are optimistic",
                    counted(rows.len(), "row"),
                    short_name(column)
                ),
            )
        })
    }
}
