//! References in small slots under a tree of bounding boxes, so that a query leaves most of them unseen.

use pulp::Arch;

use super::contraction::Contracted;
use super::lanes::{
    Eight, LANES, lanes_within, nearest_lanes, push_tile, sq_distances, sq_distances_to_boxes,
};

/// The most coordinates that boxes bound: the leading ones, in which points differ most.
const BOX_COORDINATES: usize = 16;

/// Points below which a split is not worth a task of its own.
const TASK_POINTS: usize = 4096;

/// Points that the spread of a coordinate is read off.
const SPREAD_SAMPLE: usize = 256;

/// A balanced tree: slots of up to eight points, eight slots to a box of the next level, and so on to one box.
///
/// Points are halved at the median of the coordinate in which they spread most, and each half again, until
/// eight or fewer remain. The boxes of all levels then follow from the order of the slots alone.
pub(super) struct BoxTree {
    /// The instructions that the machine has.
    arch: Arch,
    /// Coordinates of a point.
    width: usize,
    /// Coordinates of a box.
    box_width: usize,
    /// The boxes of each level, slots first, eight together: `[box_width]` pairs of lower and upper ends.
    levels: Vec<Vec<[Eight; 2]>>,
    /// The points of each slot, `[width]` entries a slot.
    tiles: Vec<Eight>,
    /// The rows of each slot's points; `u32::MAX` where there is none.
    rows: Vec<[u32; LANES]>,
}

/// Who looks at the points that a descent comes by.
pub(super) trait Visitor {
    /// The squared distance above which boxes and points need not be looked at; it may fall at each offer.
    fn limit(&self) -> f32;

    /// Takes notice of eight boxes, and of a slot.
    fn count(&mut self, boxes: usize, slots: usize);

    /// Considers a point within the limit.
    fn offer(&mut self, row: u32);
}

impl BoxTree {
    /// Puts at least one point under boxes.
    pub(super) fn new(points: &Contracted) -> Self {
        let (width, box_width) = (points.width, points.width.min(BOX_COORDINATES));
        let (order, slots) = grouped(points, LANES);
        let mut tree = Self {
            arch: Arch::new(),
            width,
            box_width,
            levels: Vec::new(),
            tiles: Vec::with_capacity(slots.len() * width),
            rows: Vec::with_capacity(slots.len()),
        };
        let mut boxes = Vec::with_capacity(slots.len());
        for slot in slots {
            let members = &order[slot];
            let coordinates = || members.iter().map(|&row| points.row(row as usize));
            let mut rows = [u32::MAX; LANES];
            rows[..members.len()].copy_from_slice(members);
            tree.rows.push(rows);
            push_tile(&mut tree.tiles, width, coordinates());
            boxes.push(Bounds::around(box_width, coordinates().map(|row| (row, row))));
        }
        loop {
            tree.levels.push(interleaved(&boxes, box_width));
            if boxes.len() <= LANES {
                return tree;
            }
            let above = boxes.chunks(LANES).map(|boxes| {
                Bounds::around(box_width, boxes.iter().map(|b| (&b.lower[..], &b.upper[..])))
            });
            boxes = above.collect();
        }
    }

    /// Offers the visitor every point within its limit of `point` (and some beyond), near boxes first.
    pub(super) fn descend(&self, point: &[f32], visitor: &mut impl Visitor) {
        self.visit(self.levels.len() - 1, 0, point, visitor);
    }

    fn visit(&self, level: usize, group: usize, point: &[f32], visitor: &mut impl Visitor) {
        let boxes = &self.levels[level][group * self.box_width..(group + 1) * self.box_width];
        let distances = sq_distances_to_boxes(self.arch, point, boxes);
        visitor.count(1, 0);
        if level == 0 {
            // Among eight slots side by side the order hardly matters: to sort them would cost more.
            for lane in lanes_within(&distances, visitor.limit()) {
                if distances[lane] <= visitor.limit() {
                    self.look(group * LANES + lane, point, visitor);
                }
            }
            return;
        }
        for (distance, lane) in nearest_lanes(&distances, visitor.limit()) {
            if distance > visitor.limit() {
                return;
            }
            self.visit(level - 1, group * LANES + lane, point, visitor);
        }
    }

    fn look(&self, slot: usize, point: &[f32], visitor: &mut impl Visitor) {
        visitor.count(0, 1);
        let tile = &self.tiles[slot * self.width..(slot + 1) * self.width];
        let limit = visitor.limit();
        let Some(distances) = sq_distances(self.arch, point, tile, limit) else { return };
        for lane in lanes_within(&distances, limit) {
            if distances[lane] <= visitor.limit() {
                visitor.offer(self.rows[slot][lane]);
            }
        }
    }
}

/// The rows of points in groups of near ones, at most `size` a group: their order, and the span of each group.
pub(super) fn grouped(points: &Contracted, size: usize) -> (Vec<u32>, Vec<std::ops::Range<usize>>) {
    let m = points.coordinates.len() / points.width;
    let groups = m.div_ceil(size).next_power_of_two();
    let mut order: Vec<u32> = (0..m as u32).collect();
    split(points, &mut order, groups, m, 0..groups);
    let spans = (0..groups).map(|group| boundary(group, m, groups)..boundary(group + 1, m, groups));
    (order, spans.collect())
}

/// Where a group begins.
fn boundary(group: usize, m: usize, groups: usize) -> usize {
    (group as u128 * m as u128 / groups as u128) as usize
}

