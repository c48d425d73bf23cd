//! The rows of a fit, whatever is learned from them: opened, parted, and what a model of them is worth.

use anyhow::{Result, bail};
use burn_nca::Fitted;
use burn_nca::data::{Coincidences, Labeled, RegressionData, Scaling, Split, TrainingData};
use burn_nca_data::{Table, TargetKind, WithoutClass, by_name, read_pairs};

use super::classes::{self, ClassRows};
use super::finished_fit::Evaluation;
use super::neighbor_count::{of_classes, of_numbers};
use super::numbers::{self, NumberRows};
use super::pairs::{self, PairParts};
use super::progress::HeldOutMeasure;
use super::recording::Step;
use super::replay::{self, Cast};
use super::sample::Sample;
use super::stages::Stages;
use super::warnings;
use crate::cli::targets::TaskKind;
use crate::cli::{FitArgs, NeighborCount};
use crate::output;
use crate::source::Source;
use crate::tables::{self, Ready};
use burn_nca_report::{Replay, Warning};

/// All rows of a fit, and which of them (or of their pairs) are learned from.
pub struct Rows<D> {
    pub data: D,
    pub split: Split,
    /// The part that is learned from. What is computed of it once, its copies share.
    pub train: D,
    /// The rows without a class, to be drawn.
    pub without_class: Option<WithoutClass>,
    /// The k of k-NN; of no use to pairs.
    pub neighbors: usize,
    /// The seed of everything random.
    pub seed: u64,
}

impl<D: FitData> Rows<D> {
    fn new(data: D, (split, train): (Split, D), args: &FitArgs) -> Self {
        Self { data, split, train, without_class: None, neighbors: 0, seed: args.seed }
    }

    /// The rows on one scale, in the place of those that were read.
    ///
    /// # Errors
    /// Other columns than those of the scaling.
    pub fn scaled(self, scaling: &Scaling) -> Result<Self> {
        let Self { mut data, split, train, without_class, neighbors, seed } = self;
        // From here on there is one table, the scaled one.
        drop(train);
        data.scale(scaling)?;
        let train = data.part(&split.train)?;
        Ok(Self { data, split, train, without_class, neighbors, seed })
    }

    /// What is measured; all of a table that is not large.
    fn sample(&self) -> Result<Sample> {
        let features = self.data.features().columns();
        Sample::of(&self.split, [D::references(self), features], self.seed)
    }

    /// Says that what is measured is a sample, if it is.
    ///
    /// # Errors
    /// None that a split leads to.
    pub fn remark(&self) -> Result<Option<Warning>> {
        Ok(self.sample()?.remark(D::FIGURES, D::NOUN))
    }
}

/// Data that `nca fit` learns from.
pub trait FitData: TrainingData {
    /// The held-out score that the progress bar shows.
    const MEASURE: HeldOutMeasure;

    /// Whether a k of k-NN predicts a target.
    const PREDICTS: bool = true;

    /// What is measured on a sample of a large table.
    const FIGURES: &str;

    /// What is split.
    const NOUN: &str = "row";

    /// The k of k-NN for the rows of a model.
    ///
    /// # Errors
    /// A rule for k that has nothing to choose by, or an embedding that is not finite.
    fn neighbors(wanted: Option<NeighborCount>, model: &Fitted) -> Result<usize>;

    /// How many rows each that is measured is compared with.
    fn references(rows: &Rows<Self>) -> usize {
        rows.split.train.len()
    }

    /// The data that the options name, prepared and, where they have rows to hold out, split.
    ///
    /// # Errors
    /// Data that cannot be read, or that are plainly of another kind; an interruption.
    fn open(args: &FitArgs, source: &Source, stages: &Stages) -> Result<Ready<Self>>;

    /// All rows with their split.
    ///
    /// # Errors
    /// A share that leaves a part without anything.
    fn parted(self, split: Option<Split>, args: &FitArgs) -> Result<Rows<Self>> {
        let split = match split {
            Some(split) => split,
            None => self.split(args.test_size, args.seed)?,
        };
        let train = self.part(&split.train)?;
        Ok(Rows::new(self, (split, train), args))
    }

