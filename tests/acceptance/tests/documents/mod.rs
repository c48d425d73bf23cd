//! What the READMEs and the guide show of Rust, compiled: their blocks are here with what surrounds them in a program.
//!
//! That every block is somewhere is held by the tests of the program, in `nca/documents`.

#![allow(clippy::print_stdout)] // as the documents do
#![allow(dead_code, unused_assignments, unused_variables)] // what a block computes is for the reader

mod architecture;
mod guide;
#[cfg(feature = "train")]
mod learner;
mod library;
mod setup;
