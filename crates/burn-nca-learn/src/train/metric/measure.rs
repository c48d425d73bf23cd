//! What all metrics of embeddings share with Burn's `Metric`.

use std::sync::Arc;

use burn::tensor::TensorReadError;
use burn::train::metric::state::{FormatOptions, NumericMetricState};
use burn::train::metric::{
    Metric, MetricAttributes, MetricMetadata, MetricName, Numeric, NumericAttributes, NumericEntry,
    SerializedEntry,
};

use crate::error::Result;

/// What is measured of each batch; [`EmbeddingMetric`] makes a Burn metric of it.
pub trait Measure: Clone + Send + Sync + 'static {
    /// What of a step's output is looked at.
    type Input;

    /// The unit, if any.
    const UNIT: Option<&'static str> = Some("%");

    /// Whether larger is better.
    const HIGHER_IS_BETTER: bool = true;

    /// The name, with the parameters in it: metrics are distinguished by it.
    fn name(&self) -> String;

    /// One line on what the number means.
    fn description(&self) -> String;

    /// The measure of a batch.
    ///
    /// # Errors
    /// A tensor that cannot be read.
    fn measure(&self, input: &Self::Input) -> core::result::Result<Reading, TensorReadError>;
}

/// The measure of one batch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// The value and the number of rows it is the mean over; `None` where there is none.
    pub value: Option<(f64, usize)>,
    /// What a person should know besides.
    pub remark: Option<String>,
}

impl Reading {
    /// A value over some rows; an error becomes the remark of a reading without value.
    pub fn of(value: Result<Option<(f64, usize)>>) -> Self {
        match value {
            Ok(value) => Self { value, remark: None },
            Err(error) => Self { value: None, remark: Some(error.to_string()) },
        }
    }
}

/// A [`Measure`] as a Burn metric.
#[derive(Clone)]
pub struct EmbeddingMetric<M: Measure> {
    measure: M,
    name: MetricName,
    state: NumericMetricState,
    /// Rows measured in this epoch, and whether the last batch was.
    rows: usize,
    current: bool,
}

impl<M: Measure> EmbeddingMetric<M> {
    /// The metric of this measure.
    pub fn of(measure: M) -> Self {
        let name = Arc::new(measure.name());
        Self { measure, name, state: NumericMetricState::new(), rows: 0, current: false }
    }

    fn format(&self) -> FormatOptions {
        let options = FormatOptions::new(self.name.clone()).precision(3);
        match M::UNIT {
            Some(unit) => options.unit(unit),
            None => options,
        }
    }
}

impl<M: Measure + Default> EmbeddingMetric<M> {
    /// The metric of a measure without parameters.
    pub fn new() -> Self {
        Self::of(M::default())
    }
}

impl<M: Measure + Default> Default for EmbeddingMetric<M> {
    fn default() -> Self {
        Self::new()
    }
}

impl<M: Measure> Metric for EmbeddingMetric<M> {
    type Input = M::Input;

    fn name(&self) -> MetricName {
        self.name.clone()
    }

    fn description(&self) -> Option<String> {
        Some(self.measure.description())
    }

    fn attributes(&self) -> MetricAttributes {
        let (unit, higher_is_better) = (M::UNIT.map(str::to_string), M::HIGHER_IS_BETTER);
        NumericAttributes { unit, higher_is_better }.into()
    }

    fn update(
        &mut self,
        item: &M::Input,
        _metadata: &MetricMetadata,
    ) -> core::result::Result<SerializedEntry, TensorReadError> {
        let reading = self.measure.measure(item)?;
        let mut entry = match reading.value {
            Some((value, rows)) => {
                self.state.update(value, rows);
                self.rows += rows;
                self.state.compute_update(self.format())
            }
            None => SerializedEntry::not_available(M::UNIT),
        };
        self.current = reading.value.is_some();
        if let Some(remark) = reading.remark {
            entry.formatted = format!("{} ({remark})", entry.formatted);
        }
        Ok(entry)
    }

    fn compute(&mut self) -> core::result::Result<SerializedEntry, TensorReadError> {
        Ok(match self.rows {
            0 => SerializedEntry::not_available(M::UNIT),
            _ => self.state.compute_final(self.format()),
        })
    }

    fn clear(&mut self) {
        self.state.reset();
        self.rows = 0;
        self.current = false;
    }
}

impl<M: Measure> Numeric for EmbeddingMetric<M> {
    fn value(&self) -> Option<NumericEntry> {
        self.current.then(|| self.state.current_value())
    }

    fn running_value(&self) -> Option<NumericEntry> {
        (self.rows > 0).then(|| self.state.running_value())
    }

    fn final_value(&self) -> NumericEntry {
        self.state.final_value()
    }
}
