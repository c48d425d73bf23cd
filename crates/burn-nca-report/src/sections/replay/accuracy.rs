//! What a page says of the steps of a fit: their figures, as a sentence, a chart and a table.

use burn_nca_program::Table;
use burn_nca_program::html::place;

use super::{Replay, ReplayFigure, ReplayFrame};
use crate::number::{percent, significant};

impl Replay {
    /// `Step 12` and `: Accuracy 95.2 % on training rows, 93.3 % on held-out rows`.
    pub(super) fn words(&self, frame: &ReplayFrame) -> [String; 2] {
        let step = match frame.iteration {
            0 => "The start".to_owned(),
            number => format!("Step {number}"),
        };
        let model = if frame.kept { " (the model)" } else { "" };
        let (train, (name, of)) = (self.number(frame.train), self.heading());
        if self.is_of_pairs() {
            return [step, format!("{model}: partner is the nearest row in {train} of the {of}")];
        }
        let test = frame.test.map(|_| format!(", {} on held-out rows", self.number(frame.test)));
        [step, format!("{model}: {name} {train} on {of}{}", test.unwrap_or_default())]
    }

    fn number(&self, figure: Option<f64>) -> String {
        match self.figure() {
            Some(ReplayFigure::R2) => figure.map_or_else(|| percent(None), |r2| significant(r2, 3)),
            _ => percent(figure),
        }
    }

    /// What the figures are, and what they are of.
    fn heading(&self) -> (&'static str, &'static str) {
        match self.figure() {
            None => ("Accuracy", "training rows"),
            Some(ReplayFigure::R2) => ("R² of the kernel rule", "training rows"),
            Some(ReplayFigure::TrainingPairs) => ("Partner is the nearest row", "training pairs"),
            Some(ReplayFigure::HeldOutPairs) => ("Partner is the nearest row", "held-out pairs"),
        }
    }

    pub(super) fn chart(&self, shown: usize) -> String {
        let values = self.frames.iter().flat_map(|frame| [frame.train, frame.test]).flatten();
        let least = if self.figure() == Some(ReplayFigure::R2) { f64::NEG_INFINITY } else { 0.0 };
        let low = values.clone().fold(1.0, f64::min);
        let high = values.fold(least.max(low), f64::max);
        let air = (0.06 * (high - low)).max(0.005);
        let (low, high) = ((low - air).max(least), (high + air).min(1.0));
        let last = (self.frames.len() - 1) as f64;
        let down = |value: f64| 100.0 * (high - value) / (high - low);
        let line = |read: fn(&ReplayFrame) -> Option<f64>| -> String {
            let points = self.frames.iter().enumerate().filter_map(|(at, frame)| {
                Some(format!("{:.1},{:.1}", 1000.0 * at as f64 / last, down(read(frame)?)))
            });
            points.collect::<Vec<_>>().join(" ")
        };
        let (name, of) = self.heading();
        let mut key = format!("<span class=\"of-train\">{of}</span>");
        let mut test = String::new();
        if self.has_test() {
            key.push_str(" <span class=\"of-test\">held-out rows</span>");
            test = format!("<polyline class=\"line held-out\" points=\"{}\"/>", line(|f| f.test));
        }
        let label = |value: f64| {
            let top = place(down(value) / 100.0);
            format!("<span class=\"y\" style=\"top:{top}\">{}</span>", self.number(Some(value)))
        };
        format!(
            "<div class=\"panel replayed\"><p>{name}: {key}</p><div class=\"chart\"><svg viewBox=\"0 0 1000 100\" \
             preserveAspectRatio=\"none\" aria-hidden=\"true\"><path class=\"rule\" d=\"M0 0H1000M0 100H1000\"/><polyline \
             class=\"line\" points=\"{}\"/>{test}</svg>{}{}<span class=\"cursor\" id=\"replay-cursor\" \
             style=\"left:{}\"></span></div></div>\n",
            line(|f| f.train),
            label(low),
            label(high),
            place(shown as f64 / last)
        )
    }

    pub(super) fn listing(&self) -> String {
        let mut table = Table::of("numbers", &self.frames)
            .number("step", |frame| frame.iteration.to_string())
            .number(self.heading().1, |frame| self.number(frame.train))
            .scrolling("Scores by step");
        if self.has_test() {
            table = table.number("held-out rows", |frame| self.number(frame.test));
        }
        format!("<details><summary>Table</summary>{}</details>", table.html())
    }
}
