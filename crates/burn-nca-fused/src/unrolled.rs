//! Work on pairs in few dimensions with loops that are unrolled.

use pulp::{Simd, WithSimd};

/// Work whose inner loops run over the dimensions of points.
pub(crate) trait OverDimensions {
    /// Whether the dimensions are many, and nothing is to be compiled for a few.
    const MANY: bool;

    type Output;

    /// The work; `k` is the number of dimensions, which the compiler may know. To be inlined.
    fn run<S: Simd>(self, simd: S, k: usize) -> Self::Output;
}

/// Work in a number of dimensions, compiled once for each of the least numbers and once for all others; in a build with debug
/// assertions once for all, which takes a third off the time of building this crate.
pub(crate) struct Unrolled<W>(pub(crate) usize, pub(crate) W);

const UNROLL: bool = !cfg!(debug_assertions);

impl<W: OverDimensions> WithSimd for Unrolled<W> {
    type Output = W::Output;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> W::Output {
        match self.0 {
            1 if UNROLL && !W::MANY => self.1.run(simd, 1),
            2 if UNROLL && !W::MANY => self.1.run(simd, 2),
            3 if UNROLL && !W::MANY => self.1.run(simd, 3),
            k => self.1.run(simd, k),
        }
    }
}
