//! References in small slots under a tree of bounding boxes, so that a query leaves most of them unseen.

use std::ops::Range;

use pulp::Arch;
use rayon::prelude::*;

use super::contraction::Contracted;
use super::lanes::{BoxTile, Eight, LANES, LEAD, Lead, LeadTile, eight_lanes, fill, lead, tile};

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
    /// The boxes of each level, slots first, eight together.
    pub(super) levels: Vec<Vec<BoxTile>>,
    /// The leading coordinates of each slot's points.
    pub(super) leads: Vec<LeadTile>,
    /// The other coordinates of each slot's points, as many entries a slot as a point has of them.
    rests: Vec<Eight>,
    /// The rows of each slot's points; `u32::MAX` where there is none.
    pub(super) rows: Vec<[u32; LANES]>,
}

impl BoxTree {
    /// Puts at least one point under boxes.
    pub(super) fn new(points: &Contracted) -> Self {
        let (order, slots) = grouped(points, LANES);
        let members =
            |slot: &Range<usize>| order[slot.clone()].iter().map(|&row| points.row(row as usize));
        let leads =
            slots.par_iter().map(|slot| tile(members(slot).map(lead))).collect::<Vec<LeadTile>>();
        let width = points.width.saturating_sub(LEAD);
        let mut rests = vec![[f32::INFINITY; LANES]; slots.len() * width];
        if width > 0 {
            rests
                .par_chunks_mut(width)
                .zip(&slots)
                .for_each(|(tile, slot)| fill(tile, members(slot).map(|row| &row[LEAD..])));
        }
        let rows = slots.iter().map(|slot| {
            std::array::from_fn(|lane| order[slot.clone()].get(lane).copied().unwrap_or(u32::MAX))
        });
        let rows = rows.collect();
        let mut boxes: Vec<Bounds> = slots
            .par_iter()
            .map(|slot| Bounds::around(members(slot).map(|row| Bounds::of(lead(row)))))
            .collect();
        let mut levels = Vec::new();
        loop {
            levels.push(boxes.chunks(LANES).map(interleaved).collect());
            if boxes.len() <= LANES {
                return Self { arch: eight_lanes(), levels, leads, rests, rows };
            }
            boxes =
                boxes.chunks(LANES).map(|boxes| Bounds::around(boxes.iter().copied())).collect();
        }
    }

    /// The coordinates after the leading ones of the points in a slot.
    pub(super) fn rest(&self, slot: usize) -> &[Eight] {
        let width = self.rests.len() / self.leads.len();
        &self.rests[slot * width..(slot + 1) * width]
    }
}

/// The rows of points in groups of near ones, at most `size` a group: their order, and the span of each group.
pub(super) fn grouped(points: &Contracted, size: usize) -> (Vec<u32>, Vec<Range<usize>>) {
    let m = points.coordinates.len() / points.width;
    let groups = m.div_ceil(size).next_power_of_two();
    let mut order: Vec<Keyed> = (0..m as u32).map(|row| Keyed { key: 0, row }).collect();
    split(points, &mut order, groups, m, 0..groups);
    let spans = (0..groups).map(|group| boundary(group, m, groups)..boundary(group + 1, m, groups));
    (order.into_iter().map(|keyed| keyed.row).collect(), spans.collect())
}

/// A row with what it is ordered by, side by side in memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Keyed {
    /// The bits of a coordinate, in the order of the coordinates.
    key: i32,
    row: u32,
}

/// Bits that are in the order of [`f32::total_cmp`].
fn ordered_bits(x: f32) -> i32 {
    let bits = x.to_bits().cast_signed();
    bits ^ (((bits >> 31).cast_unsigned() >> 1).cast_signed())
}

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
        for keyed in &mut *order {
            keyed.key = ordered_bits(points.row(keyed.row as usize)[axis]);
        }
        order.select_nth_unstable(at);
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
    for keyed in rows.iter().step_by(step) {
        for (sums, &x) in sums.iter_mut().zip(&points.row(keyed.row as usize)[..axes]) {
            sums[0] += f64::from(x);
            sums[1] += f64::from(x) * f64::from(x);
        }
    }
    let n = rows.len().div_ceil(step) as f64;
    let variance = |axis: &usize| sums[*axis][1] - sums[*axis][0] * sums[*axis][0] / n;
    (0..axes).max_by(|a, b| variance(a).total_cmp(&variance(b))).unwrap_or(0)
}

/// A box around points or boxes.
#[derive(Clone, Copy)]
struct Bounds {
    lower: Lead,
    upper: Lead,
}

impl Bounds {
    fn of(point: Lead) -> Self {
        Self { lower: point, upper: point }
    }

    /// The box around boxes; infinitely far if there is none.
    fn around(boxes: impl Iterator<Item = Self>) -> Self {
        let none = Self { lower: [f32::INFINITY; LEAD], upper: [f32::NEG_INFINITY; LEAD] };
        boxes.fold(none, |around, inner| Self {
            lower: std::array::from_fn(|axis| around.lower[axis].min(inner.lower[axis])),
            upper: std::array::from_fn(|axis| around.upper[axis].max(inner.upper[axis])),
        })
    }
}

/// Up to eight boxes, coordinate by coordinate; lanes without a box are infinitely far.
fn interleaved(boxes: &[Bounds]) -> BoxTile {
    let mut tile = [[[f32::INFINITY; LANES]; 2]; LEAD];
    for (lane, bounds) in boxes.iter().enumerate() {
        for (axis, ends) in tile.iter_mut().enumerate() {
            (ends[0][lane], ends[1][lane]) = (bounds.lower[axis], bounds.upper[axis]);
        }
    }
    tile
}
