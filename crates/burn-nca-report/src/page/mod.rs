//! `report.html`: one file with its style, script and data inside.
//!
//! Every table and every picture is rendered here, so the page is complete without scripts and on paper;
//! the script only adds reading off values, hiding classes and zooming.

mod details;

use burn_nca_program::html::{BASE_STYLE, escape, fill, script_json};

use super::Report;
use super::headline::{cards, headline};
use super::number::{count, counted};

impl Report {
    /// The contents of `report.html`; it loads nothing, from the network or elsewhere.
    pub fn page(&self) -> String {
        let header = &self.header;
        fill(include_str!("page.html"), |slot| match slot {
            "title" => escape(&format!("{}: {} report", header.data.name, header.method)),
            "style" => [BASE_STYLE, include_str!("page.css")].concat(),
            "script" => include_str!("page.js").to_owned(),
            "method" => escape(&header.method),
            "name" => escape(&header.data.name),
            "size" => size(self),
            "headline" => escape(&headline(self)),
            "warnings" => warnings(self),
            "figures" => cards(self),
            "sections" => self.sections().iter().map(|section| section.page(self)).collect(),
            "details" => details::sections(self),
            "program" => escape(&header.program),
            "format" => header.format.to_string(),
            "data" => script_json(&self.script_data()),
            _ => unreachable!("the template names only the slots above"),
        })
    }

    fn script_data(&self) -> serde_json::Value {
        let data = self.sections().into_iter().filter_map(|section| section.data(self));
        data.map(|(name, value)| (name.to_owned(), value)).collect::<serde_json::Map<_, _>>().into()
    }
}

/// What a reader must know before trusting the numbers: a paragraph a warning.
fn warnings(report: &Report) -> String {
    let line = |text: &str| format!("<p class=\"warning\">{}</p>\n", escape(text));
    report.warnings.iter().map(|warning| line(&warning.sentence())).collect()
}

/// `150 rows · 4 columns · 3 classes · 105 rows for training, 45 held out`
fn size(report: &Report) -> String {
    let data = &report.header.data;
    let mut size = vec![counted(data.rows, "row"), counted(data.columns, "column")];
    if !data.classes.is_empty() {
        size.push(counted(data.classes.len(), "class"));
    }
    size.push(match data.test {
        0 => "nothing held out".to_owned(),
        test => {
            let train = counted(data.train, report.results.noun());
            format!("{train} for training, {} held out", count(test as u64))
        }
    });
    size.join(" · ")
}

#[cfg(test)]
mod tests {
    use burn_nca_figures::palette::class_color;

    use super::*;
    use crate::{Unlabeled, Warning, WarningCode};

    const HOSTILE: &str = "</script><b onmouseover=\"x\">&'{{style}}<!--";

    #[test]
    fn a_class_has_one_color_on_the_page_and_in_the_file_of_the_picture() {
        for class in 0..10 {
            let burn_nca_figures::plotters::style::RGBColor(r, g, b) = class_color(class);
            let of_page = format!("--c{class}: #{r:02x}{g:02x}{b:02x};");
            assert!(BASE_STYLE.contains(&of_page), "{of_page}");
        }
    }

    #[test]
    fn the_page_loads_nothing_and_says_the_headline() {
        for report in [Report::example(), Report::of_numbers(), Report::of_pairs()] {
            let page = report.page();
            for load in ["http://", "https://", "src=", "@import", "url(", "<link", "fetch("] {
                assert!(!page.contains(load), "the page must not contain {load}");
            }
            assert!(page.contains("default-src 'none'"));
            assert!(page.contains(&escape(&headline(&report))) && !page.contains("{{"));
        }
    }

