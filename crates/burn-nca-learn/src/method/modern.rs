//! Modern NCA: members of periodic embeddings and residual blocks, each by mini-batches and its own held-out rows.

mod members;

use super::settings::settings;
use super::{Grid, Learned, Method, Problem, Setting, Uses};
use crate::data::{Features, Labeled, RegressionData, Scaling, ScalingKind};
use crate::encoder::{EncoderConfig, ModernConfig, NumericEmbeddingConfig};
use crate::error::{Error, Result};
use crate::fit::{FitSession, StochasticConfig};
use crate::objective::{ModernNcaLossConfig, ModernTarget};
use members::Settings;

/// Dimensions of each member where the user names none.
const DIMENSIONS: usize = 128;

/// What it uses of the settings that all methods share: encoder, optimizer and early stopping are its own.
const USES: &[Uses] = &[Uses::Dimensions];

/// The values that a search tries.
const GRID: Grid = &[
    ("learning_rate", &["0.01", "0.003"]),
    ("dropout", &["0.1", "0.3"]),
    ("frequency_scale", &["0.1", "0.03", "0.3"]),
];

/// The settings of [`Modern`] and [`ModernRegression`].
macro_rules! modern {
    ($(#[$doc:meta])* $name:ident) => {
        settings! {
            $(#[$doc])*
            $name {
                /// networks, each stopped by held-out rows of its own
                members: usize = 5,
                /// numbers that a feature becomes; 0 takes it as it is
                embedding: usize = 8,
                /// frequencies of the periodic embedding of a feature
                frequencies: usize = 16,
                /// standard deviation of the frequencies at the start
                frequency_scale: f64 = 0.1,
                /// residual blocks
                blocks: usize = 1,
                /// hidden units of a block
                width: usize = 256,
                /// share of the hidden units set to zero in a training step
                dropout: f64 = 0.1,
                /// most passes over the rows
                epochs: usize = 200,
                /// passes without a better held-out score before a member stops
                patience: usize = 20,
                /// rows of a batch
                batch_size: usize = 1024,
                /// share of the rows outside a batch that it sees as neighbors
                candidates: f64 = 0.5,
                /// step length of AdamW at the start
                learning_rate: f64 = 0.01,
                /// decay of the parameters in each step
                weight_decay: f64 = 0.0002,
            }
        }

        impl $name {
            fn network(&self) -> ModernConfig {
                ModernConfig {
                    members: self.members,
                    embedding: (self.embedding > 0).then_some(NumericEmbeddingConfig {
                        frequencies: self.frequencies,
                        scale: self.frequency_scale,
                        size: self.embedding,
                    }),
                    blocks: self.blocks,
                    width: self.width,
                    dropout: self.dropout,
                }
            }

            /// The mini-batches for so many rows.
            fn batches(&self, rows: usize) -> StochasticConfig {
                let batch = self.batch_size.clamp(2, rows.max(2));
                let others = (self.candidates * (rows.saturating_sub(batch)) as f64).ceil() as usize;
                StochasticConfig::new()
                    .with_epochs(Some(self.epochs))
                    .with_batch_size(Some(batch))
                    .with_candidates(Some(batch + others))
                    .with_learning_rate(Some(self.learning_rate))
                    .with_weight_decay(Some(self.weight_decay))
            }

            fn check_settings(&self, d_input: usize, size: usize) -> Result<()> {
                EncoderConfig::Modern(self.network()).check_size(d_input, size * self.members)?;
                if !(0.0..=1.0).contains(&self.candidates) {
                    return Err(Error::setting(format!(
                        "the share of candidates is {}; give a number from 0 to 1",
                        self.candidates
                    )));
                }
                self.batches(2).check()
            }
        }
    };
}

modern! {
    /// Modern neighborhood components analysis for classes: networks whose embeddings decide by all training rows.
    ///
    /// Each member is a [`ModernMember`](crate::encoder::ModernMember) of as many dimensions as asked for (128 where none are), trained by
    /// [`ModernNcaLoss`](crate::objective::ModernNcaLoss) with AdamW and stopped by the held-out rows of its cut of a cross-validation. The
    /// [`MemberRule`](crate::neighbors::MemberRule) averages their probabilities.
    ///
    /// # References
    /// H.-J. Ye, H.-H. Yin, D.-C. Zhan, Modern Neighborhood Components Analysis, ICLR 2025.
    Modern
}

modern! {
    /// Modern neighborhood components analysis for numbers, on targets standardized on the training rows; otherwise as
    /// [`Modern`].
    ///
    /// # References
    /// H.-J. Ye, H.-H. Yin, D.-C. Zhan, Modern Neighborhood Components Analysis, ICLR 2025.
    ModernRegression
}

impl Method for Modern {
    const NAME: &'static str = "modern";
    const LABEL: &'static str = "Modern NCA";
    const TITLE: &'static str = "Modern neighborhood components analysis";
    const WHEN_TO_USE: &'static str =
        "classes; the most accurate, where minutes and no picture are asked for";
    const SETTINGS: &'static [Setting] = Self::FIELDS;
    const USES: &'static [Uses] = USES;
    const GRID: Grid = GRID;
    const OWN_RULE: bool = true;
    type Data = Labeled;

    fn default_dimension(&self, _data: &Labeled) -> Option<usize> {
        Some(DIMENSIONS)
    }

    fn check(&self, problem: &Problem<'_, Labeled>) -> Result<()> {
        self.check_settings(problem.data.features().columns(), problem.d_output)
    }

    fn learn(&self, problem: &Problem<'_, Labeled>, session: FitSession<'_>) -> Result<Learned> {
        let data = problem.data;
        let (labels, classes) = (data.labels(), data.classes());
        let mut one_hot = vec![0.0; labels.len() * classes];
        labels.iter().enumerate().for_each(|(row, label)| one_hot[row * classes + label] = 1.0);
        let settings = Settings {
            network: self.network(),
            batches: &|rows| self.batches(rows),
            patience: self.patience,
            loss: ModernNcaLossConfig::new(ModernTarget::Classes).init(),
            identity: problem.identity(self),
        };
        let targets = (one_hot, classes, data.weights());
        settings.learn(problem, targets, session)
    }
}

impl Method for ModernRegression {
    const NAME: &'static str = "modern-regression";
    const LABEL: &'static str = "Modern NCA for numbers";
    const TITLE: &'static str = "Modern neighborhood components analysis for numbers";
    const WHEN_TO_USE: &'static str =
        "a numeric target; the most accurate, where minutes and no picture are asked for";
    const SETTINGS: &'static [Setting] = Self::FIELDS;
    const USES: &'static [Uses] = USES;
    const GRID: Grid = GRID;
    const OWN_RULE: bool = true;
    type Data = RegressionData;

    fn default_dimension(&self, _data: &RegressionData) -> Option<usize> {
        Some(DIMENSIONS)
    }

    fn check(&self, problem: &Problem<'_, RegressionData>) -> Result<()> {
        self.check_settings(problem.data.features().columns(), problem.d_output)
    }

    fn learn(
        &self,
        problem: &Problem<'_, RegressionData>,
        session: FitSession<'_>,
    ) -> Result<Learned> {
        let targets: &Features = problem.data.targets();
        let standard = Scaling::fit(ScalingKind::Standardize, targets).apply(targets)?;
        let settings = Settings {
            network: self.network(),
            batches: &|rows| self.batches(rows),
            patience: self.patience,
            loss: ModernNcaLossConfig::new(ModernTarget::Numbers).init(),
            identity: problem.identity(self),
        };
        let targets = (standard.values().to_vec(), standard.columns(), problem.data.weights());
        settings.learn(problem, targets, session)
    }
}
