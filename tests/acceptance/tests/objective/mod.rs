//! The objectives against the equations: golden numbers, the naive oracle, central differences, blocks.

mod blocks;
mod golden;
mod gradient;
mod partly;
mod points;
pub(crate) mod setup;
mod weights;
