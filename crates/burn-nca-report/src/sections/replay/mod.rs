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
pub use frames::{Replay, ReplayFigure, ReplayFrame, ReplayPoint, ReplayValues, fits};
pub use window::Window;

impl Replay {
    fn caption(&self, report: &Report) -> String {
        let data = &report.header.data;
        let mut text = match self.dimension {
            1 => "The embedding at the steps of the fit, on a fixed axis.".to_owned(),
            _ if report.header.settings["d_output"].as_u64().is_some_and(|k| k > 2) => {
                "The embedding at the steps of the fit, in the two principal axes of the last one."
                    .to_owned()
            }
            _ => "The embedding at the steps of the fit, on fixed axes.".to_owned(),
        };
        if self.points.len() < data.rows {
            let [drawn, all] = [self.points.len(), data.rows].map(|rows| count(rows as u64));
            let _ = write!(text, " {drawn} of {all} rows are plotted.");
        }
        if self.has_test() {
            text.push_str(" Hollow marks were held out.");
        }
        if self.figure().is_none() {
            let _ = write!(text, " Accuracy: {}.", report.comparison.rule_of_classes());
        }
        // Pairs are counted as such, and ask among all rows.
        if self.neighbors < data.train && !self.is_of_pairs() {
            let _ = write!(
                text,
                " Scores are those of these rows, among {} training rows.",
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

    /// How many classes, or bands of values, the points are of.
    fn groups_of(&self, report: &Report) -> usize {
        self.values.as_ref().map_or(report.header.data.classes.len(), |values| values.bands.len())
    }

    /// The scale of the colors, where they tell values.
    fn key(&self) -> String {
        let values = self.values.as_ref();
        values.and_then(|of| Some(self.colors()?.bar(&of.color))).unwrap_or_default()
    }
}

impl Section for Replay {
    fn page(&self, report: &Report) -> String {
        if !self.is_drawn() {
            return String::new();
        }
        let shown = self.shown();
        let body = format!(
            "{}<figure class=\"replay\">{}<div class=\"side\">{}{}{}</div></figure>\n{}",
            note(&self.caption(report)),
            self.picture(&self.frames[shown], self.groups_of(report)),
            self.controls(shown),
            self.chart(shown),
            self.key(),
            self.listing()
        );
        section("replay", "Training", &body)
    }

    fn data(&self, report: &Report) -> Option<(&'static str, Value)> {
        self.is_drawn().then(|| ("replay", self.drawn(self.groups_of(report))))
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

    #[test]
    fn a_replay_of_numbers_is_colored_by_bands_and_has_its_own_figure() {
        let mut report = Report::example();
        let mut replay = report.replay.take().unwrap();
        let (color, bands) = ("price".to_owned(), vec![10.0, 20.0, 30.0]);
        replay.values = Some(ReplayValues { color, bands, figure: ReplayFigure::R2 });
        replay.frames[0].train = Some(-0.5);
        let page = replay.page(&report);
        let words = ": R² of the kernel rule 0.960 on training rows, 0.940 on held-out rows";
        assert!(page.contains(words) && page.contains("Color scale of price"), "{page}");
        assert!(page.contains("stroke:#482878") && page.contains("stroke:#fde725"), "{page}");
        assert!(page.contains(">−0.5"), "R² may be below 0: {page}");
        assert!(page.contains("Hollow marks were held out."), "{page}");
        let side = page.find("class=\"side\"").unwrap();
        assert!(page.find("class=\"colors\"").unwrap() > side, "it has the room of the chart");
        (report.header.data.train, replay.neighbors) = (200, 100);
        assert!(replay.page(&report).contains("among 100 training rows"));
        let values = replay.values.as_mut().unwrap();
        values.figure = ReplayFigure::HeldOutPairs;
        let page = replay.page(&report);
        assert!(page.contains("partner is the nearest row in 96.0 % of the held-out pairs"));
        assert!(!page.contains("training rows."), "pairs are no rows: {page}");
        replay.values.as_mut().unwrap().bands.pop();
        assert!(!fits(&replay, &[]));
    }
}
