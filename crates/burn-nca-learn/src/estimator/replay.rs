//! The encoder of a model at an earlier step of its fit.

use super::Fitted;
use crate::encoder::AnyEncoder;

impl Fitted<AnyEncoder> {
    /// The encoder at the parameters of a step of this model's fit, as
    /// [`FitSession::with_parameters`](crate::fit::FitSession::with_parameters) and
    /// [`with_start`](crate::fit::FitSession::with_start) tell them; `None` where they are not those of its encoder.
    ///
    /// # Examples
    /// ```
    /// # #[cfg(feature = "flex")] {
    /// use std::ops::ControlFlow;
    /// use burn::tensor::Device;
    /// use burn_nca_learn::{NcaConfig, data::{Features, Labeled}};
    /// use burn_nca_learn::fit::{FitSession, Progress};
    ///
    /// let features = Features::unnamed(vec![0.0, 5.0, 0.2, 1.0, 1.0, 4.0, 1.2, 0.0], 2)?;
    /// let data = Labeled::from_labels(features, vec![0, 0, 1, 1])?;
    /// let mut steps = Vec::new();
    /// let mut note = |_: &Progress, parameters: &[f64]| {
    ///     steps.push(parameters.to_vec());
    ///     ControlFlow::Continue(())
    /// };
    /// let session = FitSession::new().with_parameters(&mut note);
    /// let fitted = NcaConfig::new(2, 2).estimator().fit_session(&data, &Device::flex(), session)?;
    /// assert!(steps.iter().all(|parameters| fitted.encoder_at(parameters).is_some()));
    /// # }
    /// # Ok::<(), burn_nca_learn::Error>(())
    /// ```
    pub fn encoder_at(&self, parameters: &[f64]) -> Option<AnyEncoder> {
        self.card.method.encoder_at(&self.encoder, parameters)
    }
}
