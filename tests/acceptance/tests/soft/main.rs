//! Soft matches, kernel regression and equation 8 against nested loops, central differences, blocks of any
//! size, and each other.

#![allow(clippy::unwrap_used)] // all of this crate is a test

mod agreements;
mod agreements_batch;
#[cfg(feature = "backends")]
mod devices;
mod fit;
mod invariance;
mod oracle;
mod pairs;
mod pairs_batch;
mod regression;
mod setup;
