use super::html::{escape, name, section as section_of};
use super::scatter::legend::listed;
use super::settings::settings;
use crate::report::number::{bytes, count, duration, significant};
use crate::report::{DeviceSummary, Report, SolverRun};

/// The most letters of a class's name in the table of classes.
const NAME: usize = 48;

/// The data, the settings and the run, and the command that makes it again.
pub fn section(report: &Report) -> String {
    let body = format!(
        "<div class=\"columns\">\n<div>{}</div>\n<div>{}</div>\n<div>{}</div>\n</div>",
        data(report),
        entries("Settings", &settings(&report.settings)),
        entries("Run", &run(report))
    );
    section_of("particulars", "Data and settings", &body) + &again(&report.command)
}

/// The command that makes the run again.
pub fn again(command: &str) -> String {
    let again = format!(
        "<p class=\"note\">The same command on the same data with the same seed gives the same fit. All numbers \
         of this page, unrounded, are in <code>report.json</code>.</p>\n<div class=\"command\"><pre \
         tabindex=\"0\"><code id=\"command\">{}</code></pre><button type=\"button\" id=\"copy\" \
         class=\"scripted\">Copy</button></div>",
        escape(command)
    );
    section_of("again", "How to reproduce", &again)
}

fn data(report: &Report) -> String {
    let data = &report.data;
    let summary = entries(
        "Data",
        &[
            ("name", data.name.clone()),
            ("rows", count(data.rows as u64)),
            ("columns", count(data.columns as u64)),
            ("rows without a partner", count(data.without_partner as u64)),
        ],
    );
    let listed = listed(&data.classes);
    let lines: String = listed
        .iter()
        .map(|&class| {
            let class = &data.classes[class];
            format!(
                "<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
                name(&class.name, NAME),
                count(class.train as u64),
                count(class.test as u64)
            )
        })
        .collect();
    let rest = match data.classes.len() - listed.len() {
        0 => String::new(),
        rest => format!(
            "<p class=\"hint\">The {} classes of most rows; the other {} are in <code>report.json</code>.</p>",
            listed.len(),
            count(rest as u64)
        ),
    };
    format!(
        "{summary}<div class=\"scroll tall\" tabindex=\"0\" role=\"region\" aria-label=\"Rows of each \
         class\"><table class=\"classes\"><thead><tr><th scope=\"col\">Class</th><th scope=\"col\" \
         class=\"n\">Train</th><th scope=\"col\" class=\"n\">Test</th></tr></thead>\n<tbody>\n{lines}\
         </tbody></table></div>{rest}"
    )
}

fn run(report: &Report) -> Vec<(&'static str, String)> {
    let mut run = place_and_end(&report.device, report.seed, &report.run);
    run.extend([
        ("iterations", count(report.run.iterations)),
        ("evaluations", count(report.run.evaluations)),
        ("time", duration(report.run.seconds)),
    ]);
    if let Some(peak) = report.run.peak_memory_bytes {
        run.push(("peak memory", bytes(peak)));
    }
    run.push(("f = Σ p", significant(report.f, 6)));
    run.push(("g = Σ ln p", significant(report.g, 6)));
    run.push(("program", report.program.clone()));
    run
}

/// Where a fit ran, from which seed, and why it ended.
pub fn place_and_end(
    device: &DeviceSummary,
    seed: u64,
    run: &SolverRun,
) -> Vec<(&'static str, String)> {
    let mut entries = vec![
        ("device", device.name.clone()),
        ("backend", device.backend.clone()),
        ("number type", device.dtype.clone()),
        ("seed", seed.to_string()),
        ("stopped because", run.termination_sentence.clone()),
    ];
    entries.extend(run.ended.clone().map(|ended| ("ended", ended)));
    entries
}

/// A list of names and values under a heading.
pub fn entries<N: AsRef<str>>(heading: &str, entries: &[(N, String)]) -> String {
    let lines: String = entries
        .iter()
        .map(|(name, value)| {
            format!("<div><dt>{}</dt><dd>{}</dd></div>\n", escape(name.as_ref()), escape(value))
        })
        .collect();
    format!("<h3>{heading}</h3>\n<dl class=\"entries\">\n{lines}</dl>\n")
}
