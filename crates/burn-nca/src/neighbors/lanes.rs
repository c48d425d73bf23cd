//! Squared distances from one point to eight points or boxes at a time.
//!
//! The loops are compiled for several instruction sets, and [`Arch`] has found out, once for a tree, which the
//! machine has. None of them changes a result: each lane is added up in one order.

use pulp::{Arch, Simd, WithSimd};

/// Points whose distances are computed together; the compiler makes vector instructions of the loops over them.
pub(super) const LANES: usize = 8;

/// Coordinates between two looks at the sums so far.
const STRIDE: usize = 16;

/// Sums that go on side by side, coordinate by coordinate in turn, so that no addition waits for the one before.
const SUMS: usize = 4;

/// One coordinate of eight points.
pub(super) type Eight = [f32; LANES];

/// The points `rows` as a tile, coordinate by coordinate, appended to `tiles`; lanes without a point are infinitely
/// far.
pub(super) fn push_tile<'a>(
    tiles: &mut Vec<Eight>,
    width: usize,
    rows: impl Iterator<Item = &'a [f32]>,
) {
    let start = tiles.len();
    tiles.resize(start + width, [f32::INFINITY; LANES]);
    for (lane, row) in rows.enumerate() {
        for (coordinates, &value) in tiles[start..].iter_mut().zip(row) {
            coordinates[lane] = value;
        }
    }
}

/// The squared distances from `point` to the points of a tile, or `None` as soon as all are above `limit`.
pub(super) fn sq_distances(arch: Arch, point: &[f32], tile: &[Eight], limit: f32) -> Option<Eight> {
    arch.dispatch(ToPoints { point, tile, limit })
}

/// The squared distances from `point` to eight boxes, each given by its lower and upper ends, coordinate by
/// coordinate.
///
/// Never above that of a point within the box, also in rounding: each operation is monotonous, and the
/// order is that of [`sq_distances`].
pub(super) fn sq_distances_to_boxes(arch: Arch, point: &[f32], boxes: &[[Eight; 2]]) -> Eight {
    arch.dispatch(ToBoxes { point, boxes })
}

/// A loop over the points of a tile. A closure would not be inlined where the instructions are known.
struct ToPoints<'a> {
    point: &'a [f32],
    tile: &'a [Eight],
    limit: f32,
}

impl WithSimd for ToPoints<'_> {
    type Output = Option<Eight>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _instructions: S) -> Option<Eight> {
        let mut sums = [[0f32; LANES]; SUMS];
        let add = |sum: &mut Eight, at: f32, x: &Eight| {
            for (sum, &x) in sum.iter_mut().zip(x) {
                *sum += (x - at) * (x - at);
            }
        };
        for (point, tile) in self.point.chunks(STRIDE).zip(self.tile.chunks(STRIDE)) {
            add_in_turn(&mut sums, point, tile, add);
            let near = |any: bool, sum: f32| any | (sum <= self.limit);
            if !total(&sums).into_iter().fold(false, near) {
                return None;
            }
        }
        Some(total(&sums))
    }
}

/// A loop over boxes.
struct ToBoxes<'a> {
    point: &'a [f32],
    boxes: &'a [[Eight; 2]],
}

impl WithSimd for ToBoxes<'_> {
    type Output = Eight;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _instructions: S) -> Eight {
        let mut sums = [[0f32; LANES]; SUMS];
        let add = |sum: &mut Eight, at: f32, [lower, upper]: &[Eight; 2]| {
            for ((sum, &lower), &upper) in sum.iter_mut().zip(lower).zip(upper) {
                let outside = larger(larger(lower - at, at - upper), 0.0);
                *sum += outside * outside;
            }
        };
        add_in_turn(&mut sums, &self.point[..self.boxes.len()], self.boxes, add);
        total(&sums)
    }
}

/// Adds the term of each coordinate to the sums in turn.
#[inline(always)]
fn add_in_turn<T>(
    sums: &mut [Eight; SUMS],
    point: &[f32],
    entries: &[T],
    add: impl Fn(&mut Eight, f32, &T),
) {
    let (points, rest) = point.as_chunks::<SUMS>();
    let (whole, rest_of_entries) = entries.as_chunks::<SUMS>();
    // The number of steps is known here: the sums stay in registers.
    let mut held = *sums;
    for (point, entries) in points.iter().zip(whole) {
        for turn in 0..SUMS {
            add(&mut held[turn], point[turn], &entries[turn]);
        }
    }
    *sums = held;
    for ((sum, &at), entry) in sums.iter_mut().zip(rest).zip(rest_of_entries) {
        add(sum, at, entry);
    }
}

#[inline(always)]
fn total(sums: &[Eight; SUMS]) -> Eight {
    let [a, b, c, d] = sums;
    std::array::from_fn(|lane| (a[lane] + b[lane]) + (c[lane] + d[lane]))
}

/// A comparison, unlike `f32::max`, becomes a single vector instruction; there is no NaN here.
#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}

