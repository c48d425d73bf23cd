pub(super) mod legend;
mod placement;

use std::fmt::Write;

use serde_json::{Value, json};

use crate::report::number::{count, counted, percent, round_step, significant};
use crate::report::page::html::{escape, place, section};
use crate::report::{ClassCount, EmbeddedPoint, Embedding, Part, Report};
use placement::{FOOT, Frame, WIDTH, drawing_order};

/// Hues of the palette; with two shapes and two shades some 40 classes look different.
const HUES: usize = 10;

/// The points of an embedding, placed on a drawing of equal scale in both directions.
pub struct Scatter<'a> {
    embedding: &'a Embedding,
    classes: &'a [ClassCount],
    /// Points in drawing order, later on top, with their places.
    marks: Vec<(&'a EmbeddedPoint, [f64; 2])>,
    /// Drawing units for one unit of learnt distance.
    scale: f64,
    /// Height of the drawing in its own units.
    height: f64,
    /// Points whose coordinates are not finite.
    unplaced: usize,
    /// Which part's errors are ringed: the rows held out, or all rows when there are none.
    judged: Part,
}

impl<'a> Scatter<'a> {
    /// Places the points; `None` when there is none to place.
    pub fn new(embedding: &'a Embedding, report: &'a Report) -> Option<Self> {
        let finite = |point: &&EmbeddedPoint| {
            !point.coordinates.is_empty() && point.coordinates.iter().all(|at| at.is_finite())
        };
        let points: Vec<&EmbeddedPoint> = embedding.points.iter().filter(finite).collect();
        if points.is_empty() {
            return None;
        }
        let frame = Frame::around(&points, report.data.classes.len());
        let judged = if points.iter().any(|point| point.part == Part::Test) {
            Part::Test
        } else {
            Part::Train
        };
        let mut marks: Vec<_> = drawing_order(points.len())
            .into_iter()
            .map(|index| (points[index], frame.place(points[index], index)))
            .collect();
        marks.sort_by_key(|(point, _)| (point.part == Part::Test, point.is_wrong()));
        Some(Self {
            embedding,
            classes: &report.data.classes,
            marks,
            scale: frame.scale,
            height: frame.height,
            unplaced: embedding.points.len() - points.len(),
            judged,
        })
    }

    /// The picture with its legend.
    pub fn section(&self) -> String {
        let line = self.is_line();
        let ratio = if line { "none" } else { "xMidYMid meet" };
        let shape = if line {
            format!("height:{}px", self.height)
        } else {
            format!("aspect-ratio:{:.4}", WIDTH / self.height)
        };
        let limit = if line {
            String::new()
        } else {
            format!("--wide:{:.0}px", 640.0 * WIDTH / self.height)
        };
        let size = match self.marks.len() {
            0..=400 => 8.5,
            401..=2000 => 6.5,
            _ => 5.0,
        };
        let body = format!(
            "<p class=\"note\">{}</p>\n<figure class=\"scatter\">\n{}<div class=\"picture\" style=\"{limit}\">\n\
             <div class=\"frame\" style=\"{shape}\"><svg id=\"points\" class=\"mark-wrong\" style=\"--size:{size}px\" \
             viewBox=\"0 0 1000 {:.0}\" preserveAspectRatio=\"{ratio}\" role=\"img\" aria-label=\"{}\" \
             tabindex=\"0\">\n{}</svg>{}{}<div id=\"tip\" class=\"tip\" role=\"status\" hidden></div></div>\n{}\
             </div>\n</figure>",
            self.caption(),
            self.toolbar(),
            self.height,
            "Scatter plot of the embedded points; arrow keys move from point to point",
            self.paths(),
            self.lanes(),
            self.scale_bar(),
            self.legend(),
        );
        section("embedding", "The rows where the metric puts them", &body)
    }

    /// What the script needs: places, classes and what to tell about each point, in drawing order.
    pub fn data(&self) -> Value {
        let points: Vec<Value> = self
            .marks
            .iter()
            .map(|(point, [x, y])| {
                let predicted = point.predicted.map_or(-1, |class| class as i64);
                let part = u8::from(point.part == Part::Test);
                let p = point.p.map(|p| (p * 1e4).round() / 1e4);
                json!([hundredths(*x), hundredths(*y), point.class, predicted, part, p, point.row])
            })
            .collect();
        json!({"points": points, "scale": self.scale, "height": self.height, "line": self.is_line()})
    }

    fn is_line(&self) -> bool {
        self.marks[0].0.coordinates.len() == 1
    }

    fn caption(&self) -> String {
        let k = self.embedding.dimension;
        let mut text = match (self.is_line(), self.embedding.variance_share) {
            (true, _) => {
                "The one learnt dimension; up and down within a class means nothing.".to_owned()
            }
            (false, Some(share)) => format!(
                "The first two principal axes of the {k}-dimensional embedding, which hold {} of its variance; \
                 distances in the full space are larger.",
                percent(Some(share))
            ),
            (false, None) => {
                "The learnt dimensions, at the same scale in both directions.".to_owned()
            }
        };
        let placed = self.embedding.points.len() - self.unplaced;
        if placed > self.marks.len() {
            let drawn = count(self.marks.len() as u64);
            let _ = write!(
                text,
                " {drawn} of {} points are drawn, evenly spread over the table.",
                count(placed as u64)
            );
        }
        if self.unplaced > 0 {
            let verb = if self.unplaced == 1 { "is" } else { "are" };
            let left = counted(self.unplaced, "point");
            let _ = write!(text, " {left} without finite coordinates {verb} left out.");
        }
        text
    }

