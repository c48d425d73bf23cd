//! What accompanies one run of a fit: a callback, a checkpoint, an optimizer of the caller's.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use burn::optim::ModuleOptimizer;
use serde::{Deserialize, Serialize};

use super::{Progress, Termination};
use crate::error::Error;

/// A callback after each step (or epoch); it may stop the fit with a reason.
pub type OnProgress<'a> = dyn FnMut(&Progress) -> ControlFlow<Termination> + 'a;

/// A callback after each step (or epoch) that also sees the parameters of the model, flat, in the order of its
/// module: of a linear map the transpose of A, row-major `[d, k]`. It may stop the fit with a reason.
pub(super) type OnParameters<'a> = dyn FnMut(&Progress, &[f64]) -> ControlFlow<Termination> + 'a;

/// A callback that sees the parameters that a fit starts from, flat, in the order of its module.
pub(super) type OnStart<'a> = dyn FnMut(&[f64]) + 'a;

/// What becomes of the checkpoint of a fit.
#[derive(Debug)]
pub enum CheckpointEvent<'e> {
    /// The fit resumes from the stored state.
    Resumed {
        /// Steps (epochs with mini-batches) taken before.
        iteration: usize,
        /// Whether it had ended: its result follows without another step.
        ended: bool,
    },
    /// The state of the last step is about to be written: what belongs to it may be kept first.
    Saving,
    /// The file could not be written, for the first time. The one before stays, and the fit continues.
    WriteFailed(&'e Error),
}

/// A callback for what becomes of the checkpoint.
#[doc(hidden)]
pub type OnCheckpoint<'a> = dyn FnMut(&CheckpointEvent<'_>) + 'a;

/// The state of a fit that was cut off, in memory: the next session continues from there.
///
/// Empty at first, and again after a fit that ended.
///
/// # Examples
/// A fit in slices, for a program with an event loop of its own:
/// ```
/// # #[cfg(feature = "flex")] {
/// # use std::ops::ControlFlow;
/// # use burn::tensor::Device;
/// # use burn::tensor::Tensor;
/// # use burn_nca::{Nca, encoder::LinearMapConfig, objective::{ClassIndex, NcaLossConfig}};
/// # use burn_nca::fit::{FitConfig, FitIdentity, Problem, minimize};
/// use burn_nca::fit::{FitSession, FitState, Progress, Termination};
///
/// # let device = Device::flex();
/// # let x = Tensor::<2>::from_floats([[0.0, 5.0], [0.2, 1.0], [1.0, 4.0], [1.2, 0.0], [0.5, 2.5], [0.7, 2.0]], &device);
/// # let classes = ClassIndex::new(&[0, 0, 1, 1, 0, 1], &device)?;
/// # let map = LinearMapConfig::new(2, 1).init(&device.clone().autodiff());
/// # let model = Nca::new(map, NcaLossConfig::new().init());
/// # let [settings, features, targets] = ["", "x", "y"].map(String::from);
/// # let named = FitIdentity { settings, features, targets };
/// # let identity = || named.clone();
/// # let problem = Problem { identity: Some(&identity), ..Problem::new(model, &x, &classes) };
/// let config = FitConfig::new();
/// let whole = minimize(&problem, &config, FitSession::new())?;
/// let mut state = FitState::default();
/// let sliced = loop {
///     let mut one_step = |_: &Progress| ControlFlow::Break(Termination::Stopped);
///     let session = FitSession::new().with_progress(&mut one_step).with_state(&mut state);
///     let solution = minimize(&problem, &config, session)?;
///     if state.is_empty() {
///         break solution;
///     }
/// };
/// assert_eq!(sliced.value, whole.value);
/// # }
/// # Ok::<(), burn_nca::Error>(())
/// ```
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FitState(pub(super) Vec<u8>);

