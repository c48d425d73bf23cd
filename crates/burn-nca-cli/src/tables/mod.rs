//! Real-world tables: opened, their columns split by what they are for, prepared and split.

mod arrays;
mod grouping;
mod hints;
mod of_fit;
mod of_model;
mod opened;
mod reduction;
mod roles;
mod similar_names;
mod sparse;
mod target;
mod target_hints;
mod test_rows;
mod value_hints;

pub use arrays::nameless;
pub use of_fit::{open, open_features};
pub use of_model::{Loaded, ModelRows, groups_of, host_values};
pub use opened::{Opened, PreparedData};

/// How many names a warning lists.
const SHOWN: usize = 5;
