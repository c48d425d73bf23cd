//! The columns of the table: each learned from the training rows.

use std::ops::ControlFlow;

use anyhow::{Context, Result};
use burn::tensor::{Device, Tensor};
use burn_nca_learn::NcaConfig;
use burn_nca_learn::data::{Labeled, ScalingKind, TensorFeatures};
use burn_nca_learn::estimator::Estimator;
use burn_nca_learn::estimator::tune::{TuneConfig, TuneProgress, TuneSession};
use burn_nca_learn::fit::{
    FitConfig, FitSession, OptimizerConfig, Progress, START_PERPLEXITY, StochasticConfig,
    Termination,
};
use burn_nca_learn::method::{AnyMethod, Lca, Lmnn, Method as _, Modern, Nca};
use burn_nca_learn::objective::Criterion;
use burn_nca_program::Interrupt;
use serde::{Deserialize, Serialize};

use crate::reduce::Prepared;
use crate::{energies, passes};

/// Neighbors that vote.
pub const NEIGHBORS: usize = 3;

/// A column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The rows as they are.
    Euclidean,
    /// The input that the others learn from: reduced by PCA where the paper does so.
    Pca,
    /// Large margin nearest neighbors.
    Lmnn,
    /// Latent coincidence analysis.
    Lca,
    /// LMNN with a metric of all inputs, as the paper has it; the others map to p dimensions.
    LmnnInputs,
    /// LMNN in passes, with the targets of the last metric: as many as held-out training rows choose.
    LmnnPasses,
    /// LMNN that classifies by its energies instead of by 3-NN.
    LmnnEnergies,
    /// LMNN in such passes, with energies.
    LmnnPassesEnergies,
    /// LCA in such passes.
    LcaPasses,
    /// LMNN by the settings that a search inside the training rows chooses.
    LmnnTuned,
    /// LCA by the settings and dimensions that a search chooses: the paper chose p by held-out rows.
    LcaTuned,
    /// NCA as its paper has it: criterion f, no penalty.
    Nca,
    /// NCA by the settings to start from in practice: criterion g, with a penalty.
    NcaUsual,
    /// NCA by the settings that a search inside the training rows chooses.
    NcaTuned,
    /// Modern NCA, which classifies by a rule of its own.
    NcaModern,
}

/// Training rows beyond which NCA is learned by mini-batches: a pass over all pairs of so many takes seconds.
const MOST_AT_ONCE: usize = 5000;

/// Epochs of a fit by mini-batches: three times as many as a default that has to be quick.
const EPOCHS: usize = 40;

/// Training rows beyond which a search has longer, and compares by two folds.
const MANY: usize = 2000;

/// Training rows beyond which modern NCA takes hours as it is by default.
const VERY_MANY: usize = 20_000;

/// Seconds of a search, and of one among many rows.
const BUDGETS: [f64; 2] = [30.0, 300.0];

/// A map's embedding of both parts, and how it was come by.
pub struct Embedding {
    /// Training rows, then test rows.
    pub points: [Tensor<2>; 2],
    /// The classes of the test rows, where they are not those of 3-NN in the embedding.
    pub predicted: Option<Vec<usize>>,
    /// Steps of the fit.
    pub iterations: usize,
    /// Why it ended.
    pub ending: String,
}

