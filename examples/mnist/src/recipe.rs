//! What the settings of a run are: the command line, with the defaults of each encoder filled in.

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};

use crate::arguments::{Arguments, Augmentation, EncoderKind, Objective};

/// The settings that decide the result of a run.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Recipe {
    pub encoder: EncoderKind,
    pub dim: usize,
    pub objective: Objective,
    pub epochs: usize,
    pub batch_size: usize,
    pub learning_rate: f64,
    pub weight_decay: f32,
    pub augment: Augmentation,
    pub held_out: usize,
    pub seed: u64,
    pub device: String,
}

impl Recipe {
    /// The settings asked for.
    ///
    /// # Errors
    /// A setting out of its range.
    pub fn new(arguments: &Arguments) -> Result<Self> {
        let (dim, epochs, batch_size, learning_rate) = match arguments.encoder {
            EncoderKind::Linear => (32, 12, 2000, 3e-3),
            EncoderKind::Mlp => (30, 20, 2000, 1e-3),
            EncoderKind::Cnn => (30, 8, 1000, 2e-3),
        };
        let recipe = Self {
            encoder: arguments.encoder,
            dim: arguments.dim.unwrap_or(dim),
            objective: arguments.objective,
            epochs: arguments.epochs.unwrap_or(epochs),
            batch_size: arguments.batch_size.unwrap_or(batch_size),
            learning_rate: arguments.lr.unwrap_or(learning_rate),
            weight_decay: arguments.weight_decay,
            augment: arguments.augment,
            held_out: arguments.held_out,
            seed: arguments.seed,
            device: arguments.device.clone(),
        };
        recipe.check()?;
        Ok(recipe)
    }

    fn check(&self) -> Result<()> {
        if self.dim == 0 {
            bail!("--dim is 0; give at least 1 dimension, such as 32");
        }
        if self.batch_size < 20 {
            bail!(
                "--batch-size is {}; a digit needs neighbors of its class in its batch, so give 20 or more",
                self.batch_size
            );
        }
        if !(self.learning_rate > 0.0 && self.learning_rate.is_finite()) {
            bail!("--lr is {}; give a positive number, such as 0.001", self.learning_rate);
        }
        if !(self.weight_decay >= 0.0 && self.weight_decay.is_finite()) {
            bail!("--weight-decay is {}; give 0 or a positive number", self.weight_decay);
        }
        Ok(())
    }

    /// The learning rate after `done` of all `steps`: half a cosine from its start to 0.
    pub fn learning_rate_at(&self, done: usize, steps: usize) -> f64 {
        let share = done as f64 / steps.max(1) as f64;
        0.5 * self.learning_rate * (1.0 + (std::f64::consts::PI * share).cos())
    }
}

#[cfg(test)]
impl Recipe {
    /// Small settings on the CPU.
    pub fn for_tests(encoder: EncoderKind) -> Self {
        Self {
            encoder,
            dim: 4,
            objective: Objective::G,
            epochs: 2,
            batch_size: 25,
            learning_rate: 1e-3,
            weight_decay: 1e-4,
            augment: Augmentation::Elastic,
            held_out: 0,
            seed: 3,
            device: "flex".to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_learning_rate_falls_from_its_start_to_zero() {
        let recipe = Recipe::for_tests(EncoderKind::Mlp);
        assert_eq!(recipe.learning_rate_at(0, 10), 1e-3);
        assert!((recipe.learning_rate_at(5, 10) - 5e-4).abs() < 1e-18);
        assert!(recipe.learning_rate_at(10, 10) < 1e-18);
    }

    #[test]
    fn settings_out_of_range_are_named_with_their_value() {
        let recipe = Recipe { batch_size: 3, ..Recipe::for_tests(EncoderKind::Mlp) };
        assert!(recipe.check().unwrap_err().to_string().contains("--batch-size is 3"));
        let recipe = Recipe { learning_rate: f64::NAN, ..Recipe::for_tests(EncoderKind::Mlp) };
        assert!(recipe.check().unwrap_err().to_string().contains("--lr is NaN"));
    }
}
