//! Whether the parts of a report fit together: `report.json` may have been edited, and the page takes places and
//! counts from it.

use anyhow::{Result, ensure};

use super::sections::picture::SHADES;
use super::sections::replay;
use super::{ClassMark, ClassResults, Confusion, Data, Embedding, Matrix, Report, Results};

impl Report {
    /// Whether the parts fit together.
    ///
    /// # Errors
    /// The first field that does not: its name, what it holds, and what is wanted.
    pub fn check(&self) -> Result<()> {
        let data = &self.header.data;
        let rows = data.classes.iter().flat_map(|class| [class.train, class.test]);
        check_counts("data.classes", rows, data.rows)?;
        check_matrix(self.matrix.as_ref())?;
        self.replay.iter().try_for_each(|replay| replay::check(replay, &data.classes))?;
        match &self.results {
            Results::Classes(found) => check_classes(found, data),
            Results::Numbers(found) | Results::Pairs(found) => check_embedding(&found.embedding),
        }
    }
}

fn check_classes(found: &ClassResults, data: &Data) -> Result<()> {
    let classes = data.classes.len();
    if let Some(embedding) = &found.embedding {
        check_embedding(embedding)?;
        check_marks(embedding, classes)?;
    }
    if let Some(scores) = &found.class_scores {
        check_length("class_scores.classes", "class", scores.classes.len(), classes)?;
        check_counts("class_scores", scores.classes.iter().map(|class| class.rows), data.rows)?;
    }
    for (at, one) in found.labels.iter().flat_map(|labels| &labels.rows).enumerate() {
        let class = one.row.target.class;
        check_index(&format!("labels.rows[{at}].class"), class, "classes", classes)?;
        check_index(&format!("labels.rows[{at}].suggested"), one.suggested, "classes", classes)?;
    }
    for (at, one) in found.explained.iter().flat_map(|found| &found.0).enumerate() {
        check_index(&format!("explained[{at}].class"), one.row.target.class, "classes", classes)?;
        check_index(&format!("explained[{at}].predicted"), one.predicted, "classes", classes)?;
        for (near, one) in one.neighbors.iter().enumerate() {
            let place = format!("explained[{at}].neighbors[{near}].class");
            check_index(&place, one.row.target.class, "classes", classes)?;
        }
    }
    found.confusion.as_ref().map_or(Ok(()), |confusion| check_confusion(confusion, data))
}

fn check_confusion(confusion: &Confusion, data: &Data) -> Result<()> {
    let classes = data.classes.len();
    if let Some(counts) = &confusion.counts {
        check_length("confusion.counts", "row", counts.len(), classes)?;
        for (at, row) in counts.iter().enumerate() {
            check_length(&format!("confusion.counts[{at}]"), "number", row.len(), classes)?;
        }
        check_counts("confusion.counts", counts.iter().flatten().copied(), data.rows)?;
    }
    let cells = confusion.cells.iter().flatten();
    for (at, [truth, predicted, _]) in cells.clone().enumerate() {
        check_index(&format!("confusion.cells[{at}][0]"), *truth, "classes", classes)?;
        check_index(&format!("confusion.cells[{at}][1]"), *predicted, "classes", classes)?;
    }
    check_counts("confusion.cells", cells.map(|cell| cell[2]), data.rows)
}

fn check_embedding<M>(embedding: &Embedding<M>) -> Result<()> {
    // One coordinate for one dimension, else two.
    let wanted = embedding.dimension.clamp(1, 2);
    for (at, point) in embedding.points.iter().enumerate() {
        let field = format!("embedding.points[{at}].coordinates");
        check_length(&field, "number", point.coordinates.len(), wanted)?;
    }
    for (at, row) in embedding.unlabeled.iter().enumerate() {
        let field = format!("embedding.unlabeled[{at}].coordinates");
        check_length(&field, "number", row.coordinates.len(), wanted)?;
    }
    for (at, layer) in embedding.density.iter().flat_map(|density| &density.layers).enumerate() {
        let field = format!("embedding.density.layers[{at}].runs");
        for [shade, ..] in &layer.runs {
            check_index(&field, *shade, "shades", SHADES)?;
        }
    }
    for (at, link) in embedding.links.iter().enumerate() {
        for (end, &point) in link.iter().enumerate() {
            let field = format!("embedding.links[{at}][{end}]");
            check_index(&field, point, "points", embedding.points.len())?;
        }
    }
    Ok(())
}

fn check_marks(embedding: &Embedding<ClassMark>, classes: usize) -> Result<()> {
    for (at, layer) in embedding.density.iter().flat_map(|density| &density.layers).enumerate() {
        let field = format!("embedding.density.layers[{at}].class");
        check_index(&field, layer.class, "classes", classes)?;
    }
    for (at, point) in embedding.points.iter().enumerate() {
        let field = |name: &str| format!("embedding.points[{at}].{name}");
        check_index(&field("class"), point.mark.class, "classes", classes)?;
        if let Some(predicted) = point.mark.predicted {
            check_index(&field("predicted"), predicted, "classes", classes)?;
        }
    }
    Ok(())
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
    use crate::Part;

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
        of_many.classes_mut().confusion = Some(Confusion {
            part: Part::Test,
            counts: None,
            cells: Some(vec![[0, 0, 2], [1, 2, 1]]),
        });
        let mut reports = vec![Report::with_classes(&["a", "b"], 6, 1), of_many];
        for mut report in [Report::of_numbers(), Report::of_pairs()] {
            let embedding = &mut report.values_mut().embedding;
            embedding.points.truncate(8);
            embedding.links.retain(|link| link.iter().all(|&point| point < 8));
            reports.push(report);
        }
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
    fn the_error_names_the_field() {
        let error = |edit: fn(&mut Report)| {
            let mut report = Report::example();
            edit(&mut report);
            report.check().unwrap_err().to_string()
        };
        assert_eq!(
            error(|report| {
                report.classes_mut().embedding.as_mut().unwrap().points[3].coordinates.pop();
            }),
            "embedding.points[3].coordinates holds 1 number, 2 wanted"
        );
        assert_eq!(
            error(
                |report| report.classes_mut().embedding.as_mut().unwrap().points[0].mark.class = 7
            ),
            "embedding.points[0].class is 7, but there are 3 classes, counted from 0"
        );
        assert_eq!(
            error(|report| report.header.data.classes[0].test = usize::MAX),
            "the rows of data.classes are more than the 150 of data.rows"
        );
    }
}
