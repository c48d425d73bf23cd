//! A command's stages: timed, named on stderr around the fit, left out once the time that it may take is up.

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use anyhow::Result;
use burn_nca_program::number::{bytes, duration};
use burn_nca_program::{Bar, Interrupt, peak_memory_bytes};

use crate::output::{self, warning_if};
use burn_nca_report::{Warning, evaluation};

/// Commands that take less than this many seconds are not worth a table of their stages.
const WORTH_TELLING: f64 = 5.0;

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

    pub fn elapsed(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Seconds that are left, 0 once the budget is spent; `None` without a limit.
    pub fn left(&self) -> Option<f64> {
        Some(self.most?.saturating_sub(self.started.elapsed()).as_secs_f64())
    }

    pub fn is_spent(&self) -> bool {
        self.most.is_some_and(|most| self.started.elapsed() >= most)
    }

    /// Why something was left out once it is spent, with the cure.
    pub fn reason(&self) -> String {
        let seconds = self.most.map_or(0.0, |most| most.as_secs_f64());
        format!("the time budget of {seconds} s is spent; give a larger --time-budget")
    }
}

/// The stages around a fit, under the budget of the whole command and Ctrl-C.
///
/// The table is always read and the learned metric always evaluated; the methods it is compared with, one by one, and the
/// replay of the fit are left out once the time budget is spent or a stop was asked for.
pub struct Stages {
    pub bar: Bar,
    pub interrupt: Interrupt,
    pub time: TimeBudget,
    left_out: RefCell<Vec<String>>,
    not_replayed: Cell<bool>,
    /// The stages so far, with the moment each began and the peak of memory before it.
    times: RefCell<Vec<(String, Instant, Option<u64>)>>,
    pub quiet: bool,
    pub baselines: bool,
}

impl Stages {
    /// The stages of a command whose clock runs; they are named where stderr is a terminal.
    pub fn new(time: TimeBudget, quiet: bool, interrupt: Interrupt) -> Self {
        Self {
            bar: Bar::new("{msg}", quiet),
            interrupt,
            time,
            left_out: RefCell::default(),
            not_replayed: Cell::default(),
            times: RefCell::new(vec![("reading".to_string(), Instant::now(), None)]),
            quiet,
            baselines: true,
        }
    }

    /// Whether an optional stage may begin or continue: there is time left, and no stop was asked for.
    fn continues(&self) -> bool {
        !self.time.is_spent() && !self.interrupt.is_set()
    }

    /// Ends the command where a stop was asked for before anything could be kept; `doing` says when.
    pub fn refuse_stop(&self, doing: &str) -> Result<()> {
        if self.interrupt.is_set() {
            self.bar.finish();
            let message = format!("interrupted {doing}; give the same command to start again");
            return Err(self.interrupt.error(message));
        }
        Ok(())
    }

    /// Whether the reduction of a sparse table takes another pass: with the budget spent, those so far have to do.
    pub fn reduction_pass(&self, done: usize, all: usize) -> Result<ControlFlow<()>> {
        self.refuse_stop("while the table was reduced")?;
        if self.time.is_spent() {
            return Ok(ControlFlow::Break(()));
        }
        self.bar.step(0, format!("reducing the table, pass {} of {all}", done + 1));
        Ok(ControlFlow::Continue(()))
    }

    /// Ends the stage before, for the table of times.
    pub fn begin(&self, stage: &str) {
        log::info!("{stage}");
        let begun = (stage.to_string(), Instant::now(), peak_memory_bytes());
        self.times.borrow_mut().push(begun);
    }

    /// Says on stderr what each stage of a long command took: time, and the peak of memory up to its end.
    pub fn tell_times(&self) {
        if !self.quiet && self.time.elapsed() >= WORTH_TELLING {
            output::eprint_line(&self.times());
        }
    }

    /// `reading 1.8 s (190 MiB), learning 25.0 s (1.1 GiB); 26.8 s in all, memory at its peak after each stage`
    fn times(&self) -> String {
        self.begin("done");
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
            duration(self.time.elapsed())
        )
    }

    /// Removes the line, and says what was left out.
    pub fn finish(&self) -> Vec<Warning> {
        self.bar.finish();
        let reason = if self.interrupt.is_set() {
            "a stop was asked for".to_string()
        } else {
            self.time.reason()
        };
        let methods = self.left_out.take().join(", ");
        let compared = !methods.is_empty();
        let left_out = [
            warning_if!(compared, NotCompared, "not compared with {methods}: {reason}"),
            warning_if!(self.not_replayed.take(), NotReplayed, "the fit is not replayed: {reason}"),
        ];
        left_out.into_iter().flatten().collect()
    }
}

impl evaluation::Stages for Stages {
    fn announce(&self, stage: &str) {
        self.begin(stage);
        self.bar.step(0, format!("{stage} (Ctrl-C to skip)"));
    }

    fn admits(&self, method: &str) -> bool {
        if !self.baselines {
            return false;
        }
        if !self.continues() {
            self.left_out.borrow_mut().push(method.to_string());
            return false;
        }
        evaluation::Stages::announce(self, &format!("comparing with {method}"));
        true
    }

    fn admits_replay(&self, step: usize, steps: usize) -> bool {
        if step == 1 {
            self.begin("replaying the fit");
        }
        let continues = self.continues();
        if continues {
            self.bar
                .step(0, format!("replaying the fit, step {step} of {steps} (Ctrl-C skips it)"));
        }
        self.not_replayed.set(!continues);
        continues
    }
}

#[cfg(test)]
mod tests {
    use burn_nca_report::evaluation::Stages as _;

    use super::*;

    #[test]
    fn a_spent_budget_and_a_stop_leave_comparisons_out_and_say_so() {
        let interrupt = Interrupt::default();
        let stages = |seconds| Stages::new(TimeBudget::start(seconds), true, interrupt.clone());
        let told = |stages: &Stages| -> Vec<String> {
            stages.finish().into_iter().map(|warning| warning.text).collect()
        };
        let (spent, endless) = (stages(Some(0.0)), stages(Some(1e300)));
        assert!(!spent.admits("Euclidean distance") && !spent.admits("PCA"));
        let reason = "the time budget of 0 s is spent; give a larger --time-budget";
        assert_eq!(told(&spent), [format!("not compared with Euclidean distance, PCA: {reason}")]);
        assert!(endless.admits("Euclidean distance") && endless.time.left().is_none());
        interrupt.ask();
        assert!(!endless.admits("PCA") && !endless.admits_replay(3, 4));
        let replay = "the fit is not replayed: a stop was asked for";
        assert_eq!(told(&endless), ["not compared with PCA: a stop was asked for", replay]);
        let error = spent.reduction_pass(0, 6).unwrap_err().to_string();
        assert!(error.starts_with("interrupted while the table was reduced"), "{error}");
        let text = endless.times();
        assert!(text.starts_with("reading ") && text.contains(" in all"), "{text}");
    }
}
