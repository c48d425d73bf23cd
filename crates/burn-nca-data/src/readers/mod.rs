//! Readers of files: delimited text, arrays, images, sparse matrices, columnar files; each file is opened and read once.

mod class_names;
mod columnar;
mod csv;
mod decoding;
mod encodings;
mod format;
mod idx;
mod input;
mod matrix_market;
mod npy;
mod npz;
mod once;
mod open;
mod pair_list;
mod pattern;
mod promised;
mod raw;
mod spaces;
mod sparse_checks;
mod sparse_table;
mod splits;
mod table;
#[cfg(test)]
mod temporary;
mod text_format;

#[doc(hidden)]
pub use class_names::same_class;
pub use csv::{CsvOptions, TargetColumn, parse_csv, read_csv, read_csv_features};
pub use idx::{IdxArray, read_idx, read_idx_labels};
pub use matrix_market::read_matrix_market;
pub use npy::read_npy_features;
pub use npz::read_sparse_npz;
pub use open::{has_columns, open, open_features, open_features_as, open_raw, open_unlabeled};
pub use pair_list::read_pairs;
pub use raw::{RawOptions, parse_raw};
pub use sparse_table::{SparseTable, is_sparse, open_sparse, open_sparse_features};
pub use splits::read_splits;
pub use table::{Table, Target, TargetKind};
pub use text_format::{DecimalSign, Header, TextFormat};
