//! A drawing of points at the same scale in both directions.

use std::fmt::Write;

use serde_json::{Value, json};

use super::placement::{Frame, WIDTH, drawing_order};
use super::{Embedding, Part, Point};
use crate::report::ClassCount;
use crate::report::number::{count, counted, percent, round_step, significant};
use burn_nca_program::html::{escape, name, place, section};

/// Hues of the palette; with two shapes and two shades some 40 classes look different.
const HUES: usize = 10;
/// So many classes and more have their names in the picture, as far as they look different: colours alone are too many.
const NAMED: std::ops::RangeInclusive<usize> = 11..=40;
/// More errors than this, and their rings would cover the picture: they are there to be asked for.
const RINGED: usize = 60;

/// How a point is marked.
pub struct Look {
    /// In one dimension each class has a lane of its own.
    pub lane: usize,
    /// The class of the style that hides it together with its like; may be empty.
    group: String,
    /// The class of the style that colours it, with a blank before it.
    style: String,
    /// Its colour where the style has none, as an attribute with a blank before it.
    stroke: String,
    square: bool,
    wrong: bool,
}

impl Look {
    /// That of a class; `wrong` where it was taken for another.
    pub fn of_class(class: usize, wrong: bool) -> Self {
        let square = class / HUES % 2 == 1;
        let group = format!("k{class} ");
        Self { lane: class, group, style: style(class), stroke: String::new(), square, wrong }
    }

    /// That of a colour.
    pub fn of_colour(colour: &str) -> Self {
        let stroke = format!(" stroke=\"{colour}\"");
        Self {
            lane: 0,
            group: String::new(),
            style: String::new(),
            stroke,
            square: false,
            wrong: false,
        }
    }
}

/// The style classes of a class's mark, with a blank before them: hue, then square, then the second shade.
pub fn style(class: usize) -> String {
    let square = if class / HUES % 2 == 1 { " square" } else { "" };
    let shade = if class / (2 * HUES) % 2 == 1 { " shade" } else { "" };
    format!(" c{}{square}{shade}", class % HUES)
}

/// The points of an embedding, placed.
pub struct Scatter<'a, M> {
    embedding: &'a Embedding<M>,
    classes: &'a [ClassCount],
    /// Points in drawing order, later on top, with their places.
    pub marks: Vec<(&'a Point<M>, Look, [f64; 2])>,
    pub frame: Frame,
    links: String,
    /// Points that cannot be placed.
    unplaced: usize,
    /// Which part's errors are ringed.
    pub judged: Part,
}

impl<'a, M> Scatter<'a, M> {
    /// Places the points that have a look and finite coordinates; `None` when there are none.
    pub fn new(
        embedding: &'a Embedding<M>,
        classes: &'a [ClassCount],
        look: impl Fn(&M) -> Option<Look>,
    ) -> Option<Self> {
        let looks = embedding.points.iter().enumerate().filter_map(|(at, point)| {
            let finite = point.coordinates.iter().all(|at| at.is_finite());
            (finite && !point.coordinates.is_empty()).then_some((at, point, look(&point.mark)?))
        });
        let points: Vec<_> = looks.collect();
        let places: Vec<&[f64]> =
            points.iter().map(|(_, point, _)| &point.coordinates[..]).collect();
        let frame = Frame::around(&places, classes.len())?;
        let unplaced = embedding.points.len() - points.len();
        let mut place_of = vec![None; embedding.points.len()];
        let mut kept: Vec<Option<_>> = points.into_iter().map(Some).collect();
        let drawn = drawing_order(kept.len()).into_iter().filter_map(|index| {
            let (at, point, look) = kept[index].take()?;
            let place = frame.place(&point.coordinates, look.lane, index);
            place_of[at] = Some(place);
            Some((point, look, place))
        });
        let mut marks: Vec<_> = drawn.collect();
        marks.sort_by_key(|(point, look, _)| (point.part == Part::Test, look.wrong));
        let mut links = String::new();
        let of = |point: usize| place_of.get(point).copied().flatten();
        for [a, b] in &embedding.links {
            if let (Some([ax, ay]), Some([bx, by])) = (of(*a), of(*b)) {
                let _ = write!(links, "M{ax:.1} {ay:.1}L{bx:.1} {by:.1}");
            }
        }
        Some(Self { embedding, classes, marks, frame, links, unplaced, judged: embedding.judged() })
    }

