//! The rows of a fit, whatever is learned from them: opened, split, and the scores of a model of them.

use anyhow::{Result, bail};
use burn_nca_data::{Table, TargetKind, read_pairs};
use burn_nca_learn::data::{Coincidences, Labeled, RegressionData, TrainingData};

use super::progress::HeldOutMeasure;
use super::stages::Stages;
use super::tuning::groups;
use super::warnings;
use crate::cli::FitArgs;
use crate::cli::targets::TaskKind;
use crate::failure::hinted;
use crate::output;
use crate::source::Source;
use crate::tables::{self, PreparedData};
use burn_nca_report::Warning;
use burn_nca_report::evaluation::{ReportData, Rows, about_columns};

/// Data that `nca fit` learns from.
pub trait FitData: ReportData {
    /// The held-out score that the progress bar shows.
    const MEASURE: HeldOutMeasure;

    /// Whether a k of k-NN predicts a target.
    const PREDICTS: bool = true;

    /// The data that the options name, prepared and, where they have rows to hold out, split.
    ///
    /// # Errors
    /// Data that cannot be read, or that are plainly of another kind; an interruption.
    fn open(args: &FitArgs, source: &Source, stages: &Stages) -> Result<PreparedData<Self>>;

    /// What to say of the rows before the fit.
    fn warnings(train: &Self) -> Vec<Warning> {
        let columns = about_columns(train.features());
        columns
            .into_iter()
            .chain(warnings::about_copies(train.features(), groups(train.as_any_data())))
            .collect()
    }
}

impl FitData for Labeled {
    const MEASURE: HeldOutMeasure = HeldOutMeasure::Accuracy;

    fn open(args: &FitArgs, source: &Source, stages: &Stages) -> Result<PreparedData<Self>> {
        let mut pass = |done, all| stages.reduction_pass(done, all);
        let mut opened = tables::open_watched(source, TargetKind::Classes, &mut pass)?;
        refuse_numbers(args, &opened.table)?;
        let hints = opened.hints(args.targets.task == Some(TaskKind::Classification));
        opened.warnings.extend(hints);
        opened.reduced(source.reduce, args.scale)?.into_labeled(source)
    }

    fn warnings(train: &Self) -> Vec<Warning> {
        warnings::about_data(train)
    }
}

impl FitData for RegressionData {
    const MEASURE: HeldOutMeasure = HeldOutMeasure::R2;

    fn open(args: &FitArgs, source: &Source, stages: &Stages) -> Result<PreparedData<Self>> {
        let mut pass = |done, all| stages.reduction_pass(done, all);
        let mut opened = tables::open_watched(source, TargetKind::Numeric, &mut pass)?;
        let hints = opened.hints(false);
        opened.warnings.extend(hints);
        opened.reduced(source.reduce, args.scale)?.into_regression(source)
    }
}

impl FitData for Coincidences {
    const MEASURE: HeldOutMeasure = HeldOutMeasure::LogProbability;
    const PREDICTS: bool = false;

    fn open(args: &FitArgs, source: &Source, _: &Stages) -> Result<PreparedData<Self>> {
        let Some(file) = args.targets.pairs.as_deref() else {
            bail!(hinted("there are no pairs to learn from", "give --pairs FILE"));
        };
        let (features, preparation, names, warnings) = tables::open_features(source)?;
        let pairs = read_pairs(file, features.rows())?;
        let rows = split_pairs(Self::new(features, pairs)?, args)?;
        let (target, reduction) = (None, None);
        Ok(PreparedData { rows, target, preparation, reduction, names, warnings })
    }
}

/// The pairs that are learned from, and those that are held out.
fn split_pairs(data: Coincidences, args: &FitArgs) -> Result<Rows<Coincidences>> {
    let split = data.split(args.test_size, args.seed)?;
    let tests = split.test.is_empty() || data.part(&split.test).is_ok();
    match data.part(&split.train) {
        Ok(train) if tests => Ok(Rows::new(data, (split, train), args.seed)),
        _ => bail!(hinted(
            format!(
                "holding out {} of {} pairs leaves a part without a pair of positive weight",
                split.test.len(),
                data.units()
            ),
            "give another --test-size (0 learns from all)"
        )),
    }
}

/// Refuses numbers that are plainly no classes, unless the user says that they are.
fn refuse_numbers(args: &FitArgs, table: &Table) -> Result<()> {
    if args.targets.task == Some(TaskKind::Classification) {
        return Ok(());
    }
    match table.fractional_class() {
        None => Ok(()),
        Some(number) => bail!(hinted(
            format!(
                "the target \"{}\" holds numbers such as {number}, which are no classes",
                output::short_name(&table.target_name)
            ),
            "give --task regression to predict them, or --task classification if each number is a class"
        )),
    }
}
