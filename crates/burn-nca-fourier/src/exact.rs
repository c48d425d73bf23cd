//! Sums of single rows over all their references, in log space.

use pulp::Arch;
use rayon::prelude::*;

use crate::exp::exp;

/// Numbers that are added side by side.
const LANES: usize = 8;

const TILE: usize = 64;

/// Rows from which references are sorted, so that a tile's are near to each other.
const SORTED_FROM: usize = 8;

/// Distances beyond the least of a row's from which a term counts as zero: `exp(-36) < 3e-16`.
const FARTHEST: f64 = 36.0;

/// References in tiles by coordinate; the second one is 0 where there is one dimension.
pub(crate) struct Columns {
    tiles: Vec<Tile>,
    /// Values of the references of each tile, by column.
    values: Vec<Vec<[f64; TILE]>>,
    /// The original place of each reference.
    order: Vec<u32>,
    /// The place in the tiles of each reference.
    place: Vec<u32>,
}

/// References, the last of which may be filled up by others at an infinite distance, and the box that they lie in.
struct Tile {
    at: [[f64; TILE]; 2],
    low: [f64; 2],
    high: [f64; 2],
}

/// What is known of a row: its place and its log sum; the reference that it leaves out, if there is one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) at: [f64; 2],
    pub(crate) log_sum: f64,
    pub(crate) own: Option<usize>,
}

/// The factors of the pairs of a row, `a_i + Σ_c b_ic v_jc` with the values v of the references.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Factors<'a> {
    pub(crate) constant: f64,
    pub(crate) slopes: &'a [f64],
}

