use std::io;

use anyhow::Result;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::ser::{CompactFormatter, Formatter};

use super::Report;

impl Report {
    /// Reads `report.json` back; the last bit of a number may differ, as serde_json reads for speed.
    ///
    /// # Errors
    /// Text that is not JSON or lacks a field, or fields that do not fit together.
    pub fn from_json(text: &str) -> Result<Self> {
        let report: Self = serde_json::from_str(text)?;
        report.check()?;
        Ok(report)
    }
}

/// A document with one top-level field a line, ended by a newline.
pub fn field_lines(document: &impl Serialize) -> serde_json::Result<String> {
    let mut bytes = Vec::new();
    let formatter = FieldLines::default();
    document.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, formatter))?;
    bytes.push(b'\n');
    Ok(String::from_utf8(bytes).expect("serde_json writes UTF-8"))
}

/// Reads `null` as NaN, as serde_json writes what is not finite.
pub fn null_as_nan<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

/// Reads every `null` of a list as NaN.
pub fn nulls_as_nan<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
    let values: Vec<Option<f64>> = Vec::deserialize(deserializer)?;
    Ok(values.into_iter().map(|value| value.unwrap_or(f64::NAN)).collect())
}

/// Breaks lines between top-level fields only: short enough to read, and diffs name the field.
#[derive(Default)]
struct FieldLines {
    depth: usize,
}

impl Formatter for FieldLines {
    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        CompactFormatter.begin_object(writer)
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth -= 1;
        if self.depth == 0 {
            writer.write_all(b"\n")?;
        }
        CompactFormatter.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        match (self.depth, first) {
            (1, true) => writer.write_all(b"\n  "),
            (1, false) => writer.write_all(b",\n  "),
            (_, true) => Ok(()),
            (_, false) => writer.write_all(b", "),
        }
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn begin_array_value<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::report::Rendered;

    /// Whether two JSON values agree, numbers to the last bit or two.
    fn agree(a: &Value, b: &Value) -> bool {
        match (a, b) {
            (Value::Number(a), Value::Number(b)) => {
                let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
                (a - b).abs() <= 2.0 * f64::EPSILON * a.abs()
            }
            (Value::Array(a), Value::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| agree(a, b))
            }
            (Value::Object(a), Value::Object(b)) => {
                a.len() == b.len() && a.iter().all(|(name, value)| agree(value, &b[name]))
            }
            _ => a == b,
        }
    }

    #[test]
    fn a_report_survives_json() {
        let report = Report::with_classes(&["a \"quoted\" name", "β"], 40, 5);
        let read = Report::from_json(&report.to_json().unwrap()).unwrap();
        let value = |report: &Report| serde_json::to_value(report).unwrap();
        assert!(agree(&value(&report), &value(&read)));
        assert_eq!((&read.data, &read.settings), (&report.data, &report.settings));
    }

    #[test]
    fn what_is_not_finite_is_null_and_comes_back_as_nan() {
        let mut report = Report::example();
        report.g = f64::NEG_INFINITY;
        report.p[3] = f64::NAN;
        let text = report.to_json().unwrap();
        assert!(text.contains("\n  \"g\": null,\n"), "{text}");
        let read = Report::from_json(&text).unwrap();
        assert!(read.g.is_nan() && read.p[3].is_nan());
        assert!((read.p[4] - report.p[4]).abs() < 1e-15);
    }

    #[test]
    fn the_names_other_programs_rely_on_stand_at_the_top() {
        let mut report = Report::example();
        report.accuracy.test = None;
        let json: Value = serde_json::from_str(&report.to_json().unwrap()).unwrap();
        assert!(json["accuracy"]["train"].is_f64());
        assert!(json["accuracy"].as_object().unwrap()["test"].is_null());
        assert!(json["termination"].is_string());
        assert!(json["iterations"].is_u64() && json["evaluations"].is_u64());
        assert!(json["seconds"].is_f64() && json["f"].is_f64() && json["g"].is_f64());
        let train = report.data.train();
        assert_eq!(json["p"].as_array().unwrap().len(), train);
        assert_eq!(json["perplexity"].as_array().unwrap().len(), train);
        assert_eq!(json["embedding"]["points"][0]["part"], "train");
    }

    #[test]
    fn every_top_level_field_has_a_line_of_its_own() {
        let report = Report::example();
        let text = report.to_json().unwrap();
        let fields = serde_json::to_value(&report).unwrap().as_object().unwrap().len();
        assert_eq!(text.lines().count(), fields + 2);
    }
}
