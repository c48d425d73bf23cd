//! The stages of an evaluation, some of which a caller may leave out.

/// What a caller shows of an evaluation, and what it leaves out; by default nothing.
pub trait Stages {
    /// Names the stage that begins.
    fn announce(&self, _stage: &str) {}

    /// Whether the comparison with a baseline takes place.
    fn admits(&self, _method: &str) -> bool {
        true
    }

    /// Whether the replay of a fit continues with `step`, from 1, of so many; without one of them there is none.
    fn admits_replay(&self, _step: usize, _steps: usize) -> bool {
        true
    }
}

/// All stages, without a word.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllStages;

impl Stages for AllStages {}
