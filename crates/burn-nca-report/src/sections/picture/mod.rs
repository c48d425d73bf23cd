//! The rows where the learned map puts them, marked by their class or colored by a number.

mod colors;
mod density;
mod legend;
mod placement;
mod row_names;
mod scatter;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::number::{counted, significant};
use crate::{ClassCount, Report, Section};
pub use colors::Colors;
pub use density::{Density, SHADES};
pub use legend::listed;
pub use placement::{DRAWN, thinned};
pub use row_names::RowNames;
pub use scatter::style;
use scatter::{Look, Scatter};

/// The part of the data a row belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// Learned from.
    Train,
    /// Held out.
    Test,
}

/// The points where the learned map puts them, in one or two dimensions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Embedding<M> {
    /// Dimensions k of the learned space.
    pub dimension: usize,
    /// For k > 2: the share of the embedding's variance in the two principal axes shown.
    pub variance_share: Option<f64>,
    /// What the colors tell: the name of a numeric target, or `row`; `None` for classes.
    #[serde(default, rename = "colour")]
    pub color: Option<String>,
    /// The points.
    pub points: Vec<Point<M>>,
    /// Pairs of points to join, by their place in `points`.
    pub links: Vec<[usize; 2]>,
    /// The rows without a class; absent where there are none.
    #[serde(default, rename = "unlabelled", skip_serializing_if = "Vec::is_empty")]
    pub unlabeled: Vec<Unlabeled>,
    /// All training rows, where the points are a sample of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<Density>,
}

/// A row without a class in the learned space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unlabeled {
    /// Row number in the source, counted from 1.
    pub row: usize,
    /// What the source calls it, where its rows have names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// One coordinate for k = 1, else two.
    pub coordinates: Vec<f64>,
}

/// One row of the data in the learned space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point<M> {
    /// Row number in the source, counted from 1.
    pub row: usize,
    /// What the source calls it, where its rows have names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// One coordinate for k = 1, else two.
    pub coordinates: Vec<f64>,
    /// Training or held out.
    pub part: Part,
    /// What is known of it.
    #[serde(flatten)]
    pub mark: M,
}

/// What is known of a row with a class.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassMark {
    /// The true class.
    pub class: usize,
    /// The class that 1-NN, or the metric's own rule, gives it: left out of the training rows, or held out.
    pub predicted: Option<usize>,
    /// The probability that a neighbor drawn for it is of its class; training rows only.
    pub p: Option<f64>,
}

/// What is known of a row with a number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValueMark {
    /// The target; the row number for pairs.
    pub value: f64,
    /// The target as the kernel rule predicts it, left out of the training rows or held out.
    pub predicted: Option<f64>,
}

impl Part {
    /// `45 held-out rows`, or `105 training rows, each left out in turn`
    pub(crate) fn counted(self, rows: usize) -> String {
        match self {
            Self::Test => counted(rows, "held-out row"),
            Self::Train => counted(rows, "training row") + ", each left out in turn",
        }
    }
}

impl ClassMark {
    /// Whether it is predicted, and wrongly.
    pub fn is_wrong(&self) -> bool {
        self.predicted.is_some_and(|predicted| predicted != self.class)
    }
}

impl<M> Embedding<M> {
    pub(crate) fn new(
        dimension: usize,
        variance_share: Option<f64>,
        points: Vec<Point<M>>,
    ) -> Self {
        let (links, unlabeled) = (Vec::new(), Vec::new());
        Self { dimension, variance_share, color: None, points, links, unlabeled, density: None }
    }

    /// The part whose predictions count: the rows held out, or all where there are none.
    pub fn judged(&self) -> Part {
        let held_out = self.points.iter().any(|point| point.part == Part::Test);
        if held_out { Part::Test } else { Part::Train }
    }
}

impl Embedding<ClassMark> {
    fn scatter<'a>(&'a self, classes: &'a [ClassCount]) -> Option<Scatter<'a, ClassMark>> {
        let look = |mark: &ClassMark| Some(Look::of_class(mark.class, mark.is_wrong()));
        Scatter::new(self, classes, look)
    }
}

impl Section for Embedding<ClassMark> {
    fn page(&self, report: &Report) -> String {
        let classes = &report.header.data.classes;
        let scatter = self.scatter(classes);
        scatter.map_or_else(String::new, |scatter| scatter.section(&scatter.class_list(classes)))
    }

    fn data(&self, report: &Report) -> Option<(&'static str, Value)> {
        let classes = &report.header.data.classes;
        let mut data = self.scatter(classes)?.data(|mark| {
            let predicted = mark.predicted.map_or(-1, |class| class as i64);
            let p = mark.p.map(|p| (p * 1e4).round() / 1e4);
            json!([mark.class, predicted, p])
        });
        data["classes"] = classes.iter().map(|class| class.name.as_str()).collect();
        Some(("scatter", data))
    }
}

impl Embedding<ValueMark> {
    fn scatter(&self) -> Option<(Scatter<'_, ValueMark>, Colors)> {
        let colors = Colors::of(self.points.iter().map(|point| point.mark.value))?;
        let look = |mark: &ValueMark| {
            mark.value.is_finite().then(|| Look::of_color(&colors.color(mark.value)))
        };
        Some((Scatter::new(self, &[], look)?, colors))
    }
}

impl Section for Embedding<ValueMark> {
    fn page(&self, _report: &Report) -> String {
        let Some((scatter, colors)) = self.scatter() else { return String::new() };
        scatter.section(&colors.bar(self.color.as_deref().unwrap_or("value")))
    }

    fn data(&self, _report: &Report) -> Option<(&'static str, Value)> {
        let mut data = self.scatter()?.0.data(|mark| {
            let predicted = mark.predicted.filter(|value| value.is_finite());
            json!([-1, predicted.map(|value| significant(value, 5)), significant(mark.value, 5)])
        });
        data["color"] = json!(self.color);
        Some(("scatter", data))
    }
}
