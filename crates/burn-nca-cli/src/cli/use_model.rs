//! The options of the commands that use a saved model, and of a source of data.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::parse::{
    NameList, NeighborCount, at_least, choice, ignored_names, neighbor_count, picture,
};
use super::table::TextArgs;
use super::{Format, ModelArgs};
use crate::output::TableFormat;

/// How an embedding is written.
const EMBEDDING_FORMATS: &[(&str, &str, TableFormat)] = &[
    ("csv", "One line per row", TableFormat::Csv),
    (
        "npy",
        "A NumPy array, in the number type of the fit; NaN in rows that were left out",
        TableFormat::Npy,
    ),
    (
        "parquet",
        "A Parquet table, in the number type of the fit; no values in rows that were left out",
        TableFormat::Parquet,
    ),
];

/// How predictions are written.
const PREDICTION_FORMATS: &[(&str, &str, TableFormat)] = &[
    ("csv", "One row per row of the table", TableFormat::Csv),
    ("json", "One JSON document", TableFormat::Json),
];

/// A labeled table.
#[derive(Args, Debug)]
pub struct SourceArgs {
    /// A bundled set (see nca datasets), a .csv or .csv.gz file with a header, a Parquet or Arrow file (where nca is
    /// built with the feature parquet), - for one of these on standard input, an .npz archive of the arrays X and y, or
    /// a pair X.npy,Y.npy or IMAGES,LABELS (IDX).
    #[arg(value_name = "DATA")]
    pub data: String,

    /// Column of the classes, or of the numeric target, in a CSV file [default: the last]
    #[arg(long, value_name = "COLUMN")]
    pub target: Option<String>,

    /// Columns of a CSV file that are neither feature nor target, by name or pattern, as in id,note_*; a name with a
    /// comma in quotation marks, as in '"width, cm",id'.
    #[arg(long, value_name = "COLUMNS", value_parser = ignored_names)]
    pub ignore: Vec<NameList>,

    #[command(flatten)]
    pub text: TextArgs,
}

/// The options of `nca transform`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  nca transform runs/iris new.csv                   the embedding as CSV, on stdout
  nca transform runs/iris new.csv --out z.npy       the same as a NumPy array
  nca transform runs/iris new.csv --out z.parquet   the same as a Parquet table

The columns are picked by their names; others in the file (the classes, say) are not read.")]
pub struct TransformArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    /// The rows to embed: a bundled set, a CSV, Parquet or Arrow file, - for standard input, an .npy, .npz or IDX array.
    #[arg(value_name = "DATA")]
    pub data: String,

    /// A column that names the rows, before the embedding in a .csv or a .parquet [default: that of the fit, where it is there]
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,

    #[command(flatten)]
    pub text: TextArgs,

    /// How the embedding is written [default: csv, or as the name of --out ends]
    #[arg(long, value_parser = choice(EMBEDDING_FORMATS))]
    pub format: Option<TableFormat>,

    /// File to write, .csv, .npy or .parquet; an existing one is replaced.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// How neighbors decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Rule {
    /// The majority of the k nearest training rows (ties go to the nearest), or the mean of their numbers.
    Knn,
    /// The stochastic rule of the paper: all training rows, weighted by exp(-distance²).
    Soft,
}

/// The options of `nca predict`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  nca predict runs/iris new.csv                              one class per row, as CSV on stdout
  nca predict runs/iris new.csv --neighbors 1
  nca predict runs/iris new.csv --rule soft --probabilities  with the probability of each class
  nca predict runs/iris new.csv --format json
  nca predict runs/iris new.csv --explain                    with the training rows that decide, and why they are near
  nca predict runs/housing new.csv                           the number, for a model of a numeric target")]
pub struct PredictArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    /// The rows to classify: a bundled set, a CSV, Parquet or Arrow file, - for standard input, an .npy, .npz or IDX
    /// array.
    #[arg(value_name = "DATA")]
    pub data: String,

    /// How neighbors decide [default: the rule saved with the model]
    #[arg(long, value_enum)]
    pub rule: Option<Rule>,

    /// The k of the rule knn; for classes also cv (the k with most training rows right, each left out in turn) or entropy
    /// (k = perplexity of the metric) [default: that of the model; else 5, or all training rows where there are fewer]
    #[arg(long, value_name = "K|cv|entropy", allow_negative_numbers = true, value_parser = neighbor_count)]
    pub neighbors: Option<NeighborCount>,

    /// Adds a column for each class: its probability (soft) or its share of the votes (knn).
    #[arg(long)]
    pub probabilities: bool,

    /// Adds the training rows that decide, N at most: their number in the table of the fit, target and share of the prediction;
    /// and the 3 features that make those of the predicted class nearer than the nearest row of another class (numbers: than
    /// training rows on average), each with the difference in the distance that it makes.
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "3",
          value_parser = at_least(1))]
    pub explain: Option<usize>,

    /// Where the table of the fit is now, for --explain [default: where the fit read it]
    #[arg(long, value_name = "DATA", requires = "explain")]
    pub train: Option<String>,

    /// A column that names the rows, before the predictions [default: that of the fit, where it is there]
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,

    #[command(flatten)]
    pub text: TextArgs,

    /// How the predictions are written [default: csv, or as the name of --out ends]
    #[arg(long, value_parser = choice(PREDICTION_FORMATS))]
    pub format: Option<TableFormat>,

    /// File to write, .csv or .json; an existing one is replaced.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// The options of `nca evaluate`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  nca evaluate runs/iris test.csv --target species
  nca evaluate runs/iris test.csv --format json | jq .accuracy.nn
  nca evaluate runs/film more.csv --pairs pairs.csv   a model of pairs: where partners rank
  nca evaluate runs/iris test.csv --train moved/iris.csv   the table of the fit has moved

