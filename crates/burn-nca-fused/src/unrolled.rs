//! Work on pairs in few dimensions with loops that are unrolled.

use pulp::{Simd, WithSimd};

/// Work whose inner loops run over the dimensions of points.
pub(crate) trait OverDimensions {
    /// Whether the dimensions are many, and nothing is to be compiled for a few.
    const MANY: bool;

    type Output;

    /// Number of dimensions.
    fn dimensions(&self) -> usize;

    /// The work; `k` is [`dimensions`](Self::dimensions), as a number that the compiler may know. To be inlined.
    fn run<S: Simd>(self, simd: S, k: usize) -> Self::Output;
}

/// The same work, compiled once for each of the least numbers of dimensions and once for all others; in a build with debug
/// assertions once for all, which takes a third off the time of building this crate.
pub(crate) struct Unrolled<W>(pub(crate) W);

/// Whether loops are to be unrolled.
const UNROLL: bool = !cfg!(debug_assertions);

impl<W: OverDimensions> WithSimd for Unrolled<W> {
    type Output = W::Output;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> W::Output {
        match self.0.dimensions() {
            1 if UNROLL && !W::MANY => self.0.run(simd, 1),
            2 if UNROLL && !W::MANY => self.0.run(simd, 2),
            3 if UNROLL && !W::MANY => self.0.run(simd, 3),
            k => self.0.run(simd, k),
        }
    }
}
