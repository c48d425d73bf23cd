//! The gradient of row-wise sums: every pair's weight again from two numbers a row, and the weights' first moments.

use core::ops::Range;

use pulp::Simd;
use rayon::prelude::*;

use crate::arch::arch;
use crate::tile::{self, Tile};
use crate::unrolled::{OverDimensions, Unrolled};
use crate::walk::{OnTiles, over_tiles};
use crate::{Aligned, Costs, NeighborSets, Panel, Real, Summand, group_size, padded};

/// Bytes that the groups' sums for references may take together.
const BUDGET: usize = 64 << 20;

/// References that are summed at once, before another reading of all queries, are not fewer than this.
const FEWEST: usize = 4096;

/// References whose sums are added up together.
pub(crate) const CHUNK: usize = 256;

/// What each pair weighs in a gradient.
#[derive(Clone, Copy, Debug)]
pub enum Weights<'a, T> {
    /// `g_i exp(-||q_i - r_j||² - lse_i)`, from the least distances and logarithms of
    /// [`Number::statistics`](crate::Number::statistics), `[2, b]`.
    Softmax(&'a [T]),
    /// `g_i exp(-||q_i - r_j|| - lse_i) / (2 ||q_i - r_j||)`, from the statistics of Euclidean distances; 0 where these are 0.
    EuclideanSoftmax(&'a [T]),
    /// `g_i exp(-||q_i - r_j||² - c_ij - lse_i)`, from the statistics and the costs, `[b, m]`.
    CostedSoftmax(&'a [T], &'a [T]),
    /// `2 g_i max(0, 1 - ||q_i - r_j||²)` or `-g_i / (2 ||q_i - r_j||)`, for [`Number::sums`](crate::Number::sums).
    Sum(Summand),
}

/// What the gradient of `Σ_i g_i s_i` is taken of, for sums s over pairs.
#[derive(Clone, Copy, Debug)]
pub struct Weighted<'a, T> {
    /// `[b, k]`.
    pub queries: &'a [T],
    /// `[m, k]`.
    pub references: &'a [T],
    /// Number of dimensions.
    pub k: usize,
    /// Which references each query sums over.
    pub columns: &'a NeighborSets,
    /// What each pair weighs.
    pub weights: Weights<'a, T>,
    /// `g`, one a query.
    pub gradient: &'a [T],
}

/// With the weights w: `-2 Σ_j w_ij (q_i - r_j)` for each query, and
/// `2 Σ_i w_ij (q_i - r_j)` for each reference: `[b, k]` and `[m, k]`.
pub(crate) fn gradients<T: Real>(of: &Weighted<'_, T>) -> (Vec<T>, Vec<T>) {
    let (b, m, k) = (of.columns.queries(), of.columns.references(), of.k);
    let panel = Panel::new(of.references, k);
    let queries = padded(of.queries, k);
    let rows: Vec<Row<T>> = match of.weights {
        Weights::Softmax(statistics)
        | Weights::EuclideanSoftmax(statistics)
        | Weights::CostedSoftmax(statistics, _) => {
            let euclidean = matches!(of.weights, Weights::EuclideanSoftmax(_));
            let (least, logs) = statistics.split_at(b);
            let rows = least.iter().zip(logs).zip(of.gradient);
            rows.map(|((&least, &log), &g)| Row::softmax(least, log, g, euclidean)).collect()
        }
        Weights::Sum(Summand::Hinge) => {
            of.gradient.iter().map(|&g| Row::Hinge { factor: T::from_f64(2.0) * g }).collect()
        }
        Weights::Sum(Summand::Euclidean) => {
            of.gradient.iter().map(|&g| Row::Euclidean { factor: T::from_f64(-0.5) * g }).collect()
        }
    };
    let costs = match of.weights {
        Weights::CostedSoftmax(_, costs) => costs,
        _ => &[],
    };
    let costs = Costs { values: costs, references: m };
    let size = group_size(b);
    let mut of_queries = vec![T::ZERO; b * k];
    let mut of_references = vec![T::ZERO; m * k];
    let (arch, stride) = (arch(), panel.stride());
    let wide = references_at_once(b.div_ceil(size.max(1)), k, size_of::<T>());
    for start in (0..stride).step_by(wide) {
        let among = start..(start + wide).min(stride);
        let groups = of_queries.par_chunks_mut((size * k).max(1)).enumerate();
        let parts: Vec<Sums<T>> = groups
            .map(|(group, of_queries)| {
                let some = group * size..((group + 1) * size).min(b);
                let values = Aligned::zeros(k * among.len());
                let mut sums = Sums { values, among: among.clone() };
                arch.dispatch(Unrolled(Group {
                    queries: &queries,
                    panel: &panel,
                    k,
                    columns: of.columns,
                    costs,
                    rows: &rows,
                    some,
                    of_queries,
                    sums: &mut sums,
                }));
                sums
            })
            .collect();
        let end = among.end.min(m);
        let total = &mut of_references[start * k..end * k];
        add_parts(&parts, (0, k), &among, T::from_f64(2.0), total);
    }
    let minus_two = T::from_f64(-2.0);
    of_queries.iter_mut().for_each(|x| *x = minus_two * *x);
    (of_queries, of_references)
}

