//! How many rows of each class are where, for more rows than a picture has points.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::{Deserialize, Serialize};

use super::scatter::style;

/// Cells along the longer side.
const CELLS: usize = 180;
/// Shades of a color: the logarithm of the rows of a cell, up to the most of all.
pub const SHADES: usize = 5;
/// The share of the rows that each side of the picture may leave out: one row far off would make all others a dot.
const LEFT_OUT: f64 = 5e-4;
/// Room around the others, as a part of their range.
const ROOM: f64 = 0.05;

/// Rows in the square cells of a grid over a part of the plane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Density {
    /// The lower left corner.
    pub low: [f64; 2],
    /// The side of a cell.
    pub side: f64,
    /// Cells across and up.
    pub cells: [usize; 2],
    /// Rows in the cells.
    pub rows: usize,
    /// Rows beyond them.
    pub outside: usize,
    /// The cells that hold rows, each in the layer of one of its classes.
    pub layers: Vec<Layer>,
}

/// The cells of a class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Layer {
    /// The class.
    pub class: usize,
    /// Runs of cells of one shade, from 0: the shade, the column and the row of the first, and how many there are.
    pub runs: Vec<[usize; 4]>,
}

impl Density {
    /// That of points `[n, 2]` with their classes; `None` without a finite one.
    pub fn of(points: &[[f64; 2]], classes: &[usize]) -> Option<Self> {
        let finite = |point: &[f64; 2]| point.iter().all(|at| at.is_finite());
        let ends = [0, 1].map(|axis| {
            let mut values: Vec<f64> =
                points.iter().filter(|point| finite(point)).map(|point| point[axis]).collect();
            values.sort_unstable_by(f64::total_cmp);
            let left_out = (LEFT_OUT * values.len() as f64) as usize;
            let (low, high) = (values.get(left_out)?, values.get(values.len() - 1 - left_out)?);
            let room = ROOM * (high - low);
            Some((low - room, high + room))
        });
        let [(left, right), (bottom, top)] = [ends[0]?, ends[1]?];
        let longest = (right - left).max(top - bottom);
        let side = if longest > 0.0 { longest / CELLS as f64 } else { 1.0 };
        let cells =
            [right - left, top - bottom].map(|range| ((range / side).ceil() as usize).max(1));
        let mut places: Vec<[usize; 3]> = Vec::with_capacity(points.len());
        let mut frequencies = vec![0.0f64; classes.iter().max().map_or(0, |last| last + 1)];
        for (point, class) in points.iter().zip(classes) {
            let [x, y] = [(point[0] - left) / side, (point[1] - bottom) / side];
            if x >= 0.0 && y >= 0.0 && x <= cells[0] as f64 && y <= cells[1] as f64 {
                let [x, y] = [(x as usize).min(cells[0] - 1), (y as usize).min(cells[1] - 1)];
                places.push([y, x, *class]);
                frequencies[*class] += 1.0;
            }
        }
        places.sort_unstable();
        let layers = layers(&places, &frequencies);
        let (rows, outside) = (places.len(), points.len() - places.len());
        Some(Self { low: [left, bottom], side, cells, rows, outside, layers })
    }

    /// The corner opposite to [`low`](Self::low).
    pub fn high(&self) -> [f64; 2] {
        [0, 1].map(|axis| self.low[axis] + self.side * self.cells[axis] as f64)
    }

    /// The layers as strokes through their cells, one unit a cell, the first row at the bottom.
    pub(super) fn strokes(&self) -> String {
        let mut strokes = String::new();
        for Layer { class, runs } in &self.layers {
            for shade in 0..SHADES {
                let runs = || runs.iter().filter(|run| run[0] == shade);
                if runs().next().is_none() {
                    continue;
                }
                // Squares are for marks.
                let style = style(*class).replace(" square", "");
                let _ = write!(strokes, "<path class=\"k{class} cells s{shade}{style}\" d=\"");
                let mut from = [0, 0];
                for [_, column, row, length] in runs() {
                    let to = [column + length, *row];
                    let [x, y] = [*column as i64 - from[0], *row as i64 - from[1]];
                    let _ = write!(strokes, "m{x} {y}h{length}");
                    from = to.map(|at| at as i64);
                }
                strokes += "\"/>\n";
            }
        }
        strokes
    }
}

