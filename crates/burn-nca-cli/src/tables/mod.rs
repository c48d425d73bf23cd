//! Tables as people have them: opened, their columns parted by what they are for, prepared and split.

mod check;
mod hints;
mod of_fit;
mod of_model;
mod roles;
mod sparse;

pub use check::check;
pub use hints::hints;
pub use of_fit::{Ready, open, open_features};
pub use of_model::{ModelRows, labelled_table, rows};
pub use sparse::embedded_table;