    /// The picture; `legend` says what its colours mean.
    pub fn section(&self, legend: &str) -> String {
        let (line, height) = (self.frame.is_line(), self.frame.height);
        let ratio = if line { "none" } else { "xMidYMid meet" };
        let shape = if line {
            format!("height:{height}px")
        } else {
            format!("aspect-ratio:{:.4}", WIDTH / height)
        };
        let limit =
            if line { String::new() } else { format!("--wide:{:.0}px", 640.0 * WIDTH / height) };
        let size = match self.marks.len() {
            0..=400 => 8.5,
            401..=2000 => 6.5,
            _ => 5.0,
        };
        let rings = if self.rings() > RINGED { "" } else { " class=\"mark-wrong\"" };
        let links = match self.links.as_str() {
            "" => String::new(),
            links => format!("<path class=\"links\" d=\"{links}\"/>\n"),
        };
        let body = format!(
            "<p class=\"note\">{}</p>\n<figure class=\"scatter\">\n{}<div class=\"picture\" style=\"{limit}\">\n\
             <div class=\"frame\" style=\"{shape}\"><svg id=\"points\"{rings} style=\"--size:{size}px\" \
             viewBox=\"0 0 1000 {height:.0}\" preserveAspectRatio=\"{ratio}\" role=\"img\" aria-label=\"Scatter plot of \
             the embedded points; arrow keys move from point to point\" tabindex=\"0\">\n{links}{}</svg>{}{}<div \
             id=\"tip\" class=\"tip\" role=\"status\" hidden></div></div>\n{}</div>\n</figure>",
            self.caption(),
            self.toolbar(self.rings() <= RINGED),
            self.paths(),
            self.names(),
            self.scale_bar(),
            self.legend(legend),
        );
        section("embedding", "The rows where the metric puts them", &body)
    }

    /// What the script needs: of each point the place, what `mark` says, the part and the row, in drawing order.
    pub fn data(&self, mark: impl Fn(&M) -> Value) -> Value {
        let point = |(point, _, [x, y]): &(&Point<M>, Look, [f64; 2])| {
            let mut entry = vec![json!(hundredths(*x)), json!(hundredths(*y))];
            entry.extend(mark(&point.mark).as_array().into_iter().flatten().cloned());
            entry.extend([json!(u8::from(point.part == Part::Test)), json!(point.row)]);
            Value::Array(entry)
        };
        json!({
            "points": self.marks.iter().map(point).collect::<Vec<_>>(),
            "scale": self.frame.scale, "height": self.frame.height, "line": self.frame.is_line(),
            "parts": self.has(Part::Test),
        })
    }

    /// Whether a point of this part is drawn.
    pub fn has(&self, part: Part) -> bool {
        self.marks.iter().any(|(point, _, _)| point.part == part)
    }

    /// Whether pairs are joined.
    pub fn has_links(&self) -> bool {
        !self.links.is_empty()
    }

    /// Whether the classes are named in the picture.
    pub fn names_lanes(&self) -> bool {
        self.frame.is_line() && self.frame.lane() >= 14.0 && !self.classes.is_empty()
    }

    /// Number of errors to ring.
    pub fn rings(&self) -> usize {
        self.marks.iter().filter(|(point, look, _)| self.is_ringed(point, look)).count()
    }

    fn is_ringed(&self, point: &Point<M>, look: &Look) -> bool {
        look.wrong && point.part == self.judged
    }

    fn caption(&self) -> String {
        let k = self.embedding.dimension;
        let mut text = match (self.frame.is_line(), self.embedding.variance_share) {
            (true, _) if self.classes.is_empty() => {
                "The one learnt dimension; up and down means nothing.".to_owned()
            }
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
            let _ = write!(text, " {left} without finite coordinates or value {verb} left out.");
        }
        text
    }

