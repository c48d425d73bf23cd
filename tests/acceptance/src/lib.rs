//! What the acceptance tests share: the equations as nested loops in f64, without tensors, and seeded data.

pub mod data;
pub mod oracle;

/// The README's example of the library compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
