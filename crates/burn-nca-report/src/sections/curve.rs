//! The path of the solver.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::json::null_as_nan;
use crate::number::{significant, tick_labels, ticks};
use crate::{Report, Section};
use burn_nca_program::Table;
use burn_nca_program::html::{place, section};

/// The most iterations drawn; more than a screen has columns is wasted.
const DRAWN: usize = 1000;
/// The most lines of the table of numbers.
const LISTED: usize = 60;

/// The solver's path, first iteration to last.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Curve(pub Vec<CurvePoint>);

/// One iteration of the solver.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// Iteration, from 0, the start.
    pub iteration: u64,
    /// The value being minimized.
    #[serde(deserialize_with = "null_as_nan")]
    pub value: f64,
    /// The measure the solver watches on rows it does not learn from.
    pub held_out: Option<f64>,
    /// The largest entry of the gradient, in absolute value.
    pub gradient_max: Option<f64>,
}

struct Panel {
    label: &'static str,
    class: &'static str,
    /// Iteration and height.
    path: Vec<(f64, f64)>,
    /// Height is the decimal logarithm.
    logarithmic: bool,
}

impl Section for Curve {
    fn page(&self, _report: &Report) -> String {
        let [first, .., last] = &self.0[..] else { return String::new() };
        let range = (first.iteration as f64, last.iteration as f64);
        if range.0 == range.1 {
            return String::new();
        }
        let panels: String =
            panels(&thinned(&self.0, DRAWN)).iter().map(|panel| panel.html(range)).collect();
        let mark = |mark: u64| {
            let left = place((mark as f64 - range.0) / (range.1 - range.0));
            format!("<span style=\"left:{left}\">{mark}</span>")
        };
        let axis: String = whole_ticks(range).into_iter().map(mark).collect();
        section(
            "curve",
            "Training curve",
            &format!(
                "<figure class=\"curve\" id=\"curve-plot\" tabindex=\"0\" role=\"group\" aria-label=\"Training \
                 curve; arrow keys move along the iterations\">\n{panels}<div class=\"axis\">{axis}</div>\
                 <figcaption><span>iteration</span><output id=\"curve-values\"></output></figcaption></figure>\n{}",
                listing(&self.0)
            ),
        )
    }

    fn data(&self, _report: &Report) -> Option<(&'static str, Value)> {
        let number =
            |value: Option<f64>| value.filter(|value| value.is_finite()).map(|v| significant(v, 5));
        let row = |point: CurvePoint| {
            let [value, held_out, gradient] =
                [Some(point.value), point.held_out, point.gradient_max].map(number);
            json!([point.iteration, value, held_out, gradient])
        };
        Some(("curve", thinned(&self.0, DRAWN).into_iter().map(row).collect()))
    }
}

fn panels(curve: &[CurvePoint]) -> Vec<Panel> {
    let panel = |label, class, read: fn(&CurvePoint) -> Option<f64>| {
        let points = curve.iter().filter_map(|point| Some((point.iteration as f64, read(point)?)));
        let path = points.filter(|(_, height)| height.is_finite()).collect();
        Panel { label, class, path, logarithmic: false }
    };
    let gradient = panel("Largest gradient component, log scale", "gradient", |point| {
        point.gradient_max.filter(|size| *size > 0.0).map(f64::log10)
    });
    let mut panels = vec![
        panel("Objective (minimized)", "value", |point| Some(point.value)),
        panel("Held-out score", "held", |point| point.held_out),
        Panel { logarithmic: true, ..gradient },
    ];
    panels.retain(|panel| panel.path.len() > 1);
    panels
}

