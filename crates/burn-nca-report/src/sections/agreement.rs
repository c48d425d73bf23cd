//! Predicted against true numbers.

use std::fmt::Write;

use crate::number::{significant, tick_labels, ticks};
use crate::sections::picture::thinned;
use crate::{Report, Section, ValueResults};
use burn_nca_program::html::{escape, note, section};

/// The most points drawn.
const DRAWN: usize = 3000;
/// Side of the square drawing, in its own units.
const SIDE: f64 = 520.0;
/// Room for the numbers at the left and below.
const ROOM: f64 = 56.0;

impl Section for ValueResults {
    /// Of the rows held out, or of the training rows left out in turn; nothing for pairs.
    fn page(&self, report: &Report) -> String {
        let Some(target) = &report.header.data.target else { return String::new() };
        let part = self.embedding.judged();
        let points = self.embedding.points.iter().filter(|point| point.part == part);
        let pairs =
            points.filter_map(|point| Some((point.row, point.mark.value, point.mark.predicted?)));
        let finite = |pair: &(usize, f64, f64)| pair.1.is_finite() && pair.2.is_finite();
        let pairs: Vec<_> = pairs.filter(finite).collect();
        if pairs.is_empty() {
            return String::new();
        }
        let rows = part.counted(pairs.len());
        let drawn: Vec<_> = thinned(pairs.len(), DRAWN).map(|at| pairs[at]).collect();
        let remark = note(&format!(
            "The kernel rule in the embedding on {rows}. On the line the prediction is exact; above it, too high."
        ));
        let body =
            format!("{remark}<figure class=\"agreement\">\n{}</figure>", drawing(target, &drawn));
        section("agreement", "Predicted and true values", &body)
    }
}

fn drawing(target: &str, pairs: &[(usize, f64, f64)]) -> String {
    let values = || pairs.iter().flat_map(|&(_, value, predicted)| [value, predicted]);
    let low = values().fold(f64::INFINITY, f64::min);
    let high = values().fold(f64::NEG_INFINITY, f64::max);
    let span = if high > low { high - low } else { 1.0 };
    let (left, inner) = (ROOM, SIDE - ROOM - 12.0);
    let x = |value: f64| left + inner * (value - low) / span;
    let y = |value: f64| 12.0 + inner - inner * (value - low) / span;
    let mut body = format!(
        "<path class=\"rule\" d=\"M{:.1} {:.1}L{:.1} {:.1}\"/>\n",
        x(low),
        y(low),
        x(low + span),
        y(low + span)
    );
    let marks = ticks(low, low + span, 5);
    for (mark, label) in marks.iter().zip(tick_labels(&marks)) {
        let (across, down) = (x(*mark), y(*mark));
        let _ = writeln!(
            body,
            "<path class=\"grid\" d=\"M{left} {down:.1}h{inner}M{across:.1} 12v{inner}\"/><text \
             class=\"y\" x=\"{:.1}\" y=\"{:.1}\">{label}</text><text class=\"x\" x=\"{across:.1}\" \
             y=\"{:.1}\">{label}</text>",
            left - 8.0,
            down + 4.0,
            inner + 30.0
        );
    }
    for &(row, value, predicted) in pairs {
        let _ = writeln!(
            body,
            "<g><title>row {row}, {} predicted {}</title><path class=\"dot\" d=\"M{:.1} {:.1}h0\"/></g>",
            significant(value, 5),
            significant(predicted, 5),
            x(value),
            y(predicted)
        );
    }
    let middle = 12.0 + inner / 2.0;
    format!(
        "<svg viewBox=\"0 0 {SIDE} {SIDE}\" role=\"img\" aria-label=\"Predicted and true {0}\">\n{body}<text \
         class=\"x\" x=\"{1:.1}\" y=\"{2:.1}\">true {0}</text><text class=\"x\" transform=\"translate(12 \
         {middle:.1}) rotate(-90)\">predicted</text></svg>\n",
        escape(target),
        left + inner / 2.0,
        inner + 52.0
    )
}
