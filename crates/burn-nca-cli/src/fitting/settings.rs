//! From the options of `nca fit` to the library's configuration.

use std::path::Path;

use anyhow::{Result, bail};
use burn_nca_data::{is_sparse, read_csv_features, read_npy_features};
use burn_nca_learn::data::{AnyData, Features, ScalingKind};
use burn_nca_learn::encoder::EncoderConfig;
use burn_nca_learn::fit::exact::BlockConfig;
use burn_nca_learn::fit::{FitConfig, Penalty, START_PERPLEXITY, Start, start_perplexity};
use burn_nca_learn::method::{AnyMethod, Uses};
use burn_nca_learn::{Estimator, Fitted, NcaConfig, Sums};

use super::optimizer;
use super::optimizer::{batches, early_stopping, optimizer};
use crate::cli::fit::{EncoderKind, FitArgs, Init, ModelOptions, OptimizerKind};
use crate::failure::{hinted, usage};

/// More features than these are not learned to as many dimensions unless the user asks for them: the map would
/// have their square in parameters.
const WIDE: usize = 128;

/// Dimensions that a map of more features than [`WIDE`] has where the user names none.
const WIDE_DIM: usize = 32;

/// The method with the settings for these training rows; a warm start keeps the sizes of its model.
pub fn configuration(
    args: &FitArgs,
    method: AnyMethod,
    train: AnyData<'_>,
    warm_start: Option<&Fitted>,
) -> Result<Estimator> {
    let columns = train.features().names();
    let (encoder, dim) = match warm_start {
        Some(model) => {
            let (card, of_model) = (model.card(), model.card().d_output);
            // The dimensions are those of the model; saying so is no contradiction.
            if let Some(wanted) = args.dim.filter(|wanted| *wanted != of_model) {
                return Err(usage(
                    format!(
                        "--dim {wanted} contradicts --warm-start, whose model has {of_model} dimensions"
                    ),
                    format!("give --dim {of_model}, leave --dim out, or leave --warm-start out"),
                ));
            }
            (card.encoder.clone().unwrap_or(EncoderConfig::Linear), card.d_output)
        }
        None => {
            let dim = args.dim.unwrap_or_else(|| default_dim(&args.model, &method, train));
            let encoder = match args.model.encoder() {
                EncoderKind::Linear => EncoderConfig::Linear,
                EncoderKind::Diagonal => EncoderConfig::Diagonal,
                EncoderKind::Mlp => EncoderConfig::Mlp(optimizer::hidden_layers(args, &method)),
            };
            (encoder, dim)
        }
    };
    let rows = train.features().rows();
    let kind = match &encoder {
        // A network that is fitted further may have layers that only mini-batches can fit.
        EncoderConfig::Mlp(hidden) if hidden.is_stochastic() => {
            args.optimizer.optimizer.unwrap_or(OptimizerKind::Adam)
        }
        _ => optimizer::optimizer_kind(args, &method),
    };
    let batches = kind.takes_batches().then(|| batches(args, &encoder, rows));
    let decays = batches.as_ref().is_some_and(|batches| batches.weight_decay.is_some());
    let l2 = args.model.l2.unwrap_or_else(|| match decays {
        true => 0.0,
        false => method.recommended_l2(&encoder),
    });
    let sizes = (rows, dim);
    let (penalty, start_perplexity) =
        units(args, (&method, &encoder), (kind, warm_start.is_some()), sizes);
    let estimator = Estimator::new(columns.len(), dim, method).with_encoder(encoder);
    let many_pairs = optimizer::rows_may_decide(args) && estimator.has_many_pairs(rows);
    // The matrix of a map with a weight per feature has one row.
    let has_weights = estimator.encoder == EncoderConfig::Diagonal
        || matches!(
            estimator.method,
            AnyMethod::Vsm(_) | AnyMethod::Ncfs(_) | AnyMethod::NcfsRegression(_)
        );
    let start = match &args.model.init {
        None => Start::Auto,
        Some(Init::Rule(start)) => start.clone(),
        Some(Init::File(path)) => {
            let rows = if has_weights { 1 } else { dim };
            Start::Given { weight: given_matrix(path, columns, rows)? }
        }
    };
    let blocks = BlockConfig::new();
    let blocks = args.memory.map_or(blocks.clone(), |mib| blocks.with_memory_mib(mib));
    let fit = FitConfig::new()
        .with_start(start)
        .with_scaling(scaling(args, many_pairs || kind.takes_batches(), train.features()))
        .with_l2(l2)
        .with_penalty(penalty)
        .with_start_perplexity(start_perplexity)
        .with_optimizer(optimizer(&args.optimizer, kind, batches))
        .with_early_stopping(early_stopping(&args.optimizer))
        .with_time_budget(args.optimizer.time_budget)
        .with_seed(args.seed)
        .with_precision(args.precision)
        .with_sums(sums(args))
        .with_blocks(blocks);
    Ok(estimator.with_fit(fit))
}

