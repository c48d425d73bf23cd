//! `nca evaluate` of a model of numbers.

use anyhow::{Result, bail};
use burn_nca::evaluate::{RegressionScores, Spread};
use burn_nca_data::{TargetKind, by_name};
use burn_nca_program::terminal::wrapped;
use burn_nca_program::{Terminal, plain_table};
use serde::Serialize;

use super::question::Question;
use crate::cli::Format;
use crate::fitting::neighbor_count::of_numbers;
use crate::output;
use burn_nca_report::evaluation::about_spread;
use burn_nca_report::evaluation::{Seen, measured_copies};
use burn_nca_report::number::significant;
use burn_nca_report::{Warning, counted};

/// What a model of numbers is worth on rows with a target.
#[derive(Debug, Serialize)]
struct Evaluation {
    /// Number of rows.
    rows: usize,
    /// The name of the target.
    target: String,
    /// The k of k-NN.
    neighbors: usize,
    /// By the mean of the k nearest training rows.
    knn: Scores,
    /// By the kernel rule.
    kernel: Scores,
    /// What to know before trusting the numbers.
    warnings: Vec<Warning>,
}

/// Errors in the units of the target.
#[derive(Debug, Serialize)]
struct Scores {
    r2: Option<f64>,
    rmse: Option<f64>,
    mae: Option<f64>,
}

impl From<RegressionScores> for Scores {
    fn from(scores: RegressionScores) -> Self {
        Self { r2: scores.r2(), rmse: scores.rmse(), mae: scores.mae() }
    }
}

/// Measures a model of numbers on rows with a target.
///
/// # Errors
/// Data whose columns are not the model's, a target that is no number, or k above the training rows.
pub fn evaluate(question: &Question<'_>) -> Result<()> {
    let Question { args, model, .. } = question;
    let source = &args.source.data;
    if by_name(source).is_some() {
        bail!(
            "the bundled set {source:?} has classes, and the model predicts numbers; give a CSV file"
        );
    }
    let (table, warnings) = question.table(TargetKind::Numeric)?;
    let data = table.into_regression()?;
    let k = of_numbers(args.neighbors, model.references().dims()[0])?;
    let truth = data.targets().values();
    let (features, target) = (data.features(), data.targets().names()[0].clone());
    let knn = RegressionScores::of(&model.predict_numbers(features, k)?, truth)?;
    let predicted = model.predict_kernel(features)?;
    let kernel = RegressionScores::of(&predicted, truth)?;
    // Where the table of the fit is gone nobody can tell; nothing else needs it here.
    let train = question.training_rows().ok();
    let on_others = |others: &[usize]| {
        let of = |values: &[f64]| -> Vec<f64> { others.iter().map(|&at| values[at]).collect() };
        let scores = RegressionScores::of(&of(&predicted), &of(truth)).ok()?;
        Some(format!(
            "R² {}, RMSE {}",
            significant(scores.r2()?, 3),
            significant(scores.rmse()?, 3)
        ))
    };
    let seen = train.and_then(|train| Seen::of_model(features, &train).warning(on_others));
    let evaluation = Evaluation {
        rows: data.rows(),
        target,
        neighbors: k,
        knn: knn.into(),
        kernel: kernel.into(),
        warnings: warnings
            .into_iter()
            .chain(about_spread(Spread::of(model.references())?, None))
            .chain(seen)
            .chain(measured_copies(features))
            .collect(),
    };
    output::warn_of(&evaluation.warnings);
    match args.format {
        Format::Table => output::print_text(&text(&evaluation, Terminal::of_stdout())),
        Format::Json => output::print_json(&evaluation),
    }
}

fn text(evaluation: &Evaluation, terminal: Terminal) -> String {
    let number = |value: Option<f64>| value.map_or("-".to_string(), |value| ascii(value, 4));
    let row = |rule: String, scores: &Scores| {
        vec![rule, number(scores.r2), number(scores.rmse), number(scores.mae)]
    };
    let target = output::short_name(&evaluation.target);
    let table = plain_table(
        ["rule", "R2", "RMSE", "MAE"].map(String::from).to_vec(),
        vec![
            row(format!("{}-NN", evaluation.neighbors), &evaluation.knn),
            row("kernel".to_string(), &evaluation.kernel),
        ],
        terminal,
    );
    let meaning = format!(
        "R2: 1 is best, 0 is the mean of these rows. RMSE and MAE: errors in the units of {target}."
    );
    format!(
        "{}\n{table}\n{}",
        wrapped(&format!("{}, target {target}", counted(evaluation.rows, "row")), terminal),
        wrapped(&meaning, terminal)
    )
}

/// A number with a plain minus.
fn ascii(value: f64, digits: usize) -> String {
    significant(value, digits).replace('−', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_tells_both_rules() {
        let scores = |r2| Scores { r2: Some(r2), rmse: Some(3.25), mae: None };
        let evaluation = Evaluation {
            rows: 7,
            target: "price".to_string(),
            neighbors: 5,
            knn: scores(-0.25),
            kernel: scores(0.875),
            warnings: Vec::new(),
        };
        let text = super::text(&evaluation, Terminal::PLAIN);
        for part in
            ["7 rows, target price", "5-NN", "-0.2500", "kernel", "0.8750", "units of price"]
        {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
    }
}
