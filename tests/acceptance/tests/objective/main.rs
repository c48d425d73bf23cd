//! The objectives against the equations: golden numbers, the naive oracle, central differences, blocks.

#![allow(clippy::unwrap_used)] // all of this crate is a test

mod blocks;
mod golden;
mod gradient;
mod partly;
mod points;
mod setup;
mod weights;
