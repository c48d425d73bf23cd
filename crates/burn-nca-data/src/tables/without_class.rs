//! Rows that have no class, set apart from those that have one.

use super::Features;

/// The rows of a table that have no class.
#[derive(Clone, Debug, PartialEq)]
pub struct WithoutClass {
    /// Which rows of the file they are, from 0.
    pub rows: Vec<usize>,
    /// Their features.
    pub features: Features,
}
