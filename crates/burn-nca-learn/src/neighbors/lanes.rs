//! Squared distances from points to eight points or boxes at a time.
//!
//! The loops are compiled for several instruction sets (a closure in them might not be), and
//! [`Arch`](pulp::Arch) has found out, once for a tree, which the machine has. A sum is rounded as the machine's
//! instructions do it, but always in the same order: the distance to a box is at most that to a point within it, and
//! that in the leading coordinates at most that in all.

use pulp::{Arch, Simd, WithSimd};

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

/// A point with a slot that may hold something near to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Near {
    pub(super) point: usize,
    /// Which of eight slots.
    pub(super) slot: usize,
    /// The squared distances to the slot's points in the leading coordinates.
    pub(super) sq_distances: Eight,
}

/// The squared distances from points to eight boxes.
pub(super) struct ToBoxes<'a> {
    /// The leading coordinates of all points.
    pub(super) leads: &'a [Lead],
    /// The points that are asked for.
    pub(super) active: &'a [u32],
    pub(super) boxes: &'a BoxTile,
    /// Set to the distances, one entry for each of `active`.
    pub(super) distances: &'a mut Vec<Eight>,
}

impl WithSimd for ToBoxes<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { leads, active, boxes, distances } = self;
        distances.resize(active.len(), [0.0; LANES]);
        for (distances, &at) in distances.iter_mut().zip(active) {
            *distances = to_boxes(simd, &leads[at as usize], boxes);
        }
    }
}

/// The points and slots that may hold something within the points' limits.
pub(super) struct ToSlots<'a> {
    /// The leading coordinates of all points.
    pub(super) leads: &'a [Lead],
    /// The squared distance that each point is interested in.
    pub(super) limits: &'a [f32],
    /// The points that are asked for.
    pub(super) active: &'a [u32],
    /// The boxes of up to eight slots.
    pub(super) boxes: &'a BoxTile,
    /// The leading coordinates of the points in these slots.
    pub(super) tiles: &'a [LeadTile],
    /// Memory for the pairs that the boxes leave: eight times a point, and a slot.
    pub(super) pairs: &'a mut Vec<u32>,
    /// Set to what the leading coordinates leave.
    pub(super) near: &'a mut Vec<Near>,
}

impl WithSimd for ToSlots<'_> {
    /// Number of pairs that the boxes left.
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> usize {
        let Self { leads, limits, active, boxes, tiles, pairs, near } = self;
        if pairs.len() < LANES * active.len() {
            pairs.resize(LANES * active.len(), 0);
        }
        // Written first and counted then: whether a box is near cannot be foreseen, and a wrong guess of the
        // machine takes longer than the distances.
        let mut looked = 0;
        for &point in active {
            let limit = limits[point as usize];
            let distances = to_boxes(simd, &leads[point as usize], boxes);
            let Some(places) = pairs[looked..].first_chunk_mut::<LANES>() else { break };
            let mut found = 0;
            for (slot, &distance) in distances.iter().enumerate() {
                places[found % LANES] = LANES as u32 * point + slot as u32;
                found += usize::from(distance <= limit);
            }
            looked += found;
        }
        near.clear();
        for &pair in &pairs[..looked] {
            let (point, slot) = (pair as usize / LANES, pair as usize % LANES);
            let sq_distances = to_points(simd, &leads[point], &tiles[slot]);
            if any_within(&sq_distances, limits[point]) {
                near.push(Near { point, slot, sq_distances });
            }
        }
        looked
    }
}

/// The squared distances from a point to the points of a slot, or `None` as soon as all are above `limit`.
pub(super) struct ToRest<'a> {
    /// The coordinates of the point after the leading ones.
    pub(super) point: &'a [f32],
    /// The same of the slot's points.
    pub(super) tile: &'a [Eight],
    /// The squared distances in the leading coordinates.
    pub(super) leading: Eight,
    pub(super) limit: f32,
}

