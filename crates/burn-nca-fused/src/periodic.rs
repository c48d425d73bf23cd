//! Periodic embeddings of numbers and their gradient, some rows at a time in the cache.

use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use crate::arch::{arch, dispatch};
use crate::{Aligned, Real};

/// Rows of a group; a fixed number, for the order of sums.
const GROUP: usize = 256;

/// Embedded numbers that are summed up together, in registers.
const TOGETHER: usize = 8;

/// Sums over embedded numbers that go on side by side.
const WAYS: usize = 4;

/// What `ReLU(W [cos(2π f_c x_c), sin(2π f_c x_c)] + b)` is computed of.
#[derive(Clone, Copy)]
pub(crate) struct Periodic<'a, T> {
    /// `[n, d]`.
    pub(crate) x: &'a [T],
    /// `[d, m]`.
    pub(crate) frequencies: &'a [T],
    /// `[2 m, e]`.
    pub(crate) weight: &'a [T],
    /// `[e]`.
    pub(crate) bias: &'a [T],
    /// d, m, e.
    pub(crate) sizes: [usize; 3],
}

impl<T: Real> Periodic<'_, T> {
    /// The embedding, `[n, d e]`.
    pub(crate) fn embed(&self) -> Vec<T> {
        let [d, _, e] = self.sizes;
        let mut output = vec![T::ZERO; self.x.len() * e];
        let arch = arch();
        let groups = output.par_chunks_mut((GROUP * d * e).max(1));
        groups.zip(self.x.par_chunks((GROUP * d).max(1))).for_each(|(output, x)| {
            dispatch(arch, Forward { of: Periodic { x, ..*self }, output });
        });
        output
    }

    /// The gradients of x, frequencies, weight and bias, from the embedding and its gradient.
    pub(crate) fn gradients(&self, output: &[T], gradient: &[T]) -> [Vec<T>; 4] {
        let [d, m, e] = self.sizes;
        let mut of_x = vec![T::ZERO; self.x.len()];
        let arch = arch();
        let (rows, size) = ((GROUP * d).max(1), (GROUP * d * e).max(1));
        let parts: Vec<[Vec<T>; 3]> = of_x
            .par_chunks_mut(rows)
            .zip(self.x.par_chunks(rows))
            .zip(output.par_chunks(size).zip(gradient.par_chunks(size)))
            .map(|((of_x, x), (output, gradient))| {
                let of = Periodic { x, ..*self };
                dispatch(arch, Backward { of, output, gradient, of_x })
            })
            .collect();
        let mut sums = [d * m, 2 * m * e, e].map(|size| vec![T::ZERO; size]);
        for part in parts {
            for (sums, part) in sums.iter_mut().zip(part) {
                sums.iter_mut().zip(part).for_each(|(sum, x)| *sum = *sum + x);
            }
        }
        let [of_frequencies, of_weight, of_bias] = sums;
        [of_x, of_frequencies, of_weight, of_bias]
    }
}

struct Forward<'a, T> {
    of: Periodic<'a, T>,
    output: &'a mut [T],
}

impl<T: Real> WithSimd for Forward<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { of, output } = self;
        let ([d, m, e], lanes) = (of.sizes, T::lanes::<S>());
        let mut waves = vec![T::splat(simd, T::ZERO); 2 * m];
        let [mut x_lines, mut lines] = [d, d * e].map(|size| Aligned::zeros(size * lanes));
        let blocks = output.chunks_mut(lanes * d * e).zip(of.x.chunks(lanes * d));
        for (output, x) in blocks {
            transpose(x, d, lanes, &mut x_lines);
            for (feature, line) in lines.chunks_exact_mut(e * lanes).enumerate() {
                let x = T::vectors::<S>(&x_lines[feature * lanes..][..lanes])[0];
                waves_of::<T, S>(simd, x, &of.frequencies[feature * m..][..m], &mut waves);
                let line = T::vectors_mut::<S>(line);
                for (first, some) in (0..e).step_by(TOGETHER).zip(line.chunks_mut(TOGETHER)) {
                    layer::<T, S>(simd, &of, first, &waves, some);
                }
            }
            for (row, output) in output.chunks_exact_mut(d * e).enumerate() {
                for (place, line) in output.iter_mut().zip(lines.chunks_exact(lanes)) {
                    // In this order a NaN stays one.
                    *place = if line[row] < T::ZERO { T::ZERO } else { line[row] };
                }
            }
        }
    }
}

