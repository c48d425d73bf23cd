//! The kernel of the gradients and means: weights of pairs, computed again, and what they weigh.

use burn_cubecl::cubecl;
use cubecl::prelude::*;

use super::tile::{
    Cut, FOURS, Four, TILE, UNITS, add_products, keeps, load_row, load_tile, meets, sq_distances,
};

/// The weight of a pair with squared distance d, from three numbers of its query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Weight {
    /// `w = f p`, with `p = exp(least - d - log)` and the query's factor f.
    Softmax,
    /// `w = p (g · v - f)`: values v of the reference, the gradient g with respect to the query's mean.
    Transposed,
    /// `w = 2 f max(0, 1 - d)`.
    Hinge,
}

/// What is summed with the weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Summed {
    /// `-2 Σ w (x - y)` over the other points y: gradients with respect to points.
    Moments,
    /// `Σ w v` of the other points' values.
    Values,
}

/// What is known when the kernel is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Plan {
    /// Whether units have references, and queries pass in tiles.
    pub(super) by_reference: bool,
    pub(super) weight: Weight,
    pub(super) summed: Summed,
    /// Coordinates of the points.
    pub(super) points: Cut,
    /// Values of a point.
    pub(super) values: Cut,
}

impl Plan {
    /// Numbers that a unit sums up at once.
    pub(super) fn sums(&self) -> usize {
        match self.summed {
            Summed::Moments => self.points.depth,
            Summed::Values => self.values.depth,
        }
    }

    fn shared_values(&self) -> usize {
        let used = self.weight == Weight::Transposed || self.summed == Summed::Values;
        if used { self.values.depth } else { 1 }
    }

    fn shared_row_values(&self) -> usize {
        if self.weight == Weight::Transposed { self.values.depth } else { 1 }
    }
}