/// Orders the points of the groups `span` by halves.
fn split(
    points: &Contracted,
    order: &mut [u32],
    groups: usize,
    m: usize,
    span: std::ops::Range<usize>,
) {
    if span.len() < 2 || order.len() < 2 {
        return;
    }
    let middle = span.start + span.len() / 2;
    let at = boundary(middle, m, groups) - boundary(span.start, m, groups);
    if at < order.len() {
        let axis = widest(points, order);
        let coordinate = |row: u32| points.row(row as usize)[axis];
        order.select_nth_unstable_by(at, |a, b| {
            coordinate(*a).total_cmp(&coordinate(*b)).then(a.cmp(b))
        });
    }
    let many = order.len() >= TASK_POINTS;
    let (low, high) = order.split_at_mut(at);
    let mut left = || split(points, low, groups, m, span.start..middle);
    let mut right = || split(points, high, groups, m, middle..span.end);
    if many {
        rayon::join(left, right);
    } else {
        left();
        right();
    }
}

/// The coordinate (of those that boxes bound) in which a sample of the points has the largest variance.
fn widest(points: &Contracted, rows: &[u32]) -> usize {
    let step = rows.len().div_ceil(SPREAD_SAMPLE);
    let axes = points.width.min(BOX_COORDINATES);
    let mut sums = [[0f64; 2]; BOX_COORDINATES];
    for &row in rows.iter().step_by(step) {
        for (sums, &x) in sums.iter_mut().zip(&points.row(row as usize)[..axes]) {
            sums[0] += f64::from(x);
            sums[1] += f64::from(x) * f64::from(x);
        }
    }
    let n = rows.len().div_ceil(step) as f64;
    let variance = |axis: &usize| sums[*axis][1] - sums[*axis][0] * sums[*axis][0] / n;
    (0..axes).max_by(|a, b| variance(a).total_cmp(&variance(b))).unwrap_or(0)
}

/// A box around points or boxes.
struct Bounds {
    lower: Vec<f32>,
    upper: Vec<f32>,
}

impl Bounds {
    /// The box around boxes that are given by their ends; infinitely far if there is none.
    fn around<'a>(width: usize, boxes: impl Iterator<Item = (&'a [f32], &'a [f32])>) -> Self {
        let mut lower = vec![f32::INFINITY; width];
        let mut upper = vec![f32::NEG_INFINITY; width];
        for (low, high) in boxes {
            lower.iter_mut().zip(low).for_each(|(lower, x)| *lower = lower.min(*x));
            upper.iter_mut().zip(high).for_each(|(upper, x)| *upper = upper.max(*x));
        }
        Self { lower, upper }
    }
}

/// Boxes eight by eight, coordinate by coordinate; lanes without a box are infinitely far.
fn interleaved(boxes: &[Bounds], width: usize) -> Vec<[Eight; 2]> {
    let mut result = vec![[[f32::INFINITY; LANES]; 2]; boxes.len().div_ceil(LANES) * width];
    for (group, boxes) in boxes.chunks(LANES).enumerate() {
        for (lane, bounds) in boxes.iter().enumerate() {
            let ends = bounds.lower.iter().zip(&bounds.upper);
            for (entry, (lower, upper)) in result[group * width..].iter_mut().zip(ends) {
                (entry[0][lane], entry[1][lane]) = (*lower, *upper);
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Offers whose limit stays.
    struct Within {
        limit: f32,
        seen: Vec<u32>,
        slots: usize,
    }

    impl Visitor for Within {
        fn limit(&self) -> f32 {
            self.limit
        }

        fn count(&mut self, _boxes: usize, slots: usize) {
            self.slots += slots;
        }

        fn offer(&mut self, row: u32) {
            self.seen.push(row);
        }
    }

    fn plane(n: usize) -> Contracted {
        let values = (0..n).flat_map(|at| [((at * 7919) % 997) as f32, ((at * 31) % 89) as f32]);
        Contracted::for_tests(values.collect(), 2)
    }

    #[test]
    fn every_point_stands_in_one_group_of_bounded_size() {
        for n in [1, 2, 8, 9, 63, 64, 65, 1000, 10_000] {
            let (order, spans) = grouped(&plane(n), LANES);
            let mut rows = order.clone();
            rows.sort_unstable();
            assert_eq!(rows, (0..n as u32).collect::<Vec<_>>());
            assert_eq!(spans.iter().map(|span| span.len()).sum::<usize>(), n);
            assert!(spans.iter().all(|span| (1..=LANES).contains(&span.len())), "{n} points");
        }
    }

    #[test]
    fn a_descent_offers_all_that_is_within_its_limit_and_leaves_most_of_the_rest() {
        for n in [1, 7, 8, 9, 500, 5000] {
            let points = plane(n);
            let tree = BoxTree::new(&points);
            for (query, limit) in [([500.0, 40.0], 900.0), ([0.0, 0.0], 0.0), ([-50.0, 90.0], 2e4)]
            {
                let mut within = Within { limit, seen: Vec::new(), slots: 0 };
                tree.descend(&query, &mut within);
                within.seen.sort_unstable();
                let inside = |row: &u32| {
                    let at = points.row(*row as usize);
                    (at[0] - query[0]).powi(2) + (at[1] - query[1]).powi(2) <= limit
                };
                let expected: Vec<u32> = (0..n as u32).filter(inside).collect();
                assert_eq!(within.seen, expected, "{n} points around {query:?}");
                assert!(n < 5000 || within.slots < n / LANES / 4, "{} slots", within.slots);
            }
        }
    }
}
