//! `report.html`: one file with its style, script and data inside.
//!
//! Every table and every picture is rendered here, so the page is complete without scripts and on paper;
//! the script only adds reading off values, hiding classes and zooming.

mod confusion;
pub(super) mod curve;
pub(super) mod figures;
pub mod html;
pub(super) mod particulars;
mod scatter;
mod scores;
pub(super) mod settings;
mod trials;
pub(super) mod warnings;
pub(super) mod weights;

use html::{BASE_STYLE, escape, fill, script_json};

use super::Report;
use super::number::counted;
use super::verdict::verdict;

/// The page as one string of HTML; it loads nothing, from the network or elsewhere.
pub fn render(report: &Report) -> String {
    let scatter = report.embedding.as_ref().and_then(|found| scatter::Scatter::new(found, report));
    fill(include_str!("page.html"), |slot| match slot {
        "title" => escape(&format!("{}: {} report", report.data.name, report.method)),
        "style" => [BASE_STYLE, include_str!("page.css")].concat(),
        "script" => include_str!("page.js").to_owned(),
        "method" => escape(&report.method),
        "name" => escape(&report.data.name),
        "size" => size(report),
        "verdict" => escape(&verdict(report)),
        "warnings" => warnings::section(&report.warnings),
        "figures" => figures::cards(report),
        "scatter" => scatter.as_ref().map_or_else(String::new, |scatter| scatter.section()),
        "comparison" => scores::section(report),
        "curve" => curve::section(&report.curve),
        "trials" => report.tuning.as_ref().map_or_else(String::new, trials::section),
        "weights" => weights::section(&report.feature_weights),
        "confusion" => confusion::section(report),
        "matrix" => weights::matrix_section(report.matrix.as_ref()),
        "particulars" => particulars::section(report),
        "program" => escape(&report.program),
        "format" => report.format.to_string(),
        "data" => script_json(&serde_json::json!({
            "classes": report.data.classes.iter().map(|class| &class.name).collect::<Vec<_>>(),
            "scatter": scatter.as_ref().map(|scatter| scatter.data()),
            "curve": curve::data(&report.curve),
        })),
        _ => unreachable!("the template names only the slots above"),
    })
}