/// A unit for each row (a query, or `by_reference` a reference), a part of the other points for each `CUBE_POS_Y`, some
/// of the sums for each `CUBE_POS_Z`: `[parts, rows, sums]`.
#[cube(launch)]
pub(super) fn weighted_kernel(
    points: &[f32],
    others: &[f32],
    positions: &[u32],
    numbers: &[f32],
    values: &[f32],
    other_values: &[f32],
    output: &mut [f32],
    rows: u32,
    columns: u32,
    k: u32,
    c: u32,
    first: u32,
    outside: u32,
    part: u32,
    #[comptime] plan: Plan,
) {
    let count = rows as usize;
    let among = columns as usize;
    let width = k as usize;
    let width_of_values = c as usize;
    let unit = UNIT_POS as usize;
    let row = CUBE_POS_X as usize * UNITS + unit;
    let is_row = row < count;
    let known = select(is_row, row, 0usize);
    let depth = comptime!(plan.points.depth);
    let depth_of_values = comptime!(plan.values.depth);

    let mut own = Shared::<[f32]>::new_slice(comptime!(depth * UNITS));
    let mut tile = Shared::<[Four]>::new_slice(comptime!(depth * FOURS));
    let mut own_values = Shared::<[f32]>::new_slice(comptime!(plan.shared_row_values() * UNITS));
    let mut tile_values = Shared::<[Four]>::new_slice(comptime!(plan.shared_values() * FOURS));
    // Of the queries of a tile: spans, and three numbers.
    let mut spans = Shared::<[u32]>::new_slice(comptime!(2 * TILE));
    let mut known_of = Shared::<[f32]>::new_slice(comptime!(3 * TILE));
    let mut weights = Array::<Four>::new(FOURS);
    let mut products = Array::<Four>::new(FOURS);
    let mut sums = Array::<f32>::new(comptime!(plan.sums()));
    if comptime!(plan.points.whole) {
        load_row(&mut own, points, row, count, width, 0usize, depth);
    }

    // Of the unit's query, if it has one.
    let mut start = 0u32;
    let mut end = 0u32;
    let mut least = 0.0f32;
    let mut log = 0.0f32;
    let mut factor = 0.0f32;
    let mut queries = count;
    if comptime!(plan.by_reference) {
        queries = among;
    } else {
        start = positions[known];
        end = positions[count + known];
        if comptime!(plan.weight == Weight::Hinge) {
            factor = numbers[known];
        } else {
            least = numbers[known];
            log = numbers[count + known];
            factor = numbers[2 * count + known];
        }
    }
    let bounds_of_rows = 2 * queries;
    let bounds_of_tiles = bounds_of_rows + 2 * queries.div_ceil(UNITS);
    let from = CUBE_POS_X * UNITS as u32;
    let to = min(from + UNITS as u32, rows);
    let chunk = CUBE_POS_Z as usize;

    let mut at = CUBE_POS_Y * part;
    let until = min(at + part, columns);
    while at < until {
        let needed = if comptime!(plan.by_reference) {
            let bounds = bounds_of_tiles + 2 * (at as usize / TILE);
            meets(positions[bounds], positions[bounds + 1], from, to, outside)
        } else {
            let bounds = bounds_of_rows + 2 * CUBE_POS_X as usize;
            let last = min(at + TILE as u32, columns);
            meets(positions[bounds], positions[bounds + 1], at, last, outside)
        };
        if needed {
            sync_cube();
            if comptime!(plan.by_reference) {
                load_queries(
                    &mut spans,
                    &mut known_of,
                    positions,
                    numbers,
                    at as usize,
                    among,
                    comptime!(plan.weight == Weight::Hinge),
                );
            }
            if comptime!(plan.summed == Summed::Values) {
                load_tile(
                    &mut tile_values,
                    other_values,
                    at as usize,
                    among,
                    width_of_values,
                    chunk * depth_of_values,
                    depth_of_values,
                );
            }
            if comptime!(plan.weight == Weight::Transposed) {
                #[unroll]
                for four in 0..FOURS {
                    products[four] = Four::new(0.0f32);
                }
                let mut value = 0usize;
                while value < width_of_values {
                    sync_cube();
                    load_row(
                        &mut own_values,
                        values,
                        row,
                        count,
                        width_of_values,
                        value,
                        depth_of_values,
                    );
                    load_tile(
                        &mut tile_values,
                        other_values,
                        at as usize,
                        among,
                        width_of_values,
                        value,
                        depth_of_values,
                    );
                    sync_cube();
                    add_products(&mut products, &own_values, &tile_values, depth_of_values);
                    value += depth_of_values;
                }
            }
            sq_distances(
                &mut weights,
                &mut own,
                &mut tile,
                points,
                others,
                row,
                count,
                at as usize,
                among,
                width,
                comptime!(plan.points),
            );
            #[unroll]
            for four in 0..FOURS {
                let mut of_four = weights[four];
                #[unroll]
                for lane in 0..4usize {
                    let place = comptime!(four * 4 + lane);
                    let other = at + comptime!((four * 4 + lane) as u32);
                    let keep = if comptime!(plan.by_reference) {
                        start = spans[place];
                        end = spans[TILE + place];
                        least = known_of[place];
                        log = known_of[TILE + place];
                        factor = known_of[2 * TILE + place];
                        keeps(other, row as u32, start, end, first, outside)
                    } else {
                        keeps(row as u32, other, start, end, first, outside)
                    };
                    let distance = of_four.extract(lane);
                    let weight = if comptime!(plan.weight == Weight::Hinge) {
                        2.0f32 * factor * max(1.0f32 - distance, 0.0f32)
                    } else if comptime!(plan.weight == Weight::Transposed) {
                        let product = products[four].extract(lane) - factor;
                        (least - distance - log).exp() * product
                    } else {
                        (least - distance - log).exp() * factor
                    };
                    // A distance that is infinite weighs nothing, and a row without columns has no weights.
                    let counts = keep && is_row && other < columns && distance < f32::max_value();
                    of_four.insert(lane, select(counts, weight, 0.0f32));
                }
                weights[four] = of_four;
            }
            if comptime!(plan.summed == Summed::Moments) {
                if comptime!(!plan.points.whole) {
                    sync_cube();
                    load_row(&mut own, points, row, count, width, chunk * depth, depth);
                    load_tile(&mut tile, others, at as usize, among, width, chunk * depth, depth);
                    sync_cube();
                }
                for axis in 0..depth {
                    let x = Four::new(own[axis * UNITS + unit]);
                    let mut moment = Four::new(0.0f32);
                    #[unroll]
                    for four in 0..FOURS {
                        let difference = x - tile[axis * FOURS + four];
                        moment = fma(weights[four], difference, moment);
                    }
                    sums[axis] += add_up(moment);
                }
            } else {
                for value in 0..depth_of_values {
                    let mut moment = Four::new(0.0f32);
                    #[unroll]
                    for four in 0..FOURS {
                        let other = tile_values[value * FOURS + four];
                        moment = fma(weights[four], other, moment);
                    }
                    sums[value] += add_up(moment);
                }
            }
        }
        at += TILE as u32;
    }

    if is_row {
        let number = comptime!(plan.sums());
        let length = if comptime!(plan.summed == Summed::Values) { width_of_values } else { width };
        for place in 0..number {
            let axis = chunk * number + place;
            if axis < length {
                let to = (CUBE_POS_Y as usize * count + row) * length + axis;
                let sum = sums[place];
                output[to] = if comptime!(plan.summed == Summed::Values) {
                    sum
                } else {
                    sum * f32::new(-2.0f32)
                };
            }
        }
    }
}

/// Writes the spans and the numbers of the queries `first..first + TILE` to shared memory.
#[cube]
fn load_queries(
    spans: &mut Shared<[u32]>,
    known: &mut Shared<[f32]>,
    positions: &[u32],
    numbers: &[f32],
    first: usize,
    queries: usize,
    #[comptime] is_hinge: bool,
) {
    let place = UNIT_POS as usize;
    if place < TILE {
        let query = min(first + place, queries - 1);
        spans[place] = positions[query];
        spans[TILE + place] = positions[queries + query];
        if comptime!(is_hinge) {
            known[2 * TILE + place] = numbers[query];
        } else {
            known[place] = numbers[query];
            known[TILE + place] = numbers[queries + query];
            known[2 * TILE + place] = numbers[2 * queries + query];
        }
    }
}

/// The sum of four numbers.
#[cube]
fn add_up(four: Four) -> f32 {
    (four.extract(0usize) + four.extract(1usize)) + (four.extract(2usize) + four.extract(3usize))
}