impl Columns {
    /// For sums of so many rows; with a value of each reference in c columns, `[m, c]`.
    pub(crate) fn new(
        k: usize,
        coordinates: &[f64],
        rows: usize,
        (values, c): (&[f64], usize),
    ) -> Self {
        let at = |reference: u32, axis: usize| match axis < k {
            true => coordinates[reference as usize * k + axis],
            false => 0.0,
        };
        let mut order: Vec<u32> = (0..(coordinates.len() / k) as u32).collect();
        if rows >= SORTED_FROM {
            let by = |axis: usize| move |a: &u32, b: &u32| at(*a, axis).total_cmp(&at(*b, axis));
            order.par_sort_by(by(0));
            if k == 2 {
                // Strips across, of as many tiles as there are strips.
                let strips = (order.len() as f64 / TILE as f64).sqrt().ceil() as usize;
                order.par_chunks_mut((strips * TILE).max(1)).for_each(|strip| strip.sort_by(by(1)));
            }
        }
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &row)| place[row as usize] = at as u32);
        let tile = |references: &[u32]| {
            let column = |axis: usize| {
                let mut column = [f64::INFINITY; TILE];
                column.iter_mut().zip(references).for_each(|(x, &row)| *x = at(row, axis));
                column
            };
            let columns = [column(0), column(1)];
            let end = |axis: usize, first: f64, of: fn(f64, f64) -> f64| {
                columns[axis][..references.len()].iter().copied().fold(first, of)
            };
            Tile {
                low: [0, 1].map(|axis| end(axis, f64::INFINITY, f64::min)),
                high: [0, 1].map(|axis| end(axis, f64::NEG_INFINITY, f64::max)),
                at: columns,
            }
        };
        let column = |column: usize| {
            let tile = |references: &[u32]| {
                let mut of_tile = [0.0; TILE];
                let value = |row: u32| values[row as usize * c + column];
                of_tile.iter_mut().zip(references).for_each(|(v, &row)| *v = value(row));
                of_tile
            };
            order.chunks(TILE).map(tile).collect()
        };
        let tiles = order.chunks(TILE).map(tile).collect();
        Self { tiles, values: (0..c).map(column).collect(), order, place }
    }

    /// `log Σ_j exp(-d_j)` and `Σ_j d_j exp(-d_j) / Σ_j exp(-d_j)` of the squared distances d of a row; -∞ and 0 where
    /// there is no reference.
    pub(crate) fn log_sum(&self, row: &Row) -> [f64; 2] {
        Arch::new().dispatch(|| {
            let own = row.own.map(|own| self.place[own] as usize);
            let least = self.least_distance(row.at, own);
            if least == f64::INFINITY {
                return [f64::NEG_INFINITY, 0.0];
            }
            let (mut sum, mut moment) = ([0.0; LANES], [0.0; LANES]);
            for (number, tile) in self.tiles.iter().enumerate() {
                if tile.distance(row.at) > least + FARTHEST {
                    continue;
                }
                let distances = tile.distances(row.at, of_tile(own, number));
                for distances in distances.as_chunks::<LANES>().0 {
                    for lane in 0..LANES {
                        let beyond = distances[lane] - least;
                        let term = if beyond > FARTHEST { 0.0 } else { exp(-beyond) };
                        sum[lane] += term;
                        moment[lane] += term * beyond.min(FARTHEST);
                    }
                }
            }
            let [sum, moment] = [sum, moment].map(|lanes| lanes.iter().sum::<f64>());
            [sum.ln() - least, least + moment / sum]
        })
    }

    /// The means of the values of a row whose log sum is known; 0 where there is no reference.
    pub(crate) fn means(&self, row: &Row) -> Vec<f64> {
        let own = row.own.map(|own| self.place[own] as usize);
        let mut means = vec![0.0; self.values.len()];
        if row.log_sum == f64::NEG_INFINITY {
            return means;
        }
        Arch::new().dispatch(|| {
            for (number, tile) in self.tiles.iter().enumerate() {
                if tile.distance(row.at) + row.log_sum > FARTHEST {
                    continue;
                }
                let mut shares = tile.distances(row.at, of_tile(own, number));
                for share in &mut shares {
                    let beyond = *share + row.log_sum;
                    *share = if beyond > FARTHEST { 0.0 } else { exp((-beyond).min(0.0)) };
                }
                for (mean, values) in means.iter_mut().zip(&self.values) {
                    let mut sum = [0.0; LANES];
                    let chunks = shares.as_chunks::<LANES>().0;
                    for (share, value) in chunks.iter().zip(values[number].as_chunks::<LANES>().0) {
                        for lane in 0..LANES {
                            sum[lane] += share[lane] * value[lane];
                        }
                    }
                    *mean += sum.iter().sum::<f64>();
                }
            }
        });
        means
    }

    /// References that the sum of a row is formed of, those of a tile together.
    pub(crate) fn count(&self, row: &Row) -> usize {
        let bound = self.tiles.iter().map(|tile| tile.most(row.at)).fold(f64::INFINITY, f64::min);
        let is_near = |tile: &&Tile| tile.distance(row.at) <= bound + FARTHEST;
        TILE * self.tiles.iter().filter(is_near).count()
    }

    fn least_distance(&self, at: [f64; 2], own: Option<usize>) -> f64 {
        // Of a tile with other references than the row itself, which is at no distance from its own.
        let others = |number: &usize| of_tile(own, *number).is_none();
        let most = (0..self.tiles.len()).filter(others).map(|number| self.tiles[number].most(at));
        let bound = most.fold(f64::INFINITY, f64::min);
        let mut least = f64::INFINITY;
        for (number, tile) in self.tiles.iter().enumerate() {
            if tile.distance(at) > bound.min(least) && others(&number) {
                continue;
            }
            let mut lowest = [f64::INFINITY; LANES];
            for distances in tile.distances(at, of_tile(own, number)).as_chunks::<LANES>().0 {
                for (low, distance) in lowest.iter_mut().zip(distances) {
                    *low = if distance < low { *distance } else { *low };
                }
            }
            least = lowest.into_iter().fold(least, f64::min);
        }
        least
    }

    /// The gradients by the rows and by the references of exponents alone, of `Σ_ij p_ij f_ij` with factors f.
    ///
    /// ```text
    /// dq_i = -2 Σ_j p_ij f_ij (q_i - r_j),   dr_j = 2 Σ_i p_ij f_ij (q_i - r_j),   p_ij = exp(-||q_i - r_j||² - s_i)
    /// ```
    pub(crate) fn gradients(&self, rows: &[(Row, Factors<'_>)]) -> [Vec<[f64; 2]>; 2] {
        let of_rows = rows.par_iter().map(|(row, factors)| {
            Arch::new().dispatch(|| {
                let mut sum = [0.0; 2];
                for (number, tile) in self.tiles.iter().enumerate() {
                    if !tile.is_beyond(row) {
                        let parts = self.parts(number, row, factors);
                        let parts = parts.map(|part| part.iter().sum::<f64>());
                        sum = [sum[0] + parts[0], sum[1] + parts[1]];
                    }
                }
                sum.map(|sum| -2.0 * sum)
            })
        });
        let of_rows = of_rows.collect();
        let of_tiles = self.tiles.par_iter().enumerate().map(|(number, tile)| {
            let mut sums = [[0.0; TILE]; 2];
            Arch::new().dispatch(|| {
                for (row, factors) in rows.iter().filter(|(row, _)| !tile.is_beyond(row)) {
                    for (sums, parts) in sums.iter_mut().zip(self.parts(number, row, factors)) {
                        sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += 2.0 * part);
                    }
                }
            });
            sums
        });
        let of_tiles: Vec<[[f64; TILE]; 2]> = of_tiles.collect();
        let mut of_references = vec![[0.0; 2]; self.order.len()];
        for (at, &row) in self.order.iter().enumerate() {
            of_references[row as usize] = of_tiles[at / TILE].map(|sums| sums[at % TILE]);
        }
        [of_rows, of_references]
    }

    /// `p_ij f_ij (q_i - r_j)` of a row and the references of a tile; the row itself has the difference 0.
    #[inline(always)]
    fn parts(&self, number: usize, row: &Row, factors: &Factors<'_>) -> [[f64; TILE]; 2] {
        let [xs, ys] = &self.tiles[number].at;
        let mut weights = [factors.constant; TILE];
        for (slope, values) in factors.slopes.iter().zip(&self.values) {
            weights.iter_mut().zip(&values[number]).for_each(|(sum, value)| *sum += slope * value);
        }
        let mut parts = [[0.0; TILE]; 2];
        for lane in 0..TILE {
            let [dx, dy] = [row.at[0] - xs[lane], row.at[1] - ys[lane]];
            let beyond = dx * dx + dy * dy + row.log_sum;
            // The row itself, at a difference of 0, may have any exponent.
            let weight = weights[lane] * exp((-beyond).min(0.0));
            parts[0][lane] = if beyond > FARTHEST { 0.0 } else { weight * dx };
            parts[1][lane] = if beyond > FARTHEST { 0.0 } else { weight * dy };
        }
        parts
    }
}

