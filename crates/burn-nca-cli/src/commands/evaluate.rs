//! `nca evaluate`: the scores of a saved model on rows whose target is known.

use std::collections::{BTreeMap, HashSet};

use anyhow::{Result, bail};
use burn_nca_data::{TargetKind, read_pairs};
use burn_nca_learn::data::{Features, Pairs, random_split};
use burn_nca_learn::estimator::TrainingTargets;
use burn_nca_learn::evaluate::{PartnerRanks, Spread};
use burn_nca_program::terminal::wrapped;
use burn_nca_program::{Terminal, plain_table};
use burn_nca_report::evaluation::{
    NewNumberScores, NewRowScores, Seen, VALUES, about_spread, measures, not_checked, recall_of,
    seen_pairs, values,
};
use burn_nca_report::{Measure, RowNames, Warning, counted};
use serde::Serialize;

use super::loaded::load_for;
use super::training_rows;
use crate::cli::{EvaluateArgs, Format, SourceArgs};
use crate::failure::{hinted, idle, in_one_line};
use crate::fitting::neighbor_count;
use crate::output::{self, short_name, warning_if};
use crate::source::Source;
use crate::tables::{Loaded, groups_of};

/// Measures a model on rows with a target, or on pairs.
pub fn run(args: &EvaluateArgs) -> Result<()> {
    let loaded = load_for(&args.model, &args.source.data)?;
    let known = loaded.whole.training_targets();
    refuse_without_effect(args, known)?;
    match known {
        TrainingTargets::Classes { .. } => classes(args, &loaded),
        TrainingTargets::Numbers { .. } => numbers(args, &loaded),
        TrainingTargets::Unlabeled => pairs(args, &loaded),
    }
}

/// Refuses an option that has no effect on this kind of model.
fn refuse_without_effect(args: &EvaluateArgs, known: &TrainingTargets) -> Result<()> {
    let (name, pairs) = match known {
        TrainingTargets::Classes { .. } => ("classes", false),
        TrainingTargets::Numbers { .. } => ("a numeric target", false),
        TrainingTargets::Unlabeled => ("pairs", true),
    };
    let learned: &str = &format!("this model was learned from {name}, and ");
    let by_names = "a model picks its own columns by their names";
    let by_rank = "its measures ask for the rank of the partner";
    let SourceArgs { ignore, target, .. } = &args.source;
    for (given, option, [learned, reason]) in [
        (!ignore.is_empty(), "--ignore", ["", by_names]),
        (args.pairs.is_some() && !pairs, "--pairs", [learned, "a target measures it"]),
        (target.is_some() && pairs, "--target", [learned, "--pairs FILE measures it"]),
        (args.neighbors.is_some() && pairs, "--neighbors", [learned, by_rank]),
        (args.train.is_some() && pairs, "--train", [learned, "no training rows are compared with"]),
    ] {
        idle(option, given, &format!("has no effect here: {learned}{reason}"))?;
    }
    Ok(())
}

fn classes(args: &EvaluateArgs, loaded: &Loaded) -> Result<()> {
    let model = loaded.model();
    let SourceArgs { data, target, text, .. } = &args.source;
    let (table, warnings) = loaded.labeled(data, (target.as_deref(), text), TargetKind::Classes)?;
    let data = table.into_labeled_as(model.class_names())?;
    let k = neighbor_count::of_model(args.neighbors, model)?;
    let mut evaluation = NewRowScores { warnings, ..NewRowScores::of(model, &data, k)? };
    let train = training_rows(args, loaded);
    let known = train.as_ref().ok();
    evaluation.warn_of_copies((model, known.map(|train| &train.0)), &data)?;
    evaluation.warnings.extend(known.and_then(|train| about_groups(args, loaded, train)));
    match train.and_then(|train| evaluation.compare(model, &train.0, &data)) {
        // Only what was asked for is an error; elsewhere the reason takes the place of the comparison.
        Err(reason) if args.train.is_none() => {
            evaluation.euclidean_missing = Some(in_one_line(&reason));
        }
        compared => compared?,
    }
    evaluation.warn_of_collapse(model)?;
    output::warn_of(&evaluation.warnings);
    printed(args.format, |terminal| evaluation.text(terminal), &evaluation)
}

fn numbers(args: &EvaluateArgs, loaded: &Loaded) -> Result<()> {
    let model = loaded.model();
    let SourceArgs { data, target, text, .. } = &args.source;
    let (table, warnings) = loaded.labeled(data, (target.as_deref(), text), TargetKind::Numeric)?;
    let data = table.into_regression()?;
    let k = neighbor_count::of_model(args.neighbors, model)?;
    let mut evaluation = NewNumberScores::of(model, &data, k)?;
    evaluation.warnings.splice(0..0, warnings);
    // Without the table of the fit the embedding tells its rows.
    let train = training_rows(args, loaded).ok();
    evaluation.warn_of_copies((model, train.as_ref().map(|train| &train.0)), &data)?;
    evaluation.warnings.extend(train.and_then(|train| about_groups(args, loaded, &train)));
    output::warn_of(&evaluation.warnings);
    printed(args.format, |terminal| evaluation.text(terminal), &evaluation)
}