impl FitState {
    /// Whether there is nothing to continue from: the fit has not begun, or has ended.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// What accompanies one run of a fit: callbacks, and a file or a state to resume from.
///
/// # Examples
/// ```
/// use std::ops::ControlFlow;
/// use burn_nca::fit::{FitSession, Progress, Termination};
///
/// let mut watch = |progress: &Progress| {
///     if progress.iteration < 20 { ControlFlow::Continue(()) } else { ControlFlow::Break(Termination::Stopped) }
/// };
/// let session = FitSession::new().with_progress(&mut watch).with_checkpoint("fit.checkpoint".as_ref());
/// ```
#[derive(Default)]
pub struct FitSession<'a> {
    #[doc(hidden)]
    pub on_progress: Option<&'a mut OnProgress<'a>>,
    #[doc(hidden)]
    pub on_parameters: Option<&'a mut OnParameters<'a>>,
    pub(super) on_start: Option<&'a mut OnStart<'a>>,
    pub(super) checkpoint: Option<PathBuf>,
    pub(super) state: Option<&'a mut FitState>,
    pub(super) keep_checkpoint: bool,
    pub(super) on_checkpoint: Option<Box<OnCheckpoint<'a>>>,
    pub(super) optimizer: Option<ModuleOptimizer>,
    pub(super) ends: Option<&'a dyn Fn() -> bool>,
}

impl<'a> FitSession<'a> {
    /// A run without callback and checkpoint.
    pub fn new() -> Self {
        Self::default()
    }

    /// Calls back after each step (each epoch with mini-batches).
    #[must_use]
    pub fn with_progress(mut self, on_progress: &'a mut OnProgress<'a>) -> Self {
        self.on_progress = Some(on_progress);
        self
    }

    /// Calls back after each step (each epoch with mini-batches) with a copy of the parameters.
    ///
    /// A fit that is no descent over the parameters of a module (EM, a closed form) does not call it.
    #[must_use]
    pub fn with_parameters(mut self, on_parameters: &'a mut OnParameters<'a>) -> Self {
        self.on_parameters = Some(on_parameters);
        self
    }

    /// Reports the parameters of the start before the first step; again where a fit continues from a checkpoint.
    ///
    /// A fit that is no descent over the parameters of a module (EM, a closed form) does not call it.
    #[must_use]
    pub fn with_start(mut self, on_start: &'a mut OnStart<'a>) -> Self {
        self.on_start = Some(on_start);
        self
    }

    /// Keeps the state of the fit in this file: written every few seconds and where the fit is cut off, by the
    /// caller or by a limit of steps or time; removed when it ends otherwise.
    ///
    /// Where the file exists and belongs to the same settings, features and targets, the fit resumes from there and
    /// takes the same steps as one that was never interrupted. The limits may be others than before: raise them to
    /// continue.
    #[must_use]
    pub fn with_checkpoint(mut self, path: &Path) -> Self {
        self.checkpoint = Some(path.to_path_buf());
        self
    }

    /// Keeps the state of a fit that is cut off in memory, and resumes from there as
    /// [`with_checkpoint`](Self::with_checkpoint) does from a file. Where both are given, the file counts.
    #[must_use]
    pub fn with_state(mut self, state: &'a mut FitState) -> Self {
        self.state = Some(state);
        self
    }

    /// Leaves the checkpoint of a fit that ended in place, with its end in it.
    ///
    /// For callers that save the result and remove the file afterwards: a crash in between loses nothing, as a fit
    /// that resumes from the end of another gives the same result without another iteration.
    #[must_use]
    pub fn keep_checkpoint(mut self) -> Self {
        self.keep_checkpoint = true;
        self
    }

    /// Reports what becomes of the checkpoint. A file that cannot be written then no longer ends the fit, as it does
    /// if no callback would report it.
    #[must_use]
    pub fn with_checkpoint_events(
        mut self,
        on_checkpoint: impl FnMut(&CheckpointEvent<'_>) + 'a,
    ) -> Self {
        self.on_checkpoint = Some(Box::new(on_checkpoint));
        self
    }

    /// Asks this before every evaluation, not only after each step: once it is true the fit ends, as
    /// [`Termination::Stopped`]. For fits without a checkpoint, whose last step may be lost.
    #[must_use]
    #[doc(hidden)]
    pub fn with_end(mut self, ends: &'a dyn Fn() -> bool) -> Self {
        self.ends = Some(ends);
        self
    }

    /// Uses this Burn optimizer for mini-batches instead of the one of the settings, with their learning rate.
    #[must_use]
    pub fn with_optimizer(mut self, optimizer: ModuleOptimizer) -> Self {
        self.optimizer = Some(optimizer);
        self
    }
}