    /// The fit once more, from some of its steps; `None` where these do not tell it, or where the stages end before.
    ///
    /// # Errors
    /// An embedding that is not finite.
    fn replay(
        model: &Fitted,
        rows: &Rows<Self>,
        from: (&[Step], &Stages),
    ) -> Result<Option<Replay>>;

    /// What to say of the rows before the fit.
    fn warnings(train: &Self) -> Vec<Warning> {
        let columns = warnings::about_columns(train.features());
        columns.into_iter().chain(warnings::about_copies(train.features(), None)).collect()
    }

    /// What a model is worth beside the baselines.
    ///
    /// # Errors
    /// k above the training rows, or an embedding that is not finite.
    fn evaluate(model: &Fitted, rows: &Rows<Self>, stages: &Stages) -> Result<Evaluation>;
}

impl FitData for Labeled {
    const MEASURE: HeldOutMeasure = HeldOutMeasure::Accuracy;
    const FIGURES: &str = "accuracies, f, g, perplexity and the picture";

    fn replay(
        model: &Fitted,
        rows: &Rows<Self>,
        (steps, stages): (&[Step], &Stages),
    ) -> Result<Option<Replay>> {
        let Rows { data, split, train, neighbors, .. } = rows;
        let (sample, without_class) = (&rows.sample()?, None);
        let rows = ClassRows { data, split, train, sample, without_class, neighbors: *neighbors };
        replay::replay(model, Cast::of_classes(model, &rows), steps, stages)
    }

    fn neighbors(wanted: Option<NeighborCount>, model: &Fitted) -> Result<usize> {
        of_classes(wanted, model)
    }

    fn open(args: &FitArgs, source: &Source, stages: &Stages) -> Result<Ready<Self>> {
        let mut pass = |done, all| stages.reduction_pass(done, all);
        let mut opened = tables::open_watched(source, TargetKind::Classes, &mut pass)?;
        refuse_numbers(args, &opened.table)?;
        let hints = opened.hints(args.targets.task == Some(TaskKind::Classification));
        opened.warnings.extend(hints);
        opened.into_labeled(&source.columns)
    }

    fn warnings(train: &Self) -> Vec<Warning> {
        warnings::about_data(train)
    }

    fn evaluate(model: &Fitted, rows: &Rows<Self>, stages: &Stages) -> Result<Evaluation> {
        let Rows { data, split, train, without_class, neighbors, .. } = rows;
        let (sample, without_class) = (&rows.sample()?, without_class.as_ref());
        let rows = ClassRows { data, split, train, sample, without_class, neighbors: *neighbors };
        classes::evaluate(model, &rows, stages)
    }
}

impl FitData for RegressionData {
    const MEASURE: HeldOutMeasure = HeldOutMeasure::R2;
    const FIGURES: &str = "R², errors, perplexity and the picture";

    fn neighbors(wanted: Option<NeighborCount>, model: &Fitted) -> Result<usize> {
        of_numbers(wanted, model.references().dims()[0])
    }

    fn open(args: &FitArgs, source: &Source, stages: &Stages) -> Result<Ready<Self>> {
        if by_name(&args.source.data).is_some() {
            bail!(
                "the bundled set {:?} has classes, and a numeric target is needed; leave --soft and --task \
                 regression out, or give a CSV file",
                args.source.data
            );
        }
        let mut pass = |done, all| stages.reduction_pass(done, all);
        let mut opened = tables::open_watched(source, TargetKind::Numeric, &mut pass)?;
        let hints = opened.hints(false);
        opened.warnings.extend(hints);
        opened.into_regression()
    }

    fn evaluate(model: &Fitted, rows: &Rows<Self>, stages: &Stages) -> Result<Evaluation> {
        let Rows { data, split, train, neighbors, .. } = rows;
        let sample = &rows.sample()?;
        let rows = NumberRows { data, split, train, sample, neighbors: *neighbors };
        numbers::evaluate(model, &rows, stages)
    }

