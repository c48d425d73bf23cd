#![doc = include_str!("../README.md")]

mod error;
mod excerpt;
mod hint;
#[cfg(feature = "readers")]
mod near_name;
#[cfg(feature = "readers")]
mod readers;
#[cfg(feature = "readers")]
mod sets;
pub mod tables;
#[cfg(feature = "readers")]
mod writers;

pub use error::{Error, Result};
#[doc(hidden)]
pub use excerpt::quoted;
pub use hint::{Hint, Message, Setting, hint_sentence, in_one_line};
#[doc(inline)]
pub use tables::*;
#[cfg(feature = "readers")]
pub use {
    readers::*,
    sets::{Dataset, bundled, by_name, catalog, generate, names},
    writers::{Matrix, csv_field, csv_file, csv_number, npy_file, parquet_file},
};
