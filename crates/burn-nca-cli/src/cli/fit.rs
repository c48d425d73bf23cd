//! The options of `nca fit`.

use std::path::PathBuf;

use burn_nca_learn::data::ScalingKind;
use burn_nca_learn::encoder::Activation;
use burn_nca_learn::fit::{Penalty, Precision, Start};
use burn_nca_learn::objective::Criterion;
use burn_nca_learn::{FOURIER_TOLERANCE, Sums};
use clap::{Args, ValueEnum};

use super::method::{MethodOptions, TargetOptions, TuneOptions};
use super::parse::{
    CandidateRows, NeighborCount, at_least, candidates, choice, held_out_share, momentum,
    neighbor_count, open_share, perplexity, picture, positive, up_to, weight,
};
use super::table::ColumnArgs;
use super::{DeviceArgs, Format, Rule, SourceArgs};

const PRECISIONS: &[(&str, &str, Precision)] =
    &[("f32", "32-bit floats", Precision::F32), ("f64", "64-bit floats", Precision::F64)];

/// The second word is the earlier spelling of the first.
const SCALES: &[(&str, &str, ScalingKind)] = &[
    ("standardize", "Mean 0, standard deviation 1", ScalingKind::Standardize),
    ("standardise", "", ScalingKind::Standardize),
    ("common", "Mean 0, one scale for all columns", ScalingKind::Common),
    ("min-max", "From 0 to 1", ScalingKind::MinMax),
    ("none", "Unscaled", ScalingKind::None),
];

const SUMS: &[(&str, &str, Sums)] = &[
    ("auto", "The fastest", Sums::Auto),
    ("plain", "As they are defined", Sums::Plain),
    ("fused", "In one operation", Sums::Fused),
    ("fourier", "By a Fourier series, in one and two dimensions", Sums::Fourier(FOURIER_TOLERANCE)),
];

const CRITERIA: &[(&str, &str, Criterion)] =
    &[("f", "Sum of p_i", Criterion::F), ("g", "Sum of log p_i", Criterion::G)];

const ACTIVATIONS: &[(&str, &str, Activation)] = &[
    ("relu", "max(0, x)", Activation::Relu),
    ("tanh", "Hyperbolic tangent", Activation::Tanh),
    ("logistic", "1 / (1 + exp(-x))", Activation::Logistic),
];

const YES_OR_NO: &[(&str, &str, bool)] = &[("yes", "Yes", true), ("no", "No", false)];

const PENALTIES: &[(&str, &str, Penalty)] = &[
    ("spread", "The spread of the embedding", Penalty::Spread),
    ("weights", "The weights", Penalty::Weights),
];

const EXAMPLES: &str = "\
Examples:
  nca fit iris --dim 2 --out runs/iris         a bundled set, to two dimensions, with a report
  nca fit flowers.csv --target species         the full metric of your own table
  nca fit digits --dim 10 --optimizer adam     mini-batches
  nca fit X.npy,Y.npy --encoder mlp --hidden 64,32 --dim 2 --early-stopping
  nca fit wine --dim 2 --format json | jq .accuracy.test
  nca fit wine --dim 2 --picture wine.svg --picture wine.png
  nca fit housing.csv --target price --task regression --out runs/housing
  nca fit film.csv --pairs neighbors.csv --dim 2   no labels: pairs of rows, as in 1,2
  nca fit patients.csv --id name --missing median --categorical auto   text columns, missing values, an id
  nca fit counts.mtx.gz,topics.csv --dim 2     word counts of texts, their zeros never written out
  nca fit wine --tune --budget 60              settings chosen by cross-validation inside the training rows
  nca fit big.csv --out runs/big               Ctrl-C stops it; --resume continues";

