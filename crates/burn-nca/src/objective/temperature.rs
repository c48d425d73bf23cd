//! The temperature of a softmax, fixed or learned.

use burn::config::Config;
use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};

use super::reduction::over;
use crate::shown_on_one_line;

/// The settings of a [`Temperature`].
#[derive(Config, Debug, PartialEq)]
pub struct TemperatureConfig {
    /// T, or where T starts if it is learned.
    pub value: f64,
    /// Whether log T is a parameter.
    #[config(default = false)]
    pub learned: bool,
}

impl TemperatureConfig {
    /// The temperature with these settings.
    ///
    /// # Panics
    /// If the value is not positive and finite.
    pub fn init(&self, device: &Device) -> Temperature {
        assert!(
            self.value > 0.0 && self.value.is_finite(),
            "the temperature must be positive and finite, got {}",
            self.value
        );
        let log = self.learned.then(|| Param::from_data([self.value.ln()], device));
        Temperature { value: self.value, log }
    }
}

/// The temperature T that similarities are divided by before a softmax, fixed or learned.
///
/// A learned one is stored as log T, so that no step of an optimizer makes it negative.
///
/// # Examples
/// ```
/// # #[cfg(feature = "flex")] {
/// use burn::tensor::Device;
/// use burn_nca::objective::TemperatureConfig;
///
/// let device = Device::flex();
/// let learned = TemperatureConfig::new(0.5).with_learned(true).init(&device);
/// assert!((learned.value() - 0.5).abs() < 1e-7);
/// assert_eq!(TemperatureConfig::new(0.5).init(&device).value(), 0.5);
/// # }
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct Temperature {
    /// T where it is fixed, and where it started where it is learned.
    value: f64,
    log: Option<Param<Tensor<1>>>,
}

shown_on_one_line!(Temperature, |module, content| content
    .add_debug_attribute("start", &module.value)
    .add_debug_attribute("learned", &module.log.is_some()));

impl Temperature {
    /// A temperature of 1, which changes nothing.
    pub(super) fn one() -> Self {
        Self { value: 1.0, log: None }
    }

    /// T as it is now; a learned one is read from its device.
    pub fn value(&self) -> f64 {
        match &self.log {
            Some(log) => log.val().without_autodiff().into_scalar::<f64>().exp(),
            None => self.value,
        }
    }

    /// Similarities, or points whose distances they are, divided by T, in the same shape.
    pub(super) fn divide(&self, scores: Tensor<2>) -> Tensor<2> {
        match &self.log {
            Some(log) => {
                let inverse = log.val().cast(scores.dtype()).neg().exp();
                scores * inverse.reshape([1, 1])
            }
            None if self.value == 1.0 => scores,
            None => over(scores, self.value),
        }
    }

    /// Points whose squared distances are those of `points` divided by `times` T.
    ///
    /// # Shapes
    /// - points: `[n, k]`, output: `[n, k]`
    pub(super) fn divide_squares(&self, points: Tensor<2>, times: f64) -> Tensor<2> {
        match &self.log {
            Some(log) => {
                let root = log.val().cast(points.dtype()).mul_scalar(-0.5).exp();
                points * root.mul_scalar(times.recip().sqrt()).reshape([1, 1])
            }
            None if self.value * times == 1.0 => points,
            None => points.mul_scalar((self.value * times).recip().sqrt()),
        }
    }
}
