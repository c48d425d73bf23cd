//! The gradient of row-wise sums: every pair's weight again from two numbers a row, and the weights' first moments.

use pulp::Simd;

use crate::pairs::{Differences, Pairs};
use crate::tile::{self, Tile};
use crate::walk::{Block, OnTiles, Sides, over_tiles};
use crate::{Costs, NeighborSets, Real, Summand, groups};

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
    let costs = match of.weights {
        Weights::CostedSoftmax(_, costs) => costs,
        _ => &[],
    };
    let work = PairWeights {
        pairs: Differences::new((of.queries, of.references, k)),
        columns: of.columns,
        costs: Costs { values: costs, references: m },
        rows: Row::all(of),
    };
    let (mut of_queries, [of_references]) = over_tiles(&work, (k, m), &groups(b), [(k, 2.0)]);
    let minus_two = T::from_f64(-2.0);
    of_queries.iter_mut().for_each(|x| *x = minus_two * *x);
    (of_queries, of_references)
}

/// What turns a row's squared distances into weights.
#[derive(Clone, Copy)]
enum Row<T> {
    /// None.
    Nothing,
    /// `sign exp(least - d + shift)`, where the shift is `log |g_i| - log Σ`; if Euclidean, of the roots, over twice the root.
    Softmax { least: T, shift: T, sign: T, euclidean: bool },
    /// `factor max(0, 1 - d)`.
    Hinge { factor: T },
    /// `factor / √d`.
    Euclidean { factor: T },
}

impl<T: Real> Row<T> {
    fn all(of: &Weighted<'_, T>) -> Vec<Self> {
        let times = |factor: f64| of.gradient.iter().map(move |&g| T::from_f64(factor) * g);
        match of.weights {
            Weights::Softmax(statistics)
            | Weights::EuclideanSoftmax(statistics)
            | Weights::CostedSoftmax(statistics, _) => {
                let euclidean = matches!(of.weights, Weights::EuclideanSoftmax(_));
                let (least, logs) = statistics.split_at(of.gradient.len());
                let row = |((&least, &log), &g): ((&T, &T), &T)| match tile::shift_and_sign(log, g)
                {
                    Some([shift, sign]) => Self::Softmax { least, shift, sign, euclidean },
                    None => Self::Nothing,
                };
                least.iter().zip(logs).zip(of.gradient).map(row).collect()
            }
            Weights::Sum(Summand::Hinge) => {
                times(2.0).map(|factor| Self::Hinge { factor }).collect()
            }
            Weights::Sum(Summand::Euclidean) => {
                times(-0.5).map(|factor| Self::Euclidean { factor }).collect()
            }
        }
    }

    /// Turns squared distances into weights; false where all of them are 0.
    #[inline(always)]
    fn weigh<S: Simd>(self, simd: S, distances: &mut [T]) -> bool {
        let nearest = |distances: &[T]| tile::least::<T, S>(simd, distances);
        match self {
            Self::Softmax { least, shift, sign, euclidean } => {
                if euclidean {
                    tile::roots(distances);
                }
                let near = nearest(distances) - least - shift <= T::FAR;
                match (near, euclidean) {
                    (true, true) => {
                        let mut roots = [T::ZERO; tile::WIDTH];
                        let roots = &mut roots[..distances.len()];
                        roots.copy_from_slice(distances);
                        tile::weigh(simd, distances, least, shift, sign);
                        tile::halve_by(distances, roots);
                    }
                    (true, false) => tile::weigh(simd, distances, least, shift, sign),
                    (false, _) => distances.fill(T::ZERO),
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

struct PairWeights<'a, T> {
    pairs: Differences<T>,
    columns: &'a NeighborSets,
    costs: Costs<'a, T>,
    rows: Vec<Row<T>>,
}

impl<T: Real> OnTiles<T> for PairWeights<'_, T> {
    #[inline(always)]
    fn add<S: Simd>(&self, simd: S, of: &Block<'_>, tile: &mut Tile<T>, to: Sides<'_, T>) {
        let (Block { k, some, wide }, (kept, sums)) = (of, to);
        let rows = &self.rows[some.clone()];
        if rows.iter().all(|row| matches!(row, Row::Nothing)) {
            return;
        }
        for part in self.columns.cover(some.clone(), wide, T::lanes::<S>()) {
            self.pairs.sq_distances(simd, *k, some.start, &part, tile);
            let mut far = true;
            for (at, distances) in tile.0.iter_mut().enumerate() {
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
            if !far {
                self.pairs.add_moments(simd, *k, some.start, &part, tile, (&mut *kept, &mut *sums));
            }
        }
    }
}
