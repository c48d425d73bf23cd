//! The parameters of a fit at some of its steps, for the report to replay.

use std::path::Path;

use anyhow::Result;
use burn_nca::fit::Progress;
use burn_nca_files::read_regular_text;
use serde::{Deserialize, Serialize};

use crate::output;

/// Steps that are kept at most.
const MOST: usize = 40;

/// Steps that are worth a replay.
const FEWEST: usize = 8;

/// Memory for the parameters of all steps, in bytes.
const MOST_BYTES: usize = 128 << 20;

/// A step of a fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Its number; 0 is the start.
    pub iteration: usize,
    /// The parameters of the model.
    pub parameters: Vec<f64>,
}

/// The steps of a fit, thinned to a few dozen: dense at first, where most changes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Recorder {
    steps: Vec<Step>,
    /// The step of the best held-out score, and that score.
    best: Option<(f64, Step)>,
}

impl Recorder {
    /// What an interrupted run of this fit has left in a file; nothing where there is none.
    pub fn resumed(file: &Path) -> Self {
        let text = read_regular_text(file).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// Keeps the steps for the run that resumes this one.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn keep(&self, file: &Path) -> Result<()> {
        output::write_file(file, &serde_json::to_vec(self)?)
    }

    /// Notes the start.
    pub fn start(&mut self, parameters: &[f64]) {
        if self.steps.first().is_none_or(|step| step.iteration > 0) {
            self.steps.insert(0, Step { iteration: 0, parameters: parameters.to_vec() });
        }
    }

    /// Notes a step.
    pub fn step(&mut self, progress: &Progress, parameters: &[f64]) {
        let most = (MOST_BYTES / (8 * parameters.len().max(1))).min(MOST);
        if most < FEWEST {
            self.steps.clear();
            return;
        }
        let step = Step { iteration: progress.iteration, parameters: parameters.to_vec() };
        if let Some(score) = progress.held_out
            && self.best.as_ref().is_none_or(|(best, _)| score > *best)
        {
            self.best = Some((score, step.clone()));
        }
        // A resumed fit takes steps again that came after its last checkpoint.
        self.steps.retain(|earlier| earlier.iteration < step.iteration);
        self.steps.push(step);
        if self.steps.len() > most {
            let gap = |at: &usize| {
                let place = |at: usize| ((self.steps[at].iteration + 4) as f64).ln();
                place(at + 1) - place(at - 1)
            };
            let inner = 1..self.steps.len() - 1;
            if let Some(least) = inner.min_by(|a, b| gap(a).total_cmp(&gap(b))) {
                self.steps.remove(least);
            }
        }
    }

    /// The steps in their order, that of the best held-out score among them.
    pub fn into_steps(self) -> Vec<Step> {
        let Self { mut steps, best } = self;
        if let Some((_, best)) = best {
            let place = steps.partition_point(|step| step.iteration < best.iteration);
            if steps.get(place).is_none_or(|step| step.iteration != best.iteration) {
                steps.insert(place, best);
            }
        }
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(iteration: usize, held_out: Option<f64>) -> Progress {
        Progress {
            iteration,
            evaluations: iteration,
            value: 0.0,
            gradient_max: 0.0,
            step: 1.0,
            held_out,
            seconds: 0.0,
        }
    }

    #[test]
    fn a_few_dozen_steps_stay_dense_at_first_with_the_start_the_best_and_the_last() {
        let mut recorder = Recorder::default();
        recorder.start(&[0.5]);
        for iteration in 1..=500 {
            let score = (iteration < 300).then_some(if iteration == 123 { 1.0 } else { 0.5 });
            recorder.step(&progress(iteration, score), &[iteration as f64]);
        }
        let steps: Vec<usize> = recorder.into_steps().iter().map(|step| step.iteration).collect();
        assert!(steps.len() <= MOST + 1 && steps.len() >= MOST, "{steps:?}");
        assert_eq!((&steps[..4], steps.last()), (&[0, 1, 2, 3][..], Some(&500)));
        assert!(steps.contains(&123) && steps.is_sorted(), "{steps:?}");
        let widest = steps.windows(2).map(|pair| pair[1] - pair[0]).max();
        assert!(widest < Some(120), "{steps:?}");
    }

    #[test]
    fn what_was_kept_goes_on_and_steps_taken_again_count_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("steps.json");
        assert_eq!(Recorder::resumed(&file), Recorder::default());
        let mut recorder = Recorder::default();
        recorder.start(&[0.0]);
        (1..=5).for_each(|at| recorder.step(&progress(at, None), &[at as f64]));
        recorder.keep(&file).unwrap();
        let mut resumed = Recorder::resumed(&file);
        resumed.start(&[9.0]);
        (4..=6).for_each(|at| resumed.step(&progress(at, None), &[at as f64]));
        let numbers: Vec<f64> =
            resumed.into_steps().iter().map(|step| step.parameters[0]).collect();
        assert_eq!(numbers, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    }

    #[test]
    fn maps_of_many_parameters_are_not_kept() {
        let mut recorder = Recorder::default();
        let parameters = vec![0.0; MOST_BYTES / 8];
        recorder.start(&parameters);
        recorder.step(&progress(1, None), &parameters);
        assert!(recorder.into_steps().is_empty());
    }
}
