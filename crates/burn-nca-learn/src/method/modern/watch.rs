//! What the caller sees of a fit of several members, and what a checkpoint keeps of it.

use std::ops::ControlFlow;

use burn_nca::internal::Checkpoint;
use serde::{Deserialize, Serialize};
use web_time::Instant;

use crate::encoder::{AnyEncoder, ModernEncoder, ModernMember};
use crate::error::Result;
use crate::fit::{FitState, FitSummary, OnProgress, Progress, Termination};
use crate::method::Learned;
use crate::neighbors::{MemberRule, Rule};

/// A member that is fitted, as it is kept in a checkpoint.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Fit {
    /// Its record.
    pub member: Vec<u8>,
    pub history: Vec<Progress>,
    pub evaluations: usize,
    pub value: f64,
    pub termination: Termination,
}

/// Where a member stands: not begun, cut off, or done.
#[derive(Clone, Default, Serialize, Deserialize)]
struct Standing {
    done: Option<Fit>,
    /// What a fit that was cut off continues from.
    cut_off: FitState,
    /// Steps that it has taken.
    steps: usize,
}

/// The state of a fit.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct State {
    members: Vec<Standing>,
    seconds: f64,
}

impl State {
    /// What the checkpoint has of a fit of so many members, or its begin.
    pub fn of(checkpoint: &mut Checkpoint<'_>, members: usize) -> Result<Self> {
        let mut state = checkpoint.load::<Self>()?.unwrap_or_default();
        let known = |standing: &Standing| standing.done.is_some() || !standing.cut_off.is_empty();
        let resumed = state.members.iter().any(known);
        state.members.resize_with(members, Standing::default);
        if resumed {
            let is_done = state.members.iter().all(|standing| standing.done.is_some());
            checkpoint.resumed(state.members.iter().map(|standing| standing.steps).sum(), is_done);
        }
        Ok(state)
    }
}

/// A run of a member: the network, and where it stands; what was cut off is in the model as it is.
pub(super) type Run = (ModernMember, Fit, FitState);

/// What the caller sees of a fit: the steps of all members, and a checkpoint when one has ended.
pub(super) struct Watch<'a, 'c> {
    callback: Option<&'a mut OnProgress<'a>>,
    checkpoint: Checkpoint<'c>,
    state: State,
    networks: Vec<Option<(ModernMember, Fit)>>,
    /// Steps that each member has taken.
    steps: Vec<usize>,
    started: Instant,
    /// Seconds of earlier runs.
    before: f64,
}

impl<'a, 'c> Watch<'a, 'c> {
    /// A fit that begins or continues; a function restores the members that are done.
    pub fn of(
        (state, checkpoint, callback): (State, Checkpoint<'c>, Option<&'a mut OnProgress<'a>>),
        restored: impl Fn(usize, &Fit) -> Result<ModernMember>,
    ) -> Result<Self> {
        let done = || state.members.iter().map(|standing| standing.done.as_ref());
        let restored = |(number, fit): (usize, Option<&Fit>)| {
            fit.map(|fit| Ok((restored(number, fit)?, fit.clone()))).transpose()
        };
        Ok(Self {
            callback,
            checkpoint,
            networks: done().enumerate().map(restored).collect::<Result<_>>()?,
            steps: state.members.iter().map(|standing| standing.steps).collect(),
            before: state.seconds,
            started: Instant::now(),
            state,
        })
    }

    /// The members to be fitted.
    pub fn missing(&self) -> Vec<usize> {
        (0..self.networks.len()).filter(|number| self.networks[*number].is_none()).collect()
    }

    /// What a member continues from.
    pub fn cut_off(&self, number: usize) -> FitState {
        self.state.members[number].cut_off.clone()
    }

    pub fn seconds(&self) -> f64 {
        self.before + self.started.elapsed().as_secs_f64()
    }

    pub fn step(&mut self, number: usize, progress: &Progress) -> ControlFlow<Termination> {
        self.steps[number] = progress.iteration;
        let (iteration, seconds) = (self.steps.iter().sum(), self.seconds());
        match &mut self.callback {
            Some(callback) => callback(&Progress { iteration, seconds, ..*progress }),
            None => ControlFlow::Continue(()),
        }
    }

    pub fn end(&mut self, number: usize, (member, fit, cut_off): Run) -> Result<()> {
        let (done, cut_off) = match fit.termination {
            Termination::Stopped => (None, cut_off),
            _ => (Some(fit.clone()), FitState::default()),
        };
        self.state.members[number] = Standing { done, cut_off, steps: fit.history.len() };
        self.state.seconds = self.seconds();
        self.networks[number] = Some((member, fit));
        self.checkpoint.offer(|| Ok(&self.state))
    }

    /// The model of all members that were begun; which of them did not learn from each row.
    pub fn learned(mut self, held_out: Vec<Option<usize>>) -> Result<Learned> {
        // The place of each member among those that were begun.
        let mut begun = 0..;
        let place = |network: &Option<_>| network.as_ref().and_then(|_| begun.next());
        let places: Vec<Option<usize>> = self.networks.iter().map(place).collect();
        let held_out: Vec<_> = held_out.into_iter().map(|number| places[number?]).collect();
        let (members, fits): (Vec<_>, Vec<_>) = self.networks.into_iter().flatten().unzip();
        let summary = summary(&fits, self.state.seconds, held_out.len());
        let stopped = fits.iter().find(|fit| fit.termination == Termination::Stopped);
        let end = stopped.or(fits.last()).map_or(Termination::Stopped, |fit| fit.termination);
        self.checkpoint.conclude(end, || Ok(&self.state))?;
        let rule = Rule::Members(MemberRule { members: members.len(), held_out });
        Ok(Learned { encoder: AnyEncoder::Modern(ModernEncoder::new(members)), rule, summary })
    }
}

/// How the members were fitted, together.
fn summary(fits: &[Fit], seconds: f64, rows: usize) -> FitSummary {
    let ends = || fits.iter().map(|fit| fit.termination);
    let last = ends().next_back().expect("a member");
    let termination = ends().find(|end| !end.is_planned()).unwrap_or(last);
    let mut history: Vec<Progress> = Vec::new();
    for fit in fits {
        let first = history.len();
        let seconds = history.last().map_or(0.0, |progress| progress.seconds);
        history.extend(fit.history.iter().map(|progress| Progress {
            iteration: first + progress.iteration,
            seconds: seconds + progress.seconds,
            ..*progress
        }));
    }
    FitSummary {
        start: None,
        value: fits.iter().map(|fit| fit.value).sum::<f64>() / fits.len() as f64,
        gradient_max: history.last().map_or(f64::NAN, |progress| progress.gradient_max),
        termination,
        iterations: history.len(),
        evaluations: fits.iter().map(|fit| fit.evaluations).sum(),
        seconds,
        sums: None,
        history,
        rows,
        held_out_rows: 0,
        num_unmatched: 0,
    }
}
