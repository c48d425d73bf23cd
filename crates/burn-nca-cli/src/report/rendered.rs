use serde::Serialize;

use super::continuous::{self, ContinuousReport};
use super::json::field_lines;
use super::table::{self, Terminal};
use super::{Report, Warning, page};

/// The three renderings of a report.
pub trait Rendered: Serialize + Sized {
    /// The contents of `report.json`: one top-level field a line, ended by a newline.
    ///
    /// # Errors
    /// None that a report can cause; the signature is serde_json's.
    fn to_json(&self) -> serde_json::Result<String> {
        field_lines(self)
    }

    /// What to know before trusting the numbers.
    fn warnings(&self) -> &[Warning];

    /// The contents of `report.html`.
    fn page(&self) -> String;

    /// What standard output shows.
    fn summary(&self, terminal: Terminal) -> String;
}

impl Rendered for Report {
    fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    fn page(&self) -> String {
        page::render(self)
    }

    fn summary(&self, terminal: Terminal) -> String {
        table::summary(self, terminal)
    }
}

impl Rendered for ContinuousReport {
    fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    fn page(&self) -> String {
        continuous::page::render(self)
    }

    fn summary(&self, terminal: Terminal) -> String {
        continuous::table::summary(self, terminal)
    }
}
