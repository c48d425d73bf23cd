//! Whether the parts of a report fit together: `report.json` may have been edited, and the page takes places and
//! counts from it.

use anyhow::{Result, ensure};

use super::continuous::ContinuousReport;
use super::{Embedding, Matrix, Report};

impl Report {
    /// Whether the parts fit together.
    ///
    /// # Errors
    /// The first field that does not: its name, what it holds, and what is wanted.
    pub fn check(&self) -> Result<()> {
        let classes = self.data.classes.len();
        let rows = self.data.classes.iter().flat_map(|class| [class.train, class.test]);
        check_counts("data.classes", rows, self.data.rows)?;
        check_matrix(self.matrix.as_ref())?;
        if let Some(embedding) = &self.embedding {
            check_points(embedding, classes)?;
        }
        self.check_confusion(classes)
    }

    fn check_confusion(&self, classes: usize) -> Result<()> {
        let Some(confusion) = &self.confusion else { return Ok(()) };
        if let Some(counts) = &confusion.counts {
            check_length("confusion.counts", "row", counts.len(), classes)?;
            for (at, row) in counts.iter().enumerate() {
                check_length(&format!("confusion.counts[{at}]"), "number", row.len(), classes)?;
            }
            check_counts("confusion.counts", counts.iter().flatten().copied(), self.data.rows)?;
        }
        let cells = confusion.cells.iter().flatten();
        for (at, [truth, predicted, _]) in cells.clone().enumerate() {
            check_index(&format!("confusion.cells[{at}][0]"), *truth, "classes", classes)?;
            check_index(&format!("confusion.cells[{at}][1]"), *predicted, "classes", classes)?;
        }
        check_counts("confusion.cells", cells.map(|cell| cell[2]), self.data.rows)
    }
}

impl ContinuousReport {
    /// As [`Report::check`].
    ///
    /// # Errors
    /// As [`Report::check`].
    pub fn check(&self) -> Result<()> {
        check_matrix(self.matrix.as_ref())?;
        let embedding = &self.embedding;
        for (at, point) in embedding.points.iter().enumerate() {
            check_coordinates(at, &point.coordinates, embedding.dimension)?;
        }
        for (at, link) in embedding.links.iter().enumerate() {
            for (end, &point) in link.iter().enumerate() {
                let field = format!("embedding.links[{at}][{end}]");
                check_index(&field, point, "points", embedding.points.len())?;
            }
        }
        Ok(())
    }
}

fn check_points(embedding: &Embedding, classes: usize) -> Result<()> {
    for (at, point) in embedding.points.iter().enumerate() {
        check_coordinates(at, &point.coordinates, embedding.dimension)?;
        let field = |name: &str| format!("embedding.points[{at}].{name}");
        check_index(&field("class"), point.class, "classes", classes)?;
        if let Some(predicted) = point.predicted {
            check_index(&field("predicted"), predicted, "classes", classes)?;
        }
    }
    Ok(())
}

/// One coordinate for one dimension, else two.
fn check_coordinates(at: usize, coordinates: &[f64], dimension: usize) -> Result<()> {
    let field = format!("embedding.points[{at}].coordinates");
    check_length(&field, "number", coordinates.len(), dimension.clamp(1, 2))
}

fn check_matrix(matrix: Option<&Matrix>) -> Result<()> {
    let Some(Matrix { columns, rows }) = matrix else { return Ok(()) };
    for (at, row) in rows.iter().enumerate() {
        check_length(&format!("matrix.rows[{at}]"), "number", row.len(), columns.len())?;
    }
    Ok(())
}

fn check_length(field: &str, unit: &str, found: usize, wanted: usize) -> Result<()> {
    let plural = if found == 1 { "" } else { "s" };
    ensure!(found == wanted, "{field} holds {found} {unit}{plural}, {wanted} wanted");
    Ok(())
}

fn check_index(field: &str, found: usize, of: &str, count: usize) -> Result<()> {
    ensure!(found < count, "{field} is {found}, but there are {count} {of}, counted from 0");
    Ok(())
}

