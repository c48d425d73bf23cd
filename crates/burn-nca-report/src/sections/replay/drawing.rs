//! The points of a replay: a stroke for each class of each part, which the page's script moves.

use std::fmt::Write;
use std::ops::Range;

use serde_json::{Value, json};

use super::super::picture::{Colors, Part, style};
use super::frames::{Replay, ReplayFrame, ReplayPoint};
use super::window::WIDTH;

/// Points that are drawn as one: those of a part and class.
struct Group {
    class: usize,
    part: Part,
    points: Range<usize>,
}

impl Replay {
    fn groups(&self) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for points in self.points.chunk_by(|a, b| (a.class, a.part) == (b.class, b.part)) {
            let start = groups.last().map_or(0, |group| group.points.end);
            let ReplayPoint { class, part, .. } = points[0];
            groups.push(Group { class, part, points: start..start + points.len() });
        }
        groups
    }

    /// The strokes of some points: each of no length, its size is that of its cap.
    fn stroke(&self, frame: &ReplayFrame, points: &Range<usize>, classes: usize) -> String {
        let mut path = String::with_capacity(12 * points.len());
        for at in points.clone() {
            let [x, y] = self.place(frame, at, classes);
            let _ = write!(path, "M{x} {y}h0");
        }
        path
    }

    /// Where a point is drawn, from the upper left.
    fn place(&self, frame: &ReplayFrame, at: usize, classes: usize) -> [i32; 2] {
        if self.dimension > 1 {
            let [x, up] = [frame.places[2 * at], frame.places[2 * at + 1]];
            return [x, (self.window.height as i32).saturating_sub(up)];
        }
        let y = f64::from(self.window.height) * lane(self.points[at].class, at, classes);
        [frame.places[at], y.round() as i32]
    }

    /// The picture of a frame.
    pub(super) fn picture(&self, frame: &ReplayFrame, classes: usize) -> String {
        let (groups, colors) = (self.groups(), self.colors());
        let mut paths = String::new();
        for part in [Part::Train, Part::Test] {
            for (at, group) in groups.iter().enumerate().filter(|(_, group)| group.part == part) {
                let d = self.stroke(frame, &group.points, classes);
                let name = part_name(part);
                let (style, color) = match colors.zip(self.band(group.class)) {
                    Some((colors, value)) => {
                        (String::new(), format!(" style=\"stroke:{}\"", colors.color(value)))
                    }
                    None => (style(group.class), String::new()),
                };
                let mut path = |class: String| {
                    // The hole of a row held out has the color of the paper.
                    let color = if class.contains("hole") { "" } else { color.as_str() };
                    let _ = writeln!(
                        paths,
                        "<path data-group=\"{at}\" class=\"{class}\"{color} d=\"{d}\"/>"
                    );
                };
                path(format!("{name}{style}"));
                if part == Part::Test {
                    let square = if style.contains("square") { " square" } else { "" };
                    path(format!("{name} hole{square}"));
                }
            }
        }
        let height = f64::from(self.window.height);
        let size = if self.points.len() > 400 { 6.5 } else { 8.5 };
        let wide = 460.0 * WIDTH / height;
        format!(
            "<div class=\"frame\" style=\"--wide:{wide:.0}px;aspect-ratio:{:.4}\"><svg id=\"replay-points\" \
             style=\"--size:{size}px\" viewBox=\"0 0 1000 {height}\" role=\"img\" aria-label=\"Scatter plot of the \
             rows at a step of the fit\">\n{paths}</svg></div>\n",
            WIDTH / height,
        )
    }

    /// The value in the middle of a band.
    fn band(&self, band: usize) -> Option<f64> {
        self.values.as_ref()?.bands.get(band).copied()
    }

    /// The scale of the bands.
    pub(super) fn colors(&self) -> Option<Colors> {
        Colors::of(self.values.as_ref()?.bands.iter().copied())
    }

    /// What the script draws the other frames from.
    pub(super) fn drawn(&self, classes: usize) -> Value {
        let frame = |frame: &ReplayFrame| {
            let places: Vec<i32> =
                (0..self.points.len()).flat_map(|at| self.place(frame, at, classes)).collect();
            let [step, rest] = self.words(frame);
            json!([step, rest, places])
        };
        let groups: Vec<[usize; 2]> =
            self.groups().iter().map(|group| [group.points.start, group.points.end]).collect();
        json!({ "groups": groups, "frames": self.frames.iter().map(frame).collect::<Vec<_>>() })
    }
}

/// Where a class's lane of one dimension has a point, as a share of the height.
fn lane(class: usize, at: usize, classes: usize) -> f64 {
    // The golden ratio spreads any run of rows evenly over the lane.
    let jitter = (at as f64 * 0.618_033_988_749_894_9).fract();
    (class as f64 + 0.15 + 0.7 * jitter) / classes.max(1) as f64
}

fn part_name(part: Part) -> &'static str {
    match part {
        Part::Train => "train",
        Part::Test => "test",
    }
}
