#![doc = include_str!("../README.md")]

pub mod bundled;
mod catalogue;
mod class_names;
mod csv;
mod excerpt;
mod format;
pub mod generate;
mod idx;
mod input;
mod matrix_market;
mod near_name;
mod npy;
mod open;
mod pair_list;
mod splits;
mod table;

pub use catalogue::{Dataset, by_name, catalogue, names};
pub use csv::{CsvOptions, TargetColumn, parse_csv, read_csv, read_csv_features};
pub use idx::{IdxArray, read_idx, read_idx_features, read_idx_labels, read_idx_pair};
pub use matrix_market::read_matrix_market;
pub use npy::{read_npy_features, read_npy_pair};
pub use open::{open, open_features, open_unlabelled};
pub use pair_list::read_pairs;
pub use splits::read_splits;
pub use table::{Table, Target, Task};
