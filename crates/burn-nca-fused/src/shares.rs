//! The shares of references in a softmax of negated Euclidean distances, a query at a time.

use pulp::{Simd, WithSimd};

use crate::arch::{arch, dispatch};
use crate::panel::PADDING;
use crate::{Aligned, Real, tile};

pub(crate) fn shares<T: Real>(products: &mut [T], of_query: T, norms: &[T], biases: &[T]) {
    assert_eq!(products.len(), norms.len(), "one product and one norm for each reference");
    assert!(biases.is_empty() || biases.len() == norms.len(), "one bias for each reference");
    dispatch(arch(), Shares { products, of_query, norms, biases });
}

struct Shares<'a, T> {
    products: &'a mut [T],
    of_query: T,
    norms: &'a [T],
    biases: &'a [T],
}

impl<T: Real> WithSimd for Shares<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { products, of_query, norms, biases } = self;
        let stride = products.len().next_multiple_of(PADDING);
        let [mut row, mut terms] = [Aligned::zeros(stride), Aligned::zeros(stride)];
        let (two, places) = (T::from_f64(2.0), products.iter().zip(norms));
        for (square, (&product, &norm)) in row.iter_mut().zip(places) {
            let found = of_query + norm - two * product;
            *square = if found > T::ZERO { found } else { T::ZERO };
        }
        tile::roots(&mut row);
        row.iter_mut().zip(biases).for_each(|(d, &bias)| *d = *d - bias);
        row[products.len()..].fill(T::INFINITY);
        let least = tile::least::<T, S>(simd, &row);
        let sum = terms_of::<T, S>(simd, &row, least, &mut terms);
        products.iter_mut().zip(terms.iter()).for_each(|(share, &term)| *share = term / sum);
    }
}

/// Writes `exp(least - d)` and gives their sum.
#[inline(always)]
pub(crate) fn terms_of<T: Real, S: Simd>(simd: S, row: &[T], least: T, terms: &mut [T]) -> T {
    let (shift, mut sum) = (T::splat(simd, least), T::splat(simd, T::ZERO));
    for (term, &d) in T::vectors_mut::<S>(terms).iter_mut().zip(T::vectors::<S>(row)) {
        *term = T::exp(simd, T::minus(simd, shift, d));
        sum = T::plus(simd, sum, *term);
    }
    T::sum(simd, sum)
}
