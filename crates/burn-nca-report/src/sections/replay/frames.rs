//! What a replay is made of: rows, and their places at some steps of a fit.

use serde::{Deserialize, Serialize};

use super::super::picture::Part;
use super::window::{WIDTH, Window};
use crate::ClassCount;

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
    /// The frame that is shown first: that of the model.
    pub(super) fn shown(&self) -> usize {
        self.frames.iter().rposition(|frame| frame.kept).unwrap_or(self.frames.len() - 1)
    }

    /// Whether rows were held out.
    pub(super) fn has_test(&self) -> bool {
        self.points.iter().any(|point| point.part == Part::Test)
    }

    /// What the figures of the frames are, where they are no accuracies.
    pub(super) fn figure(&self) -> Option<ReplayFigure> {
        self.values.as_ref().map(|values| values.figure)
    }

    /// Whether the fit was one of pairs.
    pub(super) fn is_of_pairs(&self) -> bool {
        matches!(self.figure(), Some(ReplayFigure::TrainingPairs | ReplayFigure::HeldOutPairs))
    }

    /// Whether there is anything to see.
    pub(super) fn is_drawn(&self) -> bool {
        self.frames.len() > 1 && !self.points.is_empty()
    }
}

/// Whether the parts of a replay of so many classes fit together.
pub fn fits(replay: &Replay, classes: &[ClassCount]) -> bool {
    let classes = replay.values.as_ref().map_or(classes.len(), |values| values.bands.len());
    (1..=2).contains(&replay.dimension)
        && (1..=4 * WIDTH as u32).contains(&replay.window.height)
        && replay.points.iter().all(|point| point.class < classes)
        && replay
            .frames
            .iter()
            .all(|frame| frame.places.len() == replay.points.len() * replay.dimension)
}
