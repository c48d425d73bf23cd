//! Neighborhood component feature selection: a weight for each feature, most of them 0.

use burn::tensor::{DType, Device};

use super::settings::settings;
use super::{GradientMethod, Learned, Method, Names, Problem, Uses, learn_encoder};
use crate::data::{Labeled, RegressionData, TrainingData};
use crate::encoder::{AnyEncoder, DiagonalMap, EncoderConfig, FeatureWeights};
use crate::error::{Error, Result};
use crate::fit::{FitSession, StartWeights};
use crate::neighbors::Rule;
use crate::objective::{
    ClassIndex, NcfsLoss, NcfsLossConfig, NcfsRegressionLoss, NcfsRegressionLossConfig, TargetIndex,
};

/// Feature selection for these data by this loss; the L2 penalty is its λ.
macro_rules! feature_selection {
    (
        $(#[$doc:meta])*
        $name:ident of $data:ty: $loss:ident, $config:ident, $target:ident;
        $($names:tt)*
    ) => {
        settings! {
            $(#[$doc])*
            $name {}
        }

        impl Method for $name {
            $($names)*
            const USES: &'static [Uses] =
                &[Uses::Start, Uses::L2, Uses::Optimizer, Uses::EarlyStopping];
            // Not the number of steps: only at the end of a fit are weights 0.
            const SEARCHED: &'static [Uses] = &[Uses::L2];
            type Data = $data;

            /// 1/n, and a few times more and less.
            fn penalties(&self, _encoder: &EncoderConfig, rows: usize) -> Vec<f64> {
                let times = [1.0, 2.0, 0.5, 4.0, 0.25, 8.0, 0.125, 16.0];
                times.map(|times| times / rows.max(1) as f64).to_vec()
            }

            fn learn(&self, problem: &Problem<'_, $data>, session: FitSession<'_>) -> Result<Learned> {
                learn_weights(self, problem, session)
            }

            fn encoder_at(&self, encoder: &AnyEncoder, parameters: &[f64]) -> Option<AnyEncoder> {
                squared(encoder, parameters)
            }
        }

        impl GradientMethod for $name {
            type Objective = $loss;

            fn objective(&self, _: &Device, _: DType) -> $loss {
                $config::new().init()
            }

            fn target(&self, train: &$data, device: &Device) -> Result<$target> {
                $target::of(train, device)
            }

            fn own_rule(&self) -> Option<Rule> {
                Some(Rule::Manhattan)
            }
        }
    };
}

feature_selection! {
    /// Neighborhood component feature selection ([`NcfsLoss`]).
    ///
    /// λ is [`FitConfig::l2`](crate::fit::FitConfig::l2); 0, the default, stands for 1/n. The map that comes
    /// out is `u = w² ∘ x`, a [`DiagonalMap`], and the rule takes L1 distances in its space.
    ///
    /// # References
    /// W. Yang, K. Wang, W. Zuo, Neighborhood Component Feature Selection for High-Dimensional Data, Journal of Computers
    /// 7(1), 2012; MATLAB's `fscnca`.
    ///
    /// # Examples
    /// ```
    /// use burn::tensor::Device;
    /// use burn_nca_learn::data::{Features, Labeled};
    /// use burn_nca_learn::estimator::Estimator;
    /// use burn_nca_learn::method::Ncfs;
    ///
    /// // The first feature determines the class, the second is noise.
    /// let x = vec![0.0, 0.7, 0.1, 0.2, 0.2, 0.5, 1.0, 0.6, 1.1, 0.3, 1.2, 0.4];
    /// let data = Labeled::from_labels(Features::unnamed(x, 2)?, vec![0, 0, 0, 1, 1, 1])?;
    /// let fitted = Estimator::new(2, 2, Ncfs::new()).fit(&data, &Device::flex())?;
    /// let weights = fitted.feature_norms().unwrap_or_default(); // w²
    /// assert!(weights[0] > 1.0 && weights[1] < 1e-3, "{weights:?}");
    /// # Ok::<(), burn_nca_learn::Error>(())
    /// ```
    Ncfs of Labeled: NcfsLoss, NcfsLossConfig, ClassIndex;
    const NAMES: Names = ["ncfs", "NCFS", "Neighborhood component feature selection"];
    const WHEN_TO_USE: &'static str = "classes; to find the few features among many that separate them";
}

feature_selection! {
    /// Neighborhood component feature selection for numbers ([`NcfsRegressionLoss`]), on targets standardized on the training
    /// rows; otherwise as [`Ncfs`].
    ///
    /// # References
    /// MATLAB's `fsrnca` with its loss `mad`.
    NcfsRegression of RegressionData: NcfsRegressionLoss, NcfsRegressionLossConfig, TargetIndex;
    const NAMES: Names = ["fsrnca", "FSRNCA", "Neighborhood component feature selection for regression"];
    const WHEN_TO_USE: &'static str = "a numeric target; to find the few features among many that it follows from";
}

/// Learns w under the penalty λ, that of the settings or 1/n where there is none, and gives the map of its squares.
fn learn_weights<M: GradientMethod>(
    method: &M,
    problem: &Problem<'_, M::Data>,
    session: FitSession<'_>,
) -> Result<Learned> {
    let rows = problem.data.features().rows().max(1);
    let lambda = if problem.fit.l2 > 0.0 { problem.fit.l2 } else { (rows as f64).recip() };
    let fit = problem.fit.clone().with_l2(lambda);
    let weights = start_weights(problem)?;
    let encoder = EncoderConfig::Diagonal;
    let problem = Problem { encoder, fit: &fit, start: None, ..problem.with_data(problem.data) };
    let map = FeatureWeights::from_weights(&weights, &problem.device, problem.dtype);
    let Learned { encoder, rule, summary } =
        learn_encoder(method, (map, None), &problem, (None, session))?;
    Ok(Learned { encoder: AnyEncoder::Diagonal(encoder.diagonal()), rule, summary })
}

/// The map of the squares of these weights w.
fn squared(encoder: &AnyEncoder, weights: &[f64]) -> Option<AnyEncoder> {
    let AnyEncoder::Diagonal(DiagonalMap { scale }) = encoder else { return None };
    let (weights, scale) = (weights.get(..scale.dims()[0])?, scale.val());
    let map = FeatureWeights::from_weights(weights, &scale.device(), scale.dtype());
    Some(AnyEncoder::Diagonal(map.diagonal()))
}

/// Where w starts: at 1, or as the settings say; a warm start is a map of squares.
fn start_weights<D: TrainingData>(problem: &Problem<'_, D>) -> Result<Vec<f64>> {
    let weights: Vec<f64> = match &problem.start {
        Some(AnyEncoder::Diagonal(map)) => {
            map.diagonal().into_iter().map(|square| square.abs().sqrt()).collect()
        }
        Some(_) => {
            return Err(Error::setting(
                "feature weights cannot start from a map that mixes features; give a diagonal map, or no start",
            ));
        }
        None => problem.fit.start.diagonal(problem.data.features().columns(), problem.fit.seed)?.0,
    };
    if weights.iter().all(|weight| *weight == 0.0) {
        return Err(Error::setting(
            "all feature weights start at 0, where none of them can move; start from 1 (identity)",
        ));
    }
    Ok(weights)
}
