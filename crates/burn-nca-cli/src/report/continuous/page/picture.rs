use std::fmt::Write;

use super::colours::Colours;
use crate::report::Part;
use crate::report::continuous::{ColouredEmbedding, ColouredPoint, ContinuousReport};
use crate::report::number::{count, counted, percent, round_step, significant};
use crate::report::page::html::{escape, section as section_of};

/// The most points drawn; beyond, pages grow slow and marks cover each other.
const DRAWN: usize = 5000;
/// Width of the drawing in its own units.
const WIDTH: f64 = 1000.0;
/// Share of the drawing left free at each edge, so that no mark is cut.
const MARGIN: f64 = 0.03;
/// Height of the drawing of one dimension.
const LINE: f64 = 160.0;

/// The points of the embedding, coloured by the target or by their order, with the scale of the colours.
pub fn section(report: &ContinuousReport) -> String {
    let embedding = &report.embedding;
    let drawn: Vec<usize> = drawn(embedding);
    let points = drawn.iter().map(|&at| &embedding.points[at]);
    let Some(colours) = Colours::of(points.clone().map(|point| point.value)) else {
        return String::new();
    };
    let frame = Frame::around(points.clone());
    let size = match drawn.len() {
        0..=400 => 9.0,
        401..=2000 => 7.0,
        _ => 5.0,
    };
    let marks: String =
        drawn.iter().map(|&at| mark(&embedding.points[at], at, &frame, &colours)).collect();
    let body = format!(
        "<p class=\"note\">{}</p>\n<figure class=\"coloured\" style=\"--size:{size}px\">\n{}{}<svg viewBox=\"0 0 \
         {WIDTH} {:.0}\" role=\"img\" aria-label=\"Scatter plot of the embedded points, coloured by {}\">\n\
         {}{marks}{}</svg>\n{}</figure>",
        caption(embedding, &drawn),
        switches(embedding),
        colours.bar(&embedding.colour),
        frame.height,
        escape(&embedding.colour),
        links(embedding, &drawn, &frame),
        frame.scale_bar(),
        key(embedding)
    );
    section_of("embedding", "The rows where the metric puts them", &body)
}

/// The points that can be drawn, evenly thinned.
fn drawn(embedding: &ColouredEmbedding) -> Vec<usize> {
    let finite = |at: &usize| {
        let point = &embedding.points[*at];
        let coordinates = &point.coordinates;
        !coordinates.is_empty()
            && coordinates.iter().all(|at| at.is_finite())
            && point.value.is_finite()
    };
    let all: Vec<usize> = (0..embedding.points.len()).filter(finite).collect();
    let kept = all.len().min(DRAWN);
    (0..kept).map(|at| all[at * all.len() / kept]).collect()
}

fn caption(embedding: &ColouredEmbedding, drawn: &[usize]) -> String {
    let mut text = match (embedding.dimension, embedding.variance_share) {
        (1, _) => "The one learnt dimension; up and down means nothing.".to_owned(),
        (k, Some(share)) => format!(
            "The first two principal axes of the {k}-dimensional embedding, which hold {} of its variance; \
             distances in the full space are larger.",
            percent(Some(share))
        ),
        _ => "The learnt dimensions, at the same scale in both directions.".to_owned(),
    };
    let missing = embedding.points.len() - drawn.len();
    if drawn.len() == DRAWN {
        let all = count(embedding.points.len() as u64);
        let _ = write!(text, " {} of {all} points are drawn.", count(DRAWN as u64));
    } else if missing > 0 {
        let left = counted(missing, "point");
        let _ = write!(text, " {left} without finite coordinates or value left out.");
    }
    text
}

fn mark(point: &ColouredPoint, at: usize, frame: &Frame, colours: &Colours) -> String {
    let [x, y] = frame.place(point, at);
    let colour = colours.colour(point.value);
    let mut title = format!("row {}, {}", point.row, significant(point.value, 5));
    if let Some(predicted) = point.predicted.filter(|value| value.is_finite()) {
        let _ = write!(title, ", predicted {}", significant(predicted, 5));
    }
    let (part, hole) = match point.part {
        Part::Test => ("test", format!("<path class=\"hole\" d=\"M{x:.2} {y:.2}h0\"/>")),
        Part::Train => ("train", String::new()),
    };
    format!(
        "<g class=\"{part}\"><title>{title}</title><path class=\"edge\" d=\"M{x:.2} {y:.2}h0\"/><path \
         d=\"M{x:.2} {y:.2}h0\" stroke=\"{colour}\"/>{hole}</g>\n"
    )
}

/// The pairs among the drawn points as thin lines.
fn links(embedding: &ColouredEmbedding, drawn: &[usize], frame: &Frame) -> String {
    let mut path = String::new();
    for [a, b] in &embedding.links {
        if drawn.binary_search(a).is_ok() && drawn.binary_search(b).is_ok() {
            let [ax, ay] = frame.place(&embedding.points[*a], *a);
            let [bx, by] = frame.place(&embedding.points[*b], *b);
            let _ = write!(path, "M{ax:.1} {ay:.1}L{bx:.1} {by:.1}");
        }
    }
    if path.is_empty() { path } else { format!("<path class=\"links\" d=\"{path}\"/>\n") }
}

