//! What is done to the distances of one tile: their least, terms and their sum, weights, and what these weigh.

use core::ops::Range;

use pulp::Simd;

use crate::sums::Sums;
use crate::{Aligned, Panel, Real};

/// Queries of a tile. Four rows with their sums fill the sixteen registers of AVX2.
pub(crate) const ROWS: usize = 4;

/// References of a tile at most.
pub(crate) const WIDTH: usize = 512;

/// One number for each pair of some queries and references. Its rows begin at cache lines.
#[repr(C, align(64))]
pub(crate) struct Tile<T>(pub(crate) [[T; WIDTH]; ROWS]);

pub(crate) fn empty<T: Real>() -> Tile<T> {
    Tile([[T::ZERO; WIDTH]; ROWS])
}

#[inline(always)]
pub(crate) fn least<T: Real, S: Simd>(simd: S, row: &[T]) -> T {
    let mut low = [T::splat(simd, T::INFINITY); 2];
    let (pairs, rest) = T::vectors::<S>(row).as_chunks::<2>();
    for pair in pairs {
        low[0] = T::lesser(simd, low[0], pair[0]);
        low[1] = T::lesser(simd, low[1], pair[1]);
    }
    for &x in rest {
        low[0] = T::lesser(simd, low[0], x);
    }
    T::least(simd, T::lesser(simd, low[0], low[1]))
}

/// `Σ exp(shift - d)` of a row.
#[inline(always)]
pub(crate) fn sum_of_exp<T: Real, S: Simd>(simd: S, row: &[T], shift: T) -> T {
    let shift = T::splat(simd, shift);
    let mut sums = [T::splat(simd, T::ZERO); 4];
    let (fours, rest) = T::vectors::<S>(row).as_chunks::<4>();
    for four in fours {
        for (sum, &d) in sums.iter_mut().zip(four) {
            *sum = T::plus(simd, *sum, T::exp(simd, T::minus(simd, shift, d)));
        }
    }
    for &d in rest {
        sums[0] = T::plus(simd, sums[0], T::exp(simd, T::minus(simd, shift, d)));
    }
    let [a, b, c, d] = sums;
    T::sum(simd, T::plus(simd, T::plus(simd, a, b), T::plus(simd, c, d)))
}

/// Adds `exp(-t)` and `t exp(-t)`. No closure: it would not be compiled for the vector instructions.
#[inline(always)]
fn add_term_and_moment<T: Real, S: Simd>(
    simd: S,
    sums: &mut [T::Vector<S>; 2],
    d: T::Vector<S>,
    least: T::Vector<S>,
    far: T::Vector<S>,
) {
    let above = T::minus(simd, d, least);
    let term = T::exp(simd, T::minus(simd, least, d));
    sums[0] = T::plus(simd, sums[0], term);
    // A term beyond is 0, and an infinite distance times 0 must be, too.
    sums[1] = T::times_plus(simd, T::lesser(simd, above, far), term, sums[1]);
}

/// `Σ exp(-t)` and `Σ t exp(-t)` of a row, with `t = d - least`; what is left out adds nothing to either.
#[inline(always)]
pub(crate) fn sums_of_exp<T: Real, S: Simd>(simd: S, row: &[T], least: T) -> [T; 2] {
    let [least, far] = [least, T::FAR].map(|x| T::splat(simd, x));
    let mut sums = [[T::splat(simd, T::ZERO); 2]; 2];
    let (pairs, rest) = T::vectors::<S>(row).as_chunks::<2>();
    for pair in pairs {
        for (sums, &d) in sums.iter_mut().zip(pair) {
            add_term_and_moment::<T, S>(simd, sums, d, least, far);
        }
    }
    for &d in rest {
        add_term_and_moment::<T, S>(simd, &mut sums[0], d, least, far);
    }
    [0, 1].map(|at| T::sum(simd, T::plus(simd, sums[0][at], sums[1][at])))
}

/// Replaces each squared distance of a row by the distance. A loop that the compiler makes vectors of.
#[inline(always)]
pub(crate) fn roots<T: Real>(row: &mut [T]) {
    for d in row {
        *d = d.sqrt();
    }
}

/// Replaces each distance d of a row by `factor / d`; 0 where the points are equal, whose distance has no direction.
#[inline(always)]
pub(crate) fn inverses<T: Real>(row: &mut [T], factor: T) {
    for d in row {
        *d = if *d > T::ZERO { factor / *d } else { T::ZERO };
    }
}

#[inline(always)]
pub(crate) fn sum<T: Real, S: Simd>(simd: S, row: &[T]) -> T {
    let mut sum = T::splat(simd, T::ZERO);
    for &d in T::vectors::<S>(row) {
        sum = T::plus(simd, sum, d);
    }
    T::sum(simd, sum)
}

