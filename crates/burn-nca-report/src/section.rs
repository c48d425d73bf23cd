//! A part of a report as people see it.

use serde_json::Value;

use super::Report;
use burn_nca_program::terminal::Terminal;

/// A part of a report; its JSON is what serde makes of its type.
pub trait Section {
    /// Its element on the page; empty where there is nothing to show.
    fn page(&self, report: &Report) -> String;

    /// What a terminal shows, ended by a newline; most sections are for the page alone.
    fn text(&self, _report: &Report, _terminal: Terminal) -> String {
        String::new()
    }

    /// What the script of the page reads, under a name of its own.
    fn data(&self, _report: &Report) -> Option<(&'static str, Value)> {
        None
    }
}

impl<S: Section> Section for Option<S> {
    fn page(&self, report: &Report) -> String {
        self.as_ref().map_or_else(String::new, |section| section.page(report))
    }

    fn text(&self, report: &Report, terminal: Terminal) -> String {
        self.as_ref().map_or_else(String::new, |section| section.text(report, terminal))
    }

    fn data(&self, report: &Report) -> Option<(&'static str, Value)> {
        self.as_ref().and_then(|section| section.data(report))
    }
}
