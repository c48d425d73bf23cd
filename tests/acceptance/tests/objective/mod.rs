//! The objectives against the equations: golden numbers, the naive oracle, central differences.

mod gradient;
mod partly;
mod points;
pub(crate) mod setup;
mod weights;
