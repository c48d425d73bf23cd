//! Sums against a direct evaluation in log space, for points of all shapes.

mod means;
mod oracle;
mod shapes;
mod sums;
