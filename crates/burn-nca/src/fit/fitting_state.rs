//! Whether a state that was read can be one of this fit.
//!
//! A checksum finds damage; what a hand or another program wrote anew has a checksum that is right. Sizes that do not go
//! together would panic far from here, and counts at the end of their range overflow.

use super::Progress;
use super::monitor::Record;
use super::state::DescentState;

/// More steps, evaluations and batches than any fit takes.
const MOST_STEPS: usize = usize::MAX / 4;

/// What does not fit, in words that follow "cannot be of this fit:".
pub(super) type Misfit = Result<(), String>;

/// What a minimizer remembers of earlier steps.
pub(super) trait Memory {
    /// The number of components of every vector in it.
    fn sizes(&self) -> Vec<usize>;
}

/// A count within reason.
pub(super) fn check_count(name: &str, count: usize) -> Misfit {
    let problem = || format!("{name} is {count}, more than the {MOST_STEPS} that a fit may have");
    if count <= MOST_STEPS { Ok(()) } else { Err(problem()) }
}

/// As many components as the fit has parameters.
pub(super) fn check_size(name: &str, size: usize, parameters: usize) -> Misfit {
    let problem = || format!("{name} has {size} numbers where the fit has {parameters} parameters");
    if size == parameters { Ok(()) } else { Err(problem()) }
}

/// Whether this can be the state of a descent over so many parameters.
///
/// # Errors
/// The part that cannot.
pub(super) fn check_descent<M: Memory>(state: &DescentState<M>, parameters: usize) -> Misfit {
    check_size("the position", state.position.len(), parameters)?;
    if state.evaluations > 0 || !state.gradient.is_empty() {
        check_size("the gradient", state.gradient.len(), parameters)?;
    }
    for size in state.memory.iter().flat_map(Memory::sizes) {
        check_size("a vector of the memory", size, parameters)?;
    }
    check_count("the iteration", state.iteration)?;
    check_count("the number of evaluations", state.evaluations)
}

impl<K> Record<K> {
    /// Whether this can be what a fit has been through; `kept` judges what was kept of a step.
    ///
    /// # Errors
    /// The part that cannot.
    pub(super) fn check(&self, kept: impl Fn(&K) -> Misfit) -> Misfit {
        for Progress { iteration, evaluations, .. } in &self.history {
            check_count("an iteration of the history", *iteration)?;
            check_count("a number of evaluations of the history", *evaluations)?;
        }
        if let Some(best) = &self.best {
            check_count("the best iteration", best.iteration)?;
            kept(&best.kept)?;
        }
        self.least.as_ref().map_or(Ok(()), |least| kept(&least.kept))
    }
}
