use std::fmt::Write;

use crate::report::Part;
use crate::report::continuous::ContinuousReport;
use crate::report::number::{counted, significant, tick_labels, ticks};
use crate::report::page::html::{escape, note, section as section_of};

/// The most points drawn.
const DRAWN: usize = 3000;
/// Side of the square drawing, in its own units.
const SIDE: f64 = 520.0;
/// Room for the numbers at the left and below.
const ROOM: f64 = 56.0;

/// Predicted against true numbers, of the rows held out, or of the training rows left out in turn.
pub fn section(report: &ContinuousReport) -> String {
    let Some(target) = &report.data.target else { return String::new() };
    let points = &report.embedding.points;
    let part =
        if points.iter().any(|point| point.part == Part::Test) { Part::Test } else { Part::Train };
    let mut pairs: Vec<(usize, f64, f64)> = points
        .iter()
        .filter(|point| point.part == part)
        .filter_map(|point| Some((point.row, point.value, point.predicted?)))
        .filter(|(_, value, predicted)| value.is_finite() && predicted.is_finite())
        .collect();
    if pairs.is_empty() {
        return String::new();
    }
    let rows = match part {
        Part::Test => counted(pairs.len(), "held-out row"),
        Part::Train => format!("{}, each left out in turn", counted(pairs.len(), "training row")),
    };
    let all = pairs.len();
    pairs = (0..all.min(DRAWN)).map(|at| pairs[at * all / all.min(DRAWN)]).collect();
    let remark = note(&format!(
        "The kernel rule in the learnt metric on {rows}. On the line the prediction is right; above it, too high."
    ));
    section_of(
        "agreement",
        "Predicted against true",
        &format!("{remark}<figure class=\"agreement\">\n{}</figure>", drawing(target, &pairs)),
    )
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
        "<svg viewBox=\"0 0 {SIDE} {SIDE}\" role=\"img\" aria-label=\"Predicted against true {0}\">\n{body}<text \
         class=\"x\" x=\"{1:.1}\" y=\"{2:.1}\">true {0}</text><text class=\"x\" transform=\"translate(12 \
         {middle:.1}) rotate(-90)\">predicted</text></svg>\n",
        escape(target),
        left + inner / 2.0,
        inner + 52.0
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn held_out_rows_are_drawn_and_without_them_the_training_rows() {
        let mut report = ContinuousReport::example();
        assert_eq!(section(&report).matches("class=\"dot\"").count(), 60);
        report.embedding.points.retain(|point| point.part == Part::Train);
        let html = section(&report);
        assert_eq!(html.matches("class=\"dot\"").count(), 140);
        assert!(html.contains("left out in turn"));
        assert!(section(&ContinuousReport::of_pairs()).is_empty());
    }
}
