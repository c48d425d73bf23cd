//! The options of `nca fit` for what is learned from, by which method, and with which settings; those of `nca methods`.

use std::path::PathBuf;

use burn_nca_learn::data::Task;
use burn_nca_learn::method::AnyMethod;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};

use super::Format;
use super::parse::{at_least, choice, positive};

const TASKS: &[(&str, &str, Task)] = &[
    ("classification", "Every distinct value of the target is a class", Task::Classes),
    (
        "regression",
        "The target is a number to predict (metric learning for kernel regression)",
        Task::Numbers,
    ),
];

/// What is learned from: classes, numbers or pairs.
#[derive(Args, Debug)]
#[command(next_help_heading = "Numeric targets and pairs")]
pub struct TargetOptions {
    /// What the target column holds [default: classification, or regression with --soft]
    #[arg(long, value_parser = choice(TASKS))]
    pub task: Option<Task>,

    /// Learn a numeric target by soft matches of neighbors with near targets, by --objective f or g.
    #[arg(long)]
    pub soft: bool,

    /// How far apart targets may be and still agree, in their units [default: their median distance]
    #[arg(long, value_name = "W", requires = "soft", allow_negative_numbers = true, value_parser = positive)]
    pub width: Option<f64>,

    /// Learn from pairs of rows that belong together, without any target: a CSV file of row,row[,weight], rows
    /// counted from 1. Every column that is not ignored is a feature.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["task", "soft"])]
    pub pairs: Option<PathBuf>,
}

/// Settings chosen by cross-validation.
#[derive(Args, Debug)]
#[command(next_help_heading = "Tuning")]
pub struct TuneOptions {
    /// Choose by cross-validation in the training rows: settings of the method, objective, l2, start, number of steps, and of
    /// LCA, LDA and PCA the dimensions. What is given by an option or by --set stays fixed.
    #[arg(long, conflicts_with_all = ["warm_start", "early_stopping"])]
    pub tune: bool,

    /// Fit the default settings without comparing them. Without this option and without --tune, where --objective, --l2,
    /// --init and other settings of the fit are left out, a few candidates (Euclidean distance, LDA, PCA, settings of NCA, a
    /// network from 500 rows on and, without --dim, modern NCA; for numbers penalties of MLKR and the same) are compared by
    /// cross-validation in the training rows, within 10 seconds.
    #[arg(long, conflicts_with = "tune")]
    pub no_tune: bool,

    /// Stop the comparison after this many seconds, excluding the final fit [default: half of the remaining --time-budget;
    /// without --tune 10]
    #[arg(long, value_name = "SECONDS", conflicts_with = "no_tune", allow_negative_numbers = true, value_parser = positive)]
    pub budget: Option<f64>,

    /// Folds of the cross-validation [default: 5]
    #[arg(long, value_name = "N", requires = "tune", allow_negative_numbers = true, value_parser = at_least(2))]
    pub folds: Option<usize>,

    /// Number of repetitions of the cross-validation; more helps where rows are few [default: 2]
    #[arg(long, value_name = "N", requires = "tune", allow_negative_numbers = true, value_parser = at_least(1))]
    pub repeats: Option<usize>,

    /// Choose the dimensions of the embedding too, among these, as in 2,5,10.
    #[arg(
        long,
        value_name = "LIST",
        requires = "tune",
        conflicts_with = "dim",
        value_delimiter = ',',
        allow_negative_numbers = true, value_parser = at_least(1)
    )]
    pub tune_dim: Option<Vec<usize>>,
}

/// How the metric is learned.
#[derive(Args, Debug)]
#[command(next_help_heading = "Method")]
pub struct MethodOptions {
    /// The method [default: nca for classes, mlkr for a numeric target (soft-nca with --soft), pairs with --pairs]; nca
    /// methods lists them with their settings.
    #[arg(long, value_name = "NAME", value_parser = names())]
    pub method: Option<String>,

    /// A setting of the method, as in --set repulsion=0.5; may be given several times.
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting)]
    pub set: Vec<(String, String)>,
}

/// The options of `nca methods`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  nca methods                     what there is, and when to take it
  nca methods nca                 the settings of one, for --set
  nca methods --format json | jq -r '.[].name'")]
pub struct MethodsArgs {
    /// A method: then its settings are listed too.
    #[arg(value_name = "NAME", value_parser = names())]
    pub name: Option<String>,

    /// What is printed on stdout.
    #[arg(long, value_enum, default_value = "table")]
    pub format: Format,
}

/// The names of the methods, each with when to take it.
fn names() -> PossibleValuesParser {
    let named = AnyMethod::all().into_iter().map(|method| {
        let info = method.info();
        PossibleValue::new(info.name).help(info.when)
    });
    PossibleValuesParser::new(named)
}

fn setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => {
            Ok((key.trim().to_string(), value.trim().to_string()))
        }
        _ => Err("give KEY=VALUE, such as repulsion=0.5".to_string()),
    }
}
