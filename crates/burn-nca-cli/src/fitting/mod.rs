//! What `nca fit` does around the library's fit: settings, progress, comparison, report, folder.

pub mod candidates;
pub mod divergence;
pub mod method;
pub mod model_words;
pub mod neighbor_count;
pub mod optimizer;
pub mod options;
pub mod progress;
pub mod recording;
pub mod rows;
pub mod run_folder;
pub mod settings;
pub mod stages;
pub mod tuning;
pub mod warnings;
