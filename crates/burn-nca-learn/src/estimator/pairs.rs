//! Metric learning from weighted pairs.

use burn::config::Config;
use burn::tensor::Device;

use super::{Estimator, Fitted};
use crate::data::{Coincidences, Features, Pairs};
use crate::encoder::EncoderConfig;
use crate::error::Result;
use crate::fit::FitConfig;
use crate::method::PairNca;

/// Metric learning from weighted pairs, without any label: what to learn, and how.
///
/// The objective is equation 8 of the NCA paper ([`PairLoss`](crate::objective::PairLoss)). Early stopping
/// holds out pairs, not rows, and follows their mean log-probability `-||z_a - z_b||² - log Z`, weighted. The
/// automatic start is PCA where k < d, else the identity.
///
/// # Examples
/// ```
/// # #[cfg(feature = "flex")] {
/// use burn::tensor::Device;
/// use burn_nca_learn::PairsConfig;
/// use burn_nca_learn::data::{Features, Pairs};
///
/// // Frames of a film: the first feature changes slowly, the second is noise.
/// let features = vec![0.0, 5.0, 1.0, 0.0, 2.0, 9.0, 3.0, 2.0, 4.0, 7.0];
/// let features = Features::unnamed(features, 2)?;
/// let pairs = Pairs::new(5, (1..5).map(|frame| (frame - 1, frame, 1.0)).collect())?;
/// let fitted = PairsConfig::new(2, 2).fit(&features, &pairs, &Device::flex())?;
/// assert_eq!(fitted.transform(&features)?.dims(), [5, 2]);
/// # }
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
#[derive(Config, Debug)]
pub struct PairsConfig {
    /// Number of features, d.
    pub d_input: usize,
    /// Number of embedding dimensions, k: below d for a low rank, d for a full metric, or more.
    pub d_output: usize,
    /// Which map.
    #[config(default = "EncoderConfig::Linear")]
    pub encoder: EncoderConfig,
    /// Whether the normalizer counts each point with itself.
    #[config(default = true)]
    pub include_self: bool,
    /// How to fit.
    #[config(default = "FitConfig::new()")]
    pub fit: FitConfig,
}

impl PairsConfig {
    /// The same settings as an [`Estimator`].
    pub fn estimator(&self) -> Estimator<PairNca> {
        Estimator::new(self.d_input, self.d_output, PairNca { include_self: self.include_self })
            .with_encoder(self.encoder.clone())
            .with_fit(self.fit.clone())
    }

    /// Learns the metric that draws the pairs together.
    ///
    /// # Errors
    /// As [`Estimator::fit_session`], or pairs of another number of points than rows.
    pub fn fit(&self, features: &Features, pairs: &Pairs, device: &Device) -> Result<Fitted> {
        let data = Coincidences::new(features.clone(), pairs.clone())?;
        self.estimator().fit(&data, device)
    }
}
