//! The confusion matrix: a tinted matrix for few classes, a list of its errors for many.

use std::collections::BTreeMap;

use burn_nca_program::Table;
use burn_nca_program::html::{name, note, section};
use serde::{Deserialize, Serialize};

use super::picture::Part;
use crate::number::{capitalized, count, counted, percent};
use crate::{ClassCount, Report, Section};

/// More classes than this, or longer names, and the column heads are turned upright.
const LEVEL_HEADS: (usize, usize) = (6, 12);

/// More classes than this, and the cells are small, so that the matrix fits the page.
const ROOMY: usize = 12;

/// The most letters of a class's name next to the matrix.
const NAME: usize = 26;

/// The most errors that are listed.
const LISTED: usize = 20;

/// The errors named above a matrix of small cells.
const NAMED: usize = 3;

/// Counts of true against predicted classes, by 1-NN in the learned metric or its own rule; classes as in `data.classes`.
///
/// Up to [`Confusion::LARGEST`] classes the whole matrix is in `counts`; above, where nearly all of it would be zeros,
/// the cells that are not zero are in `cells`. One of the two is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confusion {
    /// The rows counted: those held out, or the training rows left out one by one.
    pub part: Part,
    /// `counts[t][p]`: rows of class t predicted as class p.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<Vec<Vec<usize>>>,
    /// `[t, p, rows]` for each t and p with rows, in the order of t and p.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<Vec<Cell>>,
}

/// True class, predicted class, number of rows.
pub type Cell = [usize; 3];

impl Confusion {
    /// The most classes whose matrix is kept whole.
    pub const LARGEST: usize = 50;

    /// Counts the predictions of each true class.
    pub fn of(part: Part, predicted: &[usize], truth: &[usize], classes: usize) -> Self {
        let mut found = BTreeMap::new();
        for pair in truth.iter().zip(predicted) {
            *found.entry(pair).or_insert(0) += 1;
        }
        let cells = found.into_iter().map(|((&truth, &predicted), rows)| [truth, predicted, rows]);
        if classes > Self::LARGEST {
            return Self { part, counts: None, cells: Some(cells.collect()) };
        }
        let mut counts = vec![vec![0; classes]; classes];
        cells.for_each(|[truth, predicted, rows]| counts[truth][predicted] = rows);
        Self { part, counts: Some(counts), cells: None }
    }

    /// Every cell with rows.
    fn filled(&self) -> Vec<Cell> {
        if let Some(cells) = &self.cells {
            return cells.clone();
        }
        let counts = self.counts.iter().flatten().enumerate();
        let cells = counts.flat_map(|(truth, row)| {
            row.iter().enumerate().map(move |(predicted, &rows)| [truth, predicted, rows])
        });
        cells.filter(|cell| cell[2] > 0).collect()
    }

    /// The cells off the diagonal, those of most rows first.
    pub fn errors(&self) -> Vec<Cell> {
        let mut errors = self.filled();
        errors.retain(|[truth, predicted, _]| truth != predicted);
        errors.sort_by_key(|&[truth, predicted, rows]| (usize::MAX - rows, truth, predicted));
        errors
    }

    /// Number of rows counted.
    pub fn rows(&self) -> usize {
        self.filled().iter().map(|cell| cell[2]).sum()
    }
}

impl Section for Confusion {
    fn page(&self, report: &Report) -> String {
        let classes = &report.header.data.classes;
        let errors = self.errors();
        let wrong = match errors.iter().map(|error| error[2]).sum::<usize>() {
            0 => "no errors".to_owned(),
            wrong => format!("{} wrong", count(wrong as u64)),
        };
        let rule = capitalized(report.comparison.rule_of_classes());
        let rows = self.part.counted(self.rows());
        let mut remark = format!("{rule} in the embedding on {rows}: {wrong}.");
        let body = match &self.counts {
            Some(counts) => {
                remark.push_str(" Tint: share of the true class.");
                if classes.len() > ROOMY {
                    remark.push_str(&most_frequent(&errors, classes));
                }
                matrix(counts, classes)
            }
            None => {
                remark.push_str(&match errors.len() {
                    0 => String::new(),
                    all if all > LISTED => format!(
                        " The {LISTED} most frequent of {} pairs of classes that are confused; all of them are in \
                         <code>report.json</code>.",
                        count(all as u64)
                    ),
                    _ => " Every pair of confused classes, the most frequent first.".to_owned(),
                });
                list(&errors[..errors.len().min(LISTED)], classes)
            }
        };
        section("confusion", "Confusion matrix", &format!("{}{body}", note(&remark)))
    }
}

/// ` Most often: G predicted as C (4 rows), …`
fn most_frequent(errors: &[Cell], classes: &[ClassCount]) -> String {
    let name = |class: usize| name(&classes[class].name, NAME);
    let named = errors.iter().take(NAMED).map(|&[truth, predicted, rows]| {
        let rows = counted(rows, "row");
        format!("{} predicted as {} ({rows})", name(truth), name(predicted))
    });
    let named: Vec<String> = named.collect();
    if named.is_empty() { String::new() } else { format!(" Most often: {}.", named.join(", ")) }
}

