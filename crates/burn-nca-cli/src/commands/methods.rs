//! `nca methods`: what can be learnt by, when to take it, and the settings of each.

use anyhow::Result;
use burn_nca::method::{AnyMethod, MethodInfo};

use crate::cli::Format;
use crate::cli::method::MethodsArgs;
use crate::output;

/// Lists the methods, or one with its settings.
///
/// # Errors
/// A closed stdout.
pub fn run(args: &MethodsArgs) -> Result<()> {
    let all = AnyMethod::all().into_iter().map(|method| method.info());
    let chosen: Vec<MethodInfo> =
        all.filter(|info| args.name.as_deref().is_none_or(|name| name == info.name)).collect();
    match (args.format, args.name.is_some()) {
        (Format::Json, _) => output::print_json(&chosen),
        (Format::Table, false) => output::print(&listed(&chosen)),
        (Format::Table, true) => output::print(&chosen.iter().map(described).collect::<String>()),
    }
}

/// A line per method: name, what it learns from, when to take it.
fn listed(methods: &[MethodInfo]) -> String {
    let width = methods.iter().map(|method| method.name.len()).max().unwrap_or(0);
    let line = |method: &MethodInfo| {
        format!("{:width$}  {:7}  {}: {}\n", method.name, data(method), method.title, method.when)
    };
    methods.iter().map(line).collect()
}

fn described(method: &MethodInfo) -> String {
    let mut text = format!(
        "{}: {}\nlearns from {}\nfor {}\n",
        method.name,
        method.title,
        data(method),
        method.when
    );
    for setting in &method.settings {
        text += &format!(
            "\n--set {}={}\n    {}\n",
            setting.name,
            value(&setting.default),
            setting.help
        );
    }
    text
}

/// A word stands without its quotation marks.
fn value(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), String::from)
}

fn data(method: &MethodInfo) -> String {
    method.task.map_or("any".to_string(), |task| task.to_string())
}
