//! The section of a replay: its controls, and a stroke for each class of each part, which the page's script moves.

use std::fmt::Write;
use std::ops::Range;

use burn_nca_program::html::{note, section};
use serde_json::{Value, json};

use super::super::picture::{Colors, Part, style};
use super::{Replay, ReplayFrame, ReplayPoint, WIDTH};
use crate::number::count;
use crate::{Report, Section};

/// Points that are drawn as one: those of a part and class.
struct Group {
    class: usize,
    part: Part,
    points: Range<usize>,
}

impl Replay {
    fn groups(&self) -> Vec<Group> {
        let mut end = 0;
        let runs = self.points.chunk_by(|a, b| (a.class, a.part) == (b.class, b.part));
        let group = |points: &[ReplayPoint]| {
            let ReplayPoint { class, part, .. } = points[0];
            end += points.len();
            Group { class, part, points: end - points.len()..end }
        };
        runs.map(group).collect()
    }

    /// Where a point is drawn, from the upper left.
    fn place(&self, frame: &ReplayFrame, at: usize, classes: usize) -> [i32; 2] {
        if self.dimension > 1 {
            let [x, up] = [frame.places[2 * at], frame.places[2 * at + 1]];
            return [x, (self.window.height as i32).saturating_sub(up)];
        }
        // The golden ratio spreads any run of rows evenly over the lane.
        let jitter = (at as f64 * 0.618_033_988_749_894_9).fract();
        let lane = self.points[at].class as f64 + 0.15 + 0.7 * jitter;
        let y = f64::from(self.window.height) * (lane / classes.max(1) as f64);
        [frame.places[at], y.round() as i32]
    }

    fn picture(&self, frame: &ReplayFrame, classes: usize) -> String {
        let (groups, colors) = (self.groups(), self.colors());
        let mut paths = String::new();
        for part in [Part::Train, Part::Test] {
            for (at, group) in groups.iter().enumerate().filter(|(_, group)| group.part == part) {
                let places = group.points.clone().map(|at| self.place(frame, at, classes));
                // Strokes of no length, whose size is that of their caps.
                let d: String = places.map(|[x, y]| format!("M{x} {y}h0")).collect();
                let name = if part == Part::Train { "train" } else { "test" };
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

    fn band(&self, band: usize) -> Option<f64> {
        self.values.as_ref()?.bands.get(band).copied()
    }

    fn colors(&self) -> Option<Colors> {
        Colors::of(self.values.as_ref()?.bands.iter().copied())
    }

    fn drawn(&self, classes: usize) -> Value {
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

impl Replay {
    fn caption(&self, report: &Report) -> String {
        let data = &report.header.data;
        let axes = match self.dimension {
            1 => "on a fixed axis",
            _ if report.header.settings["d_output"].as_u64().is_some_and(|k| k > 2) => {
                "in the two principal axes of the last one"
            }
            _ => "on fixed axes",
        };
        let mut text = format!("The embedding at the steps of the fit, {axes}.");
        if self.points.len() < data.rows {
            let [drawn, all] = [self.points.len(), data.rows].map(|rows| count(rows as u64));
            let _ = write!(text, " {drawn} of {all} rows are plotted.");
        }
        if self.has_test() {
            text.push_str(" Hollow marks were held out.");
        }
        if self.figure().is_none() {
            let _ = write!(text, " Accuracy: {}.", report.comparison.rule_of_classes());
        }
        // Pairs are counted as such, and ask among all rows.
        if self.neighbors < data.train && !self.is_of_pairs() {
            let among = count(self.neighbors as u64);
            let _ = write!(text, " Scores are those of these rows, among {among} training rows.");
        }
        text
    }

    fn controls(&self, shown: usize) -> String {
        let last = self.frames.len() - 1;
        let [step, rest] = self.words(&self.frames[shown]);
        format!(
            "<div class=\"controls scripted\"><button type=\"button\" id=\"replay-play\" aria-label=\"Play the \
             fit\">Play</button><input type=\"range\" id=\"replay-step\" min=\"0\" max=\"{last}\" step=\"1\" \
             value=\"{shown}\" aria-label=\"Step of the fit\"></div>\n<p class=\"now\" id=\"replay-now\"><b>{step}</b><span>{rest}</span></p>\n"
        )
    }

    fn is_drawn(&self) -> bool {
        self.frames.len() > 1 && !self.points.is_empty()
    }

    /// How many classes, or bands of values, the points are of.
    fn groups_of(&self, report: &Report) -> usize {
        self.values.as_ref().map_or(report.header.data.classes.len(), |values| values.bands.len())
    }

    /// The scale of the colors, where they tell values.
    fn key(&self) -> String {
        let values = self.values.as_ref();
        values.and_then(|of| Some(self.colors()?.bar(&of.color))).unwrap_or_default()
    }
}

impl Section for Replay {
    fn page(&self, report: &Report) -> String {
        if !self.is_drawn() {
            return String::new();
        }
        let last = self.frames.len() - 1;
        // The model's, if it is one of them.
        let shown = self.frames.iter().rposition(|frame| frame.kept).unwrap_or(last);
        let body = format!(
            "{}<figure class=\"replay\">{}<div class=\"side\">{}{}{}</div></figure>\n{}",
            note(&self.caption(report)),
            self.picture(&self.frames[shown], self.groups_of(report)),
            self.controls(shown),
            self.chart(shown),
            self.key(),
            self.listing()
        );
        section("replay", "Training", &body)
    }

    fn data(&self, report: &Report) -> Option<(&'static str, Value)> {
        self.is_drawn().then(|| ("replay", self.drawn(self.groups_of(report))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReplayFigure, ReplayValues};

    #[test]
    fn a_replay_of_numbers_is_colored_by_bands_and_has_its_own_figure() {
        let mut report = Report::example();
        let mut replay = report.replay.take().unwrap();
        let (color, bands) = ("price".to_owned(), vec![10.0, 20.0, 30.0]);
        replay.values = Some(ReplayValues { color, bands, figure: ReplayFigure::R2 });
        replay.frames[0].train = Some(-0.5);
        let page = replay.page(&report);
        let words = ": R² of the kernel rule 0.960 on training rows, 0.940 on held-out rows";
        assert!(page.contains(words) && page.contains("Color scale of price"), "{page}");
        assert!(page.contains("stroke:#482878") && page.contains("stroke:#fde725"), "{page}");
        assert!(page.contains(">−0.5"), "R² may be below 0: {page}");
        (report.header.data.train, replay.neighbors) = (200, 100);
        assert!(replay.page(&report).contains("among 100 training rows"));
        replay.values.as_mut().unwrap().figure = ReplayFigure::HeldOutPairs;
        let page = replay.page(&report);
        assert!(page.contains("partner is the nearest row in 96.0 % of the held-out pairs"));
        assert!(!page.contains("training rows."), "pairs are no rows: {page}");
        replay.values.as_mut().unwrap().bands.pop();
        assert!(!replay.fits(3));
    }
}