/// What the penalty weighs and the perplexity of the start, as set by the options.
///
/// By default a map of NCA is penalized by its spread, and its start is scaled where objective and start are left to the
/// program: the paper's method is thus `--objective f --l2 0`, from its own start. Mini-batches start where a row has
/// some neighbors in its batch: they take few steps, and long ones where a start sees a single neighbor or all of
/// them. Their penalty is that of the weights, with which their settings were measured.
fn units(
    args: &FitArgs,
    (method, encoder): (&AnyMethod, &EncoderConfig),
    (kind, is_warm): (OptimizerKind, bool),
    (rows, dim): (usize, usize),
) -> (Option<Penalty>, Option<f64>) {
    let options = &args.model;
    let batches = kind.takes_batches();
    let usual = match method {
        AnyMethod::Nca(_) if batches && !matches!(encoder, EncoderConfig::Mlp(_)) => {
            FitConfig::new().with_start_perplexity(Some(START_PERPLEXITY).filter(|_| !is_warm))
        }
        AnyMethod::Nca(_) => NcaConfig::recommended_for(encoder.clone(), 1, 1).fit,
        _ => FitConfig::new(),
    };
    let told = !batches && (options.objective.is_some() || options.init.is_some());
    let perplexity = match options.start_perplexity {
        Some(perplexity) => Some(perplexity).filter(|perplexity| *perplexity > 0.0),
        None if told || is_warm => None,
        None if batches => usual.start_perplexity,
        None => usual.start_perplexity.map(|_| start_perplexity(rows, dim)),
    };
    (options.penalty.or(usual.penalty), perplexity)
}

fn default_dim(options: &ModelOptions, method: &AnyMethod, train: AnyData<'_>) -> usize {
    let (n, d) = (train.features().rows(), train.features().columns());
    if !method.info().uses.contains(&Uses::Dimensions) {
        return d;
    }
    if let (AnyMethod::Modern(_) | AnyMethod::ModernRegression(_), Some(own)) =
        (method, method.default_dimension(train))
    {
        // A network of its own, which the number of features does not bound.
        return own;
    }
    let general = match options.encoder() {
        EncoderKind::Mlp => 2,
        // n rows span n - 1 directions.
        EncoderKind::Linear if d > WIDE => WIDE_DIM.min(n.saturating_sub(1)).max(1),
        EncoderKind::Linear | EncoderKind::Diagonal => d,
    };
    method.default_dimension(train).map_or(general, |own| own.min(general))
}

/// What was asked for; else standardized, but one scale for all columns where mini-batches meet columns of one unit.
fn scaling(args: &FitArgs, by_batches: bool, train: &Features) -> ScalingKind {
    let is_sparse = is_sparse(&args.source.data);
    match args.scale {
        // The columns were scaled before they were reduced.
        scale if args.reduce.is_some() && !is_sparse && scale != Some(ScalingKind::None) => {
            ScalingKind::Common
        }
        Some(scale) => scale,
        // Noise and decay of a network are set in units of standardized features.
        None if args.model.encoder() == EncoderKind::Mlp => ScalingKind::Standardize,
        None if by_batches => ScalingKind::auto(train),
        // The directions of a sparse table are in order of their variance, and most of the last is noise.
        None if is_sparse => ScalingKind::Common,
        None => ScalingKind::Standardize,
    }
}

fn sums(args: &FitArgs) -> Option<Sums> {
    match args.sums {
        Sums::Auto => None,
        Sums::Fourier(usual) => Some(Sums::Fourier(args.sums_tolerance.unwrap_or(usual))),
        sums => Some(sums),
    }
}

