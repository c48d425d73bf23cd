//! The time that a command may take, counted from its start.

use std::time::{Duration, Instant};

/// The clock of a command, and the time that it may take.
#[derive(Clone, Copy, Debug)]
pub struct TimeBudget {
    started: Instant,
    most: Option<Duration>,
}

impl TimeBudget {
    /// Starts the clock of so many seconds; without a limit where none are given.
    pub fn start(seconds: Option<f64>) -> Self {
        // A number of seconds beyond what a clock counts is no limit.
        let most = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        Self { started: Instant::now(), most }
    }

    /// Seconds since the start.
    pub fn elapsed(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Seconds that are left, 0 once the budget is spent; `None` without a limit.
    pub fn left(&self) -> Option<f64> {
        Some(self.most?.saturating_sub(self.started.elapsed()).as_secs_f64())
    }

    /// Whether nothing is left.
    pub fn is_spent(&self) -> bool {
        self.most.is_some_and(|most| self.started.elapsed() >= most)
    }

    /// Why something was left out once it is spent, with the cure.
    pub fn reason(&self) -> String {
        let seconds = self.most.map_or(0.0, |most| most.as_secs_f64());
        format!("the time budget of {seconds} s is spent; give a larger --time-budget")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_spent_once_nothing_is_left_and_none_never_is() {
        let spent = TimeBudget::start(Some(0.0));
        assert!(spent.is_spent() && spent.left() == Some(0.0));
        assert!(spent.reason().starts_with("the time budget of 0 s is spent"));
        let left = TimeBudget::start(Some(1e6)).left();
        assert!(left.is_some_and(|left| left > 0.0 && left <= 1e6), "{left:?}");
        for endless in [None, Some(1e300)] {
            let endless = TimeBudget::start(endless);
            assert!(!endless.is_spent() && endless.left().is_none());
        }
    }
}