    #[test]
    fn pages_look_as_they_should() {
        let mut classes = Report::with_classes(&["a", "b", "c"], 20, 2);
        classes.tuning = Some(crate::Tuning::example());
        let unlabeled = |row| Unlabeled { row, id: None, coordinates: vec![9.0 + row as f64; 2] };
        let embedding = &mut classes.classes_mut().embedding;
        embedding.unlabeled = vec![unlabeled(3), unlabeled(4)];
        // An error on a row held out, which is ringed.
        let point =
            embedding.points.iter_mut().find(|point| point.part == crate::Part::Test).unwrap();
        point.mark.predicted = Some((point.mark.class + 1) % 3);
        classes.check().unwrap();
        let mut line = Report::with_classes(&["a", "b"], 12, 1).without_test();
        line.classes_mut().embedding.unlabeled =
            vec![Unlabeled { row: 3, id: None, coordinates: vec![0.5] }];
        for (name, report) in [
            ("classes", classes),
            ("line", line),
            ("numbers", Report::of_numbers()),
            ("pairs", Report::of_pairs()),
        ] {
            let page = report.page();
            let (start, end) = (page.find("<header>"), page.find("<script>\n"));
            insta::assert_snapshot!(name, &page[start.unwrap()..end.unwrap()]);
        }
    }

    #[test]
    fn names_from_the_data_cannot_break_out_of_the_page() {
        let mut report = Report::with_classes(&[HOSTILE, "plain"], 20, 2);
        report.header.data.name = HOSTILE.to_owned();
        report.header.command = HOSTILE.to_owned();
        report.header.method = HOSTILE.to_owned();
        report.run.termination_sentence = HOSTILE.to_owned();
        report.warnings = vec![Warning::new(WarningCode::ConstantColumns, HOSTILE)];
        report.header.settings = serde_json::json!({ HOSTILE: HOSTILE });
        report.header.device.name = HOSTILE.to_owned();
        report.comparison.rows[0].method = HOSTILE.to_owned();
        report.feature_weights.0[0].column = HOSTILE.to_owned();
        report.matrix.as_mut().unwrap().columns[0] = HOSTILE.to_owned();
        let page = report.page();
        assert!(!page.contains("<b onmouseover") && !page.contains("onmouseover=\"x\""));
        let start = page.find("<script type=\"application/json\"").unwrap();
        let body = &page[start + page[start..].find('>').unwrap() + 1..];
        let json: serde_json::Value =
            serde_json::from_str(&body[..body.find("</script>").unwrap()]).unwrap();
        assert_eq!(json["scatter"]["classes"][0], HOSTILE);
        let plain = Report::with_classes(&["plain", "plain"], 20, 2).page();
        for tag in ["<script", "</script>", "<style>", "<!--"] {
            assert_eq!(page.matches(tag).count(), plain.matches(tag).count(), "{tag}");
        }
        let mut report = Report::of_numbers();
        report.header.data.name = HOSTILE.to_owned();
        report.header.data.target = Some(HOSTILE.to_owned());
        report.values_mut().embedding.color = Some(HOSTILE.to_owned());
        let page = report.page();
        assert!(!page.contains("<b onmouseover") && !page.contains("onmouseover=\"x\""));
    }

    #[test]
    fn numbers_that_are_not_finite_do_not_reach_a_drawing() {
        let mut report = Report::example();
        report.classes_mut().g = f64::NEG_INFINITY;
        report.run.seconds = f64::NAN;
        report.curve.0[3].value = f64::NAN;
        report.curve.0[4].gradient_max = Some(f64::INFINITY);
        report.feature_weights.0[1].weight = f64::NAN;
        report.classes_mut().embedding.points[0].coordinates[0] = f64::NAN;
        let page = report.page();
        assert!(!page.contains("NaN") && !page.contains("inf\""));
        let mut values = Report::of_numbers();
        let points = &mut values.values_mut().embedding.points;
        points[0].coordinates[0] = f64::NAN;
        points[1].mark.value = f64::NAN;
        points[2].mark.predicted = Some(f64::INFINITY);
        let shown = values.page();
        assert!(!shown.contains("NaN") && !shown.contains("inf\""));
        assert!(shown.contains("2 points without finite coordinates"));
        assert!(page.contains("1 point without finite coordinates or value is left out"));
    }
}