/// Multiplies each weight of a row by `1 / 2d` of its distance; 0 where that is 0.
#[inline(always)]
pub(crate) fn halve_by<T: Real>(row: &mut [T], distances: &[T]) {
    let half = T::from_f64(0.5);
    for (weight, &d) in row.iter_mut().zip(distances) {
        *weight = if d > T::ZERO { *weight * (half / d) } else { T::ZERO };
    }
}

/// `Σ max(0, 1 - d)²` of a row.
#[inline(always)]
pub(crate) fn sum_of_hinge<T: Real, S: Simd>(simd: S, row: &[T]) -> T {
    let [zero, minus_one] = [T::ZERO, T::from_f64(-1.0)].map(|x| T::splat(simd, x));
    let mut sum = zero;
    for &d in T::vectors::<S>(row) {
        // min(0, d - 1), whose square it is.
        let below = T::lesser(simd, zero, T::plus(simd, d, minus_one));
        sum = T::times_plus(simd, below, below, sum);
    }
    T::sum(simd, sum)
}

/// Replaces each d of a row by `factor max(0, 1 - d)`.
#[inline(always)]
pub(crate) fn weigh_by_hinge<T: Real, S: Simd>(simd: S, row: &mut [T], factor: T) {
    let [zero, minus_one] = [T::ZERO, T::from_f64(-1.0)].map(|x| T::splat(simd, x));
    let factor = T::splat(simd, T::ZERO - factor);
    for d in T::vectors_mut::<S>(row) {
        let below = T::lesser(simd, zero, T::plus(simd, *d, minus_one));
        *d = T::times(simd, factor, below);
    }
}

/// Replaces each d of a row by `sign exp(least - d + shift)`.
#[inline(always)]
pub(crate) fn weigh<T: Real, S: Simd>(simd: S, row: &mut [T], least: T, shift: T, sign: T) {
    let [least, shift, sign] = [least, shift, sign].map(|x| T::splat(simd, x));
    for d in T::vectors_mut::<S>(row) {
        *d = T::times(simd, sign, weight::<T, S>(simd, *d, [least, shift]));
    }
}

/// What the weights of each row of a set of points are made of: `sign exp(least - d + shift)`, as in [`weigh`].
pub(crate) struct Terms<T> {
    least: Aligned<T>,
    shift: Aligned<T>,
    sign: Aligned<T>,
}

impl<T: Real> Terms<T> {
    /// Of the statistics `[2, n]` of all rows and the gradient of their sums, with padding up to `stride`.
    pub(crate) fn new(statistics: &[T], gradient: &[T], stride: usize) -> Self {
        let (least, logs) = statistics.split_at(gradient.len());
        let [mut leasts, mut shift, mut sign] = core::array::from_fn(|_| Aligned::zeros(stride));
        // Rows without weights, padding among them: every distance is far.
        shift.fill(T::from_f64(NOTHING));
        for (row, (&log, &slope)) in logs.iter().zip(gradient).enumerate() {
            if let Some(of_row) = shift_and_sign(log, slope) {
                leasts[row] = least[row];
                [shift[row], sign[row]] = of_row;
            }
        }
        Self { least: leasts, shift, sign }
    }
}

/// What a row's weights `g exp(least - d - log)` have besides the distance: `log |g| - log` and the sign of g; nothing
/// where all of them are 0.
pub(crate) fn shift_and_sign<T: Real>(log: T, gradient: T) -> Option<[T; 2]> {
    let (log, gradient) = (log.to_f64(), gradient.to_f64());
    let is_nothing = log == f64::NEG_INFINITY || gradient == 0.0;
    (!is_nothing).then(|| [gradient.abs().ln() - log, gradient.signum()].map(T::from_f64))
}

/// A shift that makes every weight 0.
const NOTHING: f64 = -1e30;

