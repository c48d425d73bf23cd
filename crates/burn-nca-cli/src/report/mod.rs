//! The report of a fit: one set of numbers, three renderings.
//!
//! ```text
//! Report ──► to_json        report.json   for programs, read back by Report::from_json
//!        ──► page::render   report.html   for people: one file, no network, works without scripts
//!        ──► table::summary standard output
//! ```
//! A [`Report`] holds numbers and names only; every sentence, percentage and colour is made while rendering,
//! so the three can never disagree.

mod check;
mod confusion;
pub mod continuous;
#[cfg(test)]
mod example;
mod findings;
mod json;
mod model;
pub mod page;
mod rendered;
mod solver;
pub mod table;
mod tuning;
mod verdict;
mod warning;

pub use burn_nca_program::number::{self, counted};
pub use confusion::Confusion;
pub use findings::{
    Comparison, ComparisonRow, CurvePoint, EmbeddedPoint, Embedding, FeatureWeight, Matrix, Part,
    falls_short,
};
pub use model::{Accuracy, ClassCount, DataSummary, DeviceSummary, FORMAT, Report};
pub use rendered::Rendered;
pub use solver::SolverRun;
pub use tuning::{Tuning, TuningRow};
pub use warning::{Warning, WarningCode};
