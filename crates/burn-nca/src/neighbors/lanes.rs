//! Squared distances from one point to eight points or boxes at a time.

/// Points whose distances are computed together; the compiler makes vector instructions of the loops over them.
pub(super) const LANES: usize = 8;

/// Coordinates between two looks at the sums so far.
const STRIDE: usize = 16;

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
pub(super) fn sq_distances(point: &[f32], tile: &[Eight], limit: f32) -> Option<Eight> {
    let mut sums = [0f32; LANES];
    for (point, tile) in point.chunks(STRIDE).zip(tile.chunks(STRIDE)) {
        for (&at, coordinates) in point.iter().zip(tile) {
            for (sum, &x) in sums.iter_mut().zip(coordinates) {
                *sum += (x - at) * (x - at);
            }
        }
        if sums.iter().copied().fold(f32::INFINITY, smaller) > limit {
            return None;
        }
    }
    Some(sums)
}

/// The squared distances from `point` to eight boxes, each given by its lower and upper ends, coordinate by
/// coordinate.
///
/// Never above that of a point within the box, also in rounding: each operation is monotonous, and the
/// order is that of [`sq_distances`].
pub(super) fn sq_distances_to_boxes(point: &[f32], boxes: &[[Eight; 2]]) -> Eight {
    let mut sums = [0f32; LANES];
    for (&at, [lower, upper]) in point.iter().zip(boxes) {
        for ((sum, &lower), &upper) in sums.iter_mut().zip(lower).zip(upper) {
            let outside = larger(larger(lower - at, at - upper), 0.0);
            *sum += outside * outside;
        }
    }
    sums
}

/// Comparisons, unlike `f32::min` and `f32::max`, become single vector instructions; there is no NaN here.
fn smaller(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

fn larger(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
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
        let found = sq_distances(&rows[1], &tiles, f32::MAX).unwrap();
        for (row, found) in rows.iter().zip(found) {
            let expected: f32 = row.iter().zip(&rows[1]).map(|(a, b)| (a - b).powi(2)).sum();
            assert_eq!(found, expected);
        }
        assert!(found[5..].iter().all(|lane| *lane == f32::INFINITY));
        let far = vec![-1.0; 21];
        let nearest = sq_distances(&far, &tiles, f32::MAX).unwrap()[0];
        assert!(sq_distances(&far, &tiles, nearest).is_some());
        assert!(sq_distances(&far, &tiles, nearest - 1.0).is_none());
    }

    #[test]
    fn a_box_is_as_far_as_its_nearest_point() {
        let mut boxes = [[[f32::INFINITY; LANES]; 2]; 2];
        for (axis, (lower, upper)) in [(0.0, 2.0), (-1.0, 1.0)].into_iter().enumerate() {
            (boxes[axis][0][0], boxes[axis][1][0]) = (lower, upper);
        }
        for (point, expected) in [([1.0, 0.5], 0.0), ([5.0, 0.0], 9.0), ([-1.0, 3.0], 5.0)] {
            let distances = sq_distances_to_boxes(&point, &boxes);
            assert_eq!(distances[0], expected);
            assert!(distances[1..].iter().all(|lane| *lane == f32::INFINITY));
        }
    }
}
