//! The data, the settings as people read them, the run, and the command that makes it again.

use burn_nca_learn::method::{AnyMethod, Uses};
use burn_nca_program::Table;
use burn_nca_program::html::{escape, section};
use serde_json::Value;

use crate::number::{bytes, count, duration, significant};
use crate::sections::picture::listed;
use crate::{Report, Results};

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
    entries.extend(run.sums_text().map(|text| ("sums over pairs", text)));
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

/// The places in the configuration that have a name of their own; a place is written `encoder.hidden`.
const NAMES: [(&str, &str); 24] = [
    ("d_input", "features"),
    ("d_output", "dimensions"),
    ("encoder", "map"),
    ("encoder.Mlp.hidden", "hidden layers"),
    ("encoder.Mlp.activation", "activation"),
    ("criterion", "objective"),
    ("repulsion", "repulsion of classes"),
    ("include_self", "each row counts as a positive of itself"),
    ("fit.start.Random.scale", "scale of the random start"),
    ("fit.start_perplexity", "perplexity of the start"),
    ("fit.l2", "L2 penalty"),
    ("fit.penalty", "penalty on"),
    ("fit.optimizer.Lbfgs.max_iterations", "L-BFGS, maximum iterations"),
    ("fit.optimizer.Lbfgs.tolerance_gradient", "L-BFGS, tolerance of the gradient"),
    ("fit.optimizer.Lbfgs.tolerance_progress", "L-BFGS, tolerance of progress"),
    ("fit.optimizer.Lbfgs.history", "L-BFGS, history"),
    ("fit.optimizer.Lbfgs.max_line_search", "L-BFGS, maximum evaluations per step"),
    ("fit.early_stopping.share", "early stopping, share held out"),
    ("fit.early_stopping.patience", "early stopping, patience"),
    ("fit.stop_at", "number of steps"),
    ("fit.precision", "number type"),
    ("decision.rule", "rule of predictions"),
    ("decision.neighbors", "neighbors of predictions"),
    ("fit.blocks.memory_mib", "memory for one pass, MiB"),
];

/// Where the settings are that methods share, and that one may have no use for.
const SHARED: [(&str, Uses); 6] = [
    ("fit.start", Uses::Start),
    ("fit.l2", Uses::L2),
    ("fit.penalty", Uses::L2),
    ("fit.optimizer", Uses::Optimizer),
    ("fit.blocks", Uses::Optimizer),
    ("fit.early_stopping", Uses::EarlyStopping),
];

/// The settings that are set and that the method uses, in the order of the configuration.
fn settings(value: &Value) -> Vec<(String, String)> {
    let mut flat = Vec::new();
    flatten("", value, &mut flat);
    let method = value["method"].as_str().and_then(|name| AnyMethod::named(name).ok());
    let uses = method.map(|method| method.info().uses);
    let is_used = |(place, _): &(String, String)| {
        let shared = SHARED.iter().find(|(of, _)| place.starts_with(of));
        shared.is_none_or(|(_, of)| uses.is_none_or(|uses| uses.contains(of)))
    };
    flat.into_iter().filter(is_used).map(|(place, text)| (named(&place), text)).collect()
}

fn flatten(place: &str, value: &Value, flat: &mut Vec<(String, String)>) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            for (field, value) in fields {
                let inner =
                    if place.is_empty() { field.clone() } else { format!("{place}.{field}") };
                flatten(&inner, value, flat);
            }
        }
        // What is not set has no effect.
        Value::Null => {}
        // The choices of the library are names such as `MinMax`; one is written in files as it was at first.
        Value::String(text) => {
            flat.push((place.to_owned(), in_words(&text.replace("Standardise", "Standardize"))));
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().take(12).map(Value::to_string).collect();
            flat.push((place.to_owned(), items.join(", ")));
        }
        other => flat.push((place.to_owned(), other.to_string())),
    }
}

/// The name of a place; of one without a name of its own the last parts, in words.
fn named(place: &str) -> String {
    if let Some((_, name)) = NAMES.iter().find(|(known, _)| *known == place) {
        return (*name).to_owned();
    }
    let parts: Vec<&str> =
        place.split('.').filter(|part| !["fit", "optimizer"].contains(part)).collect();
    parts.iter().map(|part| in_words(part)).collect::<Vec<_>>().join(", ")
}

/// `max_line_search` and `MinMax` as `max line search` and `min max`; text with blanks or signs as it is.
fn in_words(name: &str) -> String {
    if name.chars().any(|c| !(c.is_ascii_alphanumeric() || c == '_')) {
        return name.to_owned();
    }
    let mut words = String::new();
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        let next_is_small = letters.peek().is_some_and(char::is_ascii_lowercase);
        match letter {
            '_' => words.push(' '),
            'A'..='Z' => {
                if !words.is_empty() && next_is_small {
                    words.push(' ');
                }
                words.push(letter.to_ascii_lowercase());
            }
            other => words.push(other),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use burn_nca_learn::NcaConfig;

    use super::*;

    #[test]
    fn settings_have_names_that_people_read() {
        let config = serde_json::to_value(NcaConfig::recommended(4, 2)).unwrap();
        let settings = settings(&config);
        let of = |name: &str| {
            settings.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_str())
        };
        let shown = ["features", "map", "objective", "L2 penalty", "start", "scaling"].map(of);
        assert_eq!(shown, ["4", "linear", "g", "0.01", "auto", "standardize"].map(Some));
        assert_eq!(of("L-BFGS, maximum iterations"), Some("200"));
        for (name, text) in &settings {
            assert!(!name.contains(['_', '.', ':']) && !text.contains("not set"), "{name}: {text}");
        }
    }

    #[test]
    fn settings_that_the_method_does_not_use_are_left_out() {
        let mut config = serde_json::to_value(NcaConfig::recommended(4, 2)).unwrap();
        config["method"] = "lda".into();
        let unused = |name: &str| name == "L2 penalty" || name.contains("L-BFGS");
        assert!(settings(&config).iter().all(|(name, _)| !unused(name)));
    }
}
