//! References in small slots under a tree of bounding boxes, so that a query leaves most of them unseen.

use std::iter::StepBy;
use std::ops::Range;
use std::slice::Iter;

use pulp::Arch;
use rayon::prelude::*;

use super::contraction::Contracted;
use super::lanes::{Eight, Ends, LANES, LEAD, eight_lanes};

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
    pub(super) arch: Arch,
    /// The boxes of each level, slots first, eight together: of each group a row for each leading coordinate.
    levels: Vec<Vec<Ends>>,
    /// The points of each slot, a row a coordinate; infinitely far where there is none.
    tiles: Vec<Eight>,
    /// The rows of each slot's points; `u32::MAX` where there is none.
    pub(super) rows: Vec<[u32; LANES]>,
    width: usize,
}

impl BoxTree {
    /// Puts at least one point under boxes.
    pub(super) fn new(points: &Contracted) -> Self {
        let width = points.width;
        let axes = width.min(LEAD);
        let (order, slots) = grouped(points, LANES);
        let mut tiles = vec![[f32::INFINITY; LANES]; slots.len() * width];
        tiles.par_chunks_mut(width).zip(&slots).for_each(|(tile, slot)| {
            for (lane, &row) in order[slot.clone()].iter().enumerate() {
                tile.iter_mut()
                    .zip(points.row(row as usize))
                    .for_each(|(eight, x)| eight[lane] = *x);
            }
        });
        let row = |slot: &Range<usize>, lane| order[slot.clone()].get(lane).copied();
        let rows = slots.iter();
        let rows = rows.map(|slot| std::array::from_fn(|at| row(slot, at).unwrap_or(u32::MAX)));
        let rows = rows.collect();
        let ends = |slot: &Range<usize>| -> Vec<Pair> {
            let points = order[slot.clone()].iter().map(|&row| points.row(row as usize));
            (0..axes).map(|axis| around(points.clone().map(|point| [point[axis]; 2]))).collect()
        };
        let mut boxes: Vec<Pair> = slots.par_iter().flat_map_iter(ends).collect();
        let mut levels = Vec::new();
        loop {
            levels.push(of_groups(&boxes, axes, interleaved));
            if boxes.len() <= LANES * axes {
                return Self { arch: eight_lanes(), levels, tiles, rows, width };
            }
            boxes = of_groups(&boxes, axes, |boxes| around(boxes.copied()));
        }
    }

    /// Number of levels of boxes.
    pub(super) fn height(&self) -> usize {
        self.levels.len()
    }

    /// Eight boxes of a level.
    pub(super) fn boxes(&self, level: usize, group: usize) -> &[Ends] {
        let axes = self.width.min(LEAD);
        &self.levels[level][group * axes..(group + 1) * axes]
    }

    /// The points of a slot.
    pub(super) fn points(&self, slot: usize) -> &[Eight] {
        &self.tiles[slot * self.width..(slot + 1) * self.width]
    }
}

/// The ends of a box in one coordinate.
type Pair = [f32; 2];

/// What `of` makes of each eight boxes in each coordinate.
fn of_groups<T>(boxes: &[Pair], axes: usize, of: fn(StepBy<Iter<'_, Pair>>) -> T) -> Vec<T> {
    let group = |group: &[Pair]| -> Vec<T> {
        (0..axes).map(|axis| of(group[axis..].iter().step_by(axes))).collect()
    };
    boxes.chunks(LANES * axes).flat_map(group).collect()
}

/// The ends of what is around all of these; infinitely far if there is none.
fn around(ends: impl Iterator<Item = Pair>) -> Pair {
    let none = [f32::INFINITY, f32::NEG_INFINITY];
    ends.fold(none, |[lower, upper], [low, high]| [lower.min(low), upper.max(high)])
}

/// The ends of up to eight boxes side by side; lanes without a box are infinitely far.
fn interleaved(boxes: StepBy<Iter<'_, Pair>>) -> Ends {
    let mut ends = [[f32::INFINITY; LANES], [f32::NEG_INFINITY; LANES]];
    for (lane, [lower, upper]) in boxes.enumerate() {
        (ends[0][lane], ends[1][lane]) = (*lower, *upper);
    }
    ends
}

/// The rows of points in groups of near ones, at most `size` a group: their order, and the span of each group.
pub(super) fn grouped(points: &Contracted, size: usize) -> (Vec<u32>, Vec<Range<usize>>) {
    let m = points.coordinates.len() / points.width;
    let groups = m.div_ceil(size).next_power_of_two();
    let mut order: Vec<Keyed> = (0..m as u32).map(|row| (0.0, row)).collect();
    split(points, &mut order, groups, m, 0..groups);
    let spans = (0..groups).map(|group| boundary(group, m, groups)..boundary(group + 1, m, groups));
    (order.into_iter().map(|(_, row)| row).collect(), spans.collect())
}

/// The coordinate that a row is ordered by, and the row, side by side in memory.
type Keyed = (f32, u32);

/// Where a group begins.
fn boundary(group: usize, m: usize, groups: usize) -> usize {
    (group as u128 * m as u128 / groups as u128) as usize
}

/// Orders the points of the groups `span` by halves.
fn split(points: &Contracted, order: &mut [Keyed], groups: usize, m: usize, span: Range<usize>) {
    if span.len() < 2 || order.len() < 2 {
        return;
    }
    let middle = span.start + span.len() / 2;
    let at = boundary(middle, m, groups) - boundary(span.start, m, groups);
    if at < order.len() {
        let axis = widest(points, order);
        order.iter_mut().for_each(|(key, row)| *key = points.row(*row as usize)[axis]);
        order.select_nth_unstable_by(at, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
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
fn widest(points: &Contracted, rows: &[Keyed]) -> usize {
    let step = rows.len().div_ceil(SPREAD_SAMPLE);
    let axes = points.width.min(LEAD);
    let mut sums = [[0f64; 2]; LEAD];
    for (_, row) in rows.iter().step_by(step) {
        for (sums, &x) in sums.iter_mut().zip(&points.row(*row as usize)[..axes]) {
            sums[0] += f64::from(x);
            sums[1] += f64::from(x) * f64::from(x);
        }
    }
    let n = rows.len().div_ceil(step) as f64;
    let variance = |axis: &usize| sums[*axis][1] - sums[*axis][0] * sums[*axis][0] / n;
    (0..axes).max_by(|a, b| variance(a).total_cmp(&variance(b))).unwrap_or(0)
}