    fn replay(
        model: &Fitted,
        rows: &Rows<Self>,
        (steps, stages): (&[Step], &Stages),
    ) -> Result<Option<Replay>> {
        let Rows { data, split, train, neighbors, .. } = rows;
        let sample = &rows.sample()?;
        let rows = NumberRows { data, split, train, sample, neighbors: *neighbors };
        replay::replay(model, Cast::of_numbers(model, &rows), steps, stages)
    }
}

impl FitData for Coincidences {
    const MEASURE: HeldOutMeasure = HeldOutMeasure::LogProbability;
    const PREDICTS: bool = false;
    const FIGURES: &str = "ranks, perplexity and the picture";
    const NOUN: &str = "pair";

    /// Each end of a pair is compared with all rows.
    fn references(rows: &Rows<Self>) -> usize {
        2 * rows.data.features().rows()
    }

    fn neighbors(_wanted: Option<NeighborCount>, _model: &Fitted) -> Result<usize> {
        Ok(0)
    }

    fn open(args: &FitArgs, source: &Source, _: &Stages) -> Result<Ready<Self>> {
        let Some(file) = args.targets.pairs.as_deref() else {
            bail!("there are no pairs to learn from; give --pairs FILE");
        };
        let Ready {
            data: features,
            split,
            target,
            preparation,
            reduction,
            without_class,
            names,
            warnings,
        } = tables::open_features(source)?;
        let pairs = read_pairs(file, features.rows())?;
        let data = Self::new(features, pairs)?;
        Ok(Ready { data, split, target, preparation, reduction, without_class, names, warnings })
    }

    fn parted(self, _: Option<Split>, args: &FitArgs) -> Result<Rows<Self>> {
        let split = self.split(args.test_size, args.seed)?;
        let tests = split.test.is_empty() || self.part(&split.test).is_ok();
        match self.part(&split.train) {
            Ok(train) if tests => Ok(Rows::new(self, (split, train), args)),
            _ => bail!(
                "holding out {} of {} pairs leaves a part without a pair of positive weight; give another \
                 --test-size (0 learns from all)",
                split.test.len(),
                self.units()
            ),
        }
    }

    fn evaluate(model: &Fitted, rows: &Rows<Self>, stages: &Stages) -> Result<Evaluation> {
        pairs::evaluate(model, &rows.data, &pair_parts(rows)?, stages)
    }

    fn replay(
        model: &Fitted,
        rows: &Rows<Self>,
        (steps, stages): (&[Step], &Stages),
    ) -> Result<Option<Replay>> {
        match Cast::of_pairs(model, &rows.data, pair_parts(rows)?) {
            Some(cast) => replay::replay(model, cast, steps, stages),
            None => Ok(None),
        }
    }
}

/// The pairs that were learned from, and those that are measured.
///
/// # Errors
/// None that a split leads to.
fn pair_parts(rows: &Rows<Coincidences>) -> Result<PairParts> {
    let sample = rows.sample()?;
    let of_sample: Vec<usize> = sample.train.iter().map(|&at| rows.split.train[at]).collect();
    let (asked, all) = match sample.test.is_empty() {
        true => (&of_sample, &rows.split.train),
        false => (&sample.test, &rows.split.test),
    };
    // Pairs of weight 0 do not ask; should a sample hold no others, all do.
    let asked = rows.data.part(asked).or_else(|_| rows.data.part(all))?;
    Ok(PairParts {
        train: rows.train.pairs().clone(),
        test: rows.split.test.len(),
        asked: asked.pairs().clone(),
        measured: sample.measured(),
        seed: rows.seed,
    })
}

/// Refuses numbers that are plainly no classes, unless the user says that they are.
fn refuse_numbers(args: &FitArgs, table: &Table) -> Result<()> {
    if args.targets.task == Some(TaskKind::Classification) {
        return Ok(());
    }
    match table.fractional_class() {
        None => Ok(()),
        Some(number) => bail!(
            "the target \"{}\" holds numbers such as {number}, which are no classes; add --task regression to \
             predict them, or --task classification if each number is a class",
            output::short_name(&table.target_name)
        ),
    }
}
