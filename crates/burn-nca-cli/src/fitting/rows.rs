//! The rows of a fit, whatever is learned from them: opened, split, and the scores of a model of them.

use anyhow::{Result, bail};
use burn_nca_data::read_pairs;
use burn_nca_learn::data::{Coincidences, Labeled, RegressionData, Task, TrainingData};

use super::stages::Stages;
use crate::cli::FitArgs;
use crate::failure::hinted;
use crate::output;
use crate::source::Source;
use crate::tables::{self, Opened, PreparedData};
use burn_nca_report::ComparedBy;
use burn_nca_report::evaluation::{ReportData, Rows};

pub trait FitData: ReportData {
    /// What the progress bar shows of rows held out, and what candidates are compared by.
    const MEASURE: ComparedBy;

    /// The data that the options name, prepared and, where they have rows to hold out, split.
    fn open(args: &FitArgs, source: &Source, stages: &Stages) -> Result<PreparedData<Self>>;
}

impl FitData for Labeled {
    const MEASURE: ComparedBy = ComparedBy::Accuracy;

    fn open(args: &FitArgs, source: &Source, stages: &Stages) -> Result<PreparedData<Self>> {
        opened(args, source, stages)?.into_labeled(source)
    }
}

impl FitData for RegressionData {
    const MEASURE: ComparedBy = ComparedBy::R2;

    fn open(args: &FitArgs, source: &Source, stages: &Stages) -> Result<PreparedData<Self>> {
        opened(args, source, stages)?.into_regression(source)
    }
}

impl FitData for Coincidences {
    const MEASURE: ComparedBy = ComparedBy::LogProbability;

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

/// The table with a target, with what may be meant otherwise; numbers that are plainly no classes are refused as classes,
/// unless the user says that they are.
fn opened(args: &FitArgs, source: &Source, stages: &Stages) -> Result<Opened> {
    let mut pass = |done, all| stages.reduction_pass(done, all);
    let mut opened = tables::open(source, &mut pass)?;
    let says_classes = args.targets.task == Some(Task::Classes);
    let number = opened.table.fractional_class();
    if let (Some(number), false) = (number, says_classes) {
        bail!(hinted(
            format!(
                "the target \"{}\" holds numbers such as {number}, which are no classes",
                output::short_name(&opened.table.target_name)
            ),
            "give --task regression to predict them, or --task classification if each number is a class"
        ))
    }
    let hints = opened.hints(says_classes);
    opened.warnings.extend(hints);
    opened.reduced(source.reduce, args.scale)
}