/// The lane of a place in the tiles, if it is in this tile.
#[inline(always)]
fn of_tile(place: Option<usize>, number: usize) -> Option<usize> {
    place.filter(|place| place / TILE == number).map(|place| place % TILE)
}

impl Tile {
    /// The squared distance of a point to the box.
    #[inline(always)]
    fn distance(&self, at: [f64; 2]) -> f64 {
        let [x, y] =
            [0, 1].map(|axis| (self.low[axis] - at[axis]).max(at[axis] - self.high[axis]).max(0.0));
        x * x + y * y
    }

    /// The squared distance of a point to the farthest corner of the box.
    #[inline(always)]
    fn most(&self, at: [f64; 2]) -> f64 {
        let [x, y] = [0, 1].map(|axis| (self.high[axis] - at[axis]).max(at[axis] - self.low[axis]));
        x * x + y * y
    }

    /// Whether no reference has a share in the sum of a row.
    #[inline(always)]
    fn is_beyond(&self, row: &Row) -> bool {
        self.distance(row.at) + row.log_sum > FARTHEST
    }

    /// The squared distances of a point to the references, infinite to the one that is left out.
    #[inline(always)]
    fn distances(&self, at: [f64; 2], left_out: Option<usize>) -> [f64; TILE] {
        let mut distances = [0.0; TILE];
        for (lane, distance) in distances.iter_mut().enumerate() {
            let [x, y] = [at[0] - self.at[0][lane], at[1] - self.at[1][lane]];
            *distance = x * x + y * y;
        }
        if let Some(lane) = left_out {
            distances[lane] = f64::INFINITY;
        }
        distances
    }
}
