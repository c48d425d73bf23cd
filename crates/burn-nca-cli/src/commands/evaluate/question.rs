//! What `nca evaluate` is asked: a model, the rows to measure it on, and where its training rows came from.

use anyhow::{Result, bail};
use burn_nca_data::{Table, TargetKind};
use burn_nca_learn::Fitted;
use burn_nca_learn::data::Features;

use crate::cli::{EvaluateArgs, SourceArgs};
use crate::commands::{finite, training_rows};
use crate::source::Source;
use crate::tables::{self, LabeledRows};
use burn_nca_report::Warning;

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
            finite::check(self.model, (&table.features, &[]), data)?;
            return Ok((table, warnings));
        }
        let of = (self.model, self.source.as_ref());
        let LabeledRows { table, rows, warnings } =
            tables::labeled_table(data, of, (target.as_deref(), text), task)?;
        finite::check(self.model, (&table.features, &rows), data)?;
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
        finite::check(self.model, (&rows.features, &rows.rows), data)?;
        Ok((rows.features, rows.warnings))
    }

    /// The training rows, read again.
    ///
    /// # Errors
    /// As [`training_rows::read`].
    pub fn training_rows(&self) -> Result<Features> {
        if self.whole.is_some() {
            bail!("the rows of a sparse table are not compared by Euclidean distance");
        }
        let moved = self.args.train.as_deref();
        Ok(training_rows::read(self.source.as_ref(), moved, self.model)?.features)
    }
}
