//! How rows spread within their classes, computed once for a table and its copies.

use std::sync::{Arc, OnceLock};

/// The sums over all rows that closed forms begin with; the groups of stage `baseline` compute them.
#[derive(Debug)]
#[doc(hidden)]
pub struct ClassSpread {
    /// Rows of each class that has some.
    pub counts: Vec<usize>,
    /// The mean of each of these classes, row-major, one row a class.
    pub means: Vec<f64>,
    /// The level of rounding of each column, `[d]`.
    pub rounding: Vec<f64>,
    /// The covariance within the classes, row-major `[d, d]`, once it is asked for.
    pub within: OnceLock<Vec<f64>>,
}

/// The spread of a table, once it is known; copies of the table share it.
///
/// It follows from the rows, and so distinguishes no tables.
#[derive(Clone, Debug, Default)]
#[doc(hidden)]
pub struct KnownSpread(Arc<OnceLock<Arc<ClassSpread>>>);

impl KnownSpread {
    /// The spread, computed where it is not known yet.
    pub fn get_or(&self, compute: impl FnOnce() -> ClassSpread) -> Arc<ClassSpread> {
        Arc::clone(self.0.get_or_init(|| Arc::new(compute())))
    }
}

impl PartialEq for KnownSpread {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
