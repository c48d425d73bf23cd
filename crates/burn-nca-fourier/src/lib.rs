//! Gaussian sums over all pairs of points in one and two dimensions, in linear time, with their gradients.
//!
//! ```text
//! s_i  = log Σ_{j ∈ S_i} exp(-||q_i - r_j||²),                    i = 1 ... b,   j = 1 ... m
//! t_ic = Σ_{j ∈ S_i} p_ij v_jc,   p_ij = exp(-||q_i - r_j||² - s_i)
//! ```
//! The Gaussian has a short Fourier series on the box that the points lie in. A non-uniform fast Fourier transform
//! evaluates the series at all points at once, in `O(b + m + M² log M)` operations instead of `O(b m)`, where `M` is
//! proportional to the range of the points:
//!
//! ```text
//! exp(-d²) ≈ Σ_{|h| ≤ H} c_h exp(2πi h d / P),   c_h = √π / P exp(-(πh / P)²)          on |d| ≤ P - √(log 1/ε)
//! Σ_j exp(-||q_i - r_j||²) ≈ Σ_h c_h exp(2πi h·q_i / P) Σ_j exp(-2πi h·r_j / P)
//! ```
//! 1. Every reference is spread over 12 or 16 grid points per axis, by a Kaiser-Bessel window of a chosen width.
//! 2. The grid is transformed, multiplied by `c_h` and divided by the square of the window's transform, and transformed
//!    back.
//! 3. The grid is interpolated at every query by the same window. Derivatives are factors `2πi h / P` in step 2.
//!
//! # Numerics
//! All numbers are f64. The error of a sum is absolute, so that a row whose sum is small has few correct digits: such
//! *isolated* rows are summed exactly, in log space, with their gradient and their part of the gradients of others, over
//! references near enough to count. The number of these rows is returned. Sets of few points are summed exactly as well.
//! Results do not depend on the number of threads.
//!
//! # References
//! L. Greengard, J.-Y. Lee, "Accelerating the Nonuniform Fast Fourier Transform", SIAM Review 46, 2004.
//! A. H. Barnett, J. Magland, L. af Klinteberg, "A Parallel Nonuniform Fast Fourier Transform Library Based on an
//! 'Exponential of Semicircle' Kernel", SIAM J. Sci. Comput. 41, 2019.
//! G. C. Linderman et al., "Fast Interpolation-Based t-SNE for Improved Visualization of Single-Cell RNA-Seq Data",
//! Nature Methods 16, 2019 (arXiv 1712.09005).

mod exact;
mod exp;
mod fields;
mod gradient;
mod grid;
mod moments;
mod placed;
mod plan;
mod points;
mod series;
mod sets;
mod sums;
#[cfg(test)]
mod tests;
mod window;

pub use gradient::{log_sums_gradient, means_gradient};
pub use moments::Moments;
pub use points::Points;
pub use sets::Sets;
pub use sums::{Cost, Limits, LogSums, TOLERANCE, cost, log_sums, means, with_moments};