impl Panel {
    fn html(&self, (start, end): (f64, f64)) -> String {
        let (low, high) = self.heights();
        let across = |iteration: f64| (iteration - start) / (end - start);
        let down = |height: f64| (high - height) / (high - low);
        let line: Vec<String> = self
            .path
            .iter()
            .map(|&(at, height)| format!("{:.2},{:.2}", 1000.0 * across(at), 100.0 * down(height)))
            .collect();
        let marks = self.marks(low, high);
        let rules: String =
            marks.iter().map(|(mark, _)| format!("M0 {:.2}H1000", 100.0 * down(*mark))).collect();
        let label = |(mark, text): &(f64, String)| {
            format!("<span class=\"y\" style=\"top:{}\">{text}</span>", place(down(*mark)))
        };
        let labels: String = marks.iter().map(label).collect();
        format!(
            "<div class=\"panel {}\"><p>{}</p><div class=\"chart\"><svg viewBox=\"0 0 1000 100\" \
             preserveAspectRatio=\"none\" aria-hidden=\"true\"><path class=\"rule\" d=\"{rules}\"/>\
             <polyline class=\"line\" points=\"{}\"/></svg>{labels}<span class=\"cursor\" hidden></span>\
             </div></div>\n",
            self.class,
            self.label,
            line.join(" ")
        )
    }

    /// The range of heights with a little air; a constant gets a range around it.
    fn heights(&self) -> (f64, f64) {
        let heights = || self.path.iter().map(|(_, height)| *height);
        let low = heights().fold(f64::INFINITY, f64::min);
        let high = heights().fold(f64::NEG_INFINITY, f64::max);
        let air = if high > low { 0.06 * (high - low) } else { high.abs().max(1.0) * 0.1 };
        (low - air, high + air)
    }

    fn marks(&self, low: f64, high: f64) -> Vec<(f64, String)> {
        if !self.logarithmic {
            let marks = ticks(low, high, if self.class == "value" { 5 } else { 3 });
            let labels = tick_labels(&marks);
            return marks.into_iter().zip(labels).collect();
        }
        let marks = ticks(low, high, 3);
        let power = |mark: &f64| format!("10<sup>{}</sup>", mark.to_string().replacen('-', "−", 1));
        let whole = marks.iter().filter(|mark| mark.fract() == 0.0);
        let named: Vec<_> = whole.map(|mark| (*mark, power(mark))).collect();
        if !named.is_empty() {
            return named;
        }
        // Less than a decade: no whole power of ten to name.
        marks.into_iter().map(|mark| (mark, significant(10f64.powf(mark), 2))).collect()
    }
}

/// Evenly spaced points, first and last among them.
fn thinned(curve: &[CurvePoint], most: usize) -> Vec<CurvePoint> {
    if curve.len() <= most {
        return curve.to_vec();
    }
    (0..most).map(|index| curve[index * (curve.len() - 1) / (most - 1)]).collect()
}

/// Round iterations within the range, without fractions.
fn whole_ticks((start, end): (f64, f64)) -> Vec<u64> {
    let marks = ticks(start, end, 6).into_iter().map(f64::round);
    let mut marks: Vec<u64> =
        marks.filter(|mark| (start..=end).contains(mark)).map(|mark| mark as u64).collect();
    marks.dedup();
    marks
}

fn listing(curve: &[CurvePoint]) -> String {
    let number = |value: Option<f64>| value.map_or("–".to_owned(), |value| significant(value, 5));
    let shown = thinned(curve, LISTED);
    let mut table = Table::of("numbers", &shown)
        .number("iteration", |point| point.iteration.to_string())
        .number("value", move |point| number(Some(point.value)))
        .scrolling("Training curve, numbers");
    if curve.iter().any(|point| point.held_out.is_some()) {
        table = table.number("held out", move |point| number(point.held_out));
    }
    if curve.iter().any(|point| point.gradient_max.is_some()) {
        table = table.number("gradient", move |point| number(point.gradient_max));
    }
    let some = if curve.len() > LISTED { ", evenly thinned" } else { "" };
    format!("<details><summary>Table{some}</summary>{}</details>", table.html())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_is_thinned_but_keeps_both_ends() {
        let point =
            |iteration| CurvePoint { iteration, value: 0.0, held_out: None, gradient_max: None };
        let curve: Vec<CurvePoint> = (0..54_321).map(point).collect();
        let thin = thinned(&curve, DRAWN);
        assert_eq!((thin.len(), thin[0].iteration, thin[DRAWN - 1].iteration), (DRAWN, 0, 54_320));
        let alone = Curve(curve[..1].to_vec());
        assert!(alone.page(&Report::example()).is_empty(), "a single iteration is no curve");
    }
}