    /// A mark is a stroke of no length with a round or square cap: its size is in pixels at every zoom.
    pub fn paths(&self) -> String {
        let mut paths = String::with_capacity(64 * self.marks.len());
        for (point, look, [x, y]) in &self.marks {
            let place = format!("d=\"M{} {}h0\"", hundredths(*x), hundredths(*y));
            let part = if point.part == Part::Test { "test" } else { "train" };
            let Look { group, style, stroke, square, .. } = look;
            if self.is_ringed(point, look) {
                for ring in ["wrong", "gap"] {
                    let _ = write!(paths, "<path class=\"{group}{part} {ring}\" {place}/>");
                }
            }
            if !stroke.is_empty() {
                let _ = write!(paths, "<path class=\"{part} edge\" {place}/>");
            }
            let _ = writeln!(paths, "<path class=\"{group}{part}{style}\"{stroke} {place}/>");
            if point.part == Part::Test {
                let square = if *square { " square" } else { "" };
                let _ = writeln!(paths, "<path class=\"{group}{part} hole{square}\" {place}/>");
            }
        }
        paths
    }

    /// The names of the classes: beside their lanes, or, where there are many, in the middle of their points.
    fn names(&self) -> String {
        if self.names_lanes() {
            let label = |(class, rows): (usize, &ClassCount)| {
                let top = class as f64 * self.frame.lane();
                format!(
                    "<span class=\"lane\" style=\"top:{top:.1}px\">{}</span>",
                    escape(&rows.name)
                )
            };
            return self.classes.iter().enumerate().map(label).collect();
        }
        if self.frame.is_line() || !NAMED.contains(&self.classes.len()) {
            return String::new();
        }
        let label = |(class, rows): (usize, &ClassCount)| {
            let points = self.marks.iter().filter(|(_, look, _)| look.lane == class);
            let [x, y] = middle(points.map(|(_, _, place)| *place))?;
            Some(format!(
                "<span class=\"middle k{class}\" style=\"left:{};top:{}\">{}</span>",
                place(x / WIDTH),
                place(y / self.frame.height),
                name(&rows.name, 12)
            ))
        };
        self.classes.iter().enumerate().filter_map(label).collect()
    }

    /// A bar of a round length, some tenth of the width.
    fn scale_bar(&self) -> String {
        let length = round_step(0.1 * WIDTH / self.frame.scale);
        format!(
            "<div id=\"scale\" class=\"scale\" style=\"width:{}\"><span>distance {}</span></div>",
            place(length * self.frame.scale / WIDTH),
            significant(length, 1)
        )
    }
}

/// The median across and along; `None` without any place.
fn middle(places: impl Iterator<Item = [f64; 2]> + Clone) -> Option<[f64; 2]> {
    let median = |axis: usize| {
        let mut values: Vec<f64> = places.clone().map(|place| place[axis]).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied()
    };
    Some([median(0)?, median(1)?])
}