/// The options of `nca fit`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct FitArgs {
    #[command(flatten)]
    pub source: SourceArgs,

    #[command(flatten)]
    pub columns: ColumnArgs,

    /// Dimensions of the embedding [default: as many as features, 32 where there are more than 128; 2 for an mlp]
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = at_least(1))]
    pub dim: Option<usize>,

    /// Directions that the columns are reduced to before the fit, by PCA once they are scaled (a sparse table by a truncated
    /// SVD); the model takes the table itself [default: 100 of a sparse table]
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = at_least(1))]
    pub reduce: Option<usize>,

    /// Share of each class (of the rows with a numeric target, of the pairs) that is held out to test on; 0 trains
    /// on everything.
    #[arg(long, value_name = "SHARE", default_value = "0.3", allow_negative_numbers = true, value_parser = held_out_share)]
    pub test_size: f64,

    /// How features are scaled [default: standardize; common where adam meets columns of one unit, such as pixels]
    #[arg(long, value_parser = choice(SCALES))]
    pub scale: Option<ScalingKind>,

    /// How the model predicts; saved with it [default: knn for classes, soft for a numeric target and for methods with a
    /// rule of their own]
    #[arg(long, value_enum)]
    pub rule: Option<Rule>,

    /// The k of the rule knn and of the k-NN column; for classes also cv (the k with most training rows right, each left
    /// out in turn) or entropy (k = perplexity of the metric) [default: 5, or all training rows where there are fewer]
    #[arg(long, value_name = "K|cv|entropy", allow_negative_numbers = true, value_parser = neighbor_count)]
    pub neighbors: Option<NeighborCount>,

    /// Leaves Euclidean distance, PCA and LDA out of the comparison.
    #[arg(long)]
    pub no_baselines: bool,

    /// Seed of the split and of everything random in the fit.
    #[arg(long, value_name = "N", default_value = "0", allow_negative_numbers = true, value_parser = up_to(u64::MAX))]
    pub seed: u64,

    #[command(flatten)]
    pub targets: TargetOptions,

    #[command(flatten)]
    pub method: MethodOptions,

    #[command(flatten)]
    pub model: ModelOptions,

    #[command(flatten)]
    pub optimizer: OptimizerOptions,

    #[command(flatten)]
    pub tuning: TuneOptions,

    #[command(flatten, next_help_heading = "Computation")]
    pub device: DeviceArgs,

    /// Number type of the fit; f64 on CPU devices only.
    #[arg(long, default_value = "f32", value_parser = choice(PRECISIONS))]
    pub precision: Precision,

    /// How sums over pairs of rows are computed: plain, as they are defined, differentiated by Burn; fused, in one operation,
    /// on devices that have it; fourier, by a Fourier series in linear time (nca and mlkr with --dim 1 or 2 on flex); auto, the fastest.
    #[arg(long, default_value = "auto", value_parser = choice(SUMS))]
    pub sums: Sums,

    /// Tolerance of --sums fourier [default: 1e-8]
    #[arg(long, value_name = "TOLERANCE", allow_negative_numbers = true)]
    pub sums_tolerance: Option<f64>,

    /// Memory for one pass over the data, in MiB [default: the library's]
    #[arg(long, value_name = "MIB", allow_negative_numbers = true, value_parser = at_least(1))]
    pub memory: Option<usize>,

    /// New folder for the model, report.json and report.html.
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    pub out: Option<PathBuf>,

    /// Write the picture of the rows as .svg or .png, too; may be given several times.
    #[arg(long, value_name = "FILE", value_parser = picture, help_heading = "Output")]
    pub picture: Vec<PathBuf>,

    /// Resume the interrupted fit of --out.
    #[arg(long, requires = "out", help_heading = "Output")]
    pub resume: bool,

    /// What is printed on stdout.
    #[arg(long, value_enum, default_value = "table", help_heading = "Output")]
    pub format: Format,

    /// No progress bar.
    #[arg(long, short, help_heading = "Output")]
    pub quiet: bool,
}

/// What is learned.
#[derive(Args, Debug)]
#[command(next_help_heading = "Model")]
pub struct ModelOptions {
    /// The map: a matrix A, one weight per feature, or a network [default: linear; or an mlp, where the comparison of
    /// settings chooses it]
    #[arg(long, value_enum, conflicts_with = "warm_start")]
    pub encoder: Option<EncoderKind>,