impl Method {
    /// All methods, in the order of the table.
    pub const ALL: [Self; 15] = [
        Self::Euclidean,
        Self::Pca,
        Self::Lmnn,
        Self::Lca,
        Self::LmnnInputs,
        Self::LmnnPasses,
        Self::LmnnEnergies,
        Self::LmnnPassesEnergies,
        Self::LcaPasses,
        Self::LmnnTuned,
        Self::LcaTuned,
        Self::Nca,
        Self::NcaUsual,
        Self::NcaTuned,
        Self::NcaModern,
    ];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Euclidean => "Euclidean",
            Self::Pca => "PCA",
            Self::Lmnn => "LMNN",
            Self::Lca => "LCA",
            Self::LmnnInputs => "LMNN, inputs",
            Self::LmnnPasses => "LMNN, passes",
            Self::LmnnEnergies => "LMNN, energies",
            Self::LmnnPassesEnergies => "LMNN, passes, energies",
            Self::LcaPasses => "LCA, passes",
            Self::LmnnTuned => "LMNN, tuned",
            Self::LcaTuned => "LCA, tuned",
            Self::Nca => "NCA",
            Self::NcaUsual => "NCA, usual",
            Self::NcaTuned => "NCA, tuned",
            Self::NcaModern => "NCA, modern",
        }
    }

    /// Its place among the columns that the paper printed.
    pub fn printed(self) -> Option<usize> {
        Self::ALL[..4].iter().position(|method| *method == self)
    }

    /// Embeds the rows of a split in p dimensions; `None` where the user stopped it.
    ///
    /// # Errors
    /// Rows that the method cannot learn from.
    pub fn embed(
        self,
        rows: &Prepared,
        dimension: usize,
        (device, interrupt): (&Device, &Interrupt),
    ) -> Result<Option<Embedding>> {
        let [train, test] = &rows.reduced;
        let (n, d) = (train.rows(), train.features().columns());
        let of_lda = dimension.min(train.classes() - 1);
        let k = match self {
            Self::NcaModern => Modern::new().default_dimension(train).unwrap_or(d),
            Self::LmnnInputs => d,
            _ => dimension.min(d),
        };
        let (method, fit): (AnyMethod, FitConfig) = match self {
            Self::Euclidean => return Ok(Some(as_they_are(&rows.raw, device))),
            Self::Pca => return Ok(Some(as_they_are(&rows.reduced, device))),
            Self::LmnnPasses | Self::LmnnPassesEnergies | Self::LcaPasses => {
                let method =
                    if self == Self::LcaPasses { Lca::new().into() } else { Lmnn::new().into() };
                let by_energies = self == Self::LmnnPassesEnergies;
                let place = (device, interrupt);
                return passes::embed(&method, k, [train, test], by_energies, place);
            }
            Self::Lmnn | Self::LmnnInputs | Self::LmnnTuned | Self::LmnnEnergies => {
                (Lmnn::new().into(), FitConfig::new())
            }
            Self::Lca | Self::LcaTuned => (Lca::new().into(), FitConfig::new()),
            Self::NcaModern => (modern(n).into(), FitConfig::new()),
            Self::Nca => (Nca::new().into(), by_rows(n, FitConfig::new())),
            Self::NcaUsual | Self::NcaTuned => {
                let method = Nca::new().with_criterion(Criterion::G);
                (method.into(), by_rows(n, NcaConfig::recommended(d, d).fit))
            }
        };
        // The networks' rates are set in units of standardized features.
        let scaling =
            if self == Self::NcaModern { ScalingKind::Standardize } else { ScalingKind::None };
        let fit = fit.with_scaling(scaling);
        let mut watch = |_: &Progress| match interrupt.is_set() {
            true => ControlFlow::Break(Termination::Stopped),
            false => ControlFlow::Continue(()),
        };
        let session = FitSession::new().with_progress(&mut watch);
        let mut estimator = Estimator::new(d, k, method).with_fit(fit);
        if matches!(self, Self::LmnnTuned | Self::LcaTuned | Self::NcaTuned) {
            let tune = self.search([k, of_lda.min(k), d], n);
            let Some(chosen) = chosen(&estimator, &tune, train, (device, interrupt))? else {
                return Ok(None);
            };
            estimator = chosen;
        }
        let fitted = estimator
            .fit_session(train, device, session)
            .with_context(|| format!("{} failed", self.name()))?;
        let summary = fitted.summary();
        if summary.termination == Termination::Stopped {
            return Ok(None);
        }
        let points = [fitted.transform(train.features())?, fitted.transform(test.features())?];
        let predicted = match self {
            Self::LmnnEnergies => Some(energies::classes([&points[0], &points[1]], train)?),
            Self::NcaModern => Some(fitted.decide_classes(test.features(), fitted.decision())?),
            _ => None,
        };
        Ok(Some(Embedding {
            predicted,
            points,
            iterations: summary.iterations,
            ending: summary.termination.to_string(),
        }))
    }

    /// What a search tries, where it chooses the settings: among the dimensions those of the paper, of LDA, and of the input.
    fn search(self, [p, of_lda, d]: [usize; 3], rows: usize) -> TuneConfig {
        let is_large = rows > MANY;
        let mut tune = TuneConfig::new().with_budget(Some(BUDGETS[usize::from(is_large)]));
        tune.neighbors = NEIGHBORS;
        // LMNN learns a map of the whole input in the paper, LCA one to p dimensions.
        let mut dimensions = if self == Self::LmnnTuned { vec![p, d] } else { vec![p, of_lda] };
        dimensions.dedup();
        tune.dimensions = Some(dimensions);
        if self == Self::LcaTuned {
            let of = |name: &str, values: &[&str]| {
                (name.to_string(), values.iter().map(ToString::to_string).collect())
            };
            tune.settings = Some(vec![
                of("steps", &["50", "800", "200", "10"]),
                of("local_scales", &["true", "false"]),
                of("targets", &["3", "10"]),
            ]);
            tune.most_candidates = 16;
        }
        if is_large {
            (tune.folds, tune.repeats) = (2, 1);
            tune.most_rows = Some(MOST_AT_ONCE);
        }
        tune
    }
}

/// As it is by default; of very many rows fewer as neighbors of a batch, by which most of the time goes, and fewer passes.
fn modern(rows: usize) -> Modern {
    match rows > VERY_MANY {
        true => Modern::new().with_candidates(0.05).with_epochs(25).with_patience(5),
        false => Modern::new(),
    }
}

/// The settings that a search chooses; `None` where the user stopped it.
fn chosen(
    usual: &Estimator,
    tune: &TuneConfig,
    train: &Labeled,
    (device, interrupt): (&Device, &Interrupt),
) -> Result<Option<Estimator>> {
    let mut watch = |_: &TuneProgress| match interrupt.is_set() {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let session = TuneSession::new().with_progress(&mut watch);
    let search = usual.search(tune, train, device, session).context("the search failed")?;
    if interrupt.is_set() {
        return Ok(None);
    }
    Ok(Some(search.estimator(usual).context("no candidate was finished")?))
}

/// The same for few rows; mini-batches for many, as the program takes them: from a start that sees some rows of a batch,
/// with what penalty there is on the weights.
fn by_rows(rows: usize, fit: FitConfig) -> FitConfig {
    if rows <= MOST_AT_ONCE {
        return fit;
    }
    let longer = StochasticConfig::new().with_epochs(Some(EPOCHS));
    fit.with_optimizer(OptimizerConfig::Adam(longer))
        .with_start_perplexity(Some(START_PERPLEXITY))
        .with_penalty(None)
}

fn as_they_are(rows: &[Labeled; 2], device: &Device) -> Embedding {
    let points = [&rows[0], &rows[1]]
        .map(|part| part.features().to_tensor(device, burn::tensor::DType::F64));
    Embedding { points, predicted: None, iterations: 0, ending: String::new() }
}