/// The cells of each class: `[row, column, class]` of each row of the table, sorted, and the rows of each class.
///
/// A cell is of one of its classes, so that none is painted over, chosen with weights `n_c / sqrt(N_c)` (rows of the
/// class in the cell and in all): as often as it has rows there, if rare classes are to be seen too. The choices are an
/// ordered dither: neighbors in the same mixture are of its classes in turn.
fn layers(places: &[[usize; 3]], frequencies: &[f64]) -> Vec<Layer> {
    let cells = || places.chunk_by(|a, b| a[..2] == b[..2]);
    let most = cells().map(<[_]>::len).max().unwrap_or(1) as f64;
    let mut layers: BTreeMap<usize, Vec<[usize; 4]>> = BTreeMap::new();
    for cell in cells() {
        let [row, column, _] = cell[0];
        let mixture = || {
            let rows = cell.chunk_by(|a, b| a == b);
            rows.map(|rows| (rows[0][2], rows.len() as f64 / frequencies[rows[0][2]].sqrt()))
        };
        let all: f64 = mixture().map(|(_, weight)| weight).sum();
        // A low-discrepancy sequence of the plane.
        let mut left = all * (0.754_877_666 * column as f64 + 0.569_840_296 * row as f64).fract();
        let reached = mixture().find(|(_, weight)| {
            left -= weight;
            left < 0.0
        });
        let (class, _) = reached.unwrap_or((cell[cell.len() - 1][2], 0.0));
        let share = (cell.len() as f64).ln() / most.max(2.0).ln();
        let shade = ((share * SHADES as f64) as usize).min(SHADES - 1);
        let runs = layers.entry(class).or_default();
        match runs.last_mut() {
            Some([last, first, of, length])
                if (*last, *of, *first + *length) == (shade, row, column) =>
            {
                *length += 1;
            }
            _ => runs.push([shade, column, row, 1]),
        }
    }
    layers.into_iter().map(|(class, runs)| Layer { class, runs }).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn the_drawing_does_not_grow_with_the_rows_and_each_class_is_seen() {
        // Two broad classes, and one of every 2000th row in the middle of them; two rows far off.
        let of = |rows: usize| {
            let mut rng = ChaCha8Rng::seed_from_u64(2);
            let mut normal = || (0..12).map(|_| rng.random_range(0.0..1.0)).sum::<f64>() - 6.0;
            let class = |row: usize| if row.is_multiple_of(2000) { 2 } else { row % 2 };
            let classes: Vec<usize> = (0..rows).map(class).collect();
            let points = classes.iter().map(|class| {
                let [x, y] = [normal(), normal()];
                if *class == 2 { [0.1 * x, 0.1 * y] } else { [x + *class as f64, y] }
            });
            let mut points: Vec<[f64; 2]> = points.collect();
            (points[3], points[4]) = ([1e9, 0.0], [f64::NAN, 0.0]);
            Density::of(&points, &classes).unwrap()
        };
        let [some, many] = [of(30_000), of(300_000)];
        assert!(many.strokes().len() < 2 * some.strokes().len());
        for density in [some, many] {
            assert_eq!(density.layers.iter().map(|of| of.class).collect::<Vec<_>>(), [0, 1, 2]);
            let mut taken = HashSet::new();
            let cells = density.layers.iter().map(|layer| {
                let run = |run: &[usize; 4]| (0..run[3]).map(|at| [run[1] + at, run[2]]).collect();
                let cells: Vec<[usize; 2]> =
                    layer.runs.iter().map(run).collect::<Vec<Vec<_>>>().concat();
                assert!(cells.iter().all(|cell| taken.insert(*cell)), "a cell of two classes");
                cells.len() as f64
            });
            let cells: Vec<f64> = cells.collect();
            // Two broad classes one deviation apart, of the same size.
            assert!((0.8..1.25).contains(&(cells[0] / cells[1])), "{cells:?}");
            // 15 or 150 rows among 100 times as many: a few of the cells in the middle.
            assert!(cells[2] >= 5.0 && cells[2] < 0.02 * cells[0], "{cells:?}");
            assert!(density.outside >= 2 && density.outside * 200 < density.rows);
            assert!(density.high()[0] < 10.0 && density.strokes().contains("class=\"k2 cells s"));
        }
        assert_eq!(Density::of(&[[f64::NAN; 2]], &[0]), None);
        let one = Density::of(&[[3.0, 4.0]], &[1]).unwrap();
        assert_eq!((one.rows, &one.layers[0].runs[..]), (1, &[[0, 0, 0, 1]][..]));
    }
}
