//! The command line.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

use crate::method::Method;
use crate::sets;

const EXAMPLES: &str = "\
Examples, each after `cargo run --release -p nca-2004 --`:
  --sets iris,wine --splits 5            a first look
  --data DATA --out runs/figures         all sets of the paper, over the splits of DATA/splits
  --data DATA --peer benches/results/sklearn-nca-2004.json   compared with scikit-learn

Built in are balance, iris, wine, digits and rings. DATA holds ionosphere, housing-q3 and housing-q4 as NAME.csv
(classes in the last column), usps/usps11000-{images-idx3,labels-idx1}-ubyte.gz, faces/olivetti-{images-idx3,
labels-idx1}-ubyte.gz and splits/NAME.csv (a column per split; 1 = train, 2 = test, 0 = not used). A set whose file
is missing is left out with a warning; where there are no splits, seeded stratified ones are made.

Everything runs on the CPU in 64-bit numbers. Ctrl-C stops it; the same command with --resume resumes it.";

/// Measures figures 1 and 2 of the paper that introduced NCA, and writes a report with its tables and figures.
///
/// J. Goldberger, S. Roweis, G. Hinton and R. Salakhutdinov (2004), Neighborhood Components Analysis. Without
/// options: the sets that need no file.
#[derive(Parser, Debug)]
#[command(version, after_help = EXAMPLES, max_term_width = 100)]
pub struct Arguments {
    /// New folder for the report, the figures and results.json.
    #[arg(long, value_name = "FOLDER", default_value = "runs/nca-2004")]
    pub out: PathBuf,

    /// Folder of the sets and splits that are not bundled.
    #[arg(long, value_name = "DIR", value_parser = existing_folder)]
    pub data: Option<PathBuf>,

    /// Only these sets, of figure 1 (such as iris) or figure 2 (rings, faces) [default: all available]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = sets::known_name)]
    pub sets: Vec<String>,

    /// Only these methods of figure 1, as results.json names them (such as lda-unit) [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = method)]
    pub methods: Vec<Method>,

    /// At most this many splits of each set [default: 40; digits and usps 10]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub splits: Option<usize>,

    /// Results of another program on the same splits, as benches/peers/nca_2004.py writes them.
    #[arg(long, value_name = "FILE")]
    pub peer: Option<PathBuf>,

    /// Fits that run at once [default: one per core]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub threads: Option<usize>,

    /// Resume the interrupted run of --out.
    #[arg(long)]
    pub resume: bool,

    /// What is printed on stdout.
    #[arg(long, value_enum, default_value = "table")]
    pub format: Format,

    /// No progress bar.
    #[arg(long, short)]
    pub quiet: bool,
}

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Table,
    /// One JSON document, for programs.
    Json,
}

/// A method by the name of it in results.json.
fn method(text: &str) -> Result<Method, String> {
    serde_json::from_value(text.into()).map_err(|_| {
        let names = Method::ALL.map(|method| serde_json::json!(method).to_string());
        format!("no method has this name; choose among {}", names.join(", ").replace('"', ""))
    })
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("give a whole number of 1 or more".to_string()),
        Ok(number) => Ok(number),
    }
}

fn existing_folder(text: &str) -> Result<PathBuf, String> {
    let folder = PathBuf::from(text);
    if folder.is_dir() {
        return Ok(folder);
    }
    Err("this is not a folder; give the folder that holds the sets".to_string())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn refusal(arguments: &[&str]) -> String {
        let arguments = [&["nca-2004"], arguments].concat();
        Arguments::try_parse_from(arguments).unwrap_err().to_string()
    }

    #[test]
    fn the_definition_is_sound() {
        Arguments::command().debug_assert();
        let arguments = Arguments::try_parse_from(["nca-2004", "--sets", "iris,rings"]).unwrap();
        assert_eq!(arguments.sets, ["iris", "rings"]);
    }

    #[test]
    fn wrong_values_are_refused_with_the_cure() {
        assert!(refusal(&["--sets", "iris,irsi"]).contains("choose among balance, ionosphere"));
        assert!(refusal(&["--data", "/no/such"]).contains("is not a folder; give the folder"));
        assert!(refusal(&["--splits", "0"]).contains("1 or more"));
        assert!(
            refusal(&["--methods", "lda,mlp"]).contains("choose among nca-square, nca-diagonal")
        );
    }
}