k-NN by the learned metric is compared with k-NN by Euclidean distance on the same scaled features
(McNemar's test). For this the training rows are read again, as the fit in the run's report read them.

Columns are picked by their names, and the target by the name that it had in the fit.

On training rows every row finds itself, and 1-NN is always right. A warning counts them and gives the
accuracy on the others; the leave-one-out accuracy of the training rows is in the report of the fit.")]
pub struct EvaluateArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    #[command(flatten)]
    pub source: SourceArgs,

    /// Pairs of rows of DATA that belong together (row,row[,weight], rows counted from 1), for a model of pairs.
    #[arg(long, value_name = "FILE", conflicts_with = "target")]
    pub pairs: Option<PathBuf>,

    /// The k of k-NN and of precision@k; for classes also cv (the k with most training rows right, each left out in turn)
    /// or entropy (k = perplexity of the metric) [default: that of the model; else 5, or all training rows if fewer]
    #[arg(long, value_name = "K|cv|entropy", allow_negative_numbers = true, value_parser = neighbor_count)]
    pub neighbors: Option<NeighborCount>,

    /// Where the table of the fit is now, for the comparison with Euclidean distance [default: where the fit read
    /// it]
    #[arg(long, value_name = "DATA")]
    pub train: Option<String>,

    /// What is printed on stdout.
    #[arg(long, value_enum, default_value = "table")]
    pub format: Format,
}

/// The options of `nca info`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  nca info runs/iris
  nca info runs/iris --format json | jq .matrix
  nca info runs/iris --labels labels.csv   the training rows whose class the others contradict, first

The JSON holds the learned map A as matrix, on the scaled features; it is null for an mlp and for a map of more than
40 features or 40 dimensions: nca export writes any linear map.")]
pub struct InfoArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    /// Write all training rows into this .csv, those first whose label looks wrong: by the probability of their class among
    /// the other rows, with the class that these suggest; numbers by the residual, in units of its spread.
    #[arg(long, value_name = "FILE", conflicts_with = "format")]
    pub labels: Option<PathBuf>,

    /// Where the table of the fit is now, for --labels [default: where the fit read it]
    #[arg(long, value_name = "DATA", requires = "labels")]
    pub train: Option<String>,

    /// What is printed on stdout.
    #[arg(long, value_enum, default_value = "table")]
    pub format: Format,
}

/// The options of `nca report`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  nca report runs/iris     after an update of nca, or an edit of report.json\n  nca report runs/iris \
                  --picture iris.png"
)]
pub struct ReportArgs {
    /// The folder that nca fit --out wrote.
    #[arg(value_name = "RUN")]
    pub run: PathBuf,

    /// Write the picture of the rows as .svg or .png in place of the page; may be given several times.
    #[arg(long, value_name = "FILE", value_parser = picture)]
    pub picture: Vec<PathBuf>,
}

/// The options of `nca export`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  nca export runs/iris --to A.safetensors
  nca export runs/iris --to iris.onnx --with-neighbors    one file that classifies, wherever ONNX runs

A .safetensors file holds weight [k, d] and bias [k] on raw features, the scaling folded in. In Python:
  from safetensors.numpy import load_file
  layer = load_file('A.safetensors'); z = x @ layer['weight'].T + layer['bias']

An .onnx file (opset 15) holds scaling and map, networks too: features [n, d] to embedding [n, k], any n. In Python:
  import onnxruntime
  session = onnxruntime.InferenceSession('iris.onnx')
  embedding, probabilities, label = session.run(None, {'features': x.astype('float32')})")]
pub struct ExportArgs {
    #[command(flatten)]
    pub model: ModelArgs,

    /// File to write, .safetensors or .onnx; an existing one is replaced.
    #[arg(long, value_name = "FILE")]
    pub to: PathBuf,

    /// Put the training rows and the rule of the model into an .onnx file, so that it predicts as nca predict does.
    #[arg(long)]
    pub with_neighbors: bool,

    /// The rule of --with-neighbors [default: the rule saved with the model]
    #[arg(long, value_enum, requires = "with_neighbors")]
    pub rule: Option<Rule>,
}
