//! Points laid out for vector instructions: one coordinate after the other.

use crate::{Aligned, BLOCK, Real};

/// Points are padded to a multiple of this: two of the longest vectors.
pub(crate) const PADDING: usize = 32;

/// References `[m, k]`, coordinate by coordinate, each padded with zeros.
pub(crate) struct Panel<T> {
    values: Aligned<T>,
    stride: usize,
}

impl<T: Real> Panel<T> {
    pub(crate) fn new(points: &[T], k: usize) -> Self {
        let m = points.len().checked_div(k).unwrap_or(0);
        let stride = m.next_multiple_of(PADDING);
        let mut values = Aligned::zeros(k * stride);
        for (at, point) in points.chunks_exact(k.max(1)).enumerate() {
            for (axis, &x) in point.iter().enumerate() {
                values[axis * stride + at] = x;
            }
        }
        Self { values, stride }
    }

    /// Number of points with the padding.
    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    /// One coordinate of `width` points from `start` on.
    #[inline(always)]
    pub(crate) fn coordinate(&self, axis: usize, start: usize, width: usize) -> &[T] {
        &self.values[axis * self.stride + start..][..width]
    }
}

/// Queries `[b, k]` with rows of zeros behind, so that every block of them is whole.
pub(crate) fn padded<T: Real>(points: &[T], k: usize) -> Vec<T> {
    let mut padded = Vec::with_capacity(points.len() + BLOCK * k);
    padded.extend_from_slice(points);
    padded.resize(points.len() + BLOCK * k, T::ZERO);
    padded
}
