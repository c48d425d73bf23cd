//! The evaluation of a metric: computed here for the program, the Python package and the page.

mod classes;
mod judging;
mod new_numbers;
mod new_rows;
mod new_rows_text;
pub(crate) mod numbers;
mod pairs;
mod recorder;
mod repeats;
mod replay;
mod report;
mod report_data;
mod rounded_rows;
mod rows;
mod sample;
mod space;
mod warnings;

pub use judging::{ClassComparison, MethodScores};
pub use new_numbers::{NewNumberScores, NumberScores};
pub use new_rows::{Bin, Euclidean, NewRowScores, Probabilities, Ranking, Rules};
pub use pairs::{measures, recall_of, values};
pub use recorder::{Missing, Recorder};
pub use repeats::{Seen, VALUES, about_copies, not_checked, seen_pairs};
pub use replay::Step;
pub use report_data::{AllStages, ReportData, Stages};
pub use rows::Rows;
pub use sample::Sample;
pub use warnings::{about_columns, about_constant, about_single_rows, about_spread};

use report_data::Evaluation;
