//! What was predicted for the rows of a table, as CSV and as JSON.

use anyhow::Result;
use serde::Serialize;

use super::explained::Explained;
use crate::tables::ModelRows;
use burn_nca_data::{csv_field, csv_number};
use burn_nca_report::Warning;

/// The predictions for the rows of a table; a row that was left out has none.
pub struct Predicted {
    target: String,
    ids: Option<(String, Vec<String>)>,
    /// What is predicted for each row of the table.
    rows: Vec<Option<Row>>,
    /// The classes, where their shares were asked for.
    classes: Vec<String>,
    /// What was unusual in the table.
    warnings: Vec<Warning>,
    /// What they are made of, where that was asked for.
    explained: Option<Explained>,
}

struct Row {
    /// Among the rows that were kept.
    place: usize,
    value: Value,
    shares: Vec<f64>,
}

/// A class or numbers.
#[derive(Serialize)]
#[serde(untagged)]
enum Value {
    Class(String),
    Number(f64),
    Numbers(Vec<f64>),
}

/// A row of the JSON document.
#[derive(Serialize)]
struct JsonRow<'a> {
    /// From 1.
    row: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    prediction: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    probabilities: Option<serde_json::Map<String, serde_json::Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<serde_json::Value>,
}

/// The JSON document.
#[derive(Serialize)]
struct Document<'a> {
    target: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    rows: Vec<JsonRow<'a>>,
    warnings: &'a [Warning],
}

impl Predicted {
    /// A class per row that was kept, and perhaps the share of each class, row-major.
    pub fn classes(
        target: &str,
        names: &[String],
        (classes, shares): (Vec<usize>, Option<Vec<f64>>),
        rows: ModelRows,
    ) -> Self {
        let shares_of = |place: usize| match &shares {
            Some(shares) => shares[place * names.len()..(place + 1) * names.len()].to_vec(),
            None => Vec::new(),
        };
        let row = |place: usize| Row {
            place,
            value: Value::Class(names[classes[place]].clone()),
            shares: shares_of(place),
        };
        Self {
            target: target.to_string(),
            rows: rows.places().into_iter().map(|place| place.map(row)).collect(),
            ids: rows.ids,
            classes: if shares.is_some() { names.to_vec() } else { Vec::new() },
            warnings: rows.warnings,
            explained: None,
        }
    }

    /// Numbers per row that was kept, row-major, one a target.
    pub fn numbers(targets: &[String], values: Vec<f64>, rows: ModelRows) -> Self {
        let row = |place: usize| {
            let of_row = &values[place * targets.len()..(place + 1) * targets.len()];
            let value = match of_row {
                [number] => Value::Number(*number),
                numbers => Value::Numbers(numbers.to_vec()),
            };
            Row { place, value, shares: Vec::new() }
        };
        let names: Vec<String> = targets.iter().map(|name| csv_field(name)).collect();
        Self {
            target: if let [name] = targets { name.clone() } else { names.join(",") },
            rows: rows.places().into_iter().map(|place| place.map(row)).collect(),
            ids: rows.ids,
            classes: Vec::new(),
            warnings: rows.warnings,
            explained: None,
        }
    }

    /// The same with what they are made of, and what to say of that.
    pub fn with_explanations(self, found: Option<(Explained, Option<Warning>)>) -> Self {
        let Some((explained, warning)) = found else { return self };
        let warnings = self.warnings.into_iter().chain(warning).collect();
        Self { explained: Some(explained), warnings, ..self }
    }

    /// One line per row: its name, the prediction, and one column `p_CLASS` per class where shares were asked for;
    /// then what it is made of.
    pub fn csv(&self) -> String {
        let mut head: Vec<String> = self.ids.iter().map(|(name, _)| csv_field(name)).collect();
        head.push(csv_field(&self.target));
        head.extend(self.classes.iter().map(|class| csv_field(&format!("p_{class}"))));
        let of_explained = self.explained.as_ref().map(Explained::head).unwrap_or_default();
        let more = of_explained.len();
        head.extend(of_explained);
        let mut text = head.join(",") + "\n";
        for (at, row) in self.rows.iter().enumerate() {
            let mut cells: Vec<String> =
                self.ids.iter().map(|(_, ids)| csv_field(&ids[at])).collect();
            match row {
                None => cells.extend(vec![String::new(); 1 + self.classes.len() + more]),
                Some(Row { place, value, shares }) => {
                    cells.push(match value {
                        Value::Class(name) => csv_field(name),
                        Value::Number(number) => csv_number(*number),
                        Value::Numbers(numbers) => {
                            let numbers = numbers.iter().copied().map(csv_number);
                            numbers.collect::<Vec<_>>().join(",")
                        }
                    });
                    cells.extend(shares.iter().copied().map(csv_number));
                    cells.extend(self.explained.iter().flat_map(|found| found.cells(*place)));
                }
            }
            text.push_str(&cells.join(","));
            text.push('\n');
        }
        text
    }

