//! `report.html` of a fit without classes: the style and the sections of the page of classes, with a picture
//! that is coloured by a number.

mod agreement;
mod colours;
mod picture;
mod scores;

use super::table::noun;
use super::verdict::verdict;
use super::{ContinuousReport, Kind};
use crate::report::number::{count, counted, significant};
use crate::report::page::figures::card;
use crate::report::page::html::{BASE_STYLE, escape, fill, script_json, section};
use crate::report::page::particulars::{again, entries, place_and_end};
use crate::report::page::settings::settings;
use crate::report::page::{curve, warnings, weights};

/// The page as one string of HTML; it loads nothing, from the network or elsewhere.
pub fn render(report: &ContinuousReport) -> String {
    fill(include_str!("../../page/page.html"), |slot| match slot {
        "title" => escape(&format!("{}: {} report", report.data.name, report.method)),
        "style" => {
            [BASE_STYLE, include_str!("../../page/page.css"), include_str!("page.css")].concat()
        }
        "script" => include_str!("../../page/page.js").to_owned(),
        "method" => escape(&report.method),
        "name" => escape(&report.data.name),
        "size" => size(report),
        "verdict" => escape(&verdict(report)),
        "warnings" => warnings::section(&report.warnings),
        "figures" => cards(report),
        "scatter" => picture::section(report),
        "comparison" => scores::section(report),
        "confusion" => agreement::section(report),
        "trials" => String::new(), // settings are searched for classes only
        "curve" => curve::section(&report.curve),
        "weights" => weights::section(&report.feature_weights),
        "matrix" => weights::matrix_section(report.matrix.as_ref()),
        "particulars" => particulars(report),
        "program" => escape(&report.program),
        "format" => report.format.to_string(),
        "data" => script_json(&serde_json::json!({ "curve": curve::data(&report.curve) })),
        _ => unreachable!("the template names only the slots above"),
    })
}

/// `506 rows · 13 columns · 354 rows for training, 152 held out`
fn size(report: &ContinuousReport) -> String {
    let data = &report.data;
    let held_out = match data.test {
        0 => "nothing held out".to_owned(),
        test => format!("{} for training, {test} held out", counted(data.train, noun(report.kind))),
    };
    [counted(data.rows, "row"), counted(data.columns, "column"), held_out].join(" · ")
}

/// The key figures: value, what it is, and what to hold it against.
fn cards(report: &ContinuousReport) -> String {
    let mut cards = Vec::new();
    let learnt = &report.scores;
    let detail = match (report.kind, report.data.test) {
        (Kind::Numbers, _) => learnt.name(),
        (Kind::Pairs, 0) => "where the partner stands, training pairs".to_owned(),
        (Kind::Pairs, _) => "where the partner stands, held-out pairs".to_owned(),
    };
    for measure in report.comparison.measured().into_iter().take(3) {
        let Some(value) = learnt.value(&measure.key) else { continue };
        cards.push(card(&measure.label, &measure.text(Some(value)), &detail));
    }
    cards.extend(report.run.cards(report.mean_perplexity));
    format!("<dl class=\"cards\">\n{}</dl>", cards.concat())
}

/// The data, the settings and the run, and the command that makes it again.
fn particulars(report: &ContinuousReport) -> String {
    let data = &report.data;
    let parts = match report.kind {
        Kind::Numbers => ["training rows", "held-out rows"],
        Kind::Pairs => ["training pairs", "held-out pairs"],
    };
    let mut about = vec![
        ("name", data.name.clone()),
        ("rows", count(data.rows as u64)),
        ("columns", count(data.columns as u64)),
        (parts[0], count(data.train as u64)),
        (parts[1], count(data.test as u64)),
    ];
    about.extend(data.target.clone().map(|target| ("target", target)));
    let body = format!(
        "<div class=\"columns\">\n<div>{}</div>\n<div>{}</div>\n<div>{}</div>\n</div>",
        entries("Data", &about),
        entries("Settings", &settings(&report.settings)),
        entries("Run", &run(report))
    );
    section("particulars", "Data and settings", &body) + &again(&report.command)
}

fn run(report: &ContinuousReport) -> Vec<(&'static str, String)> {
    let mut run = place_and_end(&report.device, report.seed, &report.run);
    run.extend([
        ("value, minimised", significant(report.value, 6)),
        ("program", report.program.clone()),
    ]);
    run
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Warning, WarningCode};

    const HOSTILE: &str = "</script><b onmouseover=\"x\">&'{{style}}<!--";

    #[test]
    fn the_page_loads_nothing_and_says_the_verdict() {
        for report in [ContinuousReport::example(), ContinuousReport::of_pairs()] {
            let page = render(&report);
            for load in ["http://", "https://", "src=", "@import", "url(", "<link", "fetch("] {
                assert!(!page.contains(load), "the page must not contain {load}");
            }
            assert!(page.contains(&escape(&verdict(&report))) && !page.contains("{{"));
        }
    }

    #[test]
    fn names_from_the_data_cannot_break_out_of_the_page() {
        let mut report = ContinuousReport::example();
        report.data.name = HOSTILE.to_owned();
        report.data.target = Some(HOSTILE.to_owned());
        report.embedding.colour = HOSTILE.to_owned();
        report.method = HOSTILE.to_owned();
        report.comparison.rows[0].method = HOSTILE.to_owned();
        report.settings = serde_json::json!({ HOSTILE: HOSTILE });
        let page = render(&report);
        assert!(!page.contains("<b onmouseover") && !page.contains("onmouseover=\"x\""));
    }

    #[test]
    fn warnings_stand_at_the_top_and_a_planned_end_is_none() {
        let mut report = ContinuousReport::example();
        report.run.converged = false;
        report.run.termination = "EpochsDone".to_owned();
        assert!(!render(&report).contains("class=\"warning\""));
        report.warnings.push(Warning::new(WarningCode::CollapsedToPoint, "it is flat"));
        assert!(render(&report).contains("<p class=\"warning\">it is flat</p>"));
    }

    #[test]
    fn numbers_that_are_not_finite_do_not_reach_a_drawing() {
        let mut report = ContinuousReport::example();
        report.embedding.points[0].coordinates[0] = f64::NAN;
        report.embedding.points[1].value = f64::NAN;
        report.embedding.points[2].predicted = Some(f64::INFINITY);
        let page = render(&report);
        assert!(!page.contains("NaN") && !page.contains("inf\""));
        assert!(page.contains("2 points without finite coordinates"));
    }

    /// Writes pages to look at into the folder `REPORT_PAGES`:
    /// `REPORT_PAGES=/tmp/pages cargo test -p burn-nca-cli continuous::page -- --ignored`
    #[test]
    #[ignore = "writes files for the eye, asserts nothing"]
    fn pages_to_look_at() {
        let folder = std::path::PathBuf::from(std::env::var("REPORT_PAGES").unwrap());
        std::fs::create_dir_all(&folder).unwrap();
        for (name, report) in [
            ("numbers.html", ContinuousReport::example()),
            ("pairs.html", ContinuousReport::of_pairs()),
        ] {
            std::fs::write(folder.join(name), render(&report)).unwrap();
        }
    }
}