/// Switches for the training rows and for those held out; the style does the rest, without scripts.
fn switches(embedding: &ColouredEmbedding) -> &'static str {
    if embedding.points.iter().all(|point| point.part == Part::Train) {
        return "";
    }
    "<div class=\"toolbar\"><label><input type=\"checkbox\" class=\"show-train\" checked> training rows</label>\
     <label><input type=\"checkbox\" class=\"show-test\" checked> held-out rows</label></div>\n"
}

/// What filled and hollow marks mean; nothing where all marks are alike.
fn key(embedding: &ColouredEmbedding) -> String {
    let held_out = embedding.points.iter().any(|point| point.part == Part::Test);
    let mut keys = Vec::new();
    let mut sample = |marks: &str, text: &str| {
        keys.push(format!(
            "<span class=\"key\"><svg viewBox=\"0 0 14 14\" aria-hidden=\"true\">{marks}</svg>{text}</span>"
        ));
    };
    if held_out {
        sample("<path class=\"any\" d=\"M7 7h0\"/>", "training");
        sample("<path class=\"any\" d=\"M7 7h0\"/><path class=\"hole\" d=\"M7 7h0\"/>", "held out");
    }
    if !embedding.links.is_empty() {
        sample("<path class=\"links\" d=\"M0 7H14\"/>", "pair");
    }
    if keys.is_empty() { String::new() } else { format!("<p class=\"keys\">{}</p>", keys.concat()) }
}

/// Where the data lie on the drawing.
struct Frame {
    low: [f64; 2],
    /// Drawing units for one unit of learnt distance, the same in both directions.
    scale: f64,
    height: f64,
    offset: [f64; 2],
    line: bool,
}

impl Frame {
    fn around<'a>(points: impl Iterator<Item = &'a ColouredPoint> + Clone) -> Self {
        let range = |axis: usize| {
            let values = points.clone().map(|point| *point.coordinates.get(axis).unwrap_or(&0.0));
            let low = values.clone().fold(f64::INFINITY, f64::min);
            (low, values.fold(f64::NEG_INFINITY, f64::max) - low)
        };
        let line = points.clone().all(|point| point.coordinates.len() == 1);
        let ((left, wide), (bottom, high)) = (range(0), range(1));
        // All points in one place: any scale will do.
        let wide_or_one = if wide.max(high) > 0.0 { wide.max(1e-9 * high) } else { 1.0 };
        let aspect = if high > 0.0 { (wide_or_one / high).clamp(1.35, 1.8) } else { 1.8 };
        let height = if line { LINE } else { (WIDTH / aspect).round() };
        let margin = MARGIN * WIDTH;
        let across = (WIDTH - 2.0 * margin) / wide_or_one;
        let scale =
            if line || high <= 0.0 { across } else { across.min((height - 2.0 * margin) / high) };
        let offset = [(WIDTH - scale * wide) / 2.0, (height - scale * high) / 2.0];
        Self { low: [left, bottom], scale, height, offset, line }
    }

    /// Place of a point; `index` is its place in the table and spreads the points of a line.
    fn place(&self, point: &ColouredPoint, index: usize) -> [f64; 2] {
        let x = self.offset[0] + self.scale * (point.coordinates[0] - self.low[0]);
        if self.line {
            // The golden ratio spreads any run of rows evenly.
            let jitter = (index as f64 * 0.618_033_988_749_894_9).fract();
            return [x, 0.7 * self.height * (0.15 + 0.85 * jitter)];
        }
        let up = self.scale * (point.coordinates[1] - self.low[1]);
        [x, self.height - self.offset[1] - up]
    }

    /// A bar of a round length, some tenth of the width.
    fn scale_bar(&self) -> String {
        let length = round_step(0.1 * WIDTH / self.scale);
        let (end, y) = (16.0 + length * self.scale, self.height - 10.0);
        format!(
            "<path class=\"ruler\" d=\"M16 {y:.1}H{end:.1}\"/><text x=\"16\" y=\"{:.1}\">distance \
             {}</text>\n",
            y - 8.0,
            significant(length, 1)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_on_the_drawing_are_the_learnt_ones() {
        let report = ContinuousReport::example();
        let points = &report.embedding.points;
        let frame = Frame::around(points.iter());
        let (a, b) = (&points[3], &points[150]);
        let learnt =
            (a.coordinates[0] - b.coordinates[0]).hypot(a.coordinates[1] - b.coordinates[1]);
        let ([ax, ay], [bx, by]) = (frame.place(a, 3), frame.place(b, 150));
        assert!(((ax - bx).hypot(ay - by) - frame.scale * learnt).abs() < 1e-9);
    }

    #[test]
    fn every_point_is_drawn_once_and_pairs_are_joined() {
        let html = section(&ContinuousReport::example());
        assert_eq!(html.matches("<title>").count(), 200);
        assert!(html.contains("held out") && !html.contains("class=\"links\""));
        assert_eq!(html.matches("<g class=\"test\">").count(), 60);
        assert!(html.contains("class=\"show-train\"") && html.contains("class=\"show-test\""));
        let html = section(&ContinuousReport::of_pairs());
        assert!(html.contains("class=\"links\"") && !html.contains("held out"));
        assert!(!html.contains("show-train"));
    }

    #[test]
    fn one_dimension_and_a_single_place_can_be_drawn() {
        let mut report = ContinuousReport::example();
        report.embedding.points.iter_mut().for_each(|point| point.coordinates.truncate(1));
        assert!(!section(&report).contains("NaN"));
        report.embedding.points.iter_mut().for_each(|point| point.coordinates = vec![2.0, 2.0]);
        assert!(!section(&report).contains("NaN"));
    }
}
