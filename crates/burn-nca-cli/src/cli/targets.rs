//! The options of `nca fit` for targets other than classes.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::parse::positive;

/// What is learned from: classes, numbers or pairs.
#[derive(Args, Debug)]
#[command(next_help_heading = "Numeric targets and pairs")]
pub struct TargetOptions {
    /// What the target column holds [default: classification, or regression with --soft]
    #[arg(long, value_enum)]
    pub task: Option<TaskKind>,

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

/// A choice of task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TaskKind {
    /// Every distinct value of the target is a class.
    Classification,
    /// The target is a number to predict (metric learning for kernel regression).
    Regression,
}
