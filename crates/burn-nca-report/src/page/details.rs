//! The data, the settings and the run, and the command that makes it again.

use super::settings::settings;
use crate::number::{bytes, count, duration, significant};
use crate::sections::picture::listed;
use crate::solver::sums_text;
use crate::{Report, Results};
use burn_nca_program::Table;
use burn_nca_program::html::{escape, section};

/// The most letters of a class's name in the table of classes.
const NAME: usize = 48;

/// The two last sections of the page.
pub fn sections(report: &Report) -> String {
    let header = &report.header;
    let body = format!(
        "<div class=\"columns\">\n<div>{}</div>\n<div>{}</div>\n<div>{}</div>\n</div>",
        data(report),
        entries("Settings", &settings(&header.settings)),
        entries("Run", &run(report))
    );
    let again = format!(
        "<p class=\"note\">The same command on the same data with the same seed gives the same fit. All numbers \
         of this page, unrounded, are in <code>report.json</code>.</p>\n<div class=\"command\"><pre \
         tabindex=\"0\"><code id=\"command\">{}</code></pre><button type=\"button\" id=\"copy\" \
         class=\"scripted\">Copy</button></div>",
        escape(&header.command)
    );
    section("details", "Data and settings", &body) + &section("again", "How to reproduce", &again)
}

fn data(report: &Report) -> String {
    let data = &report.header.data;
    let mut about = vec![
        ("name", data.name.clone()),
        ("rows", count(data.rows as u64)),
        ("columns", count(data.columns as u64)),
    ];
    let [train, test, without_partner] =
        [data.train, data.test, data.without_partner].map(|rows| count(rows as u64));
    about.extend(match report.results {
        Results::Classes(_) => vec![("rows without another row of their class", without_partner)],
        Results::Numbers(_) => vec![("training rows", train), ("held-out rows", test)],
        Results::Pairs(_) => vec![("training pairs", train), ("held-out pairs", test)],
    });
    about.extend(data.target.clone().map(|target| ("target", target)));
    let summary = entries("Data", &about);
    if data.classes.is_empty() {
        return summary;
    }
    let listed = listed(&data.classes);
    let rest = match data.classes.len() - listed.len() {
        0 => String::new(),
        rest => format!(
            "<p class=\"hint\">The {} classes of most rows; the other {} are in <code>report.json</code>.</p>",
            listed.len(),
            count(rest as u64)
        ),
    };
    let table = Table::of("classes", listed.iter().map(|&class| &data.classes[class]))
        .names("class", NAME, |class| class.name.clone())
        .number("train", |class| count(class.train as u64))
        .number("test", |class| count(class.test as u64))
        .scrolling("Rows of each class");
    summary + &table.html() + &rest
}

/// Where it ran, from which seed, what it took, and why it ended.
fn run(report: &Report) -> Vec<(&'static str, String)> {
    let (header, run) = (&report.header, &report.run);
    let mut entries = vec![
        ("device", header.device.name.clone()),
        ("backend", header.device.backend.clone()),
        ("number type", header.device.dtype.clone()),
        ("seed", header.seed.to_string()),
        ("stopped", run.termination_sentence.clone()),
    ];
    entries.extend(run.ended.clone().map(|ended| ("ended", ended)));
    entries.extend([
        ("iterations", count(run.iterations)),
        ("evaluations", count(run.evaluations)),
        ("time", duration(run.seconds)),
    ]);
    entries.extend(run.sums.as_ref().map(|sums| ("sums over pairs", sums_text(sums))));
    entries.extend(run.omitted_text().map(|text| ("candidates", text)));
    entries.extend(run.peak_memory_bytes.map(|peak| ("peak memory", bytes(peak))));
    match &report.results {
        Results::Classes(found) => entries.extend([
            ("f = Σ p", significant(found.f, 6)),
            ("g = Σ ln p", significant(found.g, 6)),
        ]),
        Results::Numbers(found) | Results::Pairs(found) => {
            entries.push(("value, minimized", significant(found.value, 6)));
        }
    }
    entries.push(("program", header.program.clone()));
    entries
}

/// A list of names and values under a heading.
fn entries<N: AsRef<str>>(heading: &str, entries: &[(N, String)]) -> String {
    let line = |(name, value): &(N, String)| {
        format!("<div><dt>{}</dt><dd>{}</dd></div>\n", escape(name.as_ref()), escape(value))
    };
    let lines: String = entries.iter().map(line).collect();
    format!("<h3>{heading}</h3>\n<dl class=\"entries\">\n{lines}</dl>\n")
}
