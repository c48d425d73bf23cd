//! The report of a fit: one set of numbers, three renderers.
//!
//! ```text
//! Report ──► json       report.json     for programs, read back by Report::from_document
//!        ──► page       report.html     for people: one file, no network, works without scripts
//!        ──► terminal   standard output
//! ```
//! A [`Report`] holds numbers and names only; every sentence, percentage and color is made while rendering, so the
//! three can never disagree. What people see of it is a list of [`Section`]s: each has one type, one file and one piece
//! of code for the page and the terminal; a table of a section states its columns once ([`burn_nca_program::Table`]).

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod check;
pub mod evaluation;
#[cfg(test)]
mod example;
mod headline;
mod json;
mod model;
mod page;
mod picture_file;
mod section;
mod sections;
mod warning;

pub use burn_nca_program::number::{self, counted};
pub use burn_nca_program::terminal;
pub use model::{
    Accuracy, ClassCount, ClassResults, Data, DeviceSummary, FORMAT, Header, Measured, Report,
    Results, SolverRun, ValueResults,
};
pub use picture_file::{PictureFormat, picture_file};
pub use section::Section;
pub use sections::class_scores::ClassTable;
pub use sections::comparison::{Measure, MeasureRow, MeasureTable, OWN_RULE, Unit, falls_short};
pub use sections::confusion::Confusion;
pub use sections::curve::{Curve, CurvePoint};
pub use sections::explained::{
    DecidingRow, ExplainedClasses, ExplainedNumbers, ExplainedPrediction, ExplainedPredictions,
    NamedRow, OfClass, OfNumber,
};
pub use sections::labels::{ContradictedLabel, ContradictedLabels};
pub use sections::matrix::Matrix;
pub use sections::picture::{
    ClassMark, Density, Embedding, Part, Point, RowNames, Unlabeled, ValueMark,
};
pub use sections::replay::{Replay, ReplayFigure, ReplayFrame, ReplayPoint, ReplayValues, Window};
pub use sections::tuning::{ComparedBy, Tuning};
pub use sections::weights::{FeatureWeight, FeatureWeights, RankedFeature};
pub use warning::{Warning, WarningCode};
