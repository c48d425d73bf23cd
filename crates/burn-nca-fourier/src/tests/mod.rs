//! Sums against a direct evaluation in log space, for points of all shapes.

mod oracle;
mod shapes;
mod sums;
