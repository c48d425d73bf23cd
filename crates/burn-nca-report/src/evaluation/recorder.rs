//! The parameters of a fit at some of its steps, for the report to replay.

use super::replay::Step;
use burn_nca_learn::fit::Progress;

/// Steps that are kept at most.
const MOST: usize = 40;

/// Steps that are worth a replay.
const FEWEST: usize = 8;

/// Memory for the parameters of all steps, in bytes.
const MOST_BYTES: usize = 128 << 20;

/// The steps of a fit, thinned to a few dozen: dense at first, where most changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recorder {
    /// In their order.
    pub steps: Vec<Step>,
    /// The step of the best held-out score, and that score.
    pub best: Option<(f64, Step)>,
}

/// Steps between those that an interrupted run has kept and its checkpoint: the first and the last.
pub type Missing = (usize, usize);

impl Recorder {
    /// Notes the start.
    pub fn start(&mut self, parameters: &[f64]) {
        self.steps = vec![Step { iteration: 0, parameters: parameters.to_vec() }];
        self.best = None;
    }

    /// Continues after this step with what an interrupted run has kept, if that run began where this one does; what is
    /// missing up to the step.
    pub fn resume(&mut self, earlier: Self, iteration: usize) -> Option<Missing> {
        let start = self.steps.first()?;
        if most_steps(start.parameters.len()) < FEWEST {
            return None;
        }
        let mut last = start.iteration;
        if earlier.steps.first() == Some(start) {
            // A step that was thinned out is not missing.
            last = earlier.steps.last()?.iteration;
            *self = earlier;
            // They came after the checkpoint, and are taken again.
            self.steps.retain(|step| step.iteration <= iteration);
            self.best = self.best.take().filter(|(_, step)| step.iteration <= iteration);
        }
        (last < iteration).then_some((last + 1, iteration))
    }

    /// Notes a step.
    pub fn step(&mut self, progress: &Progress, parameters: &[f64]) {
        let most = most_steps(parameters.len());
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

/// Steps of a map of so many parameters that memory is spent on.
fn most_steps(parameters: usize) -> usize {
    (MOST_BYTES / (8 * parameters.max(1))).min(MOST)
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
            omitted: None,
            seconds: 0.0,
        }
    }

    /// The record of a fit from 0 whose parameter is the number of the step.
    fn taken(steps: usize, held_out: impl Fn(usize) -> Option<f64>) -> Recorder {
        let mut recorder = Recorder::default();
        recorder.start(&[0.0]);
        (1..=steps).for_each(|at| recorder.step(&progress(at, held_out(at)), &[at as f64]));
        recorder
    }

    #[test]
    fn a_few_dozen_steps_stay_dense_at_first_with_the_start_the_best_and_the_last() {
        let score = |at| (at < 300).then_some(if at == 123 { 1.0 } else { 0.5 });
        let steps = taken(500, score).into_steps();
        let steps: Vec<usize> = steps.iter().map(|step| step.iteration).collect();
        assert!(steps.len() <= MOST + 1 && steps.len() >= MOST, "{steps:?}");
        assert_eq!((&steps[..4], steps.last()), (&[0, 1, 2, 3][..], Some(&500)));
        assert!(steps.contains(&123) && steps.is_sorted(), "{steps:?}");
        let widest = steps.windows(2).map(|pair| pair[1] - pair[0]).max();
        assert!(widest < Some(120), "{steps:?}");
    }

    #[test]
    fn what_was_kept_continues_and_steps_taken_again_count_once() {
        let mut resumed = taken(0, |_| None);
        // A step that was thinned out is not missing.
        assert_eq!(resumed.resume(taken(2 * MOST, |_| None), 2 * MOST - 1), None);
        let mut resumed = taken(0, |_| None);
        assert_eq!(resumed.resume(taken(5, |at| Some(at as f64)), 3), None);
        assert_eq!(resumed.best, None, "the best came after the checkpoint");
        (4..=6).for_each(|at| resumed.step(&progress(at, None), &[at as f64]));
        let numbers: Vec<f64> =
            resumed.into_steps().iter().map(|step| step.parameters[0]).collect();
        assert_eq!(numbers, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    }

    #[test]
    fn steps_that_were_not_kept_are_told_and_those_of_another_start_not_taken() {
        let mut resumed = Recorder::default();
        assert_eq!(resumed.resume(taken(1, |_| None), 33), None, "a fit that tells no start");
        resumed.start(&[7.0]);
        assert_eq!(resumed.resume(taken(1, |_| Some(9.0)), 33), Some((1, 33)));
        assert_eq!((resumed.steps.len(), &resumed.best), (1, &None));
        resumed.start(&[0.0]);
        assert_eq!(resumed.resume(taken(1, |_| None), 33), Some((2, 33)));
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
