//! `report.json`: written a top-level field a line, and read back.

use std::io;

use anyhow::Result;
use serde::ser::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::ser::{CompactFormatter, Formatter};
use serde_json::{Serializer, Value};

use super::Report;

impl Report {
    /// The contents of `report.json`: one top-level field a line, ended by a newline.
    ///
    /// # Errors
    /// None that a report can cause; the signature is serde_json's.
    pub fn to_json(&self) -> serde_json::Result<String> {
        let mut bytes = Vec::new();
        self.serialize(&mut Serializer::with_formatter(&mut bytes, FieldLines::default()))?;
        bytes.push(b'\n');
        String::from_utf8(bytes).map_err(serde_json::Error::custom)
    }

    /// Reads `report.json` back, whose text is JSON already.
    ///
    /// # Errors
    /// A field that is missing, or fields that do not fit together.
    pub fn from_document(document: Value) -> Result<Self> {
        let report: Self = serde_json::from_value(document)?;
        report.check()?;
        Ok(report)
    }
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
    use super::*;

    impl Report {
        pub(crate) fn from_json(text: &str) -> Result<Self> {
            Self::from_document(serde_json::from_str(text)?)
        }
    }

    fn value(report: &Report) -> Value {
        serde_json::to_value(report).unwrap()
    }

    #[test]
    fn a_report_survives_json_a_top_level_field_a_line() {
        let classes = Report::with_classes(&["a \"quoted\" name", "β"], 40, 5);
        for report in [classes, Report::of_numbers(), Report::of_pairs()] {
            let text = report.to_json().unwrap();
            assert_eq!(value(&report), value(&Report::from_json(&text).unwrap()));
            assert_eq!(text.lines().count(), value(&report).as_object().unwrap().len() + 2);
        }
    }

    #[test]
    fn what_is_not_finite_is_null_and_comes_back_as_nan() {
        let mut report = Report::example();
        report.classes_mut().g = f64::NEG_INFINITY;
        report.classes_mut().p[3] = f64::NAN;
        let text = report.to_json().unwrap();
        assert!(text.contains("\n  \"g\": null,\n"), "{text}");
        let read = Report::from_json(&text).unwrap();
        assert!(read.classes().g.is_nan() && read.classes().p[3].is_nan());
        assert_eq!(read.classes().p[4], report.classes().p[4]);
    }

    #[test]
    fn the_names_other_programs_rely_on_stand_at_the_top() {
        let mut report = Report::example();
        report.classes_mut().accuracy.test = None;
        let json: Value = serde_json::from_str(&report.to_json().unwrap()).unwrap();
        assert!(json["accuracy"].as_object().unwrap()["test"].is_null());
        assert_eq!(json["embedding"]["points"][0]["part"], "train");
        assert_eq!(json["comparison"]["rows"][3]["nn_test"], 43.0 / 45.0);
        assert_eq!(json["class_scores"]["majority_share"], 1.0 / 3.0);
        let json = value(&Report::of_numbers());
        assert_eq!((&json["kind"], &json["scores"]["rule"]), (&"numbers".into(), &"kernel".into()));
        assert_eq!(json["comparison"]["rows"][0]["r2_test"], 0.752);
        assert!(json["embedding"]["points"][0]["value"].is_f64() && json["value"].is_f64());
    }
}
