//! `nca info`: the description of a saved model.

use anyhow::Result;
use burn_nca_learn::Fitted;
use burn_nca_learn::data::{Features, Scaling, ScalingKind};
use burn_nca_learn::encoder::EncoderConfig;
use burn_nca_learn::estimator::{Decision, ModelCard, TrainingTargets};
use burn_nca_learn::fit::{Penalty, ResolvedStart, Termination};
use burn_nca_program::number::{ascii, counted};
use burn_nca_program::terminal::listing;
use burn_nca_program::{Terminal, plain_table};
use serde::Serialize;

use super::{labels, load_with_source, training_rows};
use crate::cli::{Format, InfoArgs};
use crate::fitting::{ending, model_words};
use crate::output::{self, short_name};
use crate::source::Source;
use burn_nca_report::{FeatureWeight, FeatureWeights, Matrix};

/// The most columns, or classes, named for people.
const SHOWN: usize = 40;

/// The description of a saved model.
#[derive(Serialize)]
struct Info<'a> {
    /// The name of the method as it was applied, as `nca methods` lists it: `lda` for a fit that took no step from it.
    method: &'static str,
    settings: serde_json::Value,
    columns: &'a [String],
    classes: &'a [String],
    /// The targets of a model of numbers.
    targets: &'a [String],
    /// How the model predicts; null for a model of pairs.
    decision: Option<Decision>,
    /// Where the training rows came from; null for a model of an earlier version.
    source: Option<Source>,
    scaling: &'a Scaling,
    rows: usize,
    start: Option<ResolvedStart>,
    termination: Termination,
    termination_sentence: String,
    iterations: usize,
    evaluations: usize,
    value: f64,
    gradient_max: f64,
    seconds: f64,
    /// A on the scaled features, a row a dimension; `null` for a network, and above 40 features or dimensions.
    matrix: Option<Matrix>,
    /// The norm of each column of A, and its share of all; empty for a network.
    feature_weights: FeatureWeights,
}

/// Describes a saved model.
///
/// # Errors
/// No model.
pub fn run(args: &InfoArgs) -> Result<()> {
    let (model, source) = load_with_source(&args.model)?;
    if let Some(path) = &args.labels {
        let moved = args.train.as_deref();
        let training = training_rows::read(source.as_ref(), moved, &model);
        return labels::write(&model, (training, moved.is_some()), path);
    }
    let info = info(&model, source)?;
    match args.format {
        Format::Table => output::print_text(&text(&info, &model, Terminal::of_stdout())),
        Format::Json => output::print_json(&info),
    }
}

fn info(model: &Fitted, source: Option<Source>) -> Result<Info<'_>> {
    let (summary, columns) = (model.summary(), model.scaling().names());
    Ok(Info {
        method: model.applied_method().name,
        settings: serde_json::to_value(model.card())?,
        columns,
        classes: model.class_names(),
        targets: model.targets().map_or(&[][..], Features::names),
        decision: predicts(model).then(|| model.decision()),
        source,
        scaling: model.scaling(),
        rows: model.references().dims()[0],
        start: summary.start,
        termination: summary.termination,
        termination_sentence: ending::of_model(model, false),
        iterations: summary.iterations,
        evaluations: summary.evaluations,
        value: summary.value,
        gradient_max: summary.gradient_max,
        seconds: summary.seconds,
        matrix: Matrix::of(model),
        feature_weights: FeatureWeights::of(model),
    })
}

fn predicts(model: &Fitted) -> bool {
    !matches!(model.training_targets(), TrainingTargets::Unlabeled)
}

fn text(info: &Info<'_>, model: &Fitted, terminal: Terminal) -> String {
    let mut text = listing(&facts(info, model), terminal);
    if model.card().encoder == Some(EncoderConfig::Diagonal) {
        let table = weights_table(&info.feature_weights, terminal);
        text.push_str(&format!("\nFeature weights, the largest first\n{table}"));
    } else if let Some(matrix) = &info.matrix {
        let table = matrix_table(matrix, terminal);
        text.push_str(&format!("\nA, on the scaled features\n{table}"));
    }
    text
}

