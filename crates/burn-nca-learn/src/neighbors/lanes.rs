//! Squared distances from points to eight points or boxes at a time.
//!
//! The loops are inlined into a search that is compiled for several instruction sets, and
//! [`Arch`](pulp::Arch) has found out, once for a tree, which the machine has. A sum is rounded as the machine's
//! instructions do it, but always in the same order: the distance to a box is at most that to a point within it, and
//! that in the leading coordinates at most that in all.

use pulp::{Arch, Simd};

/// Points whose distances are computed together: as many as a vector of common machines holds.
pub(super) const LANES: usize = 8;

/// The instructions of this machine whose vectors hold no more than eight numbers.
///
/// Slices are read in whole vectors, and eight numbers are none of AVX-512, which takes sixteen.
pub(super) fn eight_lanes() -> Arch {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if let Some(avx2) = pulp::x86::V3::try_new() {
        return Arch::V3(avx2);
    }
    Arch::new()
}

/// The leading coordinates, in which points differ most: boxes bound these.
pub(super) const LEAD: usize = 16;

/// Coordinates between two looks at the sums so far.
const STRIDE: usize = 16;

/// Sums that continue side by side, coordinate by coordinate in turn, so that no addition waits for the one before.
const SUMS: usize = 4;

/// One coordinate of eight points.
pub(super) type Eight = [f32; LANES];

/// The leading coordinates of a point; zeros where it has fewer.
pub(super) type Lead = [f32; LEAD];

/// The leading coordinates of eight points.
pub(super) type LeadTile = [Eight; LEAD];

/// The lower and upper ends of eight boxes.
pub(super) type BoxTile = [[Eight; 2]; LEAD];

/// The squared distances to the points of a slot in all coordinates, those in the leading ones being `total`; `None` as soon
/// as all are above `limit`.
#[inline(always)]
pub(super) fn to_rest<S: Simd>(
    simd: S,
    point: &[f32],
    tile: &[Eight],
    mut total: Eight,
    limit: f32,
) -> Option<Eight> {
    for (point, tile) in point.chunks(STRIDE).zip(tile.chunks(STRIDE)) {
        if !any_within(&total, limit) {
            return None;
        }
        let (points, rest) = point.as_chunks::<SUMS>();
        let (tiles, rest_of_tile) = tile.as_chunks::<SUMS>();
        for (part, total) in S::as_mut_simd_f32s(&mut total).0.iter_mut().enumerate() {
            let mut sums = [simd.splat_f32s(0.0); SUMS];
            for (point, tile) in points.iter().zip(tiles) {
                for turn in 0..SUMS {
                    sums[turn] = add_square(simd, sums[turn], point[turn], &tile[turn], part);
                }
            }
            for (&at, x) in rest.iter().zip(rest_of_tile) {
                sums[0] = add_square(simd, sums[0], at, x, part);
            }
            *total = simd.add_f32s(*total, sum(simd, sums));
        }
    }
    Some(total)
}

/// The squared distances to eight points in the leading coordinates.
#[inline(always)]
pub(super) fn to_points<S: Simd>(simd: S, point: &Lead, tile: &LeadTile) -> Eight {
    let mut total = [0.0; LANES];
    for (part, total) in S::as_mut_simd_f32s(&mut total).0.iter_mut().enumerate() {
        let mut sums = [simd.splat_f32s(0.0); SUMS];
        for axis in 0..LEAD {
            let turn = axis % SUMS;
            sums[turn] = add_square(simd, sums[turn], point[axis], &tile[axis], part);
        }
        *total = sum(simd, sums);
    }
    total
}

/// Never above the distance to a point within the box, also in rounding: each operation is monotonous, and the
/// order is that of [`to_points`].
#[inline(always)]
pub(super) fn to_boxes<S: Simd>(simd: S, point: &Lead, boxes: &BoxTile) -> Eight {
    let mut total = [0.0; LANES];
    let zero = simd.splat_f32s(0.0);
    for (part, total) in S::as_mut_simd_f32s(&mut total).0.iter_mut().enumerate() {
        let mut sums = [zero; SUMS];
        for axis in 0..LEAD {
            let at = simd.splat_f32s(point[axis]);
            let [lower, upper] = &boxes[axis];
            let below = simd.sub_f32s(vector::<S>(lower, part), at);
            let above = simd.sub_f32s(at, vector::<S>(upper, part));
            let outside = simd.max_f32s(simd.max_f32s(below, above), zero);
            sums[axis % SUMS] = simd.mul_add_e_f32s(outside, outside, sums[axis % SUMS]);
        }
        *total = sum(simd, sums);
    }
    total
}

/// Adds the square of a difference in one coordinate to some of eight sums.
#[inline(always)]
fn add_square<S: Simd>(simd: S, sum: S::f32s, at: f32, x: &Eight, part: usize) -> S::f32s {
    let apart = simd.sub_f32s(vector::<S>(x, part), simd.splat_f32s(at));
    simd.mul_add_e_f32s(apart, apart, sum)
}

/// Some of eight lanes, as many as the machine takes at once.
#[inline(always)]
fn vector<S: Simd>(lanes: &Eight, part: usize) -> S::f32s {
    S::as_simd_f32s(lanes).0[part]
}

#[inline(always)]
fn sum<S: Simd>(simd: S, [a, b, c, d]: [S::f32s; SUMS]) -> S::f32s {
    simd.add_f32s(simd.add_f32s(a, b), simd.add_f32s(c, d))
}

/// Whether one of the entries is at most `limit`; all are looked at, in one instruction.
#[inline(always)]
pub(super) fn any_within(values: &Eight, limit: f32) -> bool {
    let mut any = false;
    for &x in values {
        any |= x <= limit;
    }
    any
}

/// The leading coordinates of points as a tile; lanes without a point are infinitely far.
pub(super) fn tile(points: impl Iterator<Item = Lead>) -> LeadTile {
    let mut tile = [[f32::INFINITY; LANES]; LEAD];
    fill(&mut tile, points);
    tile
}

/// Writes coordinates of points to the lanes of a tile.
pub(super) fn fill(tile: &mut [Eight], points: impl Iterator<Item: AsRef<[f32]>>) {
    for (lane, point) in points.enumerate() {
        for (coordinates, &x) in tile.iter_mut().zip(point.as_ref()) {
            coordinates[lane] = x;
        }
    }
}

/// The leading coordinates of a point.
pub(super) fn lead(row: &[f32]) -> Lead {
    std::array::from_fn(|at| row.get(at).copied().unwrap_or(0.0))
}
