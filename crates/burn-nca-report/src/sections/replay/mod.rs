//! The fit once more: the rows where the map put them at some of its steps.

mod accuracy;
mod drawing;
mod frames;
mod window;

use std::fmt::Write;

use burn_nca_program::html::{note, section};
use serde_json::Value;

use crate::number::count;
use crate::{Report, Section};
pub use frames::{Replay, ReplayFrame, ReplayPoint, check};
pub use window::Window;

impl Replay {
    fn caption(&self, report: &Report) -> String {
        let data = &report.header.data;
        let mut text = match self.dimension {
            1 => "The learnt dimension at the steps of the fit, the axis held.".to_owned(),
            _ if report.header.settings["d_output"].as_u64().is_some_and(|k| k > 2) => {
                "The steps of the fit, all in the two principal axes of the learnt embedding."
                    .to_owned()
            }
            _ => "The steps of the fit, the axes held.".to_owned(),
        };
        let drawn = self.points.len();
        if drawn < data.rows {
            let _ = write!(
                text,
                " {} of {} rows are drawn.",
                count(drawn as u64),
                count(data.rows as u64)
            );
        }
        if self.neighbors < data.train {
            let _ = write!(
                text,
                " Accuracies are those of these rows, among {} training rows.",
                count(self.neighbors as u64)
            );
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
}

impl Section for Replay {
    fn page(&self, report: &Report) -> String {
        if !self.is_drawn() {
            return String::new();
        }
        let shown = self.shown();
        let body = format!(
            "{}<figure class=\"replay\">{}<div class=\"beside\">{}{}</div></figure>\n{}",
            note(&self.caption(report)),
            self.picture(&self.frames[shown], report.header.data.classes.len()),
            self.controls(shown),
            self.chart(shown),
            self.listing()
        );
        section("replay", "How the metric was learnt", &body)
    }

    fn data(&self, report: &Report) -> Option<(&'static str, Value)> {
        self.is_drawn().then(|| ("replay", self.drawn(report.header.data.classes.len())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_shows_the_step_of_the_model_and_the_script_has_all() {
        let report = Report::example();
        let replay = report.replay.clone().unwrap();
        let page = replay.page(&report);
        assert!(page.contains("<b>Step 42</b><span> (the model)"), "{page}");
        assert_eq!(
            page.matches("<path data-group").count(),
            9,
            "three classes, held-out ones twice"
        );
        let (name, data) = replay.data(&report).unwrap();
        assert_eq!((name, data["frames"].as_array().unwrap().len()), ("replay", 5));
        assert_eq!(data["frames"][0][2].as_array().unwrap().len(), 300);
        assert!(!page.contains("NaN"));
    }
}