/// What is said of a model in one line each.
fn facts(info: &Info<'_>, model: &Fitted) -> Vec<(String, String)> {
    let (card, applied) = (model.card(), model.applied_method());
    let mut lines = Vec::new();
    let mut line = |name: &str, value: String| lines.push((name.to_string(), value));
    let map = model_words::map(card);
    let features = counted(info.columns.len(), "feature");
    let dimensions = counted(card.d_output, "dimension");
    line("map", format!("{features} to {dimensions}, {map}"));
    let steps = if applied.without_steps { "; no gradient steps" } else { "" };
    line("method", format!("{} ({}){steps}", applied.label, applied.title));
    if !applied.without_steps {
        line("objective", objective(card));
    }
    line(
        "scaling",
        match info.scaling.kind() {
            ScalingKind::Standardize => "standardized",
            ScalingKind::Common => "centered, one scale for all",
            ScalingKind::MinMax => "from 0 to 1",
            ScalingKind::None => "none",
        }
        .to_string(),
    );
    line("columns", listed(info.columns));
    if !info.classes.is_empty() {
        line("classes", listed(info.classes));
    }
    if !info.targets.is_empty() {
        line("target", listed(info.targets));
    }
    line("training rows", info.rows.to_string());
    if let Some(decision) = info.decision {
        line("prediction", model_words::decision(decision));
    }
    if let Some(source) = &info.source {
        line("data", source.sentence());
    }
    let start = info.start.map(|start| start.to_string());
    line("start", start.unwrap_or("random or warm start".to_string()));
    line("end", info.termination_sentence.to_string());
    line(
        "effort",
        format!(
            "{}, {}, {:.2} s",
            counted(info.iterations, "iteration"),
            counted(info.evaluations, "evaluation"),
            info.seconds
        ),
    );
    line(
        "value",
        format!("{}, largest gradient component {:.1e}", ascii(info.value, 7), info.gradient_max),
    );
    lines
}

/// The features of the largest weights.
fn weights_table(weights: &FeatureWeights, terminal: Terminal) -> String {
    let mut sorted: Vec<&FeatureWeight> = weights.0.iter().collect();
    sorted.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    let row = |weight: &&FeatureWeight| {
        let share = format!("{:.1} %", 100.0 * weight.share);
        vec![short_name(&weight.column), ascii(weight.weight, 4), share]
    };
    let head = ["column", "weight", "share"].map(String::from).to_vec();
    let mut table = plain_table(head, sorted.iter().take(SHOWN).map(row).collect(), terminal);
    if sorted.len() > SHOWN {
        table.push_str(&format!("… ({} in all)\n", sorted.len()));
    }
    table
}

fn objective(card: &ModelCard) -> String {
    let of = if card.fit.penalty == Some(Penalty::Spread) { " of the spread" } else { "" };
    format!("{}; L2 penalty {}{of}", model_words::objective(card), card.fit.l2)
}

/// The names, each short, cut where they would fill a terminal; the JSON holds them all.
fn listed(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| short_name(name)).collect();
    let shown = shown.join(", ");
    if names.len() <= SHOWN { shown } else { format!("{shown}, … ({} in all)", names.len()) }
}

fn matrix_table(matrix: &Matrix, terminal: Terminal) -> String {
    let names = (1..=matrix.rows.len()).map(|dimension| format!("z{dimension}"));
    let rows = matrix.columns.iter().enumerate().map(|(at, column)| {
        let weights = matrix.rows.iter().map(|row| ascii(row[at], 4));
        std::iter::once(short_name(column)).chain(weights).collect()
    });
    let head = std::iter::once("column".to_string()).chain(names);
    plain_table(head.collect(), rows.collect(), terminal)
}