/// Prints scores, as text or as JSON.
fn printed(
    format: Format,
    text: impl FnOnce(Terminal) -> String,
    scores: &impl Serialize,
) -> Result<()> {
    match format {
        Format::Table => output::print_text(&text(Terminal::of_stdout())),
        Format::Json => output::print_json(scores),
    }
}

#[derive(Debug, Serialize)]
struct PairScores {
    rows: usize,
    pairs: usize,
    /// Recall of the partner, its median rank, and the mean of 1 / rank.
    #[serde(flatten)]
    values: BTreeMap<String, Option<f64>>,
    warnings: Vec<Warning>,
}

fn pairs(args: &EvaluateArgs, loaded: &Loaded) -> Result<()> {
    let Some(file) = &args.pairs else {
        bail!(hinted(
            "this model was learned from pairs and has no target to measure",
            format!("give pairs of rows of {} with --pairs FILE", args.source.data)
        ));
    };
    let data = &args.source.data;
    let rows = loaded.rows(data, (None, &args.source.text))?;
    let embedding = loaded.embed((&rows.features, &rows.rows), data)?;
    let (features, mut warnings) = (rows.features, rows.warnings);
    let pairs = read_pairs(file, features.rows())?;
    let ranks = PartnerRanks::of(&embedding, &pairs, None)?;
    let values = values("test", &ranks);
    let train = training_rows(args, loaded);
    let source = loaded.source.as_ref();
    let seen = train.and_then(|(train, _)| seen(source, &train, (&features, &pairs)));
    let on_others = |others: &[usize]| recall_of(others, &embedding, (&pairs, None));
    let seen = match seen {
        Ok(seen) => seen.warning(on_others),
        Err(reason) => Some(not_checked("pair", &in_one_line(&reason))),
    };
    warnings.extend(about_spread(Spread::of(loaded.model().references())?, None));
    warnings.extend(seen);
    output::warn_of(&warnings);
    let (rows, pairs) = (features.rows(), pairs.len());
    let keyed = values.iter().map(|(key, value)| (key.replace("_test", ""), *value)).collect();
    let scores = PairScores { rows, pairs, values: keyed, warnings };
    let text = |terminal| {
        let line = |measure: Measure| {
            let value = values.get(&measure.key).copied().flatten();
            vec![measure.label.clone(), measure.text(value).replace('\u{a0}', " ")]
        };
        let (pairs, rows) = (counted(pairs, "pair"), counted(rows, "row"));
        let about = wrapped(&format!("{pairs} among {rows}; each asks from both ends"), terminal);
        let head = vec!["partner".to_string(), "value".to_string()];
        let lines = measures("test").into_iter().map(line).collect();
        format!("{about}\n{}", plain_table(head, lines, terminal))
    };
    printed(args.format, text, &scores)
}

/// Which of the pairs the model was fitted to; `train` are the rows of the fit, `data` those that the pairs name.
fn seen(
    source: Option<&Source>,
    train: &Features,
    (data, pairs): (&Features, &Pairs),
) -> Result<Seen> {
    let Some((source, file)) = source.and_then(|source| Some((source, source.rereadable_pairs()?)))
    else {
        bail!("the pairs of the fit cannot be read again");
    };
    let all: Vec<(usize, usize, f64)> = read_pairs(file, train.rows())?.iter().collect();
    let split = random_split(all.len(), source.split.share, source.split.seed)?;
    let learned = split.train.iter().map(|&pair| (all[pair].0, all[pair].1));
    let seen = seen_pairs((train, learned), (data, pairs));
    Ok(Seen { noun: "pair", measured: "pair", same: VALUES, seen, by_chance: 0.0 })
}

fn training_rows(args: &EvaluateArgs, loaded: &Loaded) -> Result<(Features, RowNames)> {
    if loaded.embedded.is_some() {
        bail!("the rows of a sparse table are not compared by Euclidean distance");
    }
    let moved = args.train.as_deref();
    training_rows::read(loaded.source.as_ref(), moved, loaded.model())
}

/// About rows to measure on that are of the group of a training row, where the fit has groups.
fn about_groups(
    args: &EvaluateArgs,
    loaded: &Loaded,
    (train, names): &(Features, RowNames),
) -> Option<Warning> {
    let source = loaded.source.as_ref()?;
    let column = source.columns.groups.as_deref()?;
    let SourceArgs { data, text, .. } = &args.source;
    let rows = groups_of(data, column, &loaded.format(text))?;
    let of_fit = args.train.as_deref().unwrap_or(&source.data);
    let of_fit = groups_of(of_fit, column, &source.columns.format)?;
    let group = |row| of_fit.get(names.of_row(row).0 - 1)?.as_ref();
    let known: HashSet<&String> = (0..train.rows()).filter_map(group).collect();
    let seen = rows.iter().flatten().filter(|group| known.contains(group)).count();
    let verb = if seen == 1 { "is" } else { "are" };
    warning_if!(
        seen > 0,
        TrainingRows,
        "{seen} of {} {verb} of a group of training rows (column \"{}\"): for new groups the scores are optimistic",
        counted(rows.len(), "row"),
        short_name(column)
    )
}