/// Writes some columns of rows, one after the other, with zeros for rows that are missing.
#[inline(always)]
fn transpose<T: Real>(rows: &[T], columns: usize, lanes: usize, lines: &mut [T]) {
    if rows.len() < lanes * columns {
        lines.fill(T::ZERO);
    }
    for (row, values) in rows.chunks_exact(columns).enumerate() {
        for (line, &value) in lines.chunks_exact_mut(lanes).zip(values) {
            line[row] = value;
        }
    }
}

/// Writes the cosines of all frequencies, then the sines.
#[inline(always)]
fn waves_of<T: Real, S: Simd>(
    simd: S,
    x: T::Vector<S>,
    frequencies: &[T],
    waves: &mut [T::Vector<S>],
) {
    let (cosines, sines) = waves.split_at_mut(frequencies.len());
    for ((cosine, sine), &f) in cosines.iter_mut().zip(sines).zip(frequencies) {
        [*cosine, *sine] = cos_sin::<T, S>(simd, T::times(simd, x, T::splat(simd, f)));
    }
}

/// Writes up to [`TOGETHER`] of the embedded numbers, from the `first` on, before the rectifier.
#[inline(always)]
fn layer<T: Real, S: Simd>(
    simd: S,
    of: &Periodic<'_, T>,
    first: usize,
    waves: &[T::Vector<S>],
    to: &mut [T::Vector<S>],
) {
    let [_, _, e] = of.sizes;
    let mut sums = [T::splat(simd, T::ZERO); TOGETHER];
    for (sum, &bias) in sums.iter_mut().zip(&of.bias[first..]) {
        *sum = T::splat(simd, bias);
    }
    let whole = to.len() == TOGETHER;
    for (&wave, weights) in waves.iter().zip(of.weight.chunks_exact(e)) {
        let weights = &weights[first..];
        if whole {
            for (sum, &weight) in sums.iter_mut().zip(&weights[..TOGETHER]) {
                *sum = T::times_plus(simd, wave, T::splat(simd, weight), *sum);
            }
        } else {
            for (sum, &weight) in sums.iter_mut().zip(weights) {
                *sum = T::times_plus(simd, wave, T::splat(simd, weight), *sum);
            }
        }
    }
    let count = to.len();
    to.copy_from_slice(&sums[..count]);
}

struct Backward<'a, T> {
    of: Periodic<'a, T>,
    output: &'a [T],
    gradient: &'a [T],
    of_x: &'a mut [T],
}

impl<T: Real> WithSimd for Backward<'_, T> {
    type Output = [Vec<T>; 3];

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> [Vec<T>; 3] {
        let Self { of, output, gradient, of_x } = self;
        let ([d, m, e], lanes) = (of.sizes, T::lanes::<S>());
        let zero = T::splat(simd, T::ZERO);
        let turn = T::splat(simd, T::from_f64(core::f64::consts::TAU));
        let mut waves = vec![zero; 2 * m];
        let mut sums = [d * m, 2 * m * e, e].map(|size| vec![zero; size]);
        let [of_frequencies, of_weight, of_bias] = &mut sums;
        let [mut x_lines, mut lines] = [d, d * e].map(|size| Aligned::zeros(size * lanes));
        let mut masked = vec![T::ZERO; lanes * d * e];
        let blocks = output.chunks(lanes * d * e).zip(gradient.chunks(lanes * d * e));
        let blocks = blocks.zip(of.x.chunks(lanes * d).zip(of_x.chunks_mut(lanes * d)));
        for ((output, gradient), (x, of_x)) in blocks {
            let masked = &mut masked[..output.len()];
            for ((masked, &g), &z) in masked.iter_mut().zip(gradient).zip(output) {
                *masked = if z > T::ZERO { g } else { T::ZERO };
            }
            transpose(masked, d * e, lanes, &mut lines);
            transpose(x, d, lanes, &mut x_lines);
            for feature in 0..d {
                let place = &mut x_lines[feature * lanes..][..lanes];
                let x = T::vectors::<S>(place)[0];
                let frequencies = &of.frequencies[feature * m..][..m];
                waves_of::<T, S>(simd, x, frequencies, &mut waves);
                let slopes = T::vectors::<S>(&lines[feature * e * lanes..][..e * lanes]);
                for (sum, &g) in of_bias.iter_mut().zip(slopes) {
                    *sum = T::plus(simd, *sum, g);
                }
                let mut of_number = zero;
                for (at, &f) in frequencies.iter().enumerate() {
                    let [cosine, sine] = [waves[at], waves[m + at]];
                    let (first, second) = (at * e, (m + at) * e);
                    let (weights, sums) = (&of.weight[first..][..e], &mut of_weight[first..][..e]);
                    let of_cosine = pulled::<T, S>(simd, cosine, weights, slopes, sums);
                    let (weights, sums) =
                        (&of.weight[second..][..e], &mut of_weight[second..][..e]);
                    let of_sine = pulled::<T, S>(simd, sine, weights, slopes, sums);
                    // d cos = -sin, d sin = cos.
                    let back = T::times(simd, sine, of_cosine);
                    let of_angle = T::minus(simd, T::times(simd, cosine, of_sine), back);
                    let of_turns = T::times(simd, turn, of_angle);
                    let sum = &mut of_frequencies[feature * m + at];
                    *sum = T::times_plus(simd, of_turns, x, *sum);
                    of_number = T::times_plus(simd, of_turns, T::splat(simd, f), of_number);
                }
                T::vectors_mut::<S>(place)[0] = of_number;
            }
            for (row, of_x) in of_x.chunks_exact_mut(d).enumerate() {
                for (place, line) in of_x.iter_mut().zip(x_lines.chunks_exact(lanes)) {
                    *place = line[row];
                }
            }
        }
        let mut numbers = [const { Vec::new() }; 3];
        for (numbers, sums) in numbers.iter_mut().zip(&sums) {
            numbers.reserve(sums.len());
            for &sum in sums {
                numbers.push(T::sum(simd, sum));
            }
        }
        numbers
    }
}

