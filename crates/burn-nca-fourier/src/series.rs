//! Convolution of a grid with the kernel and its derivatives, by the Fourier series.

use std::sync::{Arc, LazyLock, Mutex};

use rayon::prelude::*;
use rustfft::num_complex::Complex;
use rustfft::{Fft, FftDirection, FftPlanner};

use crate::grid::Grid;
use crate::plan::{Axis, Plan};

/// Rows or columns that are transformed together.
const BLOCK: usize = 8;

/// A factor of a mode with the frequencies `ξ = 2πh / P` of both axes.
pub(crate) type Factor = fn([f64; 2]) -> Complex<f64>;

/// The kernel itself.
pub(crate) const VALUE: Factor = |_| Complex::new(1.0, 0.0);
pub(crate) const BY_X: Factor = |[x, _]| Complex::new(0.0, x);
pub(crate) const BY_Y: Factor = |[_, y]| Complex::new(0.0, y);
/// The kernel, and the kernel times the squared distance in the imaginary part, of one and of two axes.
pub(crate) const WITH_SQUARES: [Factor; 2] = [
    |[x, _]| Complex::new(1.0, 0.5 - 0.25 * x * x),
    |[x, y]| Complex::new(1.0, 1.0 - 0.25 * (x * x + y * y)),
];

type Transform = Arc<dyn Fft<f64>>;

/// Of one axis, forwards and backwards. Plans are made once for each length.
fn transforms(points: usize) -> [Transform; 2] {
    static PLANNER: LazyLock<Mutex<FftPlanner<f64>>> =
        LazyLock::new(|| Mutex::new(FftPlanner::new()));
    let mut planner = PLANNER.lock().expect("no panic while planning");
    [FftDirection::Forward, FftDirection::Inverse].map(|way| planner.plan_fft(points, way))
}

/// The mode at each place where few of them are kept: `0, 1 ... H, -H ... -1`.
fn place_of_mode(at: usize, axis: &Axis) -> (usize, f64) {
    let high = axis.factors.len() - 1;
    if at <= high {
        (at, at as f64)
    } else {
        let negative = 2 * high + 1 - at;
        (axis.points - negative, -(negative as f64))
    }
}

fn modes(axis: &Axis) -> usize {
    2 * axis.factors.len() - 1
}

/// One or two planes, convolved with the kernel times each factor: for each factor one plane, the real part, or two. The second
/// is that of the second plane, or the imaginary part of the factor where there is one plane.
pub(crate) fn convolve(plan: &Plan, grid: &Grid, factors: &[Factor], kept: usize) -> Grid {
    let [across, rows] = plan.shape();
    let [x, y] = &plan.axes;
    let (wide, high) = (modes(x), modes(y));
    let [[forward_x, inverse_x], [forward_y, inverse_y]] = [transforms(across), transforms(rows)];
    // Rows: [rows][wide].
    let mut by_row = vec![Complex::default(); rows * wide];
    let chunks = by_row
        .par_chunks_mut(BLOCK * wide)
        .zip(grid.values.par_chunks(BLOCK * across * grid.planes));
    chunks.for_each(|(kept, rows)| {
        let mut row = vec![Complex::default(); across];
        let mut scratch = vec![Complex::default(); forward_x.get_inplace_scratch_len()];
        for (kept, values) in kept.chunks_mut(wide).zip(rows.chunks(across * grid.planes)) {
            let (re, im) = values.split_at(across);
            for (at, number) in row.iter_mut().enumerate() {
                *number = Complex::new(re[at], im.get(at).copied().unwrap_or(0.0));
            }
            forward_x.process_with_scratch(&mut row, &mut scratch);
            for (at, kept) in kept.iter_mut().enumerate() {
                *kept = row[place_of_mode(at, x).0];
            }
        }
    });
    // Columns, some at a time: [factors][columns][rows].
    let columns: Vec<usize> = (0..wide).step_by(BLOCK).collect();
    let columns: Vec<Vec<Complex<f64>>> = columns
        .into_par_iter()
        .map(|first| {
            let count = BLOCK.min(wide - first);
            let mut column = vec![Complex::default(); count * rows];
            for row in 0..rows {
                for at in 0..count {
                    column[at * rows + row] = by_row[row * wide + first + at];
                }
            }
            let mut scratch =
                vec![
                    Complex::default();
                    forward_y.get_inplace_scratch_len().max(inverse_y.get_inplace_scratch_len())
                ];
            forward_y.process_with_scratch(&mut column, &mut scratch);
            let mut found = vec![Complex::default(); factors.len() * count * rows];
            for (&factor, found) in factors.iter().zip(found.chunks_mut(count * rows)) {
                for at in 0..count {
                    let mode_x = place_of_mode(first + at, x).1;
                    let decay_x = x.factors[mode_x.abs() as usize];
                    for mode in 0..high {
                        let (row, mode_y) = place_of_mode(mode, y);
                        let decay = decay_x * y.factors[mode_y.abs() as usize];
                        let factor = factor([x.frequency * mode_x, y.frequency * mode_y]) * decay;
                        found[at * rows + row] = column[at * rows + row] * factor;
                    }
                }
                inverse_y.process_with_scratch(found, &mut scratch);
            }
            found
        })
        .collect();
    // Rows again.
    let planes = kept * factors.len();
    let mut values = vec![0.0; rows * planes * across];
    values.par_chunks_mut(BLOCK * planes * across).enumerate().for_each(|(block, values)| {
        let top = block * BLOCK;
        let count = values.len() / (planes * across);
        let mut scratch = vec![Complex::default(); inverse_x.get_inplace_scratch_len()];
        let mut buffer = vec![Complex::default(); count * across];
        for factor in 0..factors.len() {
            buffer.fill(Complex::default());
            for at in 0..wide {
                let part = &columns[at / BLOCK];
                let width = part.len() / (factors.len() * rows);
                let start = (factor * width + at % BLOCK) * rows + top;
                let place = place_of_mode(at, x).0;
                for (row, number) in part[start..start + count].iter().enumerate() {
                    buffer[row * across + place] = *number;
                }
            }
            inverse_x.process_with_scratch(&mut buffer, &mut scratch);
            for (row, numbers) in buffer.chunks(across).enumerate() {
                let start = (row * planes + kept * factor) * across;
                let (re, im) = values[start..start + kept * across].split_at_mut(across);
                for (re, number) in re.iter_mut().zip(numbers) {
                    *re = number.re;
                }
                for (im, number) in im.iter_mut().zip(numbers) {
                    *im = number.im;
                }
            }
        }
    });
    Grid { values, planes }
}
