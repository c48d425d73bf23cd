//! What the acceptance tests share: the equations as nested loops in f64, without tensors, and seeded data.

pub mod compare;
pub mod data;
pub mod oracle;

/// The README's example of the module compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// The examples of the library's README compile.
#[cfg(doctest)]
#[doc = include_str!("../../../crates/burn-nca-learn/README.md")]
struct LibraryReadme;
