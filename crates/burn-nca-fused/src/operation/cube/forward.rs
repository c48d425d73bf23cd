//! The kernels of the sums: a unit for each query and part of the references, two numbers (or one) from each.

use burn_cubecl::cubecl;
use cubecl::prelude::*;

use super::tile::{Cut, FOURS, Four, TILE, UNITS, keeps, load_row, meets, sq_distances};

/// Tiles after which what was summed is added to the total, for fewer roundings in a row.
const STRETCH: usize = 64;

/// What is summed over the references of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Sum {
    /// The least distance d* and `Σ_j exp(d* - d_ij)`: `[parts, 2, b]`.
    Softmax,
    /// `Σ_j max(0, 1 - d_ij)²`: `[parts, b]`.
    Hinge,
}

/// One part of the references for each `CUBE_POS_Y`, `UNITS` queries for each `CUBE_POS_X`.
///
/// The least distance of a row so far and the sum relative to it stay in registers. When a tile brings a smaller one, the
/// sum is multiplied by `exp(new - old)`, as in FlashAttention.
#[cube(launch)]
pub(super) fn sums_kernel(
    queries: &[f32],
    references: &[f32],
    positions: &[u32],
    output: &mut [f32],
    b: u32,
    m: u32,
    k: u32,
    first: u32,
    outside: u32,
    part: u32,
    #[comptime] cut: Cut,
    #[comptime] sum: Sum,
) {
    let count = b as usize;
    let columns = m as usize;
    let width = k as usize;
    let row = CUBE_POS_X as usize * UNITS + UNIT_POS as usize;
    let is_row = row < count;
    let known = select(is_row, row, 0usize);
    let start = positions[known];
    let end = positions[count + known];
    let bounds = 2 * count + 2 * CUBE_POS_X as usize;
    let low = positions[bounds];
    let high = positions[bounds + 1];

    let mut rows = Shared::<[f32]>::new_slice(comptime!(cut.depth * UNITS));
    let mut tile = Shared::<[Four]>::new_slice(comptime!(cut.depth * FOURS));
    let mut distances = Array::<Four>::new(FOURS);
    if comptime!(cut.whole) {
        load_row(&mut rows, queries, row, count, width, 0usize, comptime!(cut.depth));
    }

    let none = f32::max_value();
    let mut least = none;
    let mut total = 0.0f32;
    let mut stretch = 0.0f32;
    let mut tiles = 0usize;
    let mut at = CUBE_POS_Y * part;
    let until = min(at + part, m);
    while at < until {
        if meets(low, high, at, min(at + TILE as u32, m), outside) {
            sync_cube();
            sq_distances(
                &mut distances,
                &mut rows,
                &mut tile,
                queries,
                references,
                row,
                count,
                at as usize,
                columns,
                width,
                cut,
            );
            let mut nearest = least;
            #[unroll]
            for four in 0..FOURS {
                let mut kept = distances[four];
                #[unroll]
                for lane in 0..4usize {
                    let reference = at + comptime!((four * 4 + lane) as u32);
                    let keep = keeps(row as u32, reference, start, end, first, outside);
                    let distance = select(keep && reference < m, kept.extract(lane), none);
                    kept.insert(lane, distance);
                    nearest = min(nearest, distance);
                }
                distances[four] = kept;
            }
            if comptime!(sum == Sum::Softmax) {
                let shrink = (nearest - least).exp();
                total *= shrink;
                stretch *= shrink;
                least = nearest;
            }
            let mut of_tile = 0.0f32;
            #[unroll]
            for four in 0..FOURS {
                #[unroll]
                for lane in 0..4usize {
                    let distance = distances[four].extract(lane);
                    if comptime!(sum == Sum::Softmax) {
                        let term = (least - distance).exp();
                        of_tile += select(distance < none, term, 0.0f32);
                    } else {
                        let near = max(1.0f32 - distance, 0.0f32);
                        of_tile += near * near;
                    }
                }
            }
            stretch += of_tile;
            tiles += 1;
            if tiles == STRETCH {
                total += stretch;
                stretch = 0.0f32;
                tiles = 0usize;
            }
        }
        at += TILE as u32;
    }
    total += stretch;

    if is_row {
        let place = CUBE_POS_Y as usize;
        if comptime!(sum == Sum::Softmax) {
            output[2 * place * count + row] = least;
            output[(2 * place + 1) * count + row] = total;
        } else {
            output[place * count + row] = total;
        }
    }
}

/// Brings the parts of each row together: `[parts, 2, b]` to its least distance and the logarithm of its sum, `[2, b]`.
#[cube(launch)]
pub(super) fn statistics_kernel(partial: &[f32], output: &mut [f32], b: u32, parts: u32) {
    let count = b as usize;
    let row = ABSOLUTE_POS;
    if row < count {
        let none = f32::max_value();
        let mut least = none;
        for part in 0..parts as usize {
            least = min(least, partial[2 * part * count + row]);
        }
        let mut total = 0.0f32;
        for part in 0..parts as usize {
            let shrink = (least - partial[2 * part * count + row]).exp();
            total += partial[(2 * part + 1) * count + row] * shrink;
        }
        output[row] = least;
        output[count + row] = total.ln();
    }
}

/// Adds up parts in their order: `[parts, length]` to `[length]`.
#[cube(launch)]
pub(super) fn total_kernel(partial: &[f32], output: &mut [f32], length: u32, parts: u32) {
    let place = ABSOLUTE_POS;
    if place < length as usize {
        let mut total = 0.0f32;
        for part in 0..parts as usize {
            total += partial[part * length as usize + place];
        }
        output[place] = total;
    }
}