fn hundredths(at: f64) -> f64 {
    (at * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::super::placement::DRAWN;
    use super::super::{ClassMark, ValueMark};
    use super::*;
    use crate::report::{Report, Results, Section};

    fn of_classes(report: &Report) -> Scatter<'_, ClassMark> {
        let Results::Classes(found) = &report.results else { unreachable!() };
        found.embedding.as_ref().unwrap().scatter(&report.header.data.classes).unwrap()
    }

    fn of_values(report: &Report) -> Scatter<'_, ValueMark> {
        report.values().embedding.scatter().unwrap().0
    }

    /// Whether all points lie inside, as far apart as the metric has them.
    fn keeps_distances<M>(scatter: &Scatter<'_, M>) {
        let apart = |a: &[f64], b: &[f64]| (a[0] - b[0]).hypot(a[1] - b[1]);
        let ((a, _, at_a), (b, _, at_b)) = (&scatter.marks[0], &scatter.marks[77]);
        let learnt = apart(&a.coordinates, &b.coordinates);
        assert!((apart(at_a, at_b) - scatter.frame.scale * learnt).abs() < 1e-9);
        let inside = |at: &[f64; 2]| {
            (0.0..=WIDTH).contains(&at[0]) && (0.0..=scatter.frame.height).contains(&at[1])
        };
        assert!(scatter.marks.iter().all(|(_, _, at)| inside(at)));
    }

    #[test]
    fn distances_on_the_drawing_are_the_learnt_ones() {
        keeps_distances(&of_classes(&Report::example()));
        keeps_distances(&of_values(&Report::of_numbers()));
    }

    #[test]
    fn a_large_embedding_is_thinned_evenly_and_says_so() {
        let report = Report::with_classes(&["a", "b", "c"], 4000, 2);
        let scatter = of_classes(&report);
        assert_eq!(scatter.marks.len(), DRAWN);
        assert!(scatter.caption().contains("5000 of 12\u{a0}000 points are drawn"));
        let of = |class| scatter.marks.iter().filter(|(_, look, _)| look.lane == class).count();
        assert!((0..3).all(|class| of(class).abs_diff(DRAWN / 3) <= 1));
    }

    #[test]
    fn forty_classes_look_different() {
        let looks: std::collections::BTreeSet<String> = (0..40).map(style).collect();
        assert_eq!(looks.len(), 40);
    }

    #[test]
    fn errors_on_held_out_rows_are_ringed_and_without_them_all_errors() {
        let report = Report::with_classes(&["a", "b"], 400, 2);
        let wrong = |part| {
            let scatter = of_classes(&report);
            scatter.marks.iter().filter(|(at, look, _)| look.wrong && at.part == part).count()
        };
        let rings = |report: &Report| of_classes(report).paths().matches(" wrong\"").count();
        assert!(wrong(Part::Test) > 0 && wrong(Part::Train) > 0);
        assert_eq!(rings(&report), wrong(Part::Test));
        let train = wrong(Part::Train);
        assert_eq!(rings(&report.clone().without_test()), train);
    }

    #[test]
    fn values_are_colours_and_pairs_are_joined() {
        let report = Report::of_numbers();
        let html = report.values().embedding.page(&report);
        assert_eq!(html.matches(" stroke=\"#").count(), 200);
        assert_eq!(html.matches("class=\"test hole\"").count(), 60);
        assert!(html.contains("held out") && !html.contains("class=\"links\""));
        assert!(html.contains("id=\"show-train\"") && html.contains("id=\"show-test\""));
        let report = Report::of_pairs();
        let html = report.values().embedding.page(&report);
        assert!(html.contains("class=\"links\"") && !html.contains("held out"));
        assert!(!html.contains("show-train"));
    }

    #[test]
    fn many_classes_are_named_in_the_picture_and_one_dimension_has_lanes() {
        let names: Vec<String> = (0..26).map(|class| format!("letter {class}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let shown = |names: &[&str], dimension, class: &str| {
            let report = Report::with_classes(names, 10, dimension);
            let html = report.page();
            html.matches(&format!("<span class=\"{class}")).count()
        };
        assert_eq!((shown(&names, 2, "middle k"), shown(&names[..3], 2, "middle k")), (26, 0));
        assert_eq!((shown(&names, 1, "lane\""), shown(&names, 1, "middle k")), (26, 0));
    }

    #[test]
    fn one_dimension_and_a_single_place_can_be_drawn() {
        let mut report = Report::example();
        for point in &mut report.classes_mut().embedding.as_mut().unwrap().points {
            point.coordinates = vec![2.0, 2.0];
        }
        assert!(
            of_classes(&report).marks.iter().all(|(_, _, at)| at.iter().all(|at| at.is_finite()))
        );
        assert!(!report.page().contains("NaN"));
        let mut report = Report::of_numbers();
        let points = &mut report.values_mut().embedding.points;
        points.iter_mut().for_each(|point| point.coordinates.truncate(1));
        assert!(!report.page().contains("NaN"));
    }
}
