//! The way of some points down a tree of boxes, together: what one of them has loaded, the others find in the cache.

use super::box_tree::BoxTree;
use super::lanes::{Eight, LANES, LEAD, Lead, Near, ToBoxes, ToRest, ToSlots, lead};

/// No group of slots.
const NOWHERE: u32 = u32::MAX;

/// Who looks at the references that points come by.
pub(super) trait Visitor {
    /// Considers the reference `row`, at this squared distance, for point `point`; gives the squared distance above
    /// which that point need not look at references from now on.
    fn offer(&mut self, point: usize, row: u32, sq_distance: f32) -> f32;
}

/// What points have looked at, each counted for itself.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Work {
    /// Groups of eight boxes.
    pub(super) boxes: usize,
    /// Slots of up to eight references.
    pub(super) slots: usize,
    /// References that were offered.
    pub(super) offers: usize,
}

/// Offers the visitor for each point every reference within that point's limit (and some beyond), once.
///
/// Each point first goes down to the slots whose boxes are nearest, which makes its limit a good one; then all go
/// together through whatever is within their limits.
pub(super) fn descend(tree: &BoxTree, points: &[&[f32]], visitor: &mut impl Visitor) -> Work {
    let mut descent = Descent {
        tree,
        points,
        leads: points.iter().map(|point| lead(point)).collect(),
        limits: vec![f32::MAX; points.len()],
        homes: vec![NOWHERE; points.len()],
        levels: vec![Level::default(); tree.levels.len()],
        pairs: Vec::new(),
        near: Vec::new(),
        visitor,
        work: Work::default(),
    };
    for point in 0..points.len() {
        let home = descent.home(point as u32);
        descent.look(home, &[point as u32]);
        descent.homes[point] = home as u32;
    }
    let all: Vec<u32> = (0..points.len() as u32).collect();
    descent.visit(tree.levels.len() - 1, 0, &all);
    descent.work
}

struct Descent<'a, V> {
    tree: &'a BoxTree,
    points: &'a [&'a [f32]],
    leads: Vec<Lead>,
    /// The squared distance that each point is interested in.
    limits: Vec<f32>,
    /// The group of slots that each point has seen first.
    homes: Vec<u32>,
    /// Memory of a visit at each level.
    levels: Vec<Level>,
    pairs: Vec<u32>,
    near: Vec<Near>,
    visitor: &'a mut V,
    work: Work,
}

#[derive(Clone, Default)]
struct Level {
    distances: Vec<Eight>,
    active: Vec<u32>,
}

impl<V: Visitor> Descent<'_, V> {
    /// The group of slots that a point gets to by the nearest box of each level.
    fn home(&mut self, point: u32) -> usize {
        let mut distances = std::mem::take(&mut self.levels[0].distances);
        let mut group = 0;
        for level in (1..self.tree.levels.len()).rev() {
            self.measure_boxes(level, group, &[point], &mut distances);
            group = group * LANES + nearest_first(&distances)[0];
        }
        self.levels[0].distances = distances;
        group
    }

    /// Goes with the points `active` through a group of boxes.
    fn visit(&mut self, level: usize, group: usize, active: &[u32]) {
        if level == 0 {
            return self.look(group, active);
        }
        let Level { mut distances, active: mut within } = std::mem::take(&mut self.levels[level]);
        self.measure_boxes(level, group, active, &mut distances);
        within.resize(active.len(), 0);
        for lane in nearest_first(&distances) {
            let mut near = 0;
            for (&point, distances) in active.iter().zip(&distances) {
                within[near] = point;
                near += usize::from(distances[lane] <= self.limits[point as usize]);
            }
            if near > 0 {
                self.visit(level - 1, group * LANES + lane, &within[..near]);
            }
        }
        self.levels[level] = Level { distances, active: within };
    }

    fn measure_boxes(
        &mut self,
        level: usize,
        group: usize,
        active: &[u32],
        distances: &mut Vec<Eight>,
    ) {
        self.work.boxes += active.len();
        let boxes = &self.tree.levels[level][group];
        self.tree.arch.dispatch(ToBoxes { leads: &self.leads, active, boxes, distances });
    }

    /// Looks at the slots of a group, but for points that have seen them.
    fn look(&mut self, group: usize, active: &[u32]) {
        let (tree, first) = (self.tree, group * LANES);
        let mut new = std::mem::take(&mut self.levels[0].active);
        new.clear();
        new.extend(active.iter().filter(|point| self.homes[**point as usize] != group as u32));
        self.work.boxes += new.len();
        let mut near = std::mem::take(&mut self.near);
        self.work.slots += tree.arch.dispatch(ToSlots {
            leads: &self.leads,
            limits: &self.limits,
            active: &new,
            boxes: &tree.levels[0][group],
            tiles: &tree.leads[first..(first + LANES).min(tree.leads.len())],
            pairs: &mut self.pairs,
            near: &mut near,
        });
        for near in &near {
            self.finish(near, first + near.slot);
        }
        (self.near, self.levels[0].active) = (near, new);
    }

    /// Offers what is near in all coordinates.
    fn finish(&mut self, near: &Near, slot: usize) {
        let point = near.point;
        let rest = self.points[point].get(LEAD..).unwrap_or_default();
        let found = self.tree.arch.dispatch(ToRest {
            point: rest,
            tile: self.tree.rest(slot),
            leading: near.sq_distances,
            limit: self.limits[point],
        });
        for (lane, distance) in found.into_iter().flatten().enumerate() {
            if distance <= self.limits[point] {
                self.work.offers += 1;
                let row = self.tree.rows[slot][lane];
                self.limits[point] = self.visitor.offer(point, row, distance);
            }
        }
    }
}

