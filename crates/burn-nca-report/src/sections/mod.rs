//! The sections of a report, a file or a folder each: what it holds, and how the page and the terminal show it.

pub mod agreement;
pub mod class_scores;
pub mod comparison;
pub mod confusion;
pub mod curve;
pub mod explained;
pub mod labels;
pub mod matrix;
pub mod picture;
pub mod replay;
pub mod tuning;
pub mod weights;