    fn is_marked(&self, point: &EmbeddedPoint) -> bool {
        point.is_wrong() && point.part == self.judged
    }

    /// A mark is a stroke of no length with a round or square cap: its size is in pixels at every zoom.
    fn paths(&self) -> String {
        let mut paths = String::with_capacity(64 * self.marks.len());
        for (point, [x, y]) in &self.marks {
            let class = point.class;
            let place = format!("d=\"M{} {}h0\"", hundredths(*x), hundredths(*y));
            let part = if point.part == Part::Test { "test" } else { "train" };
            if self.is_marked(point) {
                let _ = write!(
                    paths,
                    "<path class=\"k{class} {part} wrong\" {place}/><path class=\"k{class} {part} gap\" {place}/>"
                );
            }
            let _ = writeln!(paths, "<path class=\"k{class} {part} {}\" {place}/>", look(class));
            if point.part == Part::Test {
                let _ = writeln!(
                    paths,
                    "<path class=\"k{class} {part} hole{}\" {place}/>",
                    shape(class)
                );
            }
        }
        paths
    }

    /// For one dimension: the name of each class beside its lane.
    fn lanes(&self) -> String {
        if !self.is_line() {
            return String::new();
        }
        let lane = (self.height - FOOT) / self.classes.len().max(1) as f64;
        if lane < 14.0 {
            // No room for a line of text: colour, shape and legend must do.
            return String::new();
        }
        let label = |(class, rows): (usize, &ClassCount)| {
            let top = class as f64 * lane;
            format!("<span class=\"lane\" style=\"top:{top:.1}px\">{}</span>", escape(&rows.name))
        };
        self.classes.iter().enumerate().map(label).collect()
    }

    /// A bar of a round length, some tenth of the width.
    fn scale_bar(&self) -> String {
        let length = round_step(0.1 * WIDTH / self.scale);
        format!(
            "<div id=\"scale\" class=\"scale\" style=\"width:{}\"><span>distance {}</span></div>",
            place(length * self.scale / WIDTH),
            significant(length, 1)
        )
    }
}

/// The style classes of a class's mark: hue, then square, then the second shade.
fn look(class: usize) -> String {
    let shade = if class / (2 * HUES) % 2 == 1 { " shade" } else { "" };
    format!("c{}{}{shade}", class % HUES, shape(class))
}

fn shape(class: usize) -> &'static str {
    if class / HUES % 2 == 1 { " square" } else { "" }
}

fn hundredths(at: f64) -> f64 {
    (at * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::placement::DRAWN;
    use super::*;

    fn scatter_of(report: &Report) -> Scatter<'_> {
        Scatter::new(report.embedding.as_ref().unwrap(), report).unwrap()
    }

    #[test]
    fn distances_on_the_drawing_are_the_learnt_ones() {
        let report = Report::example();
        let scatter = scatter_of(&report);
        let apart = |a: &[f64], b: &[f64]| (a[0] - b[0]).hypot(a[1] - b[1]);
        let ((a, at_a), (b, at_b)) = (&scatter.marks[0], &scatter.marks[77]);
        let learnt = apart(&a.coordinates, &b.coordinates);
        assert!((apart(at_a, at_b) - scatter.scale * learnt).abs() < 1e-9);
        let inside = |at: &[f64; 2]| {
            (0.0..=WIDTH).contains(&at[0]) && (0.0..=scatter.height).contains(&at[1])
        };
        assert!(scatter.marks.iter().all(|(_, at)| inside(at)));
    }

    #[test]
    fn a_large_embedding_is_thinned_evenly_and_says_so() {
        let report = Report::with_classes(&["a", "b", "c"], 4000, 2);
        let scatter = scatter_of(&report);
        assert_eq!(scatter.marks.len(), DRAWN);
        assert!(scatter.caption().contains("5000 of 12\u{a0}000 points are drawn"));
        let of = |class| scatter.marks.iter().filter(|(point, _)| point.class == class).count();
        assert!((0..3).all(|class| of(class).abs_diff(DRAWN / 3) <= 1));
    }

    #[test]
    fn forty_classes_look_different() {
        let looks: std::collections::BTreeSet<String> = (0..40).map(look).collect();
        assert_eq!(looks.len(), 40);
    }

    #[test]
    fn errors_on_held_out_rows_are_ringed_and_without_them_all_errors() {
        let report = Report::with_classes(&["a", "b"], 400, 2);
        let points = &report.embedding.as_ref().unwrap().points;
        let wrong = |part| points.iter().filter(|at| at.is_wrong() && at.part == part).count();
        let rings = |report: &Report| scatter_of(report).paths().matches(" wrong\"").count();
        assert!(wrong(Part::Test) > 0 && wrong(Part::Train) > 0);
        assert_eq!(rings(&report), wrong(Part::Test));
        let train = wrong(Part::Train);
        assert_eq!(rings(&report.without_test()), train);
    }

    #[test]
    fn a_single_place_can_be_drawn() {
        let mut report = Report::example();
        for point in &mut report.embedding.as_mut().unwrap().points {
            point.coordinates = vec![2.0, 2.0];
        }
        let scatter = scatter_of(&report);
        assert!(scatter.marks.iter().all(|(_, at)| at.iter().all(|side| side.is_finite())));
        assert!(!scatter.section().contains("NaN"));
    }
}