    /// The same as one document.
    ///
    /// # Errors
    /// None that a prediction has: its numbers are finite.
    pub fn json(&self) -> Result<String> {
        let named = |shares: &[f64]| {
            let named = self.classes.iter().cloned().zip(shares);
            named.map(|(class, share)| (class, serde_json::json!(share))).collect()
        };
        let explained = |row: &Row| self.explained.as_ref().map(|found| found.json(row.place));
        let rows = self.rows.iter().enumerate().map(|(at, row)| {
            Ok(JsonRow {
                row: at + 1,
                id: self.ids.as_ref().map(|(_, ids)| ids[at].as_str()),
                prediction: row.as_ref().map(|row| &row.value),
                probabilities: row
                    .as_ref()
                    .filter(|_| !self.classes.is_empty())
                    .map(|row| named(&row.shares)),
                explanation: row.as_ref().and_then(explained).transpose()?,
            })
        });
        let document = Document {
            target: &self.target,
            id: self.ids.as_ref().map(|(name, _)| name.as_str()),
            rows: rows.collect::<Result<_>>()?,
            warnings: &self.warnings,
        };
        Ok(serde_json::to_string_pretty(&document)? + "\n")
    }
}

#[cfg(test)]
mod tests {
    use burn_nca_learn::data::Features;
    use burn_nca_report::WarningCode;

    use super::*;

    fn rows(total: usize, kept: Vec<usize>, ids: Option<&[&str]>) -> ModelRows {
        ModelRows {
            features: Features::unnamed(vec![0.0; kept.len()], 1).unwrap(),
            rows: kept,
            total,
            ids: ids.map(|ids| ("name".into(), ids.iter().map(|id| (*id).into()).collect())),
            warnings: vec![Warning::new(WarningCode::Prepared, "a level is new")],
        }
    }

    fn names() -> Vec<String> {
        vec!["a".to_string(), "b, c".to_string()]
    }

    #[test]
    fn classes_are_quoted_where_they_must_be() {
        let shares = Some(vec![0.25, 0.75, 1.0, 2e-20]);
        let of = |target, shares| {
            Predicted::classes(target, &names(), (vec![1, 0], shares), rows(2, vec![0, 1], None))
        };
        assert_eq!(of("class", None).csv(), "class\n\"b, c\"\na\n");
        assert_eq!(
            of("a, b", shares).csv(),
            "\"a, b\",p_a,\"p_b, c\"\n\"b, c\",0.25,0.75\na,1,2e-20\n"
        );
    }

    #[test]
    fn rows_keep_their_names_and_one_that_was_left_out_has_no_prediction() {
        let kept = rows(3, vec![0, 2], Some(&["x", "y", "z"]));
        let found = Predicted::classes(
            "kind",
            &names(),
            (vec![1, 0], Some(vec![0.5, 0.5, 1.0, 0.0])),
            kept,
        );
        assert_eq!(found.csv(), "name,kind,p_a,\"p_b, c\"\nx,\"b, c\",0.5,0.5\ny,,,\nz,a,1,0\n");
        let document: serde_json::Value = serde_json::from_str(&found.json().unwrap()).unwrap();
        assert_eq!(document["target"], "kind");
        assert_eq!(document["rows"][0]["id"], "x");
        assert_eq!(document["rows"][0]["probabilities"]["b, c"], 0.5);
        assert!(document["rows"][1]["prediction"].is_null());
        assert_eq!(document["rows"][2]["prediction"], "a");
        assert_eq!(document["warnings"][0]["text"], "a level is new");
    }

    #[test]
    fn numbers_are_numbers() {
        let found =
            Predicted::numbers(&["price".into()], vec![1.5, 1e-7], rows(2, vec![0, 1], None));
        assert_eq!(found.csv(), "price\n1.5\n1e-7\n");
        let document: serde_json::Value = serde_json::from_str(&found.json().unwrap()).unwrap();
        assert_eq!(document["rows"][1]["prediction"], 1e-7);
    }
}
