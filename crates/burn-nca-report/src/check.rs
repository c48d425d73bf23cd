//! Whether the parts of a report fit together: `report.json` may have been edited, and the page takes places and
//! counts from it.

use anyhow::{Result, ensure};

use super::sections::picture::SHADES;
use super::{ClassMark, ClassResults, Data, Embedding, Matrix, Report, Results};

impl Report {
    /// Whether the parts fit together.
    ///
    /// # Errors
    /// The first field that does not fit the others.
    pub fn check(&self) -> Result<()> {
        let data = &self.header.data;
        let rows = data.classes.iter().flat_map(|class| [class.train, class.test]);
        let is_whole =
            |matrix: &Matrix| matrix.rows.iter().all(|row| row.len() == matrix.columns.len());
        let mut checks = vec![
            ("data.classes", are_among(rows, data.rows)),
            ("matrix", self.matrix.iter().all(is_whole)),
            ("replay", self.replay.iter().all(|replay| replay.fits(data.classes.len()))),
        ];
        match &self.results {
            Results::Classes(found) => checks.extend(of_classes(found, data)),
            Results::Numbers(found) | Results::Pairs(found) => {
                checks.push(("embedding", is_drawable(&found.embedding)));
            }
        }
        for (field, fits) in checks {
            ensure!(fits, "the values of {field} do not fit those of the other fields");
        }
        Ok(())
    }
}

fn of_classes(found: &ClassResults, data: &Data) -> [(&'static str, bool); 5] {
    let classes = data.classes.len();
    let is_class = |class: usize| class < classes;
    let is_marked = |embedding: &Embedding<ClassMark>| {
        let layers = embedding.density.iter().flat_map(|density| &density.layers);
        let points = embedding.points.iter().map(|point| point.mark);
        let marks = points.flat_map(|mark| [mark.class].into_iter().chain(mark.predicted));
        marks.chain(layers.map(|layer| layer.class)).all(is_class)
    };
    let scores = &found.class_scores.classes;
    let rows = scores.iter().map(|class| class.rows);
    let mut labels = found.labels.rows.iter().flat_map(|one| [one.row.target.class, one.suggested]);
    let mut explained = found.explained.iter().flat_map(|found| &found.0).flat_map(|one| {
        let near = one.neighbors.iter().map(|near| near.row.target.class);
        near.chain([one.row.target.class, one.predicted])
    });
    let counts = found.confusion.counts.iter().all(|counts| {
        counts.len() == classes
            && counts.iter().all(|row| row.len() == classes)
            && are_among(counts.iter().flatten().copied(), data.rows)
    });
    let cells = || found.confusion.cells.iter().flatten();
    let cells = cells().flat_map(|cell| &cell[..2]).all(|&class| is_class(class))
        && are_among(cells().map(|cell| cell[2]), data.rows);
    [
        ("embedding", is_drawable(&found.embedding) && is_marked(&found.embedding)),
        ("class_scores", scores.len() == classes && are_among(rows, data.rows)),
        ("labels", labels.all(is_class)),
        ("explained", explained.all(is_class)),
        ("confusion", counts && cells),
    ]
}

/// Whether the points have one coordinate for one dimension, else two, and what refers to them is there.
fn is_drawable<M>(embedding: &Embedding<M>) -> bool {
    let wanted = embedding.dimension.clamp(1, 2);
    let points = embedding.points.iter().map(|point| point.coordinates.len());
    let others = embedding.unlabeled.iter().map(|row| row.coordinates.len());
    let layers = embedding.density.iter().flat_map(|density| &density.layers);
    points.chain(others).all(|coordinates| coordinates == wanted)
        && layers.flat_map(|layer| &layer.runs).all(|[shade, ..]| *shade < SHADES)
        && embedding.links.iter().flatten().all(|&point| point < embedding.points.len())
}

/// Whether the counts are parts of so many rows.
fn are_among(mut counts: impl Iterator<Item = usize>, rows: usize) -> bool {
    counts.try_fold(0, usize::checked_add).is_some_and(|sum| sum <= rows)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{Confusion, Part};

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
        let cells = Some(vec![[0, 0, 2], [1, 2, 1]]);
        of_many.classes_mut().confusion = Confusion { part: Part::Test, counts: None, cells };
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
        let mut report = Report::example();
        report.header.data.classes[0].test = usize::MAX;
        let error = report.check().unwrap_err().to_string();
        assert_eq!(error, "the values of data.classes do not fit those of the other fields");
    }
}
