//! Progress as two lines an epoch, for terminals and files alike. (With the feature `tui` of Burn, leave the
//! renderer out of `learning.rs` and Burn's dashboard takes its place.)

use burn::train::logger::{EvaluationProgressLogger, TrainingProgressLogger};
use burn::train::metric::{MetricAttributes, MetricDefinition, MetricId, NumericEntry};
use burn::train::renderer::{
    EvaluationName, MetricState, MetricsRenderer, MetricsRendererEvaluation,
    MetricsRendererTraining,
};

/// Prints the means of an epoch when its training part and its validation part end.
#[derive(Default)]
pub struct Lines {
    epoch: usize,
    split: String,
    metrics: Vec<Mean>,
    warning: Option<String>,
}

/// The mean of a metric over the part of an epoch that is running.
struct Mean {
    id: MetricId,
    name: String,
    unit: String,
    sum: f64,
    rows: usize,
}

impl Lines {
    fn update(&mut self, state: MetricState) {
        let MetricState::Numeric(entry, Some(value)) = state else { return };
        let text = &entry.serialized_entry.formatted;
        if text.contains("WARNING") {
            self.warning = Some(text.clone());
        }
        let known = self.metrics.iter_mut().find(|mean| mean.id == entry.metric_id);
        let Some(mean) = known else { return };
        let (value, rows) = match value {
            NumericEntry::Aggregated { aggregated_value, count } => (aggregated_value, count),
            NumericEntry::Value(value) => (value, 1),
            NumericEntry::Final(_) => return,
        };
        mean.sum += value * rows as f64;
        mean.rows += rows;
    }
}

impl MetricsRendererTraining for Lines {
    fn update_train(&mut self, state: MetricState) {
        self.update(state);
    }

    fn update_valid(&mut self, state: MetricState) {
        self.update(state);
    }
}

impl TrainingProgressLogger for Lines {
    fn start(&mut self, _: usize, starting_epoch: usize, _: Option<usize>, _: Option<&str>) {
        self.epoch = starting_epoch;
    }

    fn update_epoch(&mut self, epoch: usize) {
        self.epoch = epoch + 1;
    }

    fn start_split(&mut self, split: &str, _total_items: usize) {
        self.split = split.to_string();
    }

    fn update_split(&mut self, _items_processed: usize) {}

    fn end_split(&mut self) {
        print!("epoch {:2} {}", self.epoch, self.split);
        for mean in self.metrics.iter_mut().filter(|mean| mean.rows > 0) {
            print!("   {} {:.4}{}", mean.name, mean.sum / mean.rows as f64, mean.unit);
            (mean.sum, mean.rows) = (0.0, 0);
        }
        println!();
        if let Some(warning) = self.warning.take() {
            println!("         {warning}");
        }
    }

    fn end(&mut self) {}

    fn log_event_training(&mut self, _event: String) {}
}

impl MetricsRendererEvaluation for Lines {
    fn update_test(&mut self, _name: EvaluationName, _state: MetricState) {}
}

impl EvaluationProgressLogger for Lines {
    fn start_global_progress(&mut self, _total_tests: usize) {}

    fn start_test(&mut self, _name: &str, _total_items: usize) {}

    fn update_test_progress(&mut self, _items_processed: usize) {}

    fn end_test(&mut self) {}

    fn end_global_progress(&mut self) {}

    fn log_event_evaluation(&mut self, _event: String) {}
}

impl MetricsRenderer for Lines {
    fn manual_close(&mut self) {}

    fn register_metric(&mut self, definition: MetricDefinition) {
        if self.metrics.iter().any(|mean| mean.id == definition.metric_id) {
            return;
        }
        let unit = match definition.attributes {
            MetricAttributes::Numeric(attributes) => attributes.unit,
            MetricAttributes::None => None,
        };
        self.metrics.push(Mean {
            id: definition.metric_id,
            name: definition.name.to_string(),
            unit: unit.map_or_else(String::new, |unit| format!(" {unit}")),
            sum: 0.0,
            rows: 0,
        });
    }
}
