//! Modern NCA: members of periodic embeddings and residual blocks, each by mini-batches and its own held-out rows.

mod cuts;
mod members;
mod watch;

use super::settings::settings;
use super::{Grid, Learned, Method, Names, Problem, Uses};
use crate::data::{Labeled, RegressionData, Scaling, ScalingKind};
use crate::encoder::{EncoderConfig, ModernConfig, NumericEmbeddingConfig};
use crate::error::{Error, Result};
use crate::fit::{FitSession, StochasticConfig};
use crate::objective::{ModernNcaLossConfig, ModernTarget};
use cuts::{MANY_ROWS, MEMBERS};
use members::Settings;

/// Dimensions of each member where the user names none.
const DIMENSIONS: usize = 128;

/// The values that a search tries.
const GRID: Grid = &[
    ("learning_rate", &["0.01", "0.003"]),
    ("dropout", &["0.1", "0.3"]),
    ("frequency_scale", &["0.1", "0.03", "0.3"]),
];

/// Modern NCA of these data, whose targets a function gives as columns.
macro_rules! modern {
    (
        $(#[$doc:meta])*
        $name:ident of $data:ty: $targets:ident as $kind:ident, mixed $mixed:tt;
        $($names:tt)*
    ) => {
        settings! {
            $(#[$doc])*
            $name {
                /// networks, each stopped by held-out rows of its own; 0: 10, but 5 of more than 10000 rows, small classes or few groups
                ///
                /// Classes are small where more than a tenth of the rows are of classes of less than ten.
                members: usize = 0,
                /// numbers that a feature becomes; 0 takes it as it is
                embedding: usize = 8,
                /// whether every other network takes features as they are, of up to 10000 rows
                mixed: bool = $mixed,
                /// frequencies of the periodic embedding of a feature
                frequencies: usize = 16,
                /// standard deviation of the frequencies at the start
                ///
                /// In periods for each unit of a scaled feature.
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
                /// rows of a batch; 0: all of up to 1000, else 256 to 1024
                ///
                /// With 0 a thirty-second of the rows, as a power of two.
                batch_size: usize = 0,
                /// share of the rows outside a batch that it sees as neighbors
                candidates: f64 = 0.5,
                /// step length of AdamW at the start
                learning_rate: f64 = 0.01,
                /// decay of the parameters in each step
                weight_decay: f64 = 0.0002,
            }
        }

        impl $name {
            /// The networks for so many rows.
            fn network(&self, rows: usize) -> ModernConfig {
                let is_mixed = self.mixed && rows <= MANY_ROWS;
                ModernConfig {
                    members: self.members,
                    embedded: if is_mixed { vec![true, false] } else { Vec::new() },
                    embedding: (self.embedding > 0).then_some(NumericEmbeddingConfig {
                        frequencies: self.frequencies,
                        scale: self.frequency_scale,
                        size: self.embedding,
                    }),
                    blocks: self.blocks,
                    width: self.width,
                    dropout: self.dropout,
                    projection: None,
                }
            }

            /// The mini-batches for so many rows.
            fn batches(&self, rows: usize) -> StochasticConfig {
                let batch = match self.batch_size {
                    0 => batch_rows(rows),
                    asked => asked.clamp(2, rows.max(2)),
                };
                let others = (self.candidates * (rows.saturating_sub(batch)) as f64).ceil() as usize;
                StochasticConfig::new()
                    .with_epochs(Some(self.epochs))
                    .with_batch_size(Some(batch))
                    .with_candidates(Some(batch + others))
                    .with_learning_rate(Some(self.learning_rate))
                    .with_weight_decay(Some(self.weight_decay))
            }
        }

        impl Method for $name {
            $($names)*
                    // Encoder, optimizer and early stopping are its own.
            const USES: &'static [Uses] = &[Uses::Dimensions];
            const GRID: Grid = GRID;
            const OWN_RULE: bool = true;
            type Data = $data;

            fn default_dimension(&self, _data: &$data) -> Option<usize> {
                Some(DIMENSIONS)
            }

            fn check(&self, problem: &Problem<'_, $data>) -> Result<()> {
                // Where no number is asked for, of the most that there may be.
                let members = if self.members == 0 { MEMBERS } else { self.members };
                let features = problem.data.features();
                let network = ModernConfig { members, ..self.network(features.rows()) };
                let (d_input, size) = (features.columns(), problem.d_output);
                EncoderConfig::Modern(network).check_size(d_input, size * members)?;
                if !(0.0..=1.0).contains(&self.candidates) {
                    return Err(Error::setting(format!(
                        "the share of candidates is {}; give a number from 0 to 1",
                        self.candidates
                    )));
                }
                self.batches(2).check()
            }

            fn learn(&self, problem: &Problem<'_, $data>, session: FitSession<'_>) -> Result<Learned> {
                let settings = Settings {
                    network: self.network(problem.data.features().rows()),
                    batches: &|rows| self.batches(rows),
                    patience: self.patience,
                    loss: ModernNcaLossConfig::new(ModernTarget::$kind).init(),
                    identity: problem.identity(self),
                };
                let (values, columns) = $targets(problem.data)?;
                settings.learn(problem, (values, columns, problem.data.weights()), session)
            }
        }
    };
}

modern! {
    /// Modern neighborhood components analysis for classes: networks whose embeddings decide by all training rows.
    ///
    /// Each [`ModernMember`](crate::encoder::ModernMember) is trained by [`ModernNcaLoss`](crate::objective::ModernNcaLoss) with
    /// AdamW and stopped by the held-out rows of its cut of a cross-validation. A feature of two values, such as an indicator, is
    /// scaled so that they are 1 apart. The [`MemberRule`](crate::neighbors::MemberRule) averages the members' probabilities.
    ///
    /// # References
    /// H.-J. Ye, H.-H. Yin, D.-C. Zhan, Modern Neighborhood Components Analysis, ICLR 2025.
    Modern of Labeled: one_hot as Classes, mixed true;
    const NAMES: Names = ["modern", "Modern NCA", "Modern neighborhood components analysis"];
    const WHEN_TO_USE: &'static str =
        "classes; the most accurate, where minutes and no picture are asked for";
}

modern! {
    /// [`Modern`] for numbers, on targets standardized on the training rows.
    ///
    /// # References
    /// H.-J. Ye, H.-H. Yin, D.-C. Zhan, Modern Neighborhood Components Analysis, ICLR 2025.
    ModernRegression of RegressionData: standardized as Numbers, mixed false;
    const NAMES: Names = ["modern-regression", "Modern NCA for numbers", "Modern neighborhood components analysis for numbers"];
    const WHEN_TO_USE: &'static str =
        "a numeric target; the most accurate, where minutes and no picture are asked for";
}

/// Rows of a batch: few rows are learned from as a whole, many in some thirty steps a pass.
///
/// Chosen on segment, cpu_act and seven tables of UCI, by their validation rows or folds.
fn batch_rows(rows: usize) -> usize {
    match rows {
        0..=1000 => rows.max(2),
        _ => (rows / 32).next_power_of_two().clamp(256, 1024),
    }
}

/// 1 at the class of each row, `[n, c]`.
fn one_hot(data: &Labeled) -> Result<(Vec<f64>, usize)> {
    let classes = data.classes();
    let mut values = vec![0.0; data.rows() * classes];
    data.labels().iter().enumerate().for_each(|(row, label)| values[row * classes + label] = 1.0);
    Ok((values, classes))
}

/// The numbers of each row, standardized, `[n, m]`.
fn standardized(data: &RegressionData) -> Result<(Vec<f64>, usize)> {
    let targets = data.targets();
    let standard = Scaling::fit(ScalingKind::Standardize, targets).apply(targets)?;
    Ok((standard.values().to_vec(), standard.columns()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_rows_are_one_batch_and_many_are_several_unless_asked_for() {
        let of = |method: Modern, rows: usize| method.batches(rows).batch_size.unwrap();
        let usual = [60, 1000, 1001, 9000, 20_000, 60_000].map(|rows| of(Modern::new(), rows));
        assert_eq!(usual, [60, 1000, 256, 512, 1024, 1024]);
        assert_eq!([60, 90].map(|rows| of(Modern::new().with_batch_size(64), rows)), [60, 64]);
    }
}