/// The lanes whose entries are at most `limit`, as bits.
#[inline(always)]
pub(super) fn lanes_within(values: &Eight, limit: f32) -> Lanes {
    Lanes(values.iter().enumerate().map(|(lane, &x)| u32::from(x <= limit) << lane).sum())
}

/// Some of the eight lanes, in ascending order.
pub(super) struct Lanes(u32);

impl Iterator for Lanes {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let lane = self.0.trailing_zeros() as usize;
        self.0 &= self.0.wrapping_sub(1);
        (lane < LANES).then_some(lane)
    }
}

/// The lanes whose distances are at most `limit`, nearest first, each with its distance.
///
/// Distances are not negative, so their bits are in their order. A network of comparisons takes the same steps
/// for any distances: a sort that branches on them would be mispredicted at every box.
#[inline(always)]
pub(super) fn nearest_lanes(distances: &Eight, limit: f32) -> impl Iterator<Item = (f32, usize)> {
    /// Batcher's odd-even merge sort of eight.
    #[rustfmt::skip]
    const NETWORK: [(usize, usize); 19] = [
        (0, 1), (2, 3), (4, 5), (6, 7), (0, 2), (1, 3), (4, 6), (5, 7), (1, 2), (5, 6),
        (0, 4), (1, 5), (2, 6), (3, 7), (2, 4), (3, 5), (1, 2), (3, 4), (5, 6),
    ];
    let mut keys = [u64::MAX; LANES];
    for (lane, (key, &distance)) in keys.iter_mut().zip(distances).enumerate() {
        let near = u64::from(distance.to_bits()) << 32 | lane as u64;
        *key = if distance <= limit { near } else { u64::MAX };
    }
    for (one, other) in NETWORK {
        let (a, b) = (keys[one], keys[other]);
        (keys[one], keys[other]) = (a.min(b), a.max(b));
    }
    let near = keys.into_iter().take_while(|&key| key != u64::MAX);
    near.map(|key| (f32::from_bits((key >> 32) as u32), (key & 7) as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_the_definition_and_cut_only_above_the_limit() {
        let rows: Vec<Vec<f32>> =
            (0..5).map(|row| (0..21).map(|axis| (row * axis) as f32).collect()).collect();
        let mut tiles = Vec::new();
        push_tile(&mut tiles, 21, rows.iter().map(Vec::as_slice));
        let found = sq_distances(Arch::new(), &rows[1], &tiles, f32::MAX).unwrap();
        for (row, found) in rows.iter().zip(found) {
            let expected: f32 = row.iter().zip(&rows[1]).map(|(a, b)| (a - b).powi(2)).sum();
            assert_eq!(found, expected);
        }
        assert!(found[5..].iter().all(|lane| *lane == f32::INFINITY));
        let far = vec![-1.0; 21];
        let nearest = sq_distances(Arch::new(), &far, &tiles, f32::MAX).unwrap()[0];
        assert!(sq_distances(Arch::new(), &far, &tiles, nearest).is_some());
        assert!(sq_distances(Arch::new(), &far, &tiles, nearest - 1.0).is_none());
    }

    #[test]
    fn a_box_is_as_far_as_its_nearest_point() {
        let mut boxes = [[[f32::INFINITY; LANES]; 2]; 2];
        for (axis, (lower, upper)) in [(0.0, 2.0), (-1.0, 1.0)].into_iter().enumerate() {
            (boxes[axis][0][0], boxes[axis][1][0]) = (lower, upper);
        }
        for (point, expected) in [([1.0, 0.5], 0.0), ([5.0, 0.0], 9.0), ([-1.0, 3.0], 5.0)] {
            let distances = sq_distances_to_boxes(Arch::new(), &point, &boxes);
            assert_eq!(distances[0], expected);
            assert!(distances[1..].iter().all(|lane| *lane == f32::INFINITY));
        }
    }

    #[test]
    fn lanes_are_picked_by_distance_and_come_nearest_first() {
        let distances = [4.0, 0.0, 9.0, f32::INFINITY, 1.0, 4.0, 0.5, 7.0];
        let picked: Vec<usize> = lanes_within(&distances, 4.0).collect();
        assert_eq!(picked, [0, 1, 4, 5, 6]);
        let nearest: Vec<_> = nearest_lanes(&distances, 4.0).collect();
        assert_eq!(nearest, [(0.0, 1), (0.5, 6), (1.0, 4), (4.0, 0), (4.0, 5)]);
        let all: Vec<usize> = nearest_lanes(&distances, f32::MAX).map(|(_, lane)| lane).collect();
        assert_eq!(all, [1, 6, 4, 0, 5, 7, 2]);
    }

    #[test]
    fn the_network_sorts_every_order() {
        // A network that sorts all sequences of zeros and ones sorts every sequence.
        for ones in 0u32..1 << LANES {
            let distances: Eight = std::array::from_fn(|lane| (ones >> lane & 1) as f32);
            let sorted: Vec<f32> = nearest_lanes(&distances, 1.0).map(|(near, _)| near).collect();
            assert!(sorted.len() == LANES && sorted.is_sorted(), "{ones:08b}: {sorted:?}");
        }
    }
}
