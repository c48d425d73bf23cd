//! The options of `nca reproduce`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Format;
use super::parse::at_least_one;

const EXAMPLES: &str = "\
Examples:
  nca reproduce nca-2004                                  the sets that need no file, to runs/nca-2004
  nca reproduce nca-2004 --data DATA --out runs/figures   all sets of the paper, over the splits of DATA/splits
  nca reproduce nca-2004 --sets iris,wine --splits 5      a first look
  nca reproduce nca-2004 --data DATA --peer benches/results/sklearn-nca-2004.json   beside scikit-learn

Built in are balance, iris, wine, digits and rings. DATA holds ionosphere, housing-q3 and housing-q4 as NAME.csv
(classes in the last column), usps/usps11000-{images-idx3,labels-idx1}-ubyte.gz, faces/olivetti-{images-idx3,
labels-idx1}-ubyte.gz and splits/NAME.csv (a column a split; 1 = train, 2 = test, 0 = not used). A set whose file is
missing is left out with a warning; where there are no splits, seeded stratified ones are made.

Everything runs on the CPU in 64-bit numbers. Ctrl-C stops it; the same command with --resume goes on.";

/// Whose experiments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Experiment {
    /// Figures 1 and 2 of Goldberger, Roweis, Hinton and Salakhutdinov, Neighbourhood Components Analysis, 2004.
    #[value(name = "nca-2004")]
    Nca2004,
}

/// The options of `nca reproduce`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct ReproduceArgs {
    /// Whose experiments.
    #[arg(value_enum, value_name = "EXPERIMENT")]
    pub experiment: Experiment,

    /// New folder for the report, the figures and results.json.
    #[arg(long, value_name = "FOLDER", default_value = "runs/nca-2004")]
    pub out: PathBuf,

    /// Folder of the sets and splits that are not bundled.
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,

    /// Only these sets, of figure 1 (such as iris) or figure 2 (rings, faces) [default: all that are there]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub sets: Vec<String>,

    /// At most this many splits of each set [default: 40; digits and usps 10]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub splits: Option<usize>,

    /// Results of another program on the same splits, as benches/peers/nca_2004.py writes them.
    #[arg(long, value_name = "FILE")]
    pub peer: Option<PathBuf>,

    /// Fits that run at once [default: one a core]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub threads: Option<usize>,

    /// Go on with the interrupted run of --out.
    #[arg(long)]
    pub resume: bool,

    /// What is printed on stdout.
    #[arg(long, value_enum, default_value = "table")]
    pub format: Format,

    /// No progress bar.
    #[arg(long, short)]
    pub quiet: bool,
}
