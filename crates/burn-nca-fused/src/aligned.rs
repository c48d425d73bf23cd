//! Numbers that begin at a cache line.

use core::ops::{Deref, DerefMut};

use crate::Real;

/// Bytes of a cache line, and of the longest vector.
const LINE: usize = 64;

/// Numbers whose first is the first of a cache line: no vector that is read of them lies across two lines.
pub(crate) struct Aligned<T> {
    values: Vec<T>,
    start: usize,
    len: usize,
}

impl<T: Real> Aligned<T> {
    pub(crate) fn zeros(len: usize) -> Self {
        let spare = LINE / size_of::<T>();
        let values = vec![T::ZERO; len + spare];
        let start = values.as_ptr().align_offset(LINE).min(spare);
        Self { values, start, len }
    }
}

impl<T> Deref for Aligned<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.values[self.start..][..self.len]
    }
}

impl<T> DerefMut for Aligned<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.values[self.start..][..self.len]
    }
}
