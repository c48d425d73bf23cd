//! Training by mini-batches of pairs that are rendered while the step before runs.

mod checkpoint;
mod goal;
mod held_out;
mod trainer;

pub use checkpoint::Checkpoint;
pub use goal::{Goal, PoseScale, pixels};
pub use held_out::HeldOut;
pub use trainer::{Setting, Trained, train};

use serde::{Deserialize, Serialize};

/// How a network is trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Steps at most.
    pub steps: usize,
    /// Pairs a step.
    pub pairs: usize,
    /// Learning rate of Adam at the first step.
    pub learning_rate: f64,
    /// Seed of the start of the network.
    pub seed: u64,
    /// Factor of the weights of the last layer at the start.
    pub start_scale: f64,
    /// Checks of the held-out loss, evenly over the steps.
    pub checks: usize,
    /// Checks in a row without a lower held-out loss after which training stops.
    pub patience: usize,
}

impl Plan {
    /// The learning rate of a step: half a cosine from the first rate to 0.
    ///
    /// ```text
    /// rate (1 + cos(π step / steps)) / 2
    /// ```
    pub fn learning_rate_at(&self, step: usize) -> f64 {
        let done = step as f64 / self.steps.max(1) as f64;
        0.5 * self.learning_rate * (1.0 + (std::f64::consts::PI * done).cos())
    }

    /// Whether the held-out loss is checked after this many steps.
    pub fn checks_at(&self, step: usize) -> bool {
        let interval = self.steps.div_ceil(self.checks.max(1)).max(1);
        step.is_multiple_of(interval) || step == self.steps
    }
}

/// Why training ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    /// All steps are done.
    StepsDone,
    /// The held-out loss stopped falling.
    HeldOut,
    /// The loss is infinite or not a number.
    NonFinite,
    /// The user asked to stop.
    Interrupted,
}

impl Ending {
    /// The reason as a sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::StepsDone => "All steps are done.",
            Self::HeldOut => "Stopped early: the held-out loss no longer falls.",
            Self::NonFinite => {
                "Failed: the loss is infinite or not a number; give a smaller --learning-rate."
            }
            Self::Interrupted => "Stopped on request.",
        }
    }
}

/// A look at the held-out faces during training.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// Steps done.
    pub step: usize,
    /// Mean loss of the steps since the last check.
    pub loss: f64,
    /// Loss on pairs of held-out people.
    pub held_out: f64,
    /// Correlation with the rotation of held-out faces: of the angle around the fitted center, or of the
    /// prediction of a supervised network.
    pub rotation: f64,
    /// Correlation with their size: of the distance from the center, or of the prediction.
    pub size: f64,
    /// Seconds of training so far, over all runs.
    pub seconds: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(steps: usize) -> Plan {
        Plan {
            steps,
            pairs: 4,
            learning_rate: 0.01,
            seed: 0,
            start_scale: 1.0,
            checks: 50,
            patience: 5,
        }
    }

    #[test]
    fn the_rate_falls_along_a_cosine() {
        let plan = plan(100);
        let rates = [0, 50, 100].map(|step| plan.learning_rate_at(step));
        for (rate, expected) in rates.iter().zip([0.01, 0.005, 0.0]) {
            assert!((rate - expected).abs() < 1e-12, "{rate}");
        }
    }

    #[test]
    fn the_last_step_is_always_checked() {
        for steps in [1, 7, 50, 51, 3000] {
            let checks = (1..=steps).filter(|&step| plan(steps).checks_at(step)).count();
            assert!((1..=50).contains(&checks) && plan(steps).checks_at(steps), "{steps}");
        }
    }
}
