//! The other backends, by the feature `backends`: they agree with flex, and weights move between them.

#![allow(clippy::unwrap_used)] // all of this crate is a test

mod backend;
mod exchange;