fn list(errors: &[Cell], classes: &[ClassCount]) -> String {
    if errors.is_empty() {
        return String::new();
    }
    let name = |class: usize| classes[class].name.clone();
    Table::of("errors", errors)
        .names("true class", NAME, |error| name(error[0]))
        .text("predicted", |error| name(error[1]))
        .number("rows", |error| count(error[2] as u64))
        .html()
}

fn matrix(counts: &[Vec<usize>], classes: &[ClassCount]) -> String {
    let has_long_name = |class: &ClassCount| class.name.chars().count() > LEVEL_HEADS.1;
    let is_upright = classes.len() > LEVEL_HEADS.0 || classes.iter().any(has_long_name);
    let upright = if is_upright { " upright" } else { "" };
    let dense = if classes.len() > ROOMY { " dense" } else { "" };
    let head = |class: &ClassCount| {
        format!("<th scope=\"col\" class=\"n\">{}</th>", name(&class.name, NAME))
    };
    let head: String = classes.iter().map(head).collect();
    let lines = counts.iter().zip(classes).enumerate();
    let body: String =
        lines.map(|(index, (counts, class))| line(index, counts, &class.name)).collect();
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Confusion matrix\">\
         <table class=\"confusion{upright}{dense}\"><thead><tr><td class=\"corner\">true ↓ predicted →</td>{head}\
         <th scope=\"col\" class=\"n\">right</th></tr></thead>\n<tbody>\n{body}</tbody></table></div>"
    )
}

fn line(class: usize, counts: &[usize], class_name: &str) -> String {
    let total: usize = counts.iter().sum();
    let cell = |(predicted, &count): (usize, &usize)| {
        if count == 0 {
            return "<td class=\"n zero\">0</td>".to_owned();
        }
        let share = count as f64 / total as f64;
        let hue = if predicted == class { "cool" } else { "warm" };
        let dark = if share > 0.6 { " dark" } else { "" };
        // A single error among many rows must still be seen.
        let tint = 18.0 + 72.0 * share;
        format!("<td class=\"n tint {hue}{dark}\" style=\"--tint:{tint:.0}%\">{count}</td>")
    };
    let cells: String = counts.iter().enumerate().map(cell).collect();
    let right = (total > 0).then(|| counts.get(class).map_or(0.0, |&n| n as f64 / total as f64));
    format!(
        "<tr><th scope=\"row\">{}</th>{cells}<td class=\"n right\">{}</td></tr>\n",
        name(class_name, NAME),
        percent(right)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_classes_give_a_matrix_and_many_its_cells_and_json_holds_one_form() {
        let (predicted, truth) = ([1, 1, 2, 0], [0, 0, 0, 1]);
        let [few, many] = [3, 51].map(|n| Confusion::of(Part::Train, &predicted, &truth, n));
        let text = |confusion: &Confusion| serde_json::to_string(confusion).unwrap();
        assert_eq!(text(&few), r#"{"part":"train","counts":[[0,2,1],[1,0,0],[0,0,0]]}"#);
        assert_eq!(text(&many), r#"{"part":"train","cells":[[0,1,2],[0,2,1],[1,0,1]]}"#);
        for found in [few, many] {
            assert_eq!(found.errors(), [[0, 1, 2], [0, 2, 1], [1, 0, 1]], "most frequent first");
            assert_eq!(found.rows(), 4);
            assert_eq!(serde_json::from_str::<Confusion>(&text(&found)).unwrap(), found);
        }
    }

    /// The page of many classes in which class c is predicted as c + 1 in some rows.
    fn page_of(classes: usize) -> String {
        let names: Vec<String> = (0..classes).map(|class| format!("name {class}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let report = Report::with_classes(&names, 4, 2);
        let truth: Vec<usize> = (0..classes).flat_map(|class| vec![class; 3]).collect();
        let predicted: Vec<usize> = (0..3 * classes)
            .map(|row| (row / 3 + usize::from(row % 3 < row / 3 % 3)) % classes)
            .collect();
        Confusion::of(Part::Test, &predicted, &truth, classes).page(&report)
    }

    #[test]
    fn many_classes_have_small_cells_and_more_a_list_of_their_errors_that_does_not_grow() {
        let html = page_of(26);
        assert!(html.contains("confusion upright dense") && !page_of(5).contains("dense"));
        assert!(html.contains("Most often: ") && html.contains("(2 rows)"), "{html}");
        for (classes, errors) in [(60, 40), (600, 400)] {
            let html = page_of(classes);
            assert!(!html.contains("class=\"confusion") && html.contains("class=\"errors\""));
            assert!(html.contains(&format!("The 20 most frequent of {errors} pairs")), "{html}");
            assert_eq!(html.matches("<tr>").count(), 1 + LISTED);
        }
    }
}
