//! What `nca fit` does around the library's fit: settings, progress, comparison, report, folder.

pub mod account;
pub mod comparison;
pub mod embedding;
pub mod picture;
pub mod progress;
pub mod run_folder;
pub mod settings;
pub mod warnings;
