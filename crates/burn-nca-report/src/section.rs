//! A part of a report as people see it, and the parts in a terminal.

use burn_nca_program::named_lines;
use burn_nca_program::terminal::{Terminal, wrapped};
use serde_json::Value;

use super::Report;
use super::headline::{headline, key_figures};

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

impl Report {
    /// What standard output shows, ended by a newline.
    pub fn summary(&self, terminal: Terminal) -> String {
        let mut text = wrapped(&headline(self), terminal);
        for section in self.sections() {
            let shown = section.text(self, terminal);
            if !shown.is_empty() {
                text.push('\n');
                text.push_str(&shown);
            }
        }
        text + "\n" + &named_lines(key_figures(self), terminal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_reads_well() {
        for (name, report) in [
            ("the_summary_reads_well", Report::example()),
            ("the_summary_of_numbers_reads_well", Report::of_numbers()),
            ("the_summary_of_pairs_reads_well", Report::of_pairs()),
        ] {
            insta::assert_snapshot!(name, report.summary(Terminal::PLAIN));
        }
    }

    #[test]
    fn a_narrow_terminal_breaks_text_and_never_a_number() {
        let narrow = Terminal { width: Some(60), styled: false, unicode: false };
        let text = Report::example().summary(narrow);
        assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
        insta::assert_snapshot!(text);
        assert!(Report::example().summary(Terminal { styled: true, ..narrow }).contains('\u{1b}'));
        assert_eq!(Terminal::of_width(Some(0), false).width, None);
        // So narrow that nothing fits: every word has its line, and nothing panics.
        assert!(!Report::example().summary(Terminal::of_width(Some(1), false)).is_empty());
    }

    #[test]
    fn nothing_held_out_leaves_the_training_column() {
        let report = Report::example().without_test();
        insta::assert_snapshot!(crate::Section::text(&report.comparison, &report, Terminal::PLAIN));
    }
}
