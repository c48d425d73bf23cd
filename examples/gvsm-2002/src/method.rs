//! What is compared: maps, all of them judged by the variable-kernel rule in their space.

use anyhow::Result;
use burn::tensor::Device;
use burn_nca_learn::data::{Labeled, ScalingKind};
use burn_nca_learn::encoder::EncoderConfig;
use burn_nca_learn::estimator::Estimator;
use burn_nca_learn::evaluate::Accuracy;
use burn_nca_learn::fit::FitConfig;
use burn_nca_learn::method::{AnyMethod, Euclidean, Gvsm, Nca, Vsm};
use burn_nca_learn::neighbors::{Rule, VariableKernel};
use burn_nca_learn::objective::Criterion;
use serde::{Deserialize, Serialize};

/// A line of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The features as they are.
    Untrained,
    /// The features standardized.
    Standardized,
    /// A weight a feature, by the variable kernel.
    Vsm,
    /// A triangular map, by the variable kernel, fitted to the end.
    Gvsm,
    /// The same with a penalty on the squares off the diagonal.
    GvsmPenalized,
    /// NCA with a diagonal map.
    NcaDiagonal,
    /// NCA with a square map.
    NcaSquare,
}

/// The penalty of [`Method::GvsmPenalized`].
pub const PENALTY: f64 = 0.01;

impl Method {
    /// All of them, in the order of the tables.
    pub const ALL: [Self; 7] = [
        Self::Untrained,
        Self::Standardized,
        Self::Vsm,
        Self::Gvsm,
        Self::GvsmPenalized,
        Self::NcaDiagonal,
        Self::NcaSquare,
    ];

    /// The name in tables and legends.
    pub fn name(self) -> &'static str {
        match self {
            Self::Untrained => "untrained",
            Self::Standardized => "standardized",
            Self::Vsm => "VSM",
            Self::Gvsm => "GVSM",
            Self::GvsmPenalized => "GVSM, penalized",
            Self::NcaDiagonal => "NCA, diagonal",
            Self::NcaSquare => "NCA, square",
        }
    }

    fn estimator(self, d: usize) -> Estimator {
        let plain = FitConfig::new();
        // NCA with the settings to start from in practice.
        let nca = || Estimator::new(d, d, AnyMethod::from(Nca::new().with_criterion(Criterion::G)));
        let of = |method: AnyMethod| Estimator::new(d, d, method);
        match self {
            Self::Untrained => {
                of(Euclidean::new().into()).with_fit(plain.with_scaling(ScalingKind::None))
            }
            Self::Standardized => of(Euclidean::new().into()),
            Self::Vsm => of(Vsm::new().into()),
            Self::Gvsm => of(Gvsm::new().into()),
            Self::GvsmPenalized => of(Gvsm::new().into()).with_fit(plain.with_l2(PENALTY)),
            Self::NcaDiagonal => {
                nca().with_encoder(EncoderConfig::Diagonal).with_fit(plain.with_l2(0.01))
            }
            Self::NcaSquare => nca().with_fit(plain.with_l2(0.01)),
        }
    }

    /// The accuracy on the test rows, 0..1, of the map learned from the training rows.
    ///
    /// # Errors
    /// A fit that is refused.
    pub fn accuracy(self, train: &Labeled, test: &Labeled, device: &Device) -> Result<f64> {
        let fitted = self.estimator(train.features().columns()).fit(train, device)?;
        let rule = match fitted.rule() {
            Rule::VariableKernel(rule) => *rule,
            _ => VariableKernel::new(),
        };
        let queries = fitted.transform(test.features())?;
        let probabilities = rule.probabilities(&queries, fitted.class_references()?, None)?;
        let accuracy = Accuracy::of(&probabilities.most_probable(), test.labels())?;
        Ok(accuracy.value().unwrap_or_default())
    }
}
