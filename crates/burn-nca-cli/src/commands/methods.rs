//! `nca methods`: what can be learned by, when to take it, and the settings of each.

use anyhow::Result;
use burn_nca_learn::method::{AnyMethod, MethodInfo};
use burn_nca_program::Terminal;
use burn_nca_program::terminal::{listing, wrapped};

use crate::cli::Format;
use crate::cli::method::MethodsArgs;
use crate::output;

pub fn run(args: &MethodsArgs) -> Result<()> {
    let all = AnyMethod::all().into_iter().map(|method| method.info());
    let chosen: Vec<MethodInfo> =
        all.filter(|info| args.name.as_deref().is_none_or(|name| name == info.name)).collect();
    if args.format == Format::Json {
        return output::print_json(&chosen);
    }
    let terminal = Terminal::of_stdout();
    output::print(&match args.name {
        None => listed(&chosen, terminal),
        Some(_) => chosen.iter().map(|method| described(method, terminal)).collect(),
    })
}

/// A line per method: name, what it learns from, when to take it.
fn listed(methods: &[MethodInfo], terminal: Terminal) -> String {
    let width = methods.iter().map(|method| method.name.len()).max().unwrap_or(0);
    let line = |method: &MethodInfo| {
        let head = format!("{:width$}  {}", method.name, data(method));
        (head, format!("{}: {}", method.title, method.when))
    };
    listing(&methods.iter().map(line).collect::<Vec<_>>(), terminal)
}

fn described(method: &MethodInfo, terminal: Terminal) -> String {
    let about = format!(
        "{}: {}\nlearns from {}\nfor {}",
        method.name,
        method.title,
        data(method),
        method.when
    );
    let mut text: String = about.lines().map(|line| wrapped(line, terminal)).collect();
    for setting in &method.settings {
        text += &format!("\n--set {}={}\n", setting.name, value(&setting.default));
        let tried = match setting.tried {
            [] => String::new(),
            tried => format!(" (--tune tries {})", tried.join(", ")),
        };
        text += &listing(&[("  ".to_string(), setting.help.to_string() + &tried)], terminal);
    }
    text
}

/// A word is written without its quotation marks.
fn value(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), String::from)
}

fn data(method: &MethodInfo) -> String {
    method.task.map_or("any".to_string(), |task| task.to_string())
}
