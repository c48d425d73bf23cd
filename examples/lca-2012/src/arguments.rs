//! The command line.

use std::path::PathBuf;

use clap::Parser;

use crate::method::Method;
use crate::paper;

const EXAMPLES: &str = "\
Examples, each after `cargo run --release -p lca-2012 --`:
  --splits 5                                a first look: balance and iris
  --data DATA --out runs/table-1            all sets that DATA holds
  --data DATA --sets mnist --rows 10000     MNIST, learned from 10000 of its images
  --data DATA --methods euclidean,lca,nca   without the methods that take longer
  --data DATA --figures --rows 2000         figures 2, 3 and 4, learned from 2000 rows of each set

Built in are balance and iris. DATA holds segment.csv and letters.csv (classes in the last column), isolet1+2+3+4.data and
isolet5.data (as UCI has them, uncompressed), text/{bbc,classic4}.mtx.gz with text/{bbc,classic4}-labels.csv, mnist/{train,t10k}-{images-idx3,
labels-idx1}-ubyte.gz and splits/NAME.csv (a column per split; 1 = train, 2 = test, 0 = not used). A set whose file is
missing is left out with a warning; where there are no splits, seeded stratified ones are made.

Ctrl-C stops it after the fit that runs; the same command with --resume resumes it.";

/// Measures Table 1 and figure 5, or figures 2, 3 and 4, of Der and Saul (2012), Latent Coincidence Analysis.
///
/// The table holds the test error of 3-NN.
#[derive(Parser, Debug)]
#[command(version, after_help = EXAMPLES, max_term_width = 100)]
pub struct Arguments {
    /// New folder for the report, the figure and results.json.
    #[arg(long, value_name = "FOLDER", default_value = "runs/lca-2012")]
    pub out: PathBuf,

    /// Folder of the sets and splits that are not bundled.
    #[arg(long, value_name = "DIR", value_parser = existing_folder)]
    pub data: Option<PathBuf>,

    /// Only these sets [default: all available]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = paper::known_name)]
    pub sets: Vec<String>,

    /// Only these columns of the table, as results.json names them (such as lca) [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = method, conflicts_with = "figures")]
    pub methods: Vec<Method>,

    /// At most this many splits of each set [default: 10; 1 where the paper has a test set of its own]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub splits: Option<usize>,

    /// Learn from at most this many rows of a split, drawn at random; all test rows stay.
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub rows: Option<usize>,

    /// Figures 2, 3 and 4 in place of the table: the error of classifiers and of 3-NN against the dimensions, and rows in two
    /// of them.
    #[arg(long)]
    pub figures: bool,

    /// LMNN in place of the table, with as many target neighbors and steps as held-out rows choose for each set.
    #[arg(long, conflicts_with_all = ["figures", "methods"])]
    pub choose: bool,

    /// Resume the interrupted run of --out.
    #[arg(long)]
    pub resume: bool,

    /// No progress bar.
    #[arg(long, short)]
    pub quiet: bool,
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

    #[test]
    fn the_definition_is_sound_and_wrong_values_are_refused_with_the_cure() {
        Arguments::command().debug_assert();
        let refusal = |arguments: &[&str]| {
            let arguments = [&["lca-2012"], arguments].concat();
            Arguments::try_parse_from(arguments).unwrap_err().to_string()
        };
        assert!(refusal(&["--sets", "irsi"]).contains("choose among mnist, bbc"));
        assert!(refusal(&["--data", "/no/such"]).contains("is not a folder; give the folder"));
        assert!(refusal(&["--splits", "0"]).contains("1 or more"));
        assert!(refusal(&["--methods", "lca,lda"]).contains("choose among euclidean, pca, lmnn"));
        assert!(refusal(&["--methods", "lca", "--figures"]).contains("cannot be used with"));
    }
}
