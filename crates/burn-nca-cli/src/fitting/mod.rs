//! What `nca fit` does around the library's fit: settings, progress, comparison, report, folder.

mod baselines;
pub mod classes;
pub mod embedding;
pub mod ending;
pub mod finished_fit;
mod judging;
pub mod method;
pub mod model_facts;
pub mod model_words;
pub mod neighbor_count;
pub mod numbers;
pub mod options;
pub mod pairs;
mod parts;
mod picture;
pub mod progress;
mod recorder;
pub mod recording;
pub mod replay;
pub mod rows;
pub mod run_folder;
pub mod sample;
pub mod settings;
pub mod stages;
pub mod target_settings;
pub mod tuning;
pub mod warnings;
