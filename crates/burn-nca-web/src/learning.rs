//! A fit in slices, with what the page shows after each.

use std::ops::ControlFlow;

use burn::tensor::Device;
use burn_nca::data::{Labelled, Split, stratified_split};
use burn_nca::encoder::AnyEncoder;
use burn_nca::fit::{FitSession, FitState, Progress, Termination};
use burn_nca::{Error, Fitted, NcaConfig, Result};
use serde::Serialize;
use web_time::Instant;

use crate::settings::Settings;

/// What a slice of a fit came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Slice {
    /// Steps taken so far under these settings.
    pub iteration: usize,
    /// The penalised objective, a sum over the training rows; smaller is better.
    pub value: f64,
    /// Why the fit ended, as a sentence; `None` while it goes on.
    pub ended: Option<String>,
    /// Milliseconds of the mean step of this slice.
    pub step_ms: f64,
}

/// A table, its split, and a fit of it that goes on slice by slice.
///
/// # Examples
/// ```
/// use burn_nca_web::{Learning, Settings, open};
///
/// let mut learning = Learning::new(open("iris", None, None)?, Settings::default())?;
/// while learning.advance(20.0)?.ended.is_none() {}
/// assert!(learning.measures()?.test.unwrap() > 0.9);
/// # Ok::<(), burn_nca::Error>(())
/// ```
pub struct Learning {
    pub(crate) data: Labelled,
    pub(crate) split: Split,
    pub(crate) train: Labelled,
    pub(crate) test: Labelled,
    settings: Settings,
    device: Device,
    /// The map that the fit under these settings began with; `None`: the library's start.
    from: Option<AnyEncoder>,
    state: FitState,
    fitted: Fitted,
    slice: Slice,
}

impl Learning {
    /// Splits the table and stands at the start of the fit.
    ///
    /// # Errors
    /// A table that nothing can be learnt from, or settings out of range.
    pub fn new(data: Labelled, settings: Settings) -> Result<Self> {
        let device = Device::flex();
        if !(0.0..=0.9).contains(&settings.test_size) {
            return Err(Error::setting(format!(
                "the held-out share is {}; give a number from 0 to 0.9",
                settings.test_size
            )));
        }
        let split = stratified_split(data.labels(), settings.test_size, settings.seed)?;
        let (train, test) = (data.select(&split.train), data.select(&split.test));
        let config = settings.config(data.features().columns(), train.rows());
        let fitted = at_start(config, None, &train, &device)?;
        let slice = slice_at_start(&fitted);
        let (from, state) = (None, FitState::default());
        Ok(Self { data, split, train, test, settings, device, from, state, fitted, slice })
    }

    /// The table.
    pub fn data(&self) -> &Labelled {
        &self.data
    }

    /// Which rows are learnt from, and which are held out.
    pub fn split(&self) -> &Split {
        &self.split
    }

    /// The model as it is now.
    pub fn fitted(&self) -> &Fitted {
        &self.fitted
    }

    /// Takes steps for about this many milliseconds, and at least one.
    ///
    /// # Errors
    /// A fit that cannot go on.
    pub fn advance(&mut self, milliseconds: f64) -> Result<Slice> {
        if self.slice.ended.is_some() {
            return Ok(self.slice.clone());
        }
        let config = self.config();
        let (started, mut steps) = (Instant::now(), 0);
        let before = self.slice.iteration;
        let mut until_the_time_is_up = |progress: &Progress| {
            steps = progress.iteration.saturating_sub(before);
            match started.elapsed().as_secs_f64() * 1e3 < milliseconds {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(Termination::Stopped),
            }
        };
        let session =
            FitSession::new().with_progress(&mut until_the_time_is_up).with_state(&mut self.state);
        self.fitted = match &self.from {
            None => config.fit_session(&self.train, &self.device, session)?,
            Some(map) => config.fit_from(map.clone(), &self.train, &self.device, session)?,
        };
        let summary = self.fitted.summary();
        let ended = summary.termination != Termination::Stopped;
        self.slice = Slice {
            iteration: summary.iterations,
            value: summary.value,
            ended: ended.then(|| summary.termination.to_string()),
            step_ms: started.elapsed().as_secs_f64() * 1e3 / steps.max(1) as f64,
        };
        Ok(self.slice.clone())
    }

    /// Takes up other settings: the fit goes on from its map where it can, else it begins anew.
    ///
    /// # Errors
    /// As [`Learning::new`]; the settings of before then stay.
    pub fn change(&mut self, settings: Settings) -> Result<()> {
        if !settings.keep_the_map_of(&self.settings) {
            *self = Self::new(self.data.clone(), settings)?;
            return Ok(());
        }
        let map = self.fitted.encoder.clone();
        let columns = self.data.features().columns();
        let config = settings.config(columns, self.train.rows());
        self.fitted = at_start(config, Some(&map), &self.train, &self.device)?;
        self.slice = slice_at_start(&self.fitted);
        (self.settings, self.from, self.state) = (settings, Some(map), FitState::default());
        Ok(())
    }

    fn config(&self) -> NcaConfig {
        let config = self.settings.config(self.data.features().columns(), self.train.rows());
        if self.from.is_some() { from_its_map(config) } else { config }
    }
}

/// The configuration of a fit that begins with a given map, whose scale stays.
fn from_its_map(mut config: NcaConfig) -> NcaConfig {
    config.fit.start_perplexity = None;
    config
}

/// The model before the first step.
fn at_start(
    mut config: NcaConfig,
    from: Option<&AnyEncoder>,
    train: &Labelled,
    device: &Device,
) -> Result<Fitted> {
    config.fit.stop_at = Some(0);
    match from {
        None => config.fit(train, device),
        Some(map) => from_its_map(config).fit_from(map.clone(), train, device, FitSession::new()),
    }
}

fn slice_at_start(fitted: &Fitted) -> Slice {
    Slice { iteration: 0, value: fitted.summary().value, ended: None, step_ms: 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::open;

    fn iris() -> Labelled {
        open("iris", None, None).unwrap()
    }

    #[test]
    fn slices_come_to_what_one_fit_comes_to() {
        let mut learning = Learning::new(iris(), Settings::default()).unwrap();
        let mut slices = 0;
        while learning.advance(0.0).unwrap().ended.is_none() {
            slices += 1;
        }
        assert!(slices > 3, "a slice of no time is one step");
        let whole = learning.config().fit(&learning.train, &Device::flex()).unwrap();
        assert_eq!(learning.fitted().matrix(), whole.matrix());
        assert_eq!(learning.advance(5.0).unwrap(), learning.slice, "an ended fit stays");
    }

    #[test]
    fn another_criterion_goes_on_from_the_map_and_another_size_begins_anew() {
        let mut learning = Learning::new(iris(), Settings::default()).unwrap();
        learning.advance(50.0).unwrap();
        let map = learning.fitted().matrix();
        let f = Settings { criterion: burn_nca::objective::Criterion::F, ..Settings::default() };
        learning.change(f.clone()).unwrap();
        assert_eq!(learning.fitted().matrix(), map);
        assert_eq!(learning.slice.iteration, 0);
        while learning.advance(50.0).unwrap().ended.is_none() {}
        learning.change(Settings { dim: 3, ..f }).unwrap();
        assert_eq!(learning.fitted().references().dims(), [learning.train.rows(), 3]);
    }

    #[test]
    fn a_held_out_share_out_of_range_is_refused() {
        let settings = Settings { test_size: 1.0, ..Settings::default() };
        let error = Learning::new(iris(), settings).err().unwrap().to_string();
        assert!(error.contains("held-out share is 1"), "{error}");
    }
}