impl WithSimd for ToRest<'_> {
    type Output = Option<Eight>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Option<Eight> {
        let mut total = self.leading;
        for (point, tile) in self.point.chunks(STRIDE).zip(self.tile.chunks(STRIDE)) {
            if !any_within(&total, self.limit) {
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
}

/// The squared distances to eight points in the leading coordinates.
#[inline(always)]
fn to_points<S: Simd>(simd: S, point: &Lead, tile: &LeadTile) -> Eight {
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
fn to_boxes<S: Simd>(simd: S, point: &Lead, boxes: &BoxTile) -> Eight {
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
fn any_within(values: &Eight, limit: f32) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a check on the instructions of this machine, and without vectors.
    fn on_each(check: impl Fn(Arch)) {
        [eight_lanes(), Arch::Scalar].into_iter().for_each(check);
    }

    /// Five points of 21 coordinates.
    fn rows() -> Vec<Vec<f32>> {
        (0..5).map(|row| (0..21).map(|axis| (row * axis % 7) as f32).collect()).collect()
    }

    fn expected(a: &[f32], b: &[f32]) -> f32 {
        a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
    }

    #[test]
    fn distances_are_those_of_the_definition_and_cut_only_above_the_limit() {
        on_each(|arch| {
            let rows = rows();
            let slices = || rows.iter().map(Vec::as_slice);
            let leads: Vec<Lead> = slices().map(lead).collect();
            let mut rest = [[f32::INFINITY; LANES]; 21 - LEAD];
            fill(&mut rest, slices().map(|row| &row[LEAD..]));
            let tiles = [tile(slices().map(lead))];
            let mut boxes = [[[f32::INFINITY; LANES]; 2]; LEAD];
            boxes.iter_mut().for_each(|ends| (ends[0][0], ends[1][0]) = (0.0, 7.0));
            let (mut pairs, mut near) = (Vec::new(), Vec::new());
            let looked = arch.dispatch(ToSlots {
                leads: &leads,
                limits: &[f32::MAX; 5],
                active: &[1, 3],
                boxes: &boxes,
                tiles: &tiles,
                pairs: &mut pairs,
                near: &mut near,
            });
            assert_eq!((looked, near.len()), (2, 2));
            for (near, query) in near.into_iter().zip([1, 3usize]) {
                assert_eq!((near.point, near.slot), (query, 0));
                let point = &rows[query];
                let full = |limit| {
                    let leading = near.sq_distances;
                    arch.dispatch(ToRest { point: &point[LEAD..], tile: &rest, leading, limit })
                };
                let found = full(f32::MAX).unwrap();
                for (lane, row) in rows.iter().enumerate() {
                    assert_eq!(near.sq_distances[lane], expected(&row[..LEAD], &point[..LEAD]));
                    assert_eq!(found[lane], expected(row, point));
                }
                assert!(found[5..].iter().all(|lane| *lane == f32::INFINITY));
                assert!(full(0.0).is_some() && full(-1.0).is_none());
            }
        });
    }

    #[test]
    fn slots_are_left_out_by_their_boxes_and_by_their_points() {
        on_each(|arch| {
            // Slot 0 is far by its box, slot 1 by its points, slot 2 is near.
            let (at, aside) = (vec![1.0; 20], vec![9.0; 20]);
            let tiles = [&aside, &aside, &at].map(|row| tile(std::iter::once(lead(row))));
            let mut boxes = [[[f32::INFINITY; LANES]; 2]; LEAD];
            for ends in &mut boxes {
                (ends[0][0], ends[1][0]) = (8.0, 9.0);
                (ends[0][1], ends[1][1]) = (0.0, 9.0);
                (ends[0][2], ends[1][2]) = (1.0, 1.0);
            }
            let (mut pairs, mut near) = (vec![7; 20], Vec::new());
            let looked = arch.dispatch(ToSlots {
                leads: &[lead(&at)],
                limits: &[0.5],
                active: &[0],
                boxes: &boxes,
                tiles: &tiles,
                pairs: &mut pairs,
                near: &mut near,
            });
            let [found] = near[..] else { panic!("{near:?}") };
            assert_eq!((looked, found.point, found.slot), (2, 0, 2));
            assert_eq!(found.sq_distances[0], 0.0);
        });
    }

    #[test]
    fn a_box_is_as_far_as_its_nearest_point() {
        on_each(|arch| {
            let mut boxes = [[[0.0; LANES]; 2]; LEAD];
            for (ends, (lower, upper)) in boxes.iter_mut().zip([(0.0, 2.0), (-1.0, 1.0)]) {
                *ends = [[f32::INFINITY; LANES]; 2];
                (ends[0][0], ends[1][0]) = (lower, upper);
            }
            let leads = [[1.0, 0.5], [5.0, 0.0], [-1.0, 3.0]].map(|point| lead(&point));
            let mut distances = Vec::new();
            let active = [2, 0, 1];
            let to = ToBoxes {
                leads: &leads,
                active: &active,
                boxes: &boxes,
                distances: &mut distances,
            };
            arch.dispatch(to);
            for (found, expected) in distances.iter().zip([5.0, 0.0, 9.0]) {
                assert_eq!(found[0], expected);
                assert!(found[1..].iter().all(|lane| *lane == f32::INFINITY));
            }
        });
    }
}
