//! The recorded steps of a fit with a run's folder: kept with its checkpoint, and found again by `--resume`.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};

use burn_nca_files::{JournalError, read_journal, write_journal};
use burn_nca_learn::fit::{CheckpointEvent, FitIdentity};
use burn_nca_program::RunFolder;
use serde::{Deserialize, Serialize};

use super::run_folder::STEPS;
use crate::output::{self, warning};
use burn_nca_report::Warning;
use burn_nca_report::evaluation::{Missing, Recorder, Step};

/// Bytes that are written with every checkpoint; more are kept only where the fit is cut off.
const WITH_EVERY_CHECKPOINT: usize = 16 << 20;

/// The steps of a fit with a run's folder, for its report.
pub struct Recording {
    pub recorder: RefCell<Recorder>,
    file: PathBuf,
    of: FitIdentity,
    /// What is missing of a resumed fit.
    missing: Cell<Option<Missing>>,
    failed: Cell<bool>,
}

/// The state of the journal; its records are the parameters of the steps, then those of the best.
#[derive(Deserialize, Serialize)]
struct Kept {
    iterations: Vec<usize>,
    best: Option<(f64, usize)>,
    width: usize,
}

impl Recording {
    /// For this fit with this folder; there is no page without a folder, and nothing to keep.
    pub fn new(folder: &RunFolder, of: FitIdentity) -> Self {
        let (recorder, file) = (RefCell::default(), folder.file(STEPS));
        Self { recorder, file, of, missing: Cell::default(), failed: Cell::default() }
    }

    /// Keeps the steps with the checkpoint, and continues from those of an interrupted run where the fit does.
    pub fn follow(&self, event: &CheckpointEvent<'_>) {
        match event {
            CheckpointEvent::Resumed { iteration, .. } => {
                // Steps of another fit, or a damaged file, are ignored.
                let earlier = read(&self.file, &self.of).ok().flatten().unwrap_or_default();
                self.missing.set(self.recorder.borrow_mut().resume(earlier, *iteration));
            }
            CheckpointEvent::Saving if self.bytes() <= WITH_EVERY_CHECKPOINT => self.keep(),
            CheckpointEvent::Saving | CheckpointEvent::WriteFailed(_) => {}
        }
    }

    /// Keeps the steps for the run that resumes this one; without them the fit continues all the same.
    pub fn keep(&self) {
        if self.recorder.borrow().steps.is_empty() {
            return;
        }
        if let Err(error) = write(&self.file, &self.of, &self.recorder.borrow())
            && !self.failed.replace(true)
        {
            output::warn(&format!(
                "the steps for the replay of the fit cannot be written; after an interruption the report would lack \
                 them: {error}"
            ));
        }
    }

    /// What to say of a replay that is not whole.
    pub fn warning(&self) -> Option<Warning> {
        let (first, last) = self.missing.get()?;
        Some(warning!(
            ReplayIncomplete,
            "the replay lacks the iterations {first} to {last}: the interrupted run has not kept them"
        ))
    }

    pub fn into_steps(self) -> Vec<Step> {
        self.recorder.into_inner().into_steps()
    }

    fn bytes(&self) -> usize {
        let recorder = self.recorder.borrow();
        recorder.steps.iter().map(|step| 8 * step.parameters.len()).sum()
    }
}

fn write(file: &Path, of: &FitIdentity, recorder: &Recorder) -> Result<(), JournalError> {
    let best = recorder.best.as_ref();
    let steps = recorder.steps.iter().chain(best.map(|(_, step)| step));
    let records: Vec<u8> = steps
        .flat_map(|step| step.parameters.iter().flat_map(|number| number.to_le_bytes()))
        .collect();
    let kept = Kept {
        iterations: recorder.steps.iter().map(|step| step.iteration).collect(),
        best: best.map(|(score, step)| (*score, step.iteration)),
        width: recorder.steps.first().map_or(0, |step| step.parameters.len()),
    };
    write_journal(file, of, &kept, &records)
}

/// The steps in a file; `None` where there is no file, or where they do not fit together.
fn read(file: &Path, of: &FitIdentity) -> Result<Option<Recorder>, JournalError> {
    let Some((Kept { iterations, best, width }, records)) = read_journal(file, of)? else {
        return Ok(None);
    };
    let count = iterations.len() + usize::from(best.is_some());
    if width == 0
        || Some(records.len()) != count.checked_mul(width).and_then(|all| all.checked_mul(8))
    {
        return Ok(None);
    }
    let number = |bytes: &[u8]| bytes.try_into().map_or(f64::NAN, f64::from_le_bytes);
    let mut parameters =
        records.chunks_exact(8 * width).map(|step| step.chunks_exact(8).map(number).collect());
    let mut step = |iteration| parameters.next().map(|parameters| Step { iteration, parameters });
    let steps = iterations.into_iter().filter_map(&mut step).collect();
    let best = best.and_then(|(score, iteration)| Some((score, step(iteration)?)));
    Ok(Some(Recorder { steps, best }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_another_fit_and_damaged_ones_are_not_replayed() {
        let place = tempfile::tempdir().unwrap();
        let folder = RunFolder::open(&place.path().join("run"), false, &[STEPS]).unwrap();
        let of = |settings: &str| FitIdentity {
            settings: settings.to_string(),
            features: "x".to_string(),
            targets: "y".to_string(),
        };
        let resumed = |settings: &str, iteration| {
            let recording = Recording::new(&folder, of(settings));
            recording.recorder.borrow_mut().start(&[f64::MIN_POSITIVE, -0.0]);
            recording.follow(&CheckpointEvent::Resumed { iteration, ended: false });
            let warning = recording.warning().map(|warning| warning.text);
            let steps = recording.into_steps();
            (steps.iter().map(|step| step.iteration).collect::<Vec<_>>(), warning)
        };
        let step = |iteration| Step { iteration, parameters: vec![f64::MIN_POSITIVE, -0.0] };
        let steps = [0, 1, 2].map(step).to_vec();
        let recorder = Recorder { steps, best: Some((0.25, step(1))) };
        write(&folder.file(STEPS), &of("a"), &recorder).unwrap();
        let found = read(&folder.file(STEPS), &of("a")).unwrap().unwrap();
        assert_eq!((&found.steps, &found.best), (&recorder.steps, &recorder.best));
        assert_eq!(resumed("a", 2), (vec![0, 1, 2], None));
        let (steps, warning) = resumed("a", 33);
        assert_eq!(steps, [0, 1, 2]);
        assert!(warning.unwrap().starts_with("the replay lacks the iterations 3 to 33"));
        assert_eq!(resumed("b", 2).0, [0]);
        let mut bytes = std::fs::read(folder.file(STEPS)).unwrap();
        bytes.pop();
        std::fs::write(folder.file(STEPS), bytes).unwrap();
        assert_eq!(resumed("a", 2).0, [0]);
    }
}
