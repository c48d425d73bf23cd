//! What a page says of the steps of a fit: the accuracies, as a sentence, a chart and a table.

use burn_nca_program::Table;
use burn_nca_program::html::place;

use super::frames::{Replay, ReplayFrame};
use crate::number::percent;

impl Replay {
    /// `Step 12` and `: 1-NN is right on 95.2 % of the training rows, on 93.3 % of those held out`.
    pub(super) fn words(&self, frame: &ReplayFrame) -> [String; 2] {
        let step = match frame.iteration {
            0 => "The start".to_owned(),
            number => format!("Step {number}"),
        };
        let model = if frame.kept { " (the model)" } else { "" };
        let test = frame.test.map(|test| format!(", on {} of those held out", percent(Some(test))));
        let rest = format!(
            "{model}: 1-NN is right on {} of the training rows{}",
            percent(frame.train),
            test.unwrap_or_default()
        );
        [step, rest]
    }

    /// Both accuracies over the frames.
    pub(super) fn chart(&self, shown: usize) -> String {
        let values = self.frames.iter().flat_map(|frame| [frame.train, frame.test]).flatten();
        let low = values.clone().fold(1.0, f64::min);
        let high = values.fold(0.0, f64::max);
        let air = (0.06 * (high - low)).max(0.005);
        let (low, high) = ((low - air).max(0.0), (high + air).min(1.0));
        let last = (self.frames.len() - 1) as f64;
        let down = |value: f64| 100.0 * (high - value) / (high - low);
        let line = |read: fn(&ReplayFrame) -> Option<f64>| -> String {
            let points = self.frames.iter().enumerate().filter_map(|(at, frame)| {
                Some(format!("{:.1},{:.1}", 1000.0 * at as f64 / last, down(read(frame)?)))
            });
            points.collect::<Vec<_>>().join(" ")
        };
        let test = match self.has_test() {
            true => format!("<polyline class=\"line held-out\" points=\"{}\"/>", line(|f| f.test)),
            false => String::new(),
        };
        let key = if self.has_test() {
            "<span class=\"of-train\">training rows</span> <span class=\"of-test\">held-out rows</span>"
        } else {
            "<span class=\"of-train\">training rows</span>"
        };
        let label = |value: f64| {
            let top = place(down(value) / 100.0);
            format!("<span class=\"y\" style=\"top:{top}\">{}</span>", percent(Some(value)))
        };
        format!(
            "<div class=\"panel replayed\"><p>1-NN accuracy: {key}</p><div class=\"chart\"><svg viewBox=\"0 0 1000 100\" \
             preserveAspectRatio=\"none\" aria-hidden=\"true\"><path class=\"rule\" d=\"M0 0H1000M0 100H1000\"/><polyline \
             class=\"line\" points=\"{}\"/>{test}</svg>{}{}<span class=\"cursor\" id=\"replay-cursor\" \
             style=\"left:{}\"></span></div></div>\n",
            line(|f| f.train),
            label(low),
            label(high),
            place(shown as f64 / last)
        )
    }

    /// Both accuracies as a table.
    pub(super) fn listing(&self) -> String {
        let mut table = Table::of("numbers", &self.frames)
            .number("step", |frame| frame.iteration.to_string())
            .number("training rows", |frame| percent(frame.train))
            .scrolling("Accuracy at the steps");
        if self.has_test() {
            table = table.number("held-out rows", |frame| percent(frame.test));
        }
        format!("<details><summary>The numbers</summary>{}</details>", table.html())
    }
}