/// What turns a row's squared distances into weights.
#[derive(Clone, Copy)]
enum Row<T> {
    /// None.
    Nothing,
    /// `sign exp(least - d + shift)`, where the shift is `log |g_i| - log Σ`.
    Softmax { least: T, shift: T, sign: T },
    /// The same of the roots, over twice the root.
    EuclideanSoftmax { least: T, shift: T, sign: T },
    /// `factor max(0, 1 - d)`.
    Hinge { factor: T },
    /// `factor / √d`.
    Euclidean { factor: T },
}

impl<T: Real> Row<T> {
    fn softmax(least: T, log: T, gradient: T, euclidean: bool) -> Self {
        match tile::shift_and_sign(log, gradient) {
            Some([shift, sign]) if euclidean => Self::EuclideanSoftmax { least, shift, sign },
            Some([shift, sign]) => Self::Softmax { least, shift, sign },
            None => Self::Nothing,
        }
    }

    /// Turns squared distances into weights; false where all of them are 0.
    #[inline(always)]
    fn weigh<S: Simd>(self, simd: S, distances: &mut [T]) -> bool {
        let nearest = |distances: &[T]| tile::least::<T, S>(simd, distances);
        match self {
            Self::Softmax { least, shift, sign }
                if nearest(distances) - least - shift <= T::FAR =>
            {
                tile::weigh(simd, distances, least, shift, sign);
                true
            }
            Self::EuclideanSoftmax { least, shift, sign } => {
                tile::roots(distances);
                let near = nearest(distances) - least - shift <= T::FAR;
                if near {
                    let mut roots = [T::ZERO; tile::WIDTH];
                    let roots = &mut roots[..distances.len()];
                    roots.copy_from_slice(distances);
                    tile::weigh(simd, distances, least, shift, sign);
                    tile::halve_by(distances, roots);
                } else {
                    distances.fill(T::ZERO);
                }
                near
            }
            Self::Euclidean { factor } => {
                tile::roots(distances);
                tile::inverses(distances, factor);
                true
            }
            Self::Hinge { factor } if nearest(distances) < T::from_f64(1.0) => {
                tile::weigh_by_hinge(simd, distances, factor);
                true
            }
            _ => {
                distances.fill(T::ZERO);
                false
            }
        }
    }
}

/// References for which every group can hold sums within the budget, in whole tiles.
pub(crate) fn references_at_once(groups: usize, k: usize, bytes: usize) -> usize {
    let fits = BUDGET / (groups * k * bytes).max(1);
    fits.max(FEWEST).next_multiple_of(crate::WIDTH)
}

/// The gradient of some queries.
struct Group<'a, T> {
    queries: &'a [T],
    panel: &'a Panel<T>,
    k: usize,
    columns: &'a NeighborSets,
    costs: Costs<'a, T>,
    rows: &'a [Row<T>],
    /// The queries.
    some: Range<usize>,
    of_queries: &'a mut [T],
    sums: &'a mut Sums<T>,
}

impl<T: Real> OverDimensions for Group<'_, T> {
    fn dimensions(&self) -> usize {
        self.k
    }

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S, k: usize) {
        let (some, of_queries) = (self.some.clone(), std::mem::take(&mut self.of_queries));
        let among = self.sums.among.clone();
        over_tiles(simd, (k, k), (&some, &among), &mut self, of_queries);
    }
}

impl<T: Real> OnTiles<T> for Group<'_, T> {
    #[inline(always)]
    fn add<S: Simd>(
        &mut self,
        simd: S,
        k: usize,
        some: Range<usize>,
        wide: &Range<usize>,
        tile: &mut Tile<T>,
        kept: &mut [T],
    ) {
        let queries = &self.queries[some.start * k..];
        let rows = &self.rows[some.clone()];
        if rows.iter().all(|row| matches!(row, Row::Nothing)) {
            return;
        }
        for part in self.columns.cover(some.clone(), wide, T::lanes::<S>()) {
            tile::sq_distances(simd, k, queries, self.panel, &part, tile);
            let mut far = true;
            for (at, distances) in tile.iter_mut().enumerate() {
                let distances = &mut distances[..part.len()];
                let Some(row) = rows.get(at) else {
                    distances.fill(T::ZERO);
                    continue;
                };
                self.costs.add_to(distances, some.start + at, &part);
                for out in self.columns.left_out(some.start + at, &part) {
                    distances[out].fill(T::INFINITY);
                }
                far &= !row.weigh(simd, distances);
            }
            if far {
                continue;
            }
            let Sums { values, among } = &mut *self.sums;
            let sums = (&mut values[..], among.len(), among.start);
            tile::add_moments(simd, k, queries, self.panel, &part, tile, kept, sums);
        }
    }
}

/// What a group of queries adds up for references: one number for each axis and reference.
pub(crate) struct Sums<T> {
    /// The references.
    pub(crate) among: Range<usize>,
    /// `[axes, among]`.
    pub(crate) values: Aligned<T>,
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
