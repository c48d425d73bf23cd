//! New rows as the page is given them, and as they are in a fit.

use burn::tensor::Tensor;

/// What the page is given as new rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewRows {
    /// One row: its cells in the order of [`Learning::cells`](crate::Learning::cells), split by commas, semicolons or tabs.
    Cells(String),
    /// A CSV file that has the columns of the table; others, the class among them, are not looked at.
    File {
        /// What messages call it.
        name: String,
        /// Its text, gzipped or not.
        bytes: Vec<u8>,
    },
}

/// New rows as they are in a fit.
pub(crate) struct ScaledNewRows {
    pub(crate) given: NewRows,
    /// Scaled, `[m, d]`.
    pub(crate) x: Tensor<2>,
    /// Which rows of the file they are, from 0.
    pub(crate) rows: Vec<usize>,
    pub(crate) remarks: Vec<String>,
}
