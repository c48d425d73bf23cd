//! What the acceptance tests share: the equations as nested loops in f64, without tensors, and seeded data.

#![allow(clippy::unwrap_used)] // all of this crate is for tests

pub mod catalog;
pub mod compare;
pub mod contrast;
pub mod data;
pub mod oracle;
pub mod setup;

/// The README's example of the module compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// The examples of the library's README compile.
#[cfg(doctest)]
#[doc = include_str!("../../../crates/burn-nca-learn/README.md")]
struct LibraryReadme;