    /// Hidden layers of an mlp, as in 64,32 [default: 256,128 for NCA and MLKR by mini-batches; else 64]
    #[arg(long, value_name = "SIZES", value_delimiter = ',', allow_negative_numbers = true, value_parser = at_least(1))]
    pub hidden: Option<Vec<usize>>,

    /// Activation of an mlp [default: relu]
    #[arg(long, value_parser = choice(ACTIVATIONS))]
    pub activation: Option<Activation>,

    /// Share of the hidden units that are set to zero in each training step [default: 0.2 with batch normalization; else 0]
    #[arg(long, value_name = "P", allow_negative_numbers = true, value_parser = momentum)]
    pub dropout: Option<f64>,

    /// Standard deviation of the noise added to the scaled inputs of an mlp in training [default: 0.3 with batch
    /// normalization; else 0]
    #[arg(long, value_name = "X", allow_negative_numbers = true, value_parser = weight)]
    pub noise: Option<f64>,

    /// Batch normalization of the hidden layers of an mlp [default: yes for NCA and MLKR by mini-batches; else no]
    #[arg(long, value_name = "yes|no", value_parser = choice(YES_OR_NO))]
    pub batch_norm: Option<bool>,

    /// The criterion: f, the expected number of points classified correctly, or g, the log probability that all are
    /// [default: g; f with --soft]
    #[arg(long, value_parser = choice(CRITERIA))]
    pub objective: Option<Criterion>,

    /// Where A starts: auto, identity, random (random:SCALE for entries of this standard deviation), pca, lda, or a file
    /// with A: an .npy of shape k x d, or a .csv of k rows whose header names the features [default: auto]
    #[arg(long, value_name = "START", conflicts_with = "warm_start", value_parser = init)]
    pub init: Option<Init>,

    /// Start from the map of a saved model.
    #[arg(long, value_name = "MODEL")]
    pub warm_start: Option<PathBuf>,

    /// Scale the start so that its kernel has this perplexity; 0 leaves it unscaled [default: 15, in up to five dimensions a
    /// thirtieth of the rows if more, for a map of nca where --objective and --init are left out; else 0]
    #[arg(long, value_name = "P", conflicts_with = "warm_start", allow_negative_numbers = true, value_parser = perplexity)]
    pub start_perplexity: Option<f64>,

    /// Weight of the L2 penalty l2 * n * penalty [default: 0.01; 0.001 for an mlp by lbfgs, 0 with --weight-decay; 0.02 for
    /// a numeric target; 0 for pairs]
    #[arg(long, value_name = "X", allow_negative_numbers = true, value_parser = weight)]
    pub l2: Option<f64>,

    /// What the penalty weighs: the spread of the embedding, tr(A S A^T), which has no units, or the weights, ||A||²
    /// [default: spread for a map of nca; else weights]
    #[arg(long, value_parser = choice(PENALTIES))]
    pub penalty: Option<Penalty>,

    /// Weight of the hinge that keeps classes apart.
    #[arg(long, value_name = "X", default_value = "0", allow_negative_numbers = true, value_parser = weight)]
    pub repulsion: f64,
}

impl ModelOptions {
    /// The map that was asked for, or a matrix.
    pub fn encoder(&self) -> EncoderKind {
        self.encoder.unwrap_or(EncoderKind::Linear)
    }
}

/// How the objective is optimized.
#[derive(Args, Debug)]
#[command(next_help_heading = "Optimization")]
pub struct OptimizerOptions {
    /// L-BFGS or conjugate gradients over all rows, or mini-batches with Adam or stochastic gradient descent [default:
    /// adam for an mlp by NCA or MLKR, and for a map of theirs where rows² × dimensions is above 5e9; else lbfgs]
    #[arg(long, value_enum)]
    pub optimizer: Option<OptimizerKind>,

    /// The most iterations of lbfgs or cg; 0 evaluates the start [default: 200]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = at_least(0))]
    pub max_iterations: Option<usize>,

    /// Passes of adam or sgd over the data [default: as many as 400 steps need, 600 for an mlp with batch normalization; at
    /// least 4]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = at_least(0))]
    pub epochs: Option<usize>,

