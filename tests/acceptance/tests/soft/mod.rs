//! Soft matches, kernel regression and equation 8 against nested loops, central differences, blocks of any
//! size, and each other.

mod agreements;
pub(crate) mod oracle;
mod pairs;
mod random;
mod regression;
mod setup;
