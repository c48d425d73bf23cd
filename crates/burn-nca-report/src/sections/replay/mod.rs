//! The fit once more: the rows where the map put them at some of its steps.

mod accuracy;
mod drawing;

use serde::{Deserialize, Serialize};

use super::picture::Part;

/// Width of the picture in its own units.
const WIDTH: f64 = 1000.0;

/// The least and the most width of a picture of two dimensions for its height.
const ASPECT: (f64, f64) = (1.0, 2.6);

/// The share of a frame's points, at either end of an axis, that may leave the picture.
const TAIL: f64 = 0.02;

/// Height of the lanes of one dimension.
const LANES: f64 = 300.0;

/// The embedding of some rows at some steps of a fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replay {
    /// Coordinates of a place: 1 or 2.
    pub dimension: usize,
    /// Training rows among which neighbors were looked for.
    pub neighbors: usize,
    /// The rows that are drawn: by part, training rows first, and class.
    pub points: Vec<ReplayPoint>,
    /// What the colors and figures are where there are no classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<ReplayValues>,
    /// What the places are relative to; the same at every step.
    pub window: Window,
    /// The steps, in their order.
    pub frames: Vec<ReplayFrame>,
}

/// A row that is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplayPoint {
    /// Row number in the source, counted from 1.
    pub row: usize,
    /// Its class, or the band of its value.
    pub class: usize,
    /// Training or held out.
    pub part: Part,
}

/// The colors and the figures of a replay without classes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplayValues {
    /// What the colors tell: the name of a numeric target, or `row`.
    #[serde(rename = "colour")]
    pub color: String,
    /// The value in the middle of each band, ascending; points of a band have one color.
    pub bands: Vec<f64>,
    /// What the figures of a frame are.
    pub figure: ReplayFigure,
}

/// What is measured at each step of a fit without classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplayFigure {
    /// R² of the kernel rule, of the training rows and of those held out.
    R2,
    /// The share of the training pairs whose partner is the nearest row.
    TrainingPairs,
    /// That share of the pairs held out.
    HeldOutPairs,
}

/// A step of the fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplayFrame {
    /// Its number; 0 is the start.
    pub iteration: u64,
    /// Accuracy of the training rows by 1-NN or the metric's own rule, each left out in turn; or the figure of [`ReplayValues::figure`].
    pub train: Option<f64>,
    /// The same of the rows held out; `None` for pairs, whose one score is in `train`.
    pub test: Option<f64>,
    /// Whether the model is that of this step (or of the nearest that was kept).
    pub kept: bool,
    /// The coordinates of the points, row-major, in units of the window.
    pub places: Vec<i32>,
}

impl Replay {
    fn has_test(&self) -> bool {
        self.points.iter().any(|point| point.part == Part::Test)
    }

    /// What the figures of the frames are, where they are no accuracies.
    fn figure(&self) -> Option<ReplayFigure> {
        self.values.as_ref().map(|values| values.figure)
    }

    fn is_of_pairs(&self) -> bool {
        matches!(self.figure(), Some(ReplayFigure::TrainingPairs | ReplayFigure::HeldOutPairs))
    }

    /// Whether its parts fit together, where the data have so many classes.
    pub(crate) fn fits(&self, classes: usize) -> bool {
        let classes = self.values.as_ref().map_or(classes, |values| values.bands.len());
        (1..=2).contains(&self.dimension)
            && (1..=4 * WIDTH as u32).contains(&self.window.height)
            && self.points.iter().all(|point| point.class < classes)
            && self
                .frames
                .iter()
                .all(|frame| frame.places.len() == self.points.len() * self.dimension)
    }
}

/// Where the places of all frames are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// The coordinates of its lower left corner.
    pub low: [f64; 2],
    /// What a unit is in the space: a thousandth of the width.
    pub unit: f64,
    /// Its height in units.
    pub height: u32,
}

impl Window {
    /// The window that holds the frame `kept`, and of the others all but the outermost points.
    pub fn around(frames: &[Vec<f64>], kept: usize, dimension: usize) -> Self {
        let range = |axis: usize| {
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            for (at, frame) in frames.iter().enumerate() {
                let mut values: Vec<f64> =
                    frame.iter().skip(axis).step_by(dimension).copied().collect();
                values.sort_by(f64::total_cmp);
                let cut = if at == kept { 0.0 } else { TAIL * values.len() as f64 } as usize;
                let inner = values.get(cut).zip(values.iter().rev().nth(cut));
                if let Some((first, last)) = inner {
                    (low, high) = (low.min(*first), high.max(*last));
                }
            }
            if low <= high { (low, high - low) } else { (0.0, 0.0) }
        };
        let (left, wide) = range(0);
        let (bottom, high) = if dimension > 1 { range(1) } else { (0.0, 0.0) };
        let margin = |size: f64| 0.04 * size;
        let (mut w, mut h) = (wide + 2.0 * margin(wide), high + 2.0 * margin(high));
        if w.max(h) <= 0.0 {
            w = 1.0;
        }
        if dimension > 1 {
            // Room where the points would make the picture too flat or too tall.
            (w, h) = (w.max(ASPECT.0 * h), h.max(w / ASPECT.1));
        }
        let height = if dimension > 1 { WIDTH * h / w } else { LANES };
        let center = [left + wide / 2.0, bottom + high / 2.0];
        let low = [center[0] - w / 2.0, if dimension > 1 { center[1] - h / 2.0 } else { 0.0 }];
        Self { low, unit: w / WIDTH, height: height.round().clamp(1.0, 4.0 * WIDTH) as u32 }
    }

    /// Coordinates in units of the window, as many a row as it has axes.
    pub fn places(&self, coordinates: &[f64], dimension: usize) -> Vec<i32> {
        let unit = |(at, coordinate): (usize, &f64)| {
            // A float becomes the nearest number that there is.
            ((coordinate - self.low[at % dimension]) / self.unit).round() as i32
        };
        coordinates.iter().enumerate().map(unit).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_holds_the_model_and_all_but_the_outermost_points_of_other_steps() {
        let mut first: Vec<f64> = (0..100).flat_map(|i| [f64::from(i) / 100.0, 0.0]).collect();
        first[198] = 1e6;
        let last = vec![0.0, 0.0, 4.0, 2.0];
        let window = Window::around(&[first, last.clone()], 1, 2);
        let places = window.places(&last, 2);
        assert!(places.iter().all(|at| (0..=1000).contains(at)), "{places:?}");
        assert!(places[2] - places[0] > 900 && window.height >= 500, "{places:?} {window:?}");
        let line = Window::around(&[vec![1.0, 3.0]], 0, 1);
        assert_eq!((line.height, line.places(&[2.0], 1)), (300, vec![500]));
        let point = Window::around(&[vec![1.0, 1.0]], 0, 2);
        assert!(point.unit > 0.0 && point.places(&[1.0, 1.0], 2)[0] == 500);
    }
}
