//! A linear layer and its gradient, a group of rows at a time: what follows the product is done while the group is in the cache.

use faer::linalg::matmul::matmul;
use faer::traits::ComplexField;
use faer::{Accum, MatMut, MatRef, Par};
use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use crate::arch::{arch, dispatch};
use crate::{Hidden, Real};

/// Rows of a group; a fixed number, for the order of sums.
const GROUP: usize = 512;

/// Parts of the rows at most, each with sums of its own that are added in order.
const PARTS: usize = 16;

/// What `x W + b`, or `max(0, s (x W + b))` of the units that are not dropped, is computed of.
pub(crate) struct Linear<'a, T> {
    /// `[n, d]`.
    pub(crate) x: &'a [T],
    /// `[d, e]`.
    pub(crate) weight: &'a [T],
    pub(crate) sizes: [usize; 2],
    pub(crate) hidden: Option<&'a Hidden>,
}

impl<T: Real + ComplexField> Linear<'_, T> {
    fn rows(&self) -> usize {
        self.x.len() / self.sizes[0].max(1)
    }

    fn weights(&self) -> MatRef<'_, T> {
        MatRef::from_row_major_slice(self.weight, self.sizes[0], self.sizes[1])
    }

    /// The output `[n, e]`, with a bias `[e]`.
    pub(crate) fn forward(&self, bias: &[T]) -> Vec<T> {
        let ([d, e], arch) = (self.sizes, arch());
        let mut output = vec![T::ZERO; self.rows() * e];
        output
            .par_chunks_mut((GROUP * e).max(1))
            .zip(self.x.par_chunks((GROUP * d).max(1)))
            .enumerate()
            .for_each(|(group, (y, x))| {
                let rows = y.len() / e;
                let to = MatMut::from_row_major_slice_mut(&mut *y, rows, e);
                let x = MatRef::from_row_major_slice(x, rows, d);
                matmul(to, Accum::Replace, x, self.weights(), T::from_f64(1.0), Par::Seq);
                let dropped = self.hidden.map_or(&[][..], |hidden| &hidden.dropped);
                let dropped = dropped.get(group * GROUP * e..).unwrap_or(&[]);
                dispatch(arch, Finish { y, bias, dropped, hidden: self.hidden });
            });
        output
    }

    /// The gradients of x, weight and bias from the output and its gradient.
    ///
    /// ```text
    /// s_ij = g_ij, of hidden units s g_ij where they are above 0:   ∂x = S Wᵀ,   ∂W = xᵀ S,   ∂b = Σ_i s_i
    /// ```
    pub(crate) fn gradients(&self, output: &[T], gradient: &[T]) -> [Vec<T>; 3] {
        let ([d, e], arch) = (self.sizes, arch());
        let rows = self.rows().div_ceil(PARTS).next_multiple_of(GROUP);
        let mut of_x = vec![T::ZERO; self.x.len()];
        let parts: Vec<[Vec<T>; 2]> = of_x
            .par_chunks_mut((rows * d).max(1))
            .enumerate()
            .map(|(part, of_x)| {
                let [mut of_weight, mut of_bias] = [d * e, e].map(|count| vec![T::ZERO; count]);
                let mut slopes = vec![T::ZERO; GROUP * e];
                for (group, of_x) in of_x.chunks_mut((GROUP * d).max(1)).enumerate() {
                    let (first, some) = (part * rows + group * GROUP, of_x.len() / d);
                    let of = first * e..(first + some) * e;
                    let slopes = &mut slopes[..some * e];
                    let hidden = self.hidden.map(|hidden| (&output[of.clone()], hidden.scale));
                    let (gradient, of_bias) = (&gradient[of], &mut of_bias);
                    dispatch(arch, Slopes { slopes: &mut *slopes, gradient, hidden, of_bias });
                    let slopes = MatRef::from_row_major_slice(&*slopes, some, e);
                    let x = &self.x[first * d..(first + some) * d];
                    let x = MatRef::from_row_major_slice(x, some, d);
                    let of_x = MatMut::from_row_major_slice_mut(of_x, some, d);
                    let (one, weights) = (T::from_f64(1.0), self.weights());
                    matmul(of_x, Accum::Replace, slopes, weights.transpose(), one, Par::Seq);
                    let of_weight = MatMut::from_row_major_slice_mut(&mut of_weight, d, e);
                    matmul(of_weight, Accum::Add, x.transpose(), slopes, one, Par::Seq);
                }
                [of_weight, of_bias]
            })
            .collect();
        let [mut of_weight, mut of_bias] = [d * e, e].map(|count| vec![T::ZERO; count]);
        for [weight, bias] in parts {
            for (sums, part) in [(&mut of_weight, weight), (&mut of_bias, bias)] {
                sums.iter_mut().zip(part).for_each(|(sum, x)| *sum += x);
            }
        }
        [of_x, of_weight, of_bias]
    }
}

/// Adds the bias to products, and makes hidden units of them.
struct Finish<'a, T> {
    y: &'a mut [T],
    bias: &'a [T],
    dropped: &'a [bool],
    hidden: Option<&'a Hidden>,
}

impl<T: Real> WithSimd for Finish<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let Self { y, bias, dropped, hidden } = self;
        let scale = T::from_f64(hidden.map_or(1.0, |hidden| hidden.scale));
        for row in y.chunks_exact_mut(bias.len().max(1)) {
            for (y, &bias) in row.iter_mut().zip(bias) {
                *y = *y + bias;
                if hidden.is_some() {
                    *y = if *y > T::ZERO { scale * *y } else { T::ZERO };
                }
            }
        }
        for (y, &dropped) in y.iter_mut().zip(dropped) {
            *y = if dropped { T::ZERO } else { *y };
        }
    }
}

/// The slopes over the products, and the sums of their columns.
struct Slopes<'a, T> {
    slopes: &'a mut [T],
    gradient: &'a [T],
    /// The output of hidden units and their scale.
    hidden: Option<(&'a [T], f64)>,
    of_bias: &'a mut [T],
}

impl<T: Real> WithSimd for Slopes<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let Self { slopes, gradient, hidden, of_bias } = self;
        match hidden {
            None => slopes.copy_from_slice(gradient),
            Some((output, scale)) => {
                let scale = T::from_f64(scale);
                for ((slope, &g), &y) in slopes.iter_mut().zip(gradient).zip(output) {
                    *slope = if y > T::ZERO { scale * g } else { T::ZERO };
                }
            }
        }
        for row in slopes.chunks_exact(of_bias.len().max(1)) {
            of_bias.iter_mut().zip(row).for_each(|(sum, &x)| *sum = *sum + x);
        }
    }
}
