//! A command's stages: timed, named on stderr while they follow a fit, left out once time is up.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use burn_nca_program::number::{bytes, duration};
use burn_nca_program::{Bar, Interrupt, peak_memory_bytes};

use crate::output;
use burn_nca_report::{Warning, WarningCode};

/// Commands that take less than this many seconds are not worth a table of their stages.
const WORTH_TELLING: f64 = 5.0;

/// The stages around a fit, under the budget of the whole command and Ctrl-C.
///
/// The learnt metric is always evaluated; the methods it is compared with are left out, one by one, once the
/// time budget is spent or a stop was asked for.
pub struct Stages {
    bar: Bar,
    interrupt: Interrupt,
    budget: Option<Duration>,
    started: Instant,
    left_out: RefCell<Vec<String>>,
    /// The stages so far, with the moment each began and the peak of memory before it.
    times: RefCell<Vec<(String, Instant, Option<u64>)>>,
    quiet: bool,
    baselines: bool,
}

impl Stages {
    /// Starts the clock of a budget in seconds; stages are named where stderr is a terminal.
    pub fn new(time_budget: Option<f64>, quiet: bool, interrupt: Interrupt) -> Self {
        Self {
            bar: Bar::new("{msg} (Ctrl-C skips what may be skipped)", quiet),
            interrupt,
            // A number of seconds beyond what a clock counts is no limit.
            budget: time_budget.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
            started: Instant::now(),
            left_out: RefCell::default(),
            times: RefCell::new(vec![("reading".to_string(), Instant::now(), None)]),
            quiet,
            baselines: true,
        }
    }

    /// The same, which admits no comparison where the user wants none.
    #[must_use]
    pub fn without_baselines(self, unwanted: bool) -> Self {
        Self { baselines: !unwanted, ..self }
    }

    /// Without a limit, a line or a listener.
    #[cfg(test)]
    pub fn unlimited() -> Self {
        Self::new(None, true, Interrupt::default())
    }

    /// Names a stage that always runs.
    pub fn announce(&self, stage: &str) {
        self.begin(stage);
        self.bar.step(0, stage);
    }

    /// Ends the stage before, for the table of times.
    pub fn begin(&self, stage: &str) {
        let begun = (stage.to_string(), Instant::now(), peak_memory_bytes());
        self.times.borrow_mut().push(begun);
    }

    /// Says on stderr what each stage of a long command took: time, and the peak of memory up to its end.
    pub fn tell_times(&self) {
        if !self.quiet && self.started.elapsed().as_secs_f64() >= WORTH_TELLING {
            output::tell(&self.times());
        }
    }

    /// `reading 1.8 s (190 MiB), learning 25.0 s (1.1 GiB); 26.8 s in all, memory at its peak after each stage`
    fn times(&self) -> String {
        self.begin("");
        let times = self.times.borrow();
        let stages = times.windows(2).map(|pair| {
            let [(stage, start, _), (_, end, peak)] = pair else { return String::new() };
            let memory = peak.map_or(String::new(), |peak| format!(" ({})", bytes(peak)));
            format!("{stage} {}{memory}", duration((*end - *start).as_secs_f64()))
        });
        let stages: Vec<String> = stages.collect();
        format!(
            "{}; {} in all, memory at its peak after each stage",
            stages.join(", "),
            duration(self.started.elapsed().as_secs_f64())
        )
    }

    /// Names the comparison with a method; false where it is to be left out.
    pub fn admits(&self, method: &str) -> bool {
        if !self.baselines {
            return false;
        }
        let spent = self.budget.is_some_and(|budget| self.started.elapsed() >= budget);
        if spent || self.interrupt.is_set() {
            self.left_out.borrow_mut().push(method.to_string());
            return false;
        }
        self.announce(&format!("comparing with {method}"));
        true
    }

    /// Removes the line, and says what was left out.
    pub fn finish(&self) -> Option<Warning> {
        self.bar.finish();
        let left_out = self.left_out.take();
        if left_out.is_empty() {
            return None;
        }
        let reason = if self.interrupt.is_set() {
            "a stop was asked for".to_string()
        } else {
            let seconds = self.budget.map_or(0.0, |budget| budget.as_secs_f64());
            format!("the time budget of {seconds} s is spent; give a larger --time-budget")
        };
        let text = format!("not compared with {}: {reason}", left_out.join(", "));
        Some(Warning::new(WarningCode::NotCompared, text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stage_is_told_with_its_time() {
        let stages = Stages::unlimited();
        stages.begin("learning");
        stages.announce("evaluating");
        let text = stages.times();
        let order =
            ["reading ", ", learning ", ", evaluating ", " in all"].map(|part| text.find(part));
        assert!(order.iter().all(Option::is_some) && order.is_sorted(), "{text}");
        stages.tell_times();
    }

    #[test]
    fn a_spent_budget_and_a_stop_leave_comparisons_out_and_say_so() {
        let spent = Stages::new(Some(0.0), true, Interrupt::default());
        assert!(!spent.admits("Euclidean distance") && !spent.admits("PCA"));
        assert_eq!(
            spent.finish().unwrap().text,
            "not compared with Euclidean distance, PCA: the time budget of 0 s is spent; give a larger \
             --time-budget"
        );
        let interrupt = Interrupt::default();
        let stages = Stages::new(Some(1e300), true, interrupt.clone());
        assert!(stages.admits("Euclidean distance"));
        interrupt.ask();
        assert!(!stages.admits("PCA"));
        assert_eq!(stages.finish().unwrap().text, "not compared with PCA: a stop was asked for");
        assert_eq!(Stages::unlimited().finish(), None);
    }
}