/// Whether the counts are parts of `data.rows`.
fn check_counts(field: &str, counts: impl Iterator<Item = usize>, rows: usize) -> Result<()> {
    let mut counts = counts;
    let sum = counts.try_fold(0, usize::checked_add);
    ensure!(
        sum.is_some_and(|sum| sum <= rows),
        "the rows of {field} are more than the {rows} of data.rows"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::report::{Confusion, Part, Rendered};

    /// The document with each of its values changed in turn, two of each list.
    fn edits(document: &Value) -> Vec<Value> {
        let replaced = |pointer: &str, value: Value| {
            let mut edited = document.clone();
            *edited.pointer_mut(pointer).unwrap() = value;
            edited
        };
        let mut edited = Vec::new();
        let mut pending = vec![String::new()];
        while let Some(at) = pending.pop() {
            match document.pointer(&at).unwrap() {
                Value::Object(fields) => {
                    pending.extend(fields.keys().map(|name| format!("{at}/{name}")));
                }
                Value::Array(items) => {
                    pending.extend((0..items.len().min(2)).map(|item| format!("{at}/{item}")));
                    edited.push(replaced(&at, json!([])));
                    if let [first, .., last] = &items[..] {
                        edited.push(replaced(&at, items[1..].into()));
                        edited.push(replaced(&at, json!([first])));
                        let longer: Vec<_> = items.iter().chain([last]).cloned().collect();
                        edited.push(replaced(&at, longer.into()));
                    }
                }
                Value::Number(_) => {
                    let others = [json!(0), json!(-1), json!(1e300), json!(u64::MAX)];
                    edited.extend(others.into_iter().map(|other| replaced(&at, other)));
                }
                Value::Null => edited.push(replaced(&at, json!(3))),
                Value::Bool(_) | Value::String(_) => edited.push(replaced(&at, Value::Null)),
            }
        }
        edited
    }

    #[test]
    fn no_edit_of_a_report_keeps_the_page_from_an_answer() {
        let mut of_many = Report::with_classes(&["a", "b", "c"], 6, 3);
        of_many.confusion = Some(Confusion {
            part: Part::Test,
            counts: None,
            cells: Some(vec![[0, 0, 2], [1, 2, 1]]),
        });
        let reports = [Report::with_classes(&["a", "b"], 6, 1), of_many];
        let mut refused = 0;
        for report in reports {
            report.check().unwrap();
            for edited in edits(&serde_json::to_value(&report).unwrap()) {
                match Report::from_json(&edited.to_string()) {
                    Ok(report) => assert!(!report.page().is_empty()),
                    Err(_) => refused += 1,
                }
            }
        }
        assert!(refused > 50, "{refused} edits are refused");
    }

    #[test]
    fn no_edit_of_a_report_without_classes_does_either() {
        for mut report in [ContinuousReport::example(), ContinuousReport::of_pairs()] {
            report.check().unwrap();
            report.embedding.points.truncate(8);
            report.embedding.links.retain(|link| link.iter().all(|&point| point < 8));
            for edited in edits(&serde_json::to_value(&report).unwrap()) {
                if let Ok(report) = ContinuousReport::from_json(&edited.to_string()) {
                    assert!(!report.page().is_empty());
                }
            }
        }
    }

    #[test]
    fn the_error_names_the_field() {
        let error = |edit: fn(&mut Report)| {
            let mut report = Report::example();
            edit(&mut report);
            report.check().unwrap_err().to_string()
        };
        assert_eq!(
            error(|report| {
                report.embedding.as_mut().unwrap().points[3].coordinates.pop();
            }),
            "embedding.points[3].coordinates holds 1 number, 2 wanted"
        );
        assert_eq!(
            error(|report| report.embedding.as_mut().unwrap().points[0].class = 7),
            "embedding.points[0].class is 7, but there are 3 classes, counted from 0"
        );
        assert_eq!(
            error(|report| report.data.classes[0].test = usize::MAX),
            "the rows of data.classes are more than the 150 of data.rows"
        );
    }
}