/// `150 rows · 4 columns · 3 classes · 105 train, 45 held out`
fn size(report: &Report) -> String {
    let data = &report.data;
    let held_out = match data.test() {
        0 => "nothing held out".to_owned(),
        test => format!("{} for training, {} held out", counted(data.train(), "row"), test),
    };
    [
        counted(data.rows, "row"),
        counted(data.columns, "column"),
        counted(data.classes.len(), "class"),
        held_out,
    ]
    .join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Warning, WarningCode};

    const HOSTILE: &str = "</script><b onmouseover=\"x\">&'{{style}}<!--";

    #[test]
    fn the_page_loads_nothing() {
        let page = render(&Report::example());
        for load in ["http://", "https://", "src=", "@import", "url(", "<link", "fetch("] {
            assert!(!page.contains(load), "the page must not contain {load}");
        }
        assert!(page.contains("default-src 'none'"));
    }

    #[test]
    fn names_from_the_data_cannot_break_out_of_the_page() {
        let mut report = Report::with_classes(&[HOSTILE, "plain"], 20, 2);
        report.data.name = HOSTILE.to_owned();
        report.command = HOSTILE.to_owned();
        report.method = HOSTILE.to_owned();
        report.run.termination_sentence = HOSTILE.to_owned();
        report.warnings = vec![Warning::new(WarningCode::ConstantColumns, HOSTILE)];
        report.settings = serde_json::json!({ HOSTILE: HOSTILE });
        report.device.name = HOSTILE.to_owned();
        report.comparison.rows[0].method = HOSTILE.to_owned();
        report.feature_weights[0].column = HOSTILE.to_owned();
        report.matrix.as_mut().unwrap().columns[0] = HOSTILE.to_owned();
        let page = render(&report);
        assert!(!page.contains("<b onmouseover") && !page.contains("onmouseover=\"x\""));
        let plain = render(&Report::with_classes(&["plain", "plain"], 20, 2));
        for tag in ["<script", "</script>", "<style>", "<!--"] {
            assert_eq!(page.matches(tag).count(), plain.matches(tag).count(), "{tag}");
        }
    }

    #[test]
    fn the_embedded_data_are_json_that_gives_the_names_back() {
        let page = render(&Report::with_classes(&[HOSTILE, "plain"], 20, 2));
        let start = page.find("<script type=\"application/json\"").unwrap();
        let body = &page[start + page[start..].find('>').unwrap() + 1..];
        let json: serde_json::Value =
            serde_json::from_str(&body[..body.find("</script>").unwrap()]).unwrap();
        assert_eq!(json["classes"][0], HOSTILE);
        assert_eq!(json["scatter"]["points"].as_array().unwrap().len(), 40);
    }

    #[test]
    fn the_page_stands_without_held_out_rows_and_without_pictures() {
        let mut report = Report::example().without_test();
        report.embedding = None;
        report.confusion = None;
        report.matrix = None;
        report.curve.clear();
        report.feature_weights.clear();
        let page = render(&report);
        assert!(page.contains("nothing held out") && !page.contains("<svg"));
        assert!(!page.contains("NaN") && !page.contains("{{"));
    }

    #[test]
    fn warnings_stand_at_the_top() {
        let mut report = Report::example();
        assert!(!render(&report).contains("class=\"warning\""));
        report.warnings.push(Warning::new(WarningCode::NotConverged, "Stopped <here>"));
        let page = render(&report);
        let at = page.find("<p class=\"warning\">Stopped &lt;here&gt;</p>").unwrap();
        assert!(at < page.find("<main>").unwrap());
    }

    #[test]
    fn numbers_that_are_not_finite_do_not_reach_a_drawing() {
        let mut report = Report::example();
        report.g = f64::NEG_INFINITY;
        report.run.seconds = f64::NAN;
        report.curve[3].value = f64::NAN;
        report.curve[4].gradient_max = Some(f64::INFINITY);
        report.feature_weights[1].weight = f64::NAN;
        report.embedding.as_mut().unwrap().points[0].coordinates[0] = f64::NAN;
        let page = render(&report);
        assert!(!page.contains("NaN") && !page.contains("inf\""));
        assert!(page.contains("1 point without finite coordinates is left out"));
    }

    /// Writes pages to look at into the folder `REPORT_PAGES`:
    /// `REPORT_PAGES=/tmp/pages cargo test -p burn-nca-cli pages_to_look_at -- --ignored`
    #[test]
    #[ignore = "writes files for the eye, asserts nothing"]
    fn pages_to_look_at() {
        let folder = std::path::PathBuf::from(std::env::var("REPORT_PAGES").unwrap());
        std::fs::create_dir_all(&folder).unwrap();
        let write = |name: &str, report: &Report| {
            std::fs::write(folder.join(name), render(report)).unwrap();
        };
        let long: Vec<String> = (1..=12).map(|n| format!("Neighbourhood of class {n}")).collect();
        let long: Vec<&str> = long.iter().map(String::as_str).collect();
        write("plain.html", &Report::example());
        write("line.html", &Report::with_classes(&["left", "middle", "right"], 50, 1));
        write("no-test.html", &Report::example().without_test());
        let mut many = Report::with_classes(&long, 167, 10);
        let columns: Vec<String> = (0..64).map(|n| format!("pixel {} {}", n / 8, n % 8)).collect();
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        let map: Vec<f64> = (0..64).map(|n| 0.62f64.powi(n * 7 % 64)).collect();
        many.feature_weights = crate::report::example::weights(&columns, &map);
        many.matrix = None;
        many.run.converged = false;
        many.run.termination = "MaxIterations".to_owned();
        many.run.termination_sentence = "Stopped at the limit of 200 iterations.".to_owned();
        many.data.name = "a file with a rather long name, cut by hand.csv".to_owned();
        many.data.without_partner = 3;
        write("many.html", &many);
        let digits: Vec<String> = (0..10).map(|n| n.to_string()).collect();
        let digits: Vec<&str> = digits.iter().map(String::as_str).collect();
        write("large.html", &Report::with_classes(&digits, 900, 2));
        let crowd: Vec<String> = (0..45).map(|n| format!("person {n}")).collect();
        let crowd: Vec<&str> = crowd.iter().map(String::as_str).collect();
        write("crowd.html", &Report::with_classes(&crowd, 10, 2));
    }
}
