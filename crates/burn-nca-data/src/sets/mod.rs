//! Data sets by name: bundled ones and seeded generators.

pub mod bundled;
mod catalog;
pub mod generate;

pub use catalog::{Dataset, by_name, catalog, names};
