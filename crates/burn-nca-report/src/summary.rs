//! The report in a terminal: the headline, the sections that have text, and the key figures.

use super::Report;
use super::headline::{headline, key_figures};
use burn_nca_program::named_lines;
use burn_nca_program::terminal::{Terminal, wrapped};

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
    }

    #[test]
    fn a_terminal_of_no_columns_is_one_of_unknown_width() {
        let terminal = Terminal::of_width(Some(0), false);
        let plain = Report::example().summary(Terminal::PLAIN);
        assert_eq!(Report::example().summary(terminal), plain);
        assert_eq!(Terminal::of_width(Some(70), false).width, Some(70));
        // So narrow that nothing fits: every word has its line, and nothing panics.
        assert!(!Report::example().summary(Terminal::of_width(Some(1), false)).is_empty());
    }

    #[test]
    fn nothing_held_out_leaves_the_training_column() {
        let report = Report::example().without_test();
        insta::assert_snapshot!(crate::Section::text(&report.comparison, &report, Terminal::PLAIN));
    }

    #[test]
    fn styles_are_only_for_terminals() {
        let styled = Terminal { styled: true, ..Terminal::PLAIN };
        assert!(Report::example().summary(styled).contains('\u{1b}'));
        assert!(!Report::example().summary(Terminal::PLAIN).contains('\u{1b}'));
    }
}
