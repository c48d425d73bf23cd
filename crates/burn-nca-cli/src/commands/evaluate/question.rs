//! What `nca evaluate` is asked: a model, the rows to measure it on, and where its training rows came from.

use std::path::Path;

use anyhow::{Context, Result};
use burn_nca::Fitted;
use burn_nca::data::Features;
use burn_nca_datasets::{CsvOptions, Table, TargetColumn, Task, by_name, open};

use super::training_rows;
use crate::cli::EvaluateArgs;
use crate::output;
use crate::report::Warning;
use crate::source::Source;

/// A model, where it came from, and what is asked of it.
pub struct Question<'a> {
    /// The options.
    pub args: &'a EvaluateArgs,
    /// The model.
    pub model: &'a Fitted,
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
        let (path, scaling) = (&self.args.source.data, self.model.scaling());
        let mut options = CsvOptions { task, ..CsvOptions::default() };
        let given = self.args.source.target.clone();
        options.target = given.clone().map_or(TargetColumn::Last, TargetColumn::Name);
        let mut learnt = None;
        if by_name(path).is_none() && Path::new(path).exists() {
            options.features = Some(scaling.names().to_vec());
            learnt = self.source.as_ref().and_then(|source| source.target.clone());
            learnt = learnt.filter(|_| given.is_none());
            if let Some(target) = &learnt {
                options.target = TargetColumn::Name(target.clone());
            }
        }
        let table = open(path, &options);
        let table = match learnt {
            Some(target) => table.with_context(|| {
                let target = output::short_name(&target);
                format!("the model's target is \"{target}\"; name that of {path} with --target")
            })?,
            None => table?,
        };
        scaling.check_columns(table.features.names())?;
        Ok(table)
    }

    /// The training rows, read again.
    ///
    /// # Errors
    /// As [`training_rows::features`].
    pub fn training_rows(&self) -> Result<Features> {
        training_rows::features(self.source.as_ref(), self.args.train.as_deref(), self.model)
    }
}
