//! How many rows of each class are where, for more rows than a picture has points.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use super::look::style;

/// Cells along the longer side.
const CELLS: usize = 180;
/// Shades of a color: the logarithm of the rows of a cell, up to the most of the class.
pub const SHADES: usize = 5;
/// The share of the rows that each side of the picture may leave out: one row far off would make all others a dot.
const LEFT_OUT: f64 = 5e-4;
/// Room around the others, as a part of their range.
const ROOM: f64 = 0.05;

/// Rows of each class in the square cells of a grid over a part of the plane.
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
    /// The cells of each class that hold rows, those of most rows first.
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
        for (point, class) in points.iter().zip(classes) {
            let [x, y] = [(point[0] - left) / side, (point[1] - bottom) / side];
            if x >= 0.0 && y >= 0.0 && x <= cells[0] as f64 && y <= cells[1] as f64 {
                places.push([
                    *class,
                    (y as usize).min(cells[1] - 1),
                    (x as usize).min(cells[0] - 1),
                ]);
            }
        }
        places.sort_unstable();
        let mut layers: Vec<(usize, Layer)> = places
            .chunk_by(|a, b| a[0] == b[0])
            .map(|rows| (rows.len(), Layer { class: rows[0][0], runs: runs(rows) }))
            .collect();
        // A rare class is drawn last.
        layers.sort_by_key(|(rows, layer)| (usize::MAX - rows, layer.class));
        let layers = layers.into_iter().map(|(_, layer)| layer).collect();
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

/// The runs of the cells of one class: `[class, row, column]` of each row of the table, sorted.
fn runs(places: &[[usize; 3]]) -> Vec<[usize; 4]> {
    let cells = || places.chunk_by(|a, b| a == b);
    let most = cells().map(<[_]>::len).max().unwrap_or(1) as f64;
    let mut runs: Vec<[usize; 4]> = Vec::new();
    for cell in cells() {
        let [_, row, column] = cell[0];
        let share = (cell.len() as f64).ln() / most.max(2.0).ln();
        let shade = ((share * SHADES as f64) as usize).min(SHADES - 1);
        match runs.last_mut() {
            Some([last, first, of, length])
                if (*last, *of, *first + *length) == (shade, row, column) =>
            {
                *length += 1;
            }
            _ => runs.push([shade, column, row, 1]),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// Two broad classes, and one of every 2000th row in the middle of them.
    fn points(rows: usize) -> (Vec<[f64; 2]>, Vec<usize>) {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let mut normal = || (0..12).map(|_| rng.random_range(0.0..1.0)).sum::<f64>() - 6.0;
        let class = |row: usize| if row.is_multiple_of(2000) { 2 } else { row % 2 };
        let classes: Vec<usize> = (0..rows).map(class).collect();
        let points = classes.iter().map(|class| {
            let [x, y] = [normal(), normal()];
            if *class == 2 { [0.1 * x, 0.1 * y] } else { [x + *class as f64, y] }
        });
        (points.collect(), classes)
    }

    #[test]
    fn the_drawing_does_not_grow_with_the_rows_and_a_rare_class_is_on_top() {
        let of = |rows: usize| {
            let (points, classes) = points(rows);
            Density::of(&points, &classes).unwrap()
        };
        let [some, many] = [of(30_000), of(300_000)];
        assert!(many.strokes().len() < 2 * some.strokes().len());
        for density in [some, many] {
            let rare = density.layers.last().unwrap();
            assert_eq!((rare.class, density.layers.len()), (2, 3));
            assert!(rare.runs.iter().any(|run| run[0] >= SHADES / 2), "{:?}", rare.runs);
            assert!(density.outside * 200 < density.rows);
            assert!(density.strokes().contains("<path class=\"k2 cells s0 c2\" d=\"m"));
        }
    }

    #[test]
    fn rows_far_off_and_without_numbers_are_outside() {
        let (mut points, classes) = points(20_000);
        (points[3], points[4]) = ([1e9, 0.0], [f64::NAN, 0.0]);
        let density = Density::of(&points, &classes).unwrap();
        assert!(density.high()[0] < 10.0 && density.outside >= 2);
        assert_eq!(density.rows + density.outside, 20_000);
        let cells: usize = density.cells[0].max(density.cells[1]);
        assert!((CELLS..=CELLS + 1).contains(&cells));
        assert_eq!(Density::of(&[[f64::NAN; 2]], &[0]), None);
        let one = Density::of(&[[3.0, 4.0]], &[1]).unwrap();
        assert_eq!((one.rows, &one.layers[0].runs[..]), (1, &[[0, 0, 0, 1]][..]));
    }
}