/// Replaces each d of a row of points `part` by the weights of the pair, that of the row's sum and that of the point's
/// own; false where all of them are 0.
#[inline(always)]
pub(crate) fn weigh_mutually<T: Real, S: Simd>(
    simd: S,
    distances: &mut [T],
    terms: &Terms<T>,
    row: usize,
    part: &Range<usize>,
) -> bool {
    let [least, shift, sign] = [&terms.least, &terms.shift, &terms.sign];
    let of_row = [least[row], shift[row], sign[row]];
    let [least, shift, sign] =
        [least, shift, sign].map(|of_all| T::vectors::<S>(&of_all[part.clone()]));
    let mut lows = [T::splat(simd, T::INFINITY); 2];
    for (at, &d) in T::vectors::<S>(distances).iter().enumerate() {
        let beyond = T::minus(simd, T::minus(simd, d, least[at]), shift[at]);
        lows = [T::lesser(simd, lows[0], d), T::lesser(simd, lows[1], beyond)];
    }
    let [low, beyond] = lows.map(|low| T::least(simd, low));
    let row_is_near = low - of_row[0] - of_row[1] <= T::FAR;
    let points_are_near = beyond <= T::FAR;
    if !points_are_near {
        match row_is_near {
            true => weigh(simd, distances, of_row[0], of_row[1], of_row[2]),
            false => distances.fill(T::ZERO),
        }
        return row_is_near;
    }
    let of_row = of_row.map(|x| T::splat(simd, x));
    for (at, d) in T::vectors_mut::<S>(distances).iter_mut().enumerate() {
        let of_point = weight::<T, S>(simd, *d, [least[at], shift[at]]);
        let of_point = T::times(simd, sign[at], of_point);
        *d = match row_is_near {
            true => {
                let weight = weight::<T, S>(simd, *d, [of_row[0], of_row[1]]);
                T::times_plus(simd, of_row[2], weight, of_point)
            }
            false => of_point,
        };
    }
    true
}

/// `exp(least - d + shift)`.
#[inline(always)]
fn weight<T: Real, S: Simd>(
    simd: S,
    d: T::Vector<S>,
    [least, shift]: [T::Vector<S>; 2],
) -> T::Vector<S> {
    T::exp(simd, T::plus(simd, T::minus(simd, least, d), shift))
}

/// Adds `Σ_j w_ij v_j` of a tile's weights to `kept`, as one vector for each value and row, `[c, ROWS]`, whose lanes are
/// still to be summed.
#[inline(always)]
pub(crate) fn add_weighted<T: Real, S: Simd>(
    simd: S,
    c: usize,
    values: &Panel<T>,
    columns: &Range<usize>,
    tile: &Tile<T>,
    kept: &mut [T],
) {
    let vectors = columns.len() / T::lanes::<S>();
    let weights = tile.0.each_ref().map(|row| &T::vectors::<S>(row)[..vectors]);
    let (kept, _) = T::vectors_mut::<S>(kept).as_chunks_mut::<ROWS>();
    for (axis, kept) in kept.iter_mut().enumerate().take(c) {
        let values = values.coordinate(axis, columns.start, columns.len());
        let mut sums = *kept;
        for (at, &value) in T::vectors::<S>(values).iter().enumerate().take(vectors) {
            for (sum, weights) in sums.iter_mut().zip(&weights) {
                *sum = T::times_plus(simd, weights[at], value, *sum);
            }
        }
        *kept = sums;
    }
}

/// Adds `Σ_i w_ij g_i` of a tile's weights and rows `[ROWS, c]` to the sums of the axes from `first` on.
#[inline(always)]
pub(crate) fn add_spread<T: Real, S: Simd>(
    simd: S,
    c: usize,
    rows: &[T],
    columns: &Range<usize>,
    tile: &Tile<T>,
    (sums, first): (&mut Sums<T>, usize),
) {
    let vectors = columns.len() / T::lanes::<S>();
    let weights = tile.0.each_ref().map(|row| &T::vectors::<S>(row)[..vectors]);
    for axis in 0..c {
        let to = sums.of(first + axis, columns);
        let factors: [T::Vector<S>; ROWS] =
            core::array::from_fn(|row| T::splat(simd, rows[row * c + axis]));
        for (at, sum) in T::vectors_mut::<S>(to).iter_mut().enumerate().take(vectors) {
            for (&factor, weights) in factors.iter().zip(&weights) {
                *sum = T::times_plus(simd, weights[at], factor, *sum);
            }
        }
    }
}

/// Multiplies each weight of a tile by `g_i · v_j - d_i`, with rows `g` `[ROWS, c]` and a number `d` for each.
#[inline(always)]
pub(crate) fn turn<T: Real, S: Simd>(
    simd: S,
    c: usize,
    (rows, less): (&[T], [T; ROWS]),
    values: &Panel<T>,
    columns: &Range<usize>,
    tile: &mut Tile<T>,
) {
    let lanes = T::lanes::<S>();
    let vectors = columns.len() / lanes;
    let less = less.map(|x| T::splat(simd, T::ZERO - x));
    let mut weights = tile.0.each_mut().map(|row| &mut T::vectors_mut::<S>(row)[..vectors]);
    for at in 0..vectors {
        let mut products = less;
        for axis in 0..c {
            let value = values.coordinate(axis, columns.start + at * lanes, lanes);
            let value = T::vectors::<S>(value)[0];
            for (row, product) in products.iter_mut().enumerate() {
                *product =
                    T::times_plus(simd, T::splat(simd, rows[row * c + axis]), value, *product);
            }
        }
        for (weights, product) in weights.iter_mut().zip(products) {
            weights[at] = T::times(simd, weights[at], product);
        }
    }
}
