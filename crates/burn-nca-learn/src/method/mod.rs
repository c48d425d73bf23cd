//! Methods: each a way to learn a map from data, with the rule that predicts in its space.
//!
//! ```text
//!             Method::learn
//! Problem ───────────────────► Learned = map (an Encoder) + rule + summary ──► Fitted
//! scaled data, settings        by an objective and its gradient: GradientMethod
//!                              by a solver of its own, or in closed form: Method alone
//! ```
//! A method is a file (or a folder) here and a line in `registry`: the list of methods, `--method`, `--set`, the
//! model folder and the reports follow from it. [`AnyMethod`] is one of them, chosen at run time.

mod closed;
pub(crate) mod gradient;
mod lca;
mod lmnn;
#[cfg(not(target_arch = "wasm32"))]
mod modern;
mod nca;
mod ncfs;
mod problem;
mod registry;
mod settings;
pub(crate) mod start;
#[cfg(test)]
mod tests;
mod variable_kernel;

pub use closed::{Euclidean, Lda, LdaRca, Pca, Rca, Whitening};
pub use gradient::{GradientMethod, Validation, expected_accuracy_score, kernel_r2_score, learn};
pub(crate) use gradient::{learn_encoder, numbers_by};
pub use lca::{Lca, LcaClassifier, Trainer};
pub use lmnn::Lmnn;
#[cfg(not(target_arch = "wasm32"))]
pub use modern::{Modern, ModernRegression};
pub use nca::{Mlkr, Nca, PairNca, SoftNca};
pub use ncfs::{Ncfs, NcfsRegression};
pub use problem::{Holds, Learned, Problem};
pub use registry::{AnyMethod, MethodInfo, SettingInfo};
pub use settings::Settings;
pub use variable_kernel::{Gvsm, Vsm};

use std::fmt::Debug;
use std::iter;

use burn::module::Module;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::data::TrainingData;
use crate::encoder::{AnyEncoder, EncoderConfig};
use crate::error::Result;
use crate::fit::FitSession;
use crate::fit::parameters::{assign, flatten};

/// The weights of the L2 penalty that a search tries, the likelier first.
const PENALTIES: [f64; 5] = [0.01, 0.003, 0.001, 0.0, 0.03];

/// A way to learn a map from data: its settings, whose [`Default`] are those of the paper and which serde names
/// (`--set NAME=VALUE`). What all methods share (scaling, penalty, solver, seed) is in [`FitConfig`](crate::fit::FitConfig).
pub trait Method:
    Serialize
    + DeserializeOwned
    + Default
    + Clone
    + PartialEq
    + Debug
    + Send
    + Sync
    + 'static
    + Into<AnyMethod>
    + Settings
{
    /// Its name, label and title.
    const NAMES: Names;
    /// What it is called in commands and model folders, in lower case: `lmnn`.
    const NAME: &'static str = Self::NAMES[0];
    /// What it is called in tables: `LMNN`.
    const LABEL: &'static str = Self::NAMES[1];
    /// Its name in full: `Large margin nearest neighbors`.
    const TITLE: &'static str = Self::NAMES[2];
    /// When to take it, in one line.
    const WHEN_TO_USE: &'static str;
    /// What of the settings that all methods share it uses; what it does not use is refused where it is given.
    const USES: &'static [Uses] = &[];
    /// The settings that a search tries other values of, with these values, the likelier first; as `--set` takes them.
    const GRID: Grid = &[];
    /// Whether it predicts by a rule that it learns, in the place of the k nearest neighbors.
    const OWN_RULE: bool = false;
    /// [`searched`](Self::searched), where it does not depend on the settings.
    const SEARCHED: &'static [Uses] = &[Uses::Start, Uses::L2, Uses::Optimizer];

    /// What it learns from; [`Features`](crate::data::Features) where it needs no target and takes any data.
    type Data: TrainingData;

    /// The settings to start from in practice, where they are others than the paper's.
    fn recommended() -> Self {
        Self::default()
    }

    /// The weight of the L2 penalty to start from in practice.
    fn recommended_l2(&self, _encoder: &EncoderConfig) -> f64 {
        0.0
    }

    /// What of the settings that all methods share, and that it uses, a search tries other values of; the optimizer stands
    /// for the number of steps. A fit that is not scored on its way is scored at its end.
    fn searched(&self) -> &'static [Uses] {
        Self::SEARCHED
    }

    /// The weights of the L2 penalty that a search tries, of so many rows, the likelier first.
    fn penalties(&self, encoder: &EncoderConfig, _rows: usize) -> Vec<f64> {
        let recommended = self.recommended_l2(encoder);
        let others = PENALTIES.into_iter().filter(|l2| *l2 != recommended);
        iter::once(recommended).chain(others).collect()
    }

    /// Number of dimensions where the user names none; `None`: as many as features, or fewer where those are many.
    fn default_dimension(&self, _data: &Self::Data) -> Option<usize> {
        None
    }

    /// Checks the settings, and that they go with the data, before anything is computed.
    ///
    /// # Errors
    /// A setting out of range, or one that these data cannot have.
    fn check(&self, _problem: &Problem<'_, Self::Data>) -> Result<()> {
        Ok(())
    }

    /// Learns the map; a gradient method by [`learn`].
    ///
    /// # Errors
    /// Data or settings that it cannot use, a checkpoint that cannot be used.
    fn learn(&self, problem: &Problem<'_, Self::Data>, session: FitSession<'_>) -> Result<Learned>;

    /// The encoder at the parameters of a step of a fit that gave `encoder`
    /// ([`FitSession::with_parameters`]); `None` where they are not those of an encoder of this kind.
    ///
    /// By default they are its parameters, and then those of the objective.
    fn encoder_at(&self, encoder: &AnyEncoder, parameters: &[f64]) -> Option<AnyEncoder> {
        let encoder = encoder.clone().train();
        let own = parameters.get(..flatten(&encoder).len())?;
        Some(assign(encoder, own).valid())
    }
}

