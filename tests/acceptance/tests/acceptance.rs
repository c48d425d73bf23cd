//! What is promised across crates: the equations against oracles, fits from end to end, documents that compile, and the
//! order of the modules.

#![allow(clippy::unwrap_used)] // all of this crate is a test

mod documents;
mod fitting;
mod imports;
mod invariance;
mod loss;
mod objective;
mod sums;
mod tuning;
