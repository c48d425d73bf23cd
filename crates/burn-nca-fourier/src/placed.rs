//! Points on a grid, sorted by the row of the grid at which their window begins.

use crate::plan::Plan;

pub(crate) struct Placed {
    /// The original place of each sorted point.
    pub(crate) order: Vec<u32>,
    /// First grid point of the window, and the place of the point within it, per axis.
    pub(crate) points: Vec<PlacedPoint>,
    /// Where the points whose window begins at each row are; one more than rows.
    pub(crate) starts: Vec<usize>,
}

#[derive(Clone, Copy, Default)]
pub(crate) struct PlacedPoint {
    pub(crate) first: [u32; 2],
    pub(crate) place: [f64; 2],
}

impl Placed {
    pub(crate) fn new(plan: &Plan, coordinates: &[f64]) -> Self {
        let [_, rows] = plan.shape();
        let place = |row: &[f64]| {
            let mut point = PlacedPoint::default();
            for (axis, &x) in row.iter().enumerate() {
                (point.first[axis], point.place[axis]) =
                    plan.axes[axis].place(plan.window.spacing, x);
            }
            point
        };
        let unsorted: Vec<PlacedPoint> = coordinates.chunks_exact(plan.k).map(place).collect();
        let mut starts = vec![0; rows + 1];
        for point in &unsorted {
            starts[point.first[1] as usize + 1] += 1;
        }
        for row in 0..rows {
            starts[row + 1] += starts[row];
        }
        let mut next = starts.clone();
        let mut order = vec![0; unsorted.len()];
        for (at, point) in unsorted.iter().enumerate() {
            let place = &mut next[point.first[1] as usize];
            order[*place] = at as u32;
            *place += 1;
        }
        let points = order.iter().map(|&at| unsorted[at as usize]).collect();
        Self { order, points, starts }
    }
}