/// The slope over a wave, and to `sums` what it adds to those over its weights.
#[inline(always)]
fn pulled<T: Real, S: Simd>(
    simd: S,
    wave: T::Vector<S>,
    weights: &[T],
    slopes: &[T::Vector<S>],
    sums: &mut [T::Vector<S>],
) -> T::Vector<S> {
    let mut of_wave = [T::splat(simd, T::ZERO); WAYS];
    let (parts, rest) = slopes.as_chunks::<WAYS>();
    let whole = WAYS * parts.len();
    for ((slopes, weights), sums) in
        parts.iter().zip(weights.chunks_exact(WAYS)).zip(sums.chunks_exact_mut(WAYS))
    {
        for at in 0..WAYS {
            sums[at] = T::times_plus(simd, wave, slopes[at], sums[at]);
            let weight = T::splat(simd, weights[at]);
            of_wave[at] = T::times_plus(simd, weight, slopes[at], of_wave[at]);
        }
    }
    for ((&g, &weight), sum) in rest.iter().zip(&weights[whole..]).zip(&mut sums[whole..]) {
        *sum = T::times_plus(simd, wave, g, *sum);
        of_wave[0] = T::times_plus(simd, T::splat(simd, weight), g, of_wave[0]);
    }
    let [a, b, c, d] = of_wave;
    T::plus(simd, T::plus(simd, a, b), T::plus(simd, c, d))
}

/// cos and sin of 2π t, for |t| up to a quarter of the largest odd integer of the type.
///
/// Whole turns are taken off, which rounds nothing; the Taylor series of half the angle, at most π/2, has errors below a rounding, and
/// `cos 2a = 1 - 2 sin² a`, `sin 2a = 2 sin a cos a`.
#[inline(always)]
fn cos_sin<T: Real, S: Simd>(simd: S, t: T::Vector<S>) -> [T::Vector<S>; 2] {
    let splat = |x: f64| T::splat(simd, T::from_f64(x));
    // Adding 1.5 · 2^23 (2^52 in f64) rounds to an integer.
    let round = splat(0.75 / T::ROUNDING);
    let whole = T::minus(simd, T::plus(simd, t, round), round);
    let a = T::times(simd, splat(core::f64::consts::PI), T::minus(simd, t, whole));
    let square = T::times(simd, a, a);
    let terms = if T::ROUNDING > 1e-10 { 7 } else { SERIES.len() };
    let [mut cosine, mut sine] = [0, 1].map(|of| splat(SERIES[terms - 1][of]));
    for coefficients in SERIES[..terms - 1].iter().rev() {
        cosine = T::times_plus(simd, cosine, square, splat(coefficients[0]));
        sine = T::times_plus(simd, sine, square, splat(coefficients[1]));
    }
    let sine = T::times(simd, sine, a);
    let twice = T::plus(simd, sine, sine);
    let less = T::times(simd, twice, sine);
    [T::minus(simd, splat(1.0), less), T::times(simd, twice, cosine)]
}

/// `(-1)^k / (2k)!` and `(-1)^k / (2k + 1)!`.
const SERIES: [[f64; 2]; 12] = {
    let (mut series, mut k) = ([[1.0, 1.0]; 12], 1);
    while k < series.len() {
        let even = -series[k - 1][1] / (2 * k) as f64;
        series[k] = [even, even / (2 * k + 1) as f64];
        k += 1;
    }
    series
};