/// A name in lower case, as tables have it, and in full.
pub type Names = [&'static str; 3];

/// Settings of a method, each with values of it as `--set` takes them.
pub type Grid = &'static [(&'static str, &'static [&'static str])];

/// A setting of a method: its name, and what it does in one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The name of the field.
    pub name: &'static str,
    /// What it does.
    pub help: &'static str,
}

/// A setting that methods share, and that one may have no use for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Uses {
    /// The number of dimensions; without it as many as features.
    Dimensions,
    /// The kind of map; without it a map of the method's own.
    Encoder,
    /// Where the map starts, a warm start included.
    Start,
    /// The weight of the L2 penalty.
    L2,
    /// The optimizer and its limits.
    Optimizer,
    /// Stopping by a held-out part.
    EarlyStopping,
    /// How sums over pairs of rows are added up ([`Sums`](crate::Sums)).
    Sums,
    /// A Fourier series of these sums ([`Sums::Fourier`](crate::Sums::Fourier)).
    FourierSums,
    /// Rows without a class, as neighbors ([`Labeled::with_unlabeled`](crate::data::Labeled::with_unlabeled)).
    Unlabeled,
}

impl Uses {
    /// What every gradient method uses.
    pub const ALL: &'static [Self] = Self::ALL_OF_MEANS.split_at(6).0;

    /// The same of a method whose objective is a sum over pairs of rows.
    pub const ALL_OF_PAIRS: &'static [Self] = Self::ALL_OF_MEANS.split_at(7).0;

    /// The same of MLKR, whose sums have a Fourier series.
    pub(crate) const ALL_OF_MEANS: &'static [Self] = Self::EVERY.split_at(8).0;

    /// All there are.
    pub(crate) const EVERY: &'static [Self] = &[
        Self::Dimensions,
        Self::Encoder,
        Self::Start,
        Self::L2,
        Self::Optimizer,
        Self::EarlyStopping,
        Self::Sums,
        Self::FourierSums,
        Self::Unlabeled,
    ];

    /// What a message calls it.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Dimensions => "number of dimensions",
            Self::Encoder => "encoder",
            Self::Start => "start",
            Self::L2 => "L2 penalty",
            Self::Optimizer => "optimizer",
            Self::EarlyStopping => "early stopping",
            Self::Sums => "way of adding up pairs",
            Self::FourierSums => "Fourier series of sums over pairs",
            Self::Unlabeled => "rows without a class",
        }
    }
}