/// The lanes by the smallest of their distances.
fn nearest_first(distances: &[Eight]) -> [usize; LANES] {
    let mut smallest = [f32::INFINITY; LANES];
    for distances in distances {
        smallest.iter_mut().zip(distances).for_each(|(least, x)| *least = least.min(*x));
    }
    let mut lanes = std::array::from_fn(|lane| lane);
    lanes.sort_unstable_by(|a: &usize, b| smallest[*a].total_cmp(&smallest[*b]).then(a.cmp(b)));
    lanes
}

#[cfg(test)]
mod tests {
    use super::super::contraction::Contracted;
    use super::*;

    /// Limits that stay, one for each point.
    struct Within {
        limits: Vec<f32>,
        seen: Vec<Vec<u32>>,
    }

    impl Visitor for Within {
        fn offer(&mut self, point: usize, row: u32, _: f32) -> f32 {
            self.seen[point].push(row);
            self.limits[point]
        }
    }

    #[test]
    fn points_are_offered_all_within_their_limits_once_and_little_of_the_rest() {
        let queries = [([500.0, 40.0], 900.0), ([0.0, 0.0], 0.0), ([-50.0, 90.0], 2e4)];
        let points: Vec<&[f32]> = queries.iter().map(|(point, _)| point.as_slice()).collect();
        for n in [1, 7, 8, 9, 500, 5000] {
            let references = Contracted::plane(n);
            let tree = BoxTree::new(&references);
            let limits = queries.iter().map(|(_, limit)| *limit).collect();
            let mut within = Within { limits, seen: vec![Vec::new(); 3] };
            let work = descend(&tree, &points, &mut within);
            for ((point, limit), seen) in queries.iter().zip(&mut within.seen) {
                seen.sort_unstable();
                assert!(seen.windows(2).all(|pair| pair[0] < pair[1]), "twice: {seen:?}");
                let sq_distance = |row: u32| {
                    let at = references.row(row as usize);
                    (at[0] - point[0]).powi(2) + (at[1] - point[1]).powi(2)
                };
                for row in (0..n as u32).filter(|row| sq_distance(*row) <= *limit) {
                    assert!(seen.contains(&row), "{n} points around {point:?}: no {row}");
                }
            }
            assert!(n < 5000 || work.slots < 3 * n / LANES / 4, "{work:?}");
        }
    }

    #[test]
    fn lanes_are_in_the_order_of_the_point_nearest_to_each() {
        let distances =
            [[4.0, 9.0, 1.0, 8.0, 8.0, 8.0, 8.0, 8.0], [5.0, 0.0, 7.0, 6.0, 8.0, 9.0, 9.0, 9.0]];
        assert_eq!(nearest_first(&distances), [1, 2, 0, 3, 4, 5, 6, 7]);
    }
}