    /// Rows of a batch of adam or sgd [default: 2000; at most half of the rows for an mlp with batch normalization]
    #[arg(long, value_name = "ROWS", allow_negative_numbers = true, value_parser = at_least(1))]
    pub batch_size: Option<usize>,

    /// Rows that those of a batch see as neighbors, the batch among them, the others at random or the nearest:ROWS; all: the
    /// unbiased stochastic gradient of the paper [default: the batch alone]
    #[arg(long, value_name = "ROWS|all|nearest:ROWS", allow_negative_numbers = true, value_parser = candidates)]
    pub candidates: Option<CandidateRows>,

    /// Learning rate of adam or sgd at the start [default: 0.08 of the typical entry of the map at its start; 0.1 (1 - M) of
    /// the sum of its squared entries for sgd, 0.1 (1 - M) for an mlp]
    #[arg(long, value_name = "X", allow_negative_numbers = true, value_parser = positive)]
    pub learning_rate: Option<f64>,

    /// Decay of the parameters in each step of adam, times the learning rate (AdamW) [default: 0.01 for an mlp with batch
    /// normalization; else 0]
    #[arg(long, value_name = "X", allow_negative_numbers = true, value_parser = weight)]
    pub weight_decay: Option<f64>,

    /// Share of the last step that sgd takes again, from 0 to below 1 [default: 0.9]
    #[arg(long, value_name = "M", allow_negative_numbers = true, value_parser = momentum)]
    pub momentum: Option<f64>,

    /// Hold out a share of the training rows and stop when their score no longer improves [share: 0.2]
    #[arg(
        long,
        value_name = "SHARE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "0.2",
        allow_negative_numbers = true, value_parser = open_share
    )]
    pub early_stopping: Option<f64>,

    /// Iterations without improvement before early stopping stops [default: 10]
    #[arg(long, value_name = "N", requires = "early_stopping", allow_negative_numbers = true, value_parser = at_least(1))]
    pub patience: Option<usize>,

    /// Seconds that the whole command may take. The search for settings gets at most half of what the reading leaves, the
    /// fit the rest; methods to compare with and the replay of the fit are left out once they are spent, and it is said.
    /// What a model needs is done all the same: reading, the start and a first step, the accuracy. A resumed run counts the
    /// earlier seconds of its search and of its fit, too.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = positive)]
    pub time_budget: Option<f64>,
}

/// A choice of encoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EncoderKind {
    /// A matrix A.
    Linear,
    /// One weight per feature.
    Diagonal,
    /// A multilayer perceptron.
    Mlp,
}

/// A choice of optimizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OptimizerKind {
    /// Limited-memory BFGS.
    Lbfgs,
    /// Conjugate gradients.
    Cg,
    /// Mini-batches.
    Adam,
    /// Mini-batches, by stochastic gradient descent.
    Sgd,
}

impl OptimizerKind {
    /// Whether it takes mini-batches.
    pub fn takes_batches(self) -> bool {
        matches!(self, Self::Adam | Self::Sgd)
    }
}

/// Where A starts.
#[derive(Clone, Debug, PartialEq)]
pub enum Init {
    /// By a rule of the library.
    Rule(Start),
    /// A in a file.
    File(PathBuf),
}

/// Where A starts, as the user writes it.
fn init(text: &str) -> Result<Init, String> {
    let start = match text {
        "auto" => Start::Auto,
        "identity" => Start::Identity,
        "random" => Start::Random { scale: None },
        "pca" => Start::Pca,
        "lda" => Start::Lda,
        file if file.ends_with(".npy") || file.ends_with(".csv") => {
            return Ok(Init::File(file.into()));
        }
        _ => {
            let scale = text.strip_prefix("random:").ok_or(
                "give auto, identity, random, random:SCALE, pca, lda, or a file .npy or .csv",
            )?;
            let scale = positive(scale);
            let scale = scale.map_err(|error| format!("the scale of a random start: {error}"))?;
            Start::Random { scale: Some(scale) }
        }
    };
    Ok(Init::Rule(start))
}
