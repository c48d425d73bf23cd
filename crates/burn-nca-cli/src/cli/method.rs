//! The options of `nca fit` that choose a method, and those of `nca methods`.

use burn_nca_learn::method::AnyMethod;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};

use super::Format;

/// How the metric is learned.
#[derive(Args, Debug)]
#[command(next_help_heading = "Method")]
pub struct MethodOptions {
    /// The method [default: nca for classes, mlkr for a numeric target (soft-nca with --soft), pairs with --pairs]; nca
    /// methods lists them with their settings.
    #[arg(long, value_name = "NAME", value_parser = names())]
    pub method: Option<String>,

    /// A setting of the method, as in --set repulsion=0.5; may be given several times.
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting)]
    pub set: Vec<(String, String)>,
}

/// The options of `nca methods`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  nca methods                     what there is, and when to take it
  nca methods nca                 the settings of one, for --set
  nca methods --format json | jq -r '.[].name'")]
pub struct MethodsArgs {
    /// A method: then its settings are listed too.
    #[arg(value_name = "NAME", value_parser = names())]
    pub name: Option<String>,

    /// What is printed on stdout.
    #[arg(long, value_enum, default_value = "table")]
    pub format: Format,
}

/// The names of the methods, each with when to take it.
fn names() -> PossibleValuesParser {
    let named = AnyMethod::all().into_iter().map(|method| {
        let info = method.info();
        PossibleValue::new(info.name).help(info.when)
    });
    PossibleValuesParser::new(named)
}

fn setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => {
            Ok((key.trim().to_string(), value.trim().to_string()))
        }
        _ => Err("give KEY=VALUE, such as repulsion=0.5".to_string()),
    }
}
