//! `nca info`: the description of a saved model, and its training rows whose labels look wrong, first.

use std::path::Path;

use anyhow::{Result, bail};
use burn_nca_data::{csv_field, csv_number};
use burn_nca_learn::Fitted;
use burn_nca_learn::data::{Features, Scaling, ScalingKind};
use burn_nca_learn::encoder::EncoderConfig;
use burn_nca_learn::estimator::{
    Decision, LabelQuality, ModelCard, TargetQuality, TrainingTargets,
};
use burn_nca_learn::fit::{Penalty, ResolvedStart, Termination};
use burn_nca_learn::method::{AnyMethod, Uses};
use burn_nca_program::number::{ascii, counted};
use burn_nca_program::terminal::listing;
use burn_nca_program::{Terminal, plain_table};
use serde::Serialize;

use super::loaded::load_with_source;
use super::training_rows;
use crate::cli::{Format, InfoArgs};
use crate::failure::{hinted, in_one_line};
use crate::fitting::model_words;
use crate::output::{self, TableFormat, listed, short_name};
use crate::source::Source;
use burn_nca_report::{FeatureWeight, FeatureWeights, Matrix, OWN_RULE, RowNames};

/// The most columns, or classes, named for people.
const SHOWN: usize = 40;

#[derive(Serialize)]
struct Info<'a> {
    /// The name of the method as it was applied, as `nca methods` lists it: `lda` for a fit that took no step from it.
    method: &'static str,
    settings: serde_json::Value,
    columns: &'a [String],
    classes: &'a [String],
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

pub fn run(args: &InfoArgs) -> Result<()> {
    let (model, source) = load_with_source(&args.model)?;
    if let Some(path) = &args.labels {
        TableFormat::of_option("--labels", Some(path), &[TableFormat::Csv])?;
        let names = match training_rows::read(source.as_ref(), args.train.as_deref(), &model) {
            Ok((_, names)) => names,
            Err(error) if args.train.is_some() => return Err(error),
            Err(error) => {
                let reason = in_one_line(&error);
                let text = format!("rows are numbered by the training rows alone: {reason}");
                output::warn(&text);
                RowNames::default()
            }
        };
        return write_labels(&model, &names, path);
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
        decision: (!matches!(model.training_targets(), TrainingTargets::Unlabeled))
            .then(|| model.decision()),
        source,
        scaling: model.scaling(),
        rows: model.references().dims()[0],
        start: summary.start,
        termination: summary.termination,
        termination_sentence: model_words::ending(model, false),
        iterations: summary.iterations,
        evaluations: summary.evaluations,
        value: summary.value,
        gradient_max: summary.gradient_max,
        seconds: summary.seconds,
        matrix: Matrix::of(model),
        feature_weights: FeatureWeights::of(model),
    })
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
        line("objective", model_words::objective(card) + &penalty(card));
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
    line("columns", listed(info.columns, SHOWN));
    if !info.classes.is_empty() {
        line("classes", listed(info.classes, SHOWN));
    }
    if !info.targets.is_empty() {
        line("target", listed(info.targets, SHOWN));
    }
    line("training rows", info.rows.to_string());
    if let Some(decision) = info.decision {
        // Numbers are means by the weights of a rule, whichever it is.
        let is_own = !info.classes.is_empty() && !model.rule().has_votes();
        let prediction = match is_own {
            true => format!("{OWN_RULE}: that of the method"),
            false => model_words::decision(decision),
        };
        line("prediction", prediction);
    }
    if let Some(source) = &info.source {
        line("data", source.sentence());
    }
    if let Some(start) = info.start {
        line("start", start.to_string());
    }
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
    if info.evaluations > 0 {
        let (value, gradient) = (ascii(info.value, 7), info.gradient_max);
        line("value", format!("{value}, largest gradient component {gradient:.1e}"));
    }
    lines
}

fn penalty(card: &ModelCard) -> String {
    let of = if card.fit.penalty == Some(Penalty::Spread) { " of the spread" } else { "" };
    match (card.fit.l2, &card.method) {
        (_, method) if !method.info().uses.contains(&Uses::L2) => String::new(),
        (0.0, AnyMethod::Ncfs(_) | AnyMethod::NcfsRegression(_)) => ", L2 penalty 1/n".to_string(),
        (l2, _) => format!(", L2 penalty {l2}{of}"),
    }
}

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

fn matrix_table(matrix: &Matrix, terminal: Terminal) -> String {
    let names = (1..=matrix.rows.len()).map(|dimension| format!("z{dimension}"));
    let rows = matrix.columns.iter().enumerate().map(|(at, column)| {
        let weights = matrix.rows.iter().map(|row| ascii(row[at], 4));
        std::iter::once(short_name(column)).chain(weights).collect()
    });
    let head = std::iter::once("column".to_string()).chain(names);
    plain_table(head.collect(), rows.collect(), terminal)
}

/// Writes all training rows, which have these names, those first whose label looks wrong.
fn write_labels(model: &Fitted, names: &RowNames, path: &Path) -> Result<()> {
    let name = |row: usize| {
        let (number, id) = names.of_row(row);
        let id = id.map(|id| csv_field(&id));
        [Some(number.to_string()), id].into_iter().flatten().collect::<Vec<_>>()
    };
    let head = if names.ids.is_some() { "row,id" } else { "row" };
    let mut text = String::new();
    let mut line = |cells: Vec<String>| text.push_str(&(cells.join(",") + "\n"));
    match model.training_targets() {
        TrainingTargets::Classes { names: classes, .. } => {
            line(vec![format!("{head},class,p,log_p,suggested,suggested_p")]);
            for LabelQuality { row, class, p, log_p, suggested, suggested_p } in
                model.label_quality()?
            {
                let [class, suggested] = [class, suggested].map(|class| csv_field(&classes[class]));
                let [p, log_p, suggested_p] = [p, log_p, suggested_p].map(csv_number);
                line([name(row), vec![class, p, log_p, suggested, suggested_p]].concat());
            }
        }
        TrainingTargets::Numbers { targets, .. } => {
            line(vec![format!("{head},target,value,predicted,residual")]);
            for TargetQuality { row, column, target, predicted, residual } in
                model.target_quality()?
            {
                let numbers = [target, predicted, residual].map(csv_number);
                let column = vec![csv_field(&targets.names()[column])];
                line([name(row), column, numbers.to_vec()].concat());
            }
        }
        TrainingTargets::Unlabeled => bail!(hinted(
            "this model was learned from pairs, and its training rows have no label",
            "leave --labels out"
        )),
    }
    output::write_file(path, text.as_bytes())
}