fn given_matrix(path: &Path, columns: &[String], rows: usize) -> Result<Vec<f64>> {
    let matrix = if path.extension().is_some_and(|extension| extension == "csv") {
        read_csv_features(path, columns)?
    } else {
        read_npy_features(path)?
    };
    if (matrix.rows(), matrix.columns()) != (rows, columns.len()) {
        bail!(hinted(
            format!(
                "{} is of shape {} x {}, and this start needs {rows} x {}",
                path.display(),
                matrix.rows(),
                matrix.columns(),
                columns.len()
            ),
            match rows {
                1 => "give one row with a column per feature",
                _ => "give a row per dimension and a column per feature",
            }
        ));
    }
    Ok(matrix.values().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::fit_args;
    use crate::fitting::method::{chosen, learned_from};

    fn config(options: &str, [rows, columns]: [usize; 2]) -> Estimator {
        let args = fit_args(options);
        let method = chosen(&args, learned_from(&args).unwrap()).unwrap();
        let train = Features::unnamed(vec![0.0; rows * columns], columns).unwrap();
        configuration(&args, method, AnyData::Unlabeled(&train), None).unwrap()
    }

    #[test]
    fn options_and_defaults_reach_the_configuration() {
        for (options, expected) in [
            (
                "--dim 2 --encoder mlp --hidden 8,4 --activation tanh --objective g --init random \
                 --optimizer adam --epochs 3 --batch-size 32 --candidates 99 --learning-rate 0.5 --l2 0.25 \
                 --repulsion 0.5 --scale min-max --seed 7 --early-stopping=0.1 --patience 4 --time-budget 60 \
                 --precision f64 --sums plain --memory 64",
                r#""d_input":3 "d_output":2 "hidden":[8,4] "Tanh" "criterion":"G" "Random" "epochs":3
                   "batch_size":32 "learning_rate":0.5 "candidates":99 "l2":0.25 "repulsion":0.5 "MinMax"
                   "seed":7 "share":0.1 "patience":4 "time_budget":60.0 "F64" "sums":"Plain" "memory_mib":64"#,
            ),
            (
                "--optimizer sgd --momentum 0.5 --epochs 3",
                r#""Sgd" "momentum":0.5 "epochs":3 "learning_rate":null "start_perplexity":15.0"#,
            ),
            (
                "--optimizer adam --candidates nearest:99",
                r#""candidates":null "nearest_candidates":99"#,
            ),
            ("", r#""criterion":"G" "l2":0.01 "start_perplexity":15.0 "penalty":"Spread""#),
            ("--objective f --l2 0", r#""criterion":"F" "l2":0.0 "start_perplexity":null"#),
            ("--init pca", r#""start_perplexity":null"#),
            ("--init pca --start-perplexity 5", r#""start_perplexity":5.0"#),
            (
                "--start-perplexity 0 --penalty weights",
                r#""start_perplexity":null "penalty":"Weights""#,
            ),
            // The decay of its steps is the penalty of a network by mini-batches.
            (
                "--encoder mlp",
                r#""l2":0.0 "start_perplexity":null "penalty":"Weights" "batch_norm":true "Adam""#,
            ),
            ("--encoder mlp --weight-decay 0 --l2 0.1", r#""l2":0.1 "weight_decay":0.0"#),
            (
                "--encoder mlp --hidden 8 --dropout 0",
                r#""hidden":[8] "dropout":0.0 "noise":0.3 "batch_norm":true"#,
            ),
            ("--encoder mlp --optimizer lbfgs", r#""l2":0.001 "hidden":[64] "Lbfgs""#),
            ("--encoder mlp --tune", r#""hidden":[64] "Lbfgs""#),
            ("--encoder mlp --batch-norm no", r#""weight_decay":null"#),
        ] {
            let card = config(options, [3, 3]).card();
            let text = serde_json::to_value(card).unwrap().to_string();
            for part in expected.split_whitespace() {
                assert!(text.contains(part), "{options}: {part} is not in {text}");
            }
        }
    }

    #[test]
    fn large_tables_are_fitted_by_batches_and_wide_ones_in_few_dimensions() {
        let by_batches = |options: &str, rows: usize| {
            let config = optimizer::for_rows(&fit_args(options), config(options, [rows, 3]), rows);
            config.fit.optimizer.batches().is_some()
        };
        assert!(by_batches("", 45_000) && by_batches("--no-tune --objective f", 45_000));
        assert!(!by_batches("", 40_000) && !by_batches("--dim 2", 45_000));
        for options in ["--optimizer lbfgs", "--max-iterations 9", "--method lmnn", "--sums plain"]
        {
            assert!(!by_batches(options, 45_000), "{options}");
        }
        for (options, rows, columns, expected) in [
            ("--encoder diagonal", 3, 3, 3),
            ("--encoder mlp", 3, 3, 2),
            ("", 60, WIDE + 1, WIDE_DIM),
            ("", 20, WIDE + 1, 19),
            ("--dim 100", 60, WIDE + 1, 100),
            ("--encoder diagonal", 60, WIDE + 1, 129),
        ] {
            let config = config(options, [rows, columns]);
            assert_eq!(config.d_output, expected, "{options} {rows}");
        }
    }
}
