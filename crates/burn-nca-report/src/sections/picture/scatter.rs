//! A drawing of points at the same scale in both directions, and how they are marked.

use std::fmt::Write;

use serde_json::{Value, json};

use super::placement::{Frame, WIDTH, drawing_order};
use super::{Embedding, Part, Point};
use crate::ClassCount;
use crate::number::{count, counted, percent};
use burn_nca_program::html::section;

/// More errors than this, and their rings would cover the picture: they are there to be asked for.
const RINGED: usize = 60;

/// Hues of the palette; with two shapes and two shades some 40 classes look different.
const HUES: usize = 10;

/// How a point is marked.
#[derive(Default)]
pub struct Look {
    /// In one dimension each class has a lane of its own.
    pub lane: usize,
    /// The class of the style that hides it together with its like; may be empty.
    pub group: String,
    /// The class of the style that colors it, with a blank before it.
    pub style: String,
    /// Its color where the style has none, as an attribute with a blank before it.
    pub stroke: String,
    /// Whether its class was taken for another.
    pub wrong: bool,
}

impl Look {
    /// That of a class; `wrong` where it was taken for another.
    pub fn of_class(class: usize, wrong: bool) -> Self {
        let group = format!("k{class} ");
        Self { lane: class, group, style: style(class), wrong, ..Self::default() }
    }

