//! What groups of queries add up for references, each for itself, and the sums of all groups.

use core::ops::Range;

use rayon::prelude::*;

use crate::{Aligned, Real};

/// Bytes that the groups' sums for references may take together.
const BUDGET: usize = 64 << 20;

/// References that are summed at once, before another reading of all queries, are not fewer than this.
const FEWEST: usize = 4096;

/// References whose sums are added up together.
pub(crate) const CHUNK: usize = 256;

/// References for which every group can hold sums within the budget, in whole tiles.
pub(crate) fn references_at_once(groups: usize, axes: usize, bytes: usize) -> usize {
    let fits = BUDGET / (groups * axes * bytes).max(1);
    fits.max(FEWEST).next_multiple_of(crate::WIDTH)
}

/// What a group of queries adds up for references: one number for each axis and reference.
pub(crate) struct Sums<T> {
    pub(crate) among: Range<usize>,
    /// `[axes, among]`.
    values: Aligned<T>,
}

impl<T: Real> Sums<T> {
    pub(crate) fn zeros(axes: usize, among: Range<usize>) -> Self {
        Self { values: Aligned::zeros(axes * among.len()), among }
    }

    /// The sums of some references along an axis.
    #[inline(always)]
    pub(crate) fn of(&mut self, axis: usize, columns: &Range<usize>) -> &mut [T] {
        let first = axis * self.among.len() + columns.start - self.among.start;
        &mut self.values[first..][..columns.len()]
    }
}

/// Adds up what the groups have, in their order: `k` axes from `first` on of each, to `[among, k]`, times `scale`. A group
/// has sums for all of these references or, from a multiple of [`CHUNK`] on, for the last of them.
pub(crate) fn add_parts<T: Real>(
    parts: &[Sums<T>],
    (first, k): (usize, usize),
    among: &Range<usize>,
    scale: T,
    total: &mut [T],
) {
    total.par_chunks_mut((CHUNK * k).max(1)).enumerate().for_each(|(chunk, total)| {
        let count = total.len() / k;
        for axis in 0..k {
            // Numbers that follow each other are added first, and then spread.
            let reference = among.start + chunk * CHUNK;
            let mut sums = [T::ZERO; CHUNK];
            for part in parts.iter().filter(|part| part.among.start <= reference) {
                let start = (first + axis) * part.among.len() + reference - part.among.start;
                for (sum, &x) in sums.iter_mut().zip(&part.values[start..start + count]) {
                    *sum = *sum + x;
                }
            }
            for (point, &sum) in total.chunks_exact_mut(k).zip(&sums) {
                point[axis] = scale * sum;
            }
        }
    });
}
