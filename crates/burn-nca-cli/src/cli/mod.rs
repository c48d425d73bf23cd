//! The command line: commands and their options.

// The doc comments are the program's help: brackets are meant for readers.
#![allow(rustdoc::broken_intra_doc_links)]

pub mod fit;
pub mod method;
pub mod parse;
pub mod table;
mod use_model;

pub use fit::FitArgs;
pub use parse::NeighborCount;
pub use use_model::{
    EvaluateArgs, ExportArgs, InfoArgs, PredictArgs, ReportArgs, Rule, SourceArgs, TransformArgs,
};

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};

const TOP_EXAMPLES: &str = "\
Examples:
  nca fit iris --dim 2 --out runs/iris     learn a metric; write the model, report.json and report.html
  nca predict runs/iris/model new.csv      classify new rows with it
  nca fit DATA --help                      every option of a verb, with examples

Results go to stdout, progress and messages to stderr.
Exit codes: 0 success, 1 the work failed (bad data, a missing file), 2 wrong usage, 130 stopped by Ctrl-C,
143 stopped by SIGTERM, 129 stopped by SIGHUP (fit --resume continues from there).";

/// Learn the distance that makes nearest neighbors work (neighborhood components analysis).
#[derive(Debug, Parser)]
#[command(name = "nca", version, after_help = TOP_EXAMPLES, max_term_width = 100)]
pub struct Cli {
    /// Log to stderr what is being done; twice: every iteration; three times: what Burn logs, too.
    #[arg(long, short, global = true, action = ArgAction::Count)]
    pub verbose: u8,

    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Learn a metric from classes, a numeric target or pairs, and compare it with Euclidean distance, PCA and LDA.
    Fit(Box<FitArgs>),
    /// Embed the rows of a table with a saved model.
    Transform(TransformArgs),
    /// Classify the rows of a table, or predict their target, with a saved model.
    Predict(PredictArgs),
    /// Measure a saved model on a table that it was not fitted on.
    Evaluate(EvaluateArgs),
    /// Describe a saved model: settings, columns, classes, how its fit ended, A.
    Info(InfoArgs),
    /// Write report.html again from the report.json of a run.
    Report(ReportArgs),
    /// Export the map of a saved model as a plain linear layer (safetensors).
    Export(ExportArgs),
    /// List available devices, for --device.
    #[command(after_help = "\
Examples:
  nca devices            the names that --device takes on this machine
  nca devices --test     compare a product and a loss of each with the CPU, and fused sums over pairs with plain ones")]
    Devices {
        /// Run the self-test of each device, and compare fused with plain sums there.
        #[arg(long, visible_alias = "check")]
        test: bool,
    },
    /// List the methods to learn by, when to take each, and its settings.
    Methods(method::MethodsArgs),
    /// List the bundled and generated data sets.
    #[command(after_help = "Example:\n  nca datasets     then: nca fit wine --dim 2")]
    Datasets,
    /// Serve the page that trains NCA in the browser, to this machine alone.
    #[command(
        after_help = "Example, of a page that crates/burn-nca-web/build.sh wrote:\n  nca demo --site site"
    )]
    Demo(DemoArgs),
    /// Print the completions of a shell.
    #[command(after_help = "\
Examples:
  nca completions bash > ~/.local/share/bash-completion/completions/nca
  nca completions fish > ~/.config/fish/completions/nca.fish")]
    Completions {
        /// The shell.
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
}

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Table,
    /// One JSON document, for programs.
    Json,
}

/// The device of a command that computes.
#[derive(Args, Debug)]
pub struct DeviceArgs {
    /// cpu, flex, ndarray, wgpu[:i], cuda[:i], or auto: nca fit takes the fastest, by a measurement
    /// [default: $BURN_DEVICE, else cpu]
    #[arg(long, value_name = "NAME", default_value = "default", hide_default_value = true)]
    pub device: String,
}

/// The folder of a saved model.
#[derive(Args, Debug)]
pub struct ModelArgs {
    /// Folder of a saved model: RUN/model, or the RUN folder that nca fit --out wrote.
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,

    #[command(flatten)]
    pub device: DeviceArgs,
}

/// What the page is served from.
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// The folder that crates/burn-nca-web/build.sh made.
    #[arg(long, value_name = "FOLDER", default_value = "target/web")]
    pub site: PathBuf,

    /// The port on 127.0.0.1; 0 for any that is free.
    #[arg(long, value_name = "PORT", default_value = "8080", allow_negative_numbers = true, value_parser = parse::up_to(u16::MAX))]
    pub port: u16,
}

/// The options of `nca fit t.csv` with these, for tests.
#[cfg(test)]
pub fn fit_args(options: &str) -> FitArgs {
    let words = ["nca", "fit", "t.csv"].into_iter().chain(options.split_whitespace());
    let Ok(Cli { command: Command::Fit(args), .. }) = Cli::try_parse_from(words) else {
        panic!("{options}")
    };
    *args
}
