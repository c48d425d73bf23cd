//! Spreading charges at points over a grid, and interpolating a grid at points.

use core::ops::Range;

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use crate::placed::{Placed, PlacedPoint};
use crate::plan::Plan;
use crate::window::Taps;

/// Rows of a grid that one task spreads over; each grid point adds up its points in their order, whatever the number.
const STRIPE: usize = 48;

/// Points that one task interpolates at.
const CHUNK: usize = 4096;

/// Planes of numbers on a grid: row after row, and in a row plane after plane.
pub(crate) struct Grid {
    pub(crate) values: Vec<f64>,
    pub(crate) planes: usize,
}

/// `u_l = Σ_j φ(l - r_j) c_j` of some charges c, in the original order of the points.
pub(crate) fn spread(plan: &Plan, placed: &Placed, charges: &[&[f64]]) -> Grid {
    let [across, rows] = plan.shape();
    let mut grid = Grid { values: vec![0.0; across * rows * charges.len()], planes: charges.len() };
    spread_onto(plan, placed, charges, &mut grid, 0);
    grid
}

/// Adds charges to the planes from `first` on.
pub(crate) fn spread_onto(
    plan: &Plan,
    placed: &Placed,
    charges: &[&[f64]],
    grid: &mut Grid,
    first: usize,
) {
    match plan.window.width {
        12 => spread_by::<12>(plan, placed, charges, grid, first),
        16 => spread_by::<16>(plan, placed, charges, grid, first),
        width => unreachable!("there is no window of {width} grid points"),
    }
}

fn spread_by<const W: usize>(
    plan: &Plan,
    placed: &Placed,
    charges: &[&[f64]],
    grid: &mut Grid,
    first: usize,
) {
    let [across, rows] = plan.shape();
    let taps = plan.window.taps::<W>();
    let row = across * grid.planes;
    let high = if plan.k == 1 { 1 } else { W };
    let arch = Arch::new();
    grid.values.par_chunks_mut(STRIPE * row).enumerate().for_each(|(stripe, values)| {
        let top = stripe * STRIPE;
        let lines = top..(top + STRIPE).min(rows);
        // All whose window reaches into the stripe.
        let some = placed.starts[(top + 1).saturating_sub(high)]..placed.starts[lines.end];
        let points = (&placed.points[some.clone()], &placed.order[some]);
        let (taps, sizes) = (&taps, [across, row, high, first]);
        arch.dispatch(SpreadOver { taps, points, charges, lines, sizes, values });
    });
}

/// The charges of some points over the rows of a stripe.
///
/// As this and not as a closure it is compiled for the vector instructions that it runs on: a closure that is not inlined has
/// those of every machine.
struct SpreadOver<'a, const W: usize> {
    taps: &'a Taps<W>,
    /// The points, and their original places.
    points: (&'a [PlacedPoint], &'a [u32]),
    charges: &'a [&'a [f64]],
    /// The rows of the grid.
    lines: Range<usize>,
    /// Grid points of a row of one plane, and of all; rows of a window; the first plane.
    sizes: [usize; 4],
    values: &'a mut [f64],
}

impl<const W: usize> WithSimd for SpreadOver<'_, W> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let Self { taps, points, charges, lines, sizes: [across, row, high, first], values } = self;
        for (point, &at) in points.0.iter().zip(points.1) {
            let ([xs, ys], [x, y]) = taps_of(taps, point, high);
            for (t, weight) in ys.iter().enumerate().take(high) {
                if !lines.contains(&(y + t)) {
                    continue;
                }
                for (plane, charges) in charges.iter().enumerate() {
                    let weight = weight * charges[at as usize];
                    let start = (y + t - lines.start) * row + (first + plane) * across + x;
                    let cells = &mut values[start..start + W];
                    for (cell, x) in cells.iter_mut().zip(&xs) {
                        *cell += weight * x;
                    }
                }
            }
        }
    }
}

/// The window's values along both axes, and its first grid point.
#[inline(always)]
fn taps_of<const W: usize>(
    taps: &Taps<W>,
    point: &PlacedPoint,
    high: usize,
) -> ([[f64; W]; 2], [usize; 2]) {
    let xs = taps.at(point.place[0]);
    let mut ys = [1.0; W];
    if high > 1 {
        ys = taps.at(point.place[1]);
    }
    ([xs, ys], point.first.map(|first| first as usize))
}

/// `Σ_l φ(l - q_i) u_l` of each plane, in the original order of the points.
pub(crate) fn interpolate(plan: &Plan, placed: &Placed, grid: &Grid) -> Vec<Vec<f64>> {
    match (plan.window.width, grid.planes) {
        (12, 1) => interpolate_by::<12, 1>(plan, placed, grid),
        (12, 2) => interpolate_by::<12, 2>(plan, placed, grid),
        (12, 4) => interpolate_by::<12, 4>(plan, placed, grid),
        (16, 1) => interpolate_by::<16, 1>(plan, placed, grid),
        (16, 2) => interpolate_by::<16, 2>(plan, placed, grid),
        (16, 4) => interpolate_by::<16, 4>(plan, placed, grid),
        shape => unreachable!("no interpolation is compiled for {shape:?}"),
    }
}

fn interpolate_by<const W: usize, const C: usize>(
    plan: &Plan,
    placed: &Placed,
    grid: &Grid,
) -> Vec<Vec<f64>> {
    let [across, _] = plan.shape();
    let taps = plan.window.taps::<W>();
    let high = if plan.k == 1 { 1 } else { W };
    let arch = Arch::new();
    let mut sorted = vec![[0.0; C]; placed.points.len()];
    sorted.par_chunks_mut(CHUNK).zip(placed.points.par_chunks(CHUNK)).for_each(
        |(found, points)| {
            let (taps, values) = (&taps, &grid.values[..]);
            arch.dispatch(InterpolateAt { taps, points, sizes: [across, high], values, found });
        },
    );
    let column = |plane: usize| {
        let mut values = vec![0.0; sorted.len()];
        for (found, &at) in sorted.iter().zip(&placed.order) {
            values[at as usize] = found[plane];
        }
        values
    };
    (0..C).map(column).collect()
}

/// The numbers of a grid at some points; a type for the reason of [`SpreadOver`].
struct InterpolateAt<'a, const W: usize, const C: usize> {
    taps: &'a Taps<W>,
    points: &'a [PlacedPoint],
    /// Grid points of a row of one plane; rows of a window.
    sizes: [usize; 2],
    values: &'a [f64],
    found: &'a mut [[f64; C]],
}

impl<const W: usize, const C: usize> WithSimd for InterpolateAt<'_, W, C> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let Self { taps, points, sizes: [across, high], values, found } = self;
        for (found, point) in found.iter_mut().zip(points) {
            let ([xs, ys], [x, y]) = taps_of(taps, point, high);
            let mut sums = [[0.0; W]; C];
            for (t, weight) in ys.iter().enumerate().take(high) {
                for (plane, sums) in sums.iter_mut().enumerate() {
                    let start = ((y + t) * C + plane) * across + x;
                    let cells = &values[start..start + W];
                    for (sum, cell) in sums.iter_mut().zip(cells) {
                        *sum += weight * cell;
                    }
                }
            }
            for (found, sums) in found.iter_mut().zip(sums) {
                *found = 0.0;
                for (sum, x) in sums.iter().zip(&xs) {
                    *found += sum * x;
                }
            }
        }
    }
}
