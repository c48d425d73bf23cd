//! Squared distances from a point to eight points or boxes at a time, by the vectors of the machine.
//!
//! Sums are always in the same order: the distance to a box is at most that to a point within it, also in rounding.

use pulp::{Arch, Simd};

/// Points whose distances are computed together: as many as a vector of common machines holds.
pub(super) const LANES: usize = 8;

/// The leading coordinates, in which points differ most: boxes bound these, and sums are looked at after as many.
pub(super) const LEAD: usize = 16;

/// Sums that continue side by side, so that no addition waits for the one before.
const SUMS: usize = 4;

/// One coordinate of eight points.
pub(super) type Eight = [f32; LANES];

/// The lower and upper ends of eight boxes in one coordinate.
pub(super) type Ends = [Eight; 2];

/// The instructions of this machine whose vectors hold no more than eight numbers: slices are read in whole vectors, and
/// eight numbers are none of AVX-512.
pub(super) fn eight_lanes() -> Arch {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if let Some(avx2) = pulp::x86::V3::try_new() {
        return Arch::V3(avx2);
    }
    Arch::new()
}

/// The distances to the points of a tile, a row a coordinate; `None` as soon as all are above `limit`.
#[inline(always)]
pub(super) fn to_points<S: Simd>(
    simd: S,
    point: &[f32],
    tile: &[Eight],
    limit: f32,
) -> Option<Eight> {
    let apart = |at, x: &Eight, part| simd.sub_f32s(vector::<S>(x, part), at);
    let mut total = [0.0; LANES];
    for (point, tile) in point.chunks(LEAD).zip(tile.chunks(LEAD)) {
        total = sum_of_squares(simd, total, point, tile, apart);
        // All are looked at, in one instruction.
        if !total.iter().fold(false, |any, x| any | (*x <= limit)) {
            return None;
        }
    }
    Some(total)
}

/// The distances to eight boxes in the leading coordinates.
#[inline(always)]
pub(super) fn to_boxes<S: Simd>(simd: S, point: &[f32], boxes: &[Ends]) -> Eight {
    let outside = |at, [lower, upper]: &Ends, part| {
        let below = simd.sub_f32s(vector::<S>(lower, part), at);
        let above = simd.sub_f32s(at, vector::<S>(upper, part));
        simd.max_f32s(simd.max_f32s(below, above), simd.splat_f32s(0.0))
    };
    sum_of_squares(simd, [0.0; LANES], point, boxes, outside)
}

/// `total + Σ apart²` over the coordinates, in each lane.
#[inline(always)]
fn sum_of_squares<S: Simd, T>(
    simd: S,
    mut total: Eight,
    point: &[f32],
    tile: &[T],
    apart: impl Fn(S::f32s, &T, usize) -> S::f32s,
) -> Eight {
    let (points, rest) = point.as_chunks::<SUMS>();
    let (tiles, rest_of_tile) = tile.as_chunks::<SUMS>();
    for (part, total) in S::as_mut_simd_f32s(&mut total).0.iter_mut().enumerate() {
        let add = |sum, at: f32, x: &T| {
            let apart = apart(simd.splat_f32s(at), x, part);
            simd.mul_add_e_f32s(apart, apart, sum)
        };
        let mut sums = [simd.splat_f32s(0.0); SUMS];
        for (point, tile) in points.iter().zip(tiles) {
            for turn in 0..SUMS {
                sums[turn] = add(sums[turn], point[turn], &tile[turn]);
            }
        }
        for (at, x) in rest.iter().zip(rest_of_tile) {
            sums[0] = add(sums[0], *at, x);
        }
        let [a, b, c, d] = sums;
        *total = simd.add_f32s(*total, simd.add_f32s(simd.add_f32s(a, b), simd.add_f32s(c, d)));
    }
    total
}

/// Some of eight lanes, as many as the machine takes at once.
#[inline(always)]
fn vector<S: Simd>(lanes: &Eight, part: usize) -> S::f32s {
    S::as_simd_f32s(lanes).0[part]
}