    /// That of a color.
    pub fn of_color(color: &str) -> Self {
        let stroke = format!(" stroke=\"{color}\"");
        Self { stroke, ..Self::default() }
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
    pub classes: &'a [ClassCount],
    /// Points in drawing order, later on top, with their places.
    pub marks: Vec<(&'a Point<M>, Look, [f64; 2])>,
    pub frame: Frame,
    /// The joined pairs, as the path of one drawing.
    pub links: String,
    /// The places of the rows without a class, as the path of one drawing.
    pub unlabeled: String,
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
        let finite = |place: &&[f64]| !place.is_empty() && place.iter().all(|at| at.is_finite());
        let looks = embedding.points.iter().enumerate().filter_map(|(at, point)| {
            finite(&&point.coordinates[..]).then_some((at, point, look(&point.mark)?))
        });
        let points: Vec<_> = looks.collect();
        let others: Vec<&[f64]> =
            embedding.unlabeled.iter().map(|row| &row.coordinates[..]).filter(finite).collect();
        let places = points.iter().map(|(_, point, _)| &point.coordinates[..]);
        let places: Vec<&[f64]> = places.chain(others.iter().copied()).collect();
        let corners = embedding.density.as_ref().map(|density| [density.low, density.high()]);
        let places =
            corners.as_ref().map_or(places, |ends| ends.iter().map(|end| &end[..]).collect());
        // The rows without a class have the last lane.
        let lanes = classes.len() + usize::from(!others.is_empty());
        let frame = Frame::around(&places, lanes).filter(|_| !points.is_empty())?;
        let unplaced = embedding.points.len() - points.len();
        let mut place_of = vec![None; embedding.points.len()];
        let mut kept: Vec<Option<_>> = points.into_iter().map(Some).collect();
        let drawn = drawing_order(kept.len()).into_iter().filter_map(|index| {
            let (at, point, look) = kept[index].take()?;
            let place = frame.place(&point.coordinates, look.lane, index);
            place_of[at] = Some(place).filter(|place| frame.holds(*place));
            Some((point, look, place_of[at]?))
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
        let mut unlabeled = String::new();
        for (index, coordinates) in others.into_iter().enumerate() {
            let [x, y] = frame.place(coordinates, classes.len(), index);
            if frame.holds([x, y]) {
                let _ = write!(unlabeled, "M{} {}h0", hundredths(x), hundredths(y));
            }
        }
        let judged = embedding.judged();
        Some(Self { embedding, classes, marks, frame, links, unlabeled, unplaced, judged })
    }

    /// The picture; `legend` says what its colors mean.
    pub fn section(&self, legend: &str) -> String {
        let height = self.frame.height;
        let (ratio, shape, limit) = if self.frame.is_line() {
            ("none", format!("height:{height}px"), String::new())
        } else {
            let (aspect, wide) = (WIDTH / height, 640.0 * WIDTH / height);
            let shape = format!("aspect-ratio:{aspect:.4}");
            ("xMidYMid meet", shape, format!("--wide:{wide:.0}px"))
        };
        let size = match self.marks.len() {
            0..=400 => 8.5,
            401..=2000 => 6.5,
            _ => 5.0,
        };
        let rings = if self.rings() > RINGED { "" } else { " class=\"mark-wrong\"" };
        let path = |class: &str, path: &str| match path {
            "" => String::new(),
            path => format!("<path class=\"{class}\" d=\"{path}\"/>\n"),
        };
        let (links, unlabeled) = (path("links", &self.links), path("none", &self.unlabeled));
        let body = format!(
            "<p class=\"note\">{}</p>\n<figure class=\"scatter\">\n{}<div class=\"picture\" style=\"{limit}\">\n\
             <div class=\"frame\" style=\"{shape}\"><svg id=\"points\"{rings} style=\"--size:{size}px\" \
             viewBox=\"0 0 1000 {height:.0}\" preserveAspectRatio=\"{ratio}\" role=\"img\" aria-label=\"Scatter plot of \
             the embedded points; arrow keys move from point to point\" tabindex=\"0\">\n{links}{unlabeled}{}</svg>{}{}<div \
             id=\"tip\" class=\"tip\" role=\"status\" hidden></div></div>\n{}</div>\n</figure>",
            self.caption(),
            self.toolbar(self.rings() <= RINGED),
            self.cells().unwrap_or_else(|| self.paths()),
            self.names(),
            self.scale_bar(),
            self.legend(legend),
        );
        section("embedding", "Embedding", &body)
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

    pub fn has(&self, part: Part) -> bool {
        self.marks.iter().any(|(point, _, _)| point.part == part)
    }

    /// Whether the classes are named in the picture.
    pub fn names_lanes(&self) -> bool {
        self.frame.is_line() && self.frame.lane() >= 14.0 && !self.classes.is_empty()
    }

    /// Whether rows are counted in cells, so that there are no marks.
    pub fn has_cells(&self) -> bool {
        self.embedding.density.is_some()
    }

    pub fn rings(&self) -> usize {
        let ringed = self.marks.iter().filter(|(point, look, _)| self.is_ringed(point, look));
        if self.has_cells() { 0 } else { ringed.count() }
    }

    fn is_ringed(&self, point: &Point<M>, look: &Look) -> bool {
        look.wrong && point.part == self.judged
    }

    pub fn caption(&self) -> String {
        let k = self.embedding.dimension;
        let mut text = match (self.frame.is_line(), self.embedding.variance_share) {
            (true, _) => {
                let within = if self.classes.is_empty() { "" } else { " within a class" };
                format!("One dimension; the vertical position{within} carries no information.")
            }
            (false, Some(share)) => format!(
                "The first two principal axes of the {k}-dimensional embedding, which hold {} of its variance; \
                 distances in the full space are larger.",
                percent(Some(share))
            ),
            (false, None) => "Both dimensions of the embedding, at the same scale.".to_owned(),
        };
        if let Some(density) = &self.embedding.density {
            let _ = write!(
                text,
                " The {} training rows are shown by density: the more rows a square holds (by their logarithm), the deeper \
                 its color. Squares of a mixture take the colors of its classes by turns, in proportion to their rows; rare \
                 classes are favored. Pointing finds {} rows.",
                count(density.rows as u64),
                count(self.marks.len() as u64)
            );
            if density.outside > 0 {
                let _ = write!(text, " {} lie outside.", counted(density.outside, "row"));
            }
            return text;
        }
        let placed = self.embedding.points.len() - self.unplaced;
        if placed > self.marks.len() {
            let [drawn, all] = [self.marks.len(), placed].map(|points| count(points as u64));
            let spread = "points are plotted, evenly spread over the table.";
            let _ = write!(text, " {drawn} of {all} {spread}");
        }
        if self.unplaced > 0 {
            let verb = if self.unplaced == 1 { "is" } else { "are" };
            let left = counted(self.unplaced, "point");
            let _ = write!(text, " {left} without finite coordinates or value {verb} left out.");
        }
        text
    }

    fn cells(&self) -> Option<String> {
        let density = self.embedding.density.as_ref()?;
        let [x, y] = self.frame.place(&density.low, 0, 0);
        let side = self.frame.scale * density.side;
        Some(format!(
            "<g transform=\"translate({x:.2} {y:.2}) scale({side:.4} -{side:.4}) translate(0 .5)\">\n{}</g>\n",
            density.strokes()
        ))
    }

    /// A mark is a stroke of no length with a round or square cap: its size is in pixels at every zoom.
    pub fn paths(&self) -> String {
        let mut paths = String::with_capacity(64 * self.marks.len());
        for (point, look, [x, y]) in &self.marks {
            let place = format!("d=\"M{} {}h0\"", hundredths(*x), hundredths(*y));
            let part = if point.part == Part::Test { "test" } else { "train" };
            let Look { group, style, stroke, .. } = look;
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
                let square = if style.contains(" square") { " square" } else { "" };
                let _ = writeln!(paths, "<path class=\"{group}{part} hole{square}\" {place}/>");
            }
        }
        paths
    }
}

fn hundredths(at: f64) -> f64 {
    (at * 100.0).round() / 100.0
}
