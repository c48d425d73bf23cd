//! What `nca evaluate` is asked: a model, the rows to measure it on, and where its training rows came from.

use anyhow::{Result, bail};
use burn_nca::Fitted;
use burn_nca::data::Features;
use burn_nca_datasets::{Table, Task};

use super::training_rows;
use crate::cli::{EvaluateArgs, SourceArgs};
use crate::output;
use crate::source::Source;
use crate::tables;
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

/// Says on stderr what the JSON says too.
pub fn tell(warnings: &[Warning]) {
    warnings.iter().for_each(|warning| output::warn(&warning.text));
}

impl Question<'_> {
    /// The table to measure on, with the model's columns.
    ///
    /// From a CSV file the columns are picked by their names, and the target by the name it had in the fit; others may
    /// stand beside them.
    ///
    /// # Errors
    /// A table that cannot be read, or of other columns.
    pub fn table(&self, task: Task) -> Result<Table> {
        let SourceArgs { data, target, text, .. } = &self.args.source;
        if let Some(whole) = self.whole {
            return tables::embedded_table(data, whole, task);
        }
        let of = (self.model, self.source.as_ref());
        tables::labelled_table(data, of, (target.as_deref(), text), task)
    }

    /// The features to measure on, without a target.
    ///
    /// # Errors
    /// A table that cannot be read, or of other columns.
    pub fn features(&self) -> Result<Features> {
        let SourceArgs { data, text, .. } = &self.args.source;
        let model = self.whole.unwrap_or(self.model);
        Ok(tables::rows(data, (model, self.source.as_ref()), (None, text))?.features)
    }

    /// The training rows, read again.
    ///
    /// # Errors
    /// As [`training_rows::features`].
    pub fn training_rows(&self) -> Result<Features> {
        if self.whole.is_some() {
            bail!("the rows of a sparse table are not compared by Euclidean distance");
        }
        training_rows::features(self.source.as_ref(), self.args.train.as_deref(), self.model)
    }
}
