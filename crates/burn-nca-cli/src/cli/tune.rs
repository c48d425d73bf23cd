//! The options of a search for settings, part of `nca fit`.

use clap::Args;

use super::parse::{at_least_one, at_least_two, positive};

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
    #[arg(long, value_name = "N", requires = "tune", allow_negative_numbers = true, value_parser = at_least_two)]
    pub folds: Option<usize>,

    /// Number of repetitions of the cross-validation; more helps where rows are few [default: 2]
    #[arg(long, value_name = "N", requires = "tune", allow_negative_numbers = true, value_parser = at_least_one)]
    pub repeats: Option<usize>,

    /// Choose the dimensions of the embedding too, among these, as in 2,5,10.
    #[arg(
        long,
        value_name = "LIST",
        requires = "tune",
        conflicts_with = "dim",
        value_delimiter = ',',
        allow_negative_numbers = true, value_parser = at_least_one
    )]
    pub tune_dim: Option<Vec<usize>>,
}
