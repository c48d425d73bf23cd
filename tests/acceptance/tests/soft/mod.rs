//! Soft matches, kernel regression and equation 8 against nested loops, central differences, blocks of any
//! size, and each other.

mod agreements;
mod agreements_batch;
pub(crate) mod oracle;
mod pairs;
mod pairs_batch;
mod random;
mod regression;
mod setup;
