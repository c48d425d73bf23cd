//! What is right class by class: where classes are unbalanced, accuracy alone is misleading.

use burn_nca_learn::evaluate::ClassScores;
use serde::{Deserialize, Serialize};

use super::picture::{Part, listed};
use crate::number::{capitalized, count, counted, percent};
use crate::{ClassCount, Report, Section};
use burn_nca_program::Table;
use burn_nca_program::html::{note, place, section};
use burn_nca_program::terminal::{Terminal, wrapped};

/// The most classes that a terminal lists.
const IN_TERMINAL: usize = 12;

/// Classes are unbalanced where the largest has more than so many times the rows of the smallest.
const BALANCED: usize = 2;

/// Recall and precision of each class, by 1-NN in the learned metric or its own rule; shares are 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassTable {
    /// The rows counted: those held out, or the training rows left out one by one.
    pub part: Part,
    /// The share of the largest class: what is right where all rows are taken for it.
    pub majority_share: Option<f64>,
    /// The mean of the classes' recalls: each class counts alike, however few rows it has.
    pub balanced_accuracy: Option<f64>,
    /// The classes as in `data.classes`.
    pub classes: Vec<ClassScore>,
}

/// What is right of one class.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassScore {
    /// Its rows.
    pub rows: usize,
    /// The share of its rows that are taken for it; `None` without rows.
    pub recall: Option<f64>,
    /// The share of the rows taken for it that are of it; `None` where none was.
    pub precision: Option<f64>,
}

impl ClassTable {
    /// The table of these scores.
    pub fn of(part: Part, scores: &ClassScores) -> Self {
        let class = |class| ClassScore {
            rows: scores.rows(class),
            recall: scores.recall(class),
            precision: scores.precision(class),
        };
        Self {
            part,
            majority_share: scores.majority_share(),
            balanced_accuracy: scores.balanced_accuracy(),
            classes: (0..scores.classes()).map(class).collect(),
        }
    }

    /// `balanced accuracy 61.2 % (…); 93.3 % of the rows are of the largest class`
    pub fn sentence(&self) -> String {
        format!(
            "balanced accuracy {} (mean recall of the classes); the largest class alone is {} of the rows",
            percent(self.balanced_accuracy),
            percent(self.majority_share)
        )
    }

    /// For a terminal: the classes where they are few, and their averages.
    pub fn plain(&self, names: &[&str], terminal: Terminal) -> String {
        let sentence = wrapped(&self.sentence(), terminal);
        if names.len() > IN_TERMINAL {
            return sentence;
        }
        let rows: Vec<Row<'_>> = names.iter().copied().zip(self.classes.iter().copied()).collect();
        table(&rows).plain(terminal) + " " + &sentence
    }
}

type Row<'a> = (&'a str, ClassScore);

fn table<'a>(rows: &'a [Row<'a>]) -> Table<'a, Row<'a>> {
    Table::of("recalls", rows)
        .names("class", 48, |(name, _)| (*name).to_owned())
        .number("rows", |(_, score)| count(score.rows as u64))
        .number("recall", |(_, score)| percent(score.recall))
        .drawing("bar", "", |(_, score)| {
            let recall = score.recall.unwrap_or(0.0).clamp(0.0, 1.0);
            format!("<span style=\"width:{}\"></span>", place(recall))
        })
        .number("precision", |(_, score)| percent(score.precision))
        .scrolling("Recall and precision of each class")
}

fn unbalanced(classes: &[ClassCount]) -> bool {
    let sizes = classes.iter().map(|class| class.train.saturating_add(class.test));
    let sizes = sizes.filter(|rows| *rows > 0);
    let (least, most) = (sizes.clone().min().unwrap_or(0), sizes.max().unwrap_or(0));
    most > least.saturating_mul(BALANCED)
}

impl Section for ClassTable {
    fn page(&self, report: &Report) -> String {
        let classes = &report.header.data.classes;
        let listed = listed(classes);
        let row = |&class: &usize| (classes[class].name.as_str(), self.classes[class]);
        let rows: Vec<Row<'_>> = listed.iter().map(row).collect();
        let total = self.classes.iter().fold(0, |sum, class| class.rows.saturating_add(sum));
        let total = counted(total, "row");
        let rest = match classes.len() - listed.len() {
            0 => String::new(),
            rest => format!(
                " The {} classes of most rows; {rest} more are in <code>report.json</code>.",
                listed.len()
            ),
        };
        let remark = format!(
            "{} in the embedding on {total}: {}. Recall: share of the class's rows predicted as it. Precision: share of \
             the rows predicted as the class that are of it.{rest}",
            capitalized(report.comparison.rule_of_classes()),
            self.sentence()
        );
        let body = note(&remark) + &table(&rows).html();
        section("classes", "Per-class precision and recall", &body)
    }

    /// Where classes are unbalanced; each class where there are few.
    fn text(&self, report: &Report, terminal: Terminal) -> String {
        let classes = &report.header.data.classes;
        if !unbalanced(classes) {
            return String::new();
        }
        let names: Vec<&str> = classes.iter().map(|class| class.name.as_str()).collect();
        self.plain(&names, terminal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_tells_the_classes_where_they_are_unbalanced() {
        let mut report = Report::example();
        let text = |report: &Report| report.classes().class_scores.text(report, Terminal::PLAIN);
        assert_eq!(text(&report), "");
        report.header.data.classes[1].train = 9;
        let told = text(&report);
        assert!(told.starts_with(" class       rows") && told.contains("setosa"), "{told}");
        assert!(told.contains("balanced accuracy") && !told.contains("<span"), "{told}");
    }
}
