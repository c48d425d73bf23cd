//! Tuning: the settings of a fit, chosen by cross-validation inside the training rows.
//!
//! The exact optimum of f overfits where entries of A are many. What helps is a penalty, stopping early, the other
//! criterion, another start; which, depends on the data. A search tries them:
//!
//! ```text
//! candidate ──► fits on the folds ──► accuracy, R² or log probability held out ──► trial
//!   criterion     each measured                                                      │
//!   l2, start     after 0, 1, 2, 3,                                                  ▼
//!   k             5, 8, ... steps                              choice ──► fit on all training rows
//! ```
//! Measuring a fit on its way gives every number of steps for the price of one fit, as successive halving would. Step 0 is the
//! start itself, a closed form. No test row takes part in any of this.

mod candidate;
mod choice;
mod combinations;
mod config;
mod default_candidates;
mod fold;
mod search;
mod session;
mod trial;

use burn::tensor::Device;

pub use candidate::Candidate;
pub use choice::{Choice, Search, SearchEnd};
pub use config::TuneConfig;
pub use fold::HeldOut;
pub use session::{OnTuneProgress, TuneProgress, TuneSession};
pub use trial::{StepScore, Trial};

use super::{Estimator, Fitted, NcaConfig};
use crate::data::{Labeled, RegressionData, TrainingData};
use crate::error::{Error, Result};
use crate::method::{AnyMethod, Mlkr};

/// A metric whose settings were searched for, and the search.
#[derive(Debug)]
pub struct Tuned {
    /// The best candidate, fitted on all training rows.
    pub fitted: Fitted,
    /// The trials of the search.
    pub search: Search,
}

/// A metric whose settings were chosen among the default candidates.
#[derive(Debug)]
pub struct Chosen {
    /// The chosen candidate, fitted on all rows.
    pub fitted: Fitted,
    /// The comparison; `None` where nothing was compared, see [`TuneConfig::default_candidates`].
    pub search: Option<Search>,
}

impl NcaConfig {
    /// Fits the best of a few default candidates, compared by cross-validation inside these rows: what `nca fit` does
    /// without options.
    ///
    /// The settings of this configuration are a candidate; its encoder, scaling, optimizer, precision and seed are those of
    /// all, but for the mini-batches of a large table ([`Estimator::for_rows`]). [`TuneConfig::default_candidates`] lists the
    /// others, to be changed for [`NcaConfig::tune`]. The result may be a closed form: [`Fitted::applied_method`] names it.
    ///
    /// # Errors
    /// As [`NcaConfig::tune`].
    pub fn choose(&self, data: &Labeled, device: &Device) -> Result<Chosen> {
        let any_dimension = self.d_output == self.d_input;
        let compared = TuneConfig::default_candidates(self, data, any_dimension);
        self.estimator().best_of(compared.as_ref(), data, device)
    }

    /// Chooses criterion, penalty, start, number of steps (and k, where asked) by cross-validation, and fits all
    /// rows of `data` with the best.
    ///
    /// The settings that the search decides are replaced; encoder, scaling, optimizer, precision and seed are
    /// those of this configuration. Give rows to learn from only: what is to test on must stay outside.
    ///
    /// # Errors
    /// As [`Estimator::search`] and [`Estimator::fit_session`], or a search that was stopped before its first candidate was
    /// finished.
    pub fn tune(
        &self,
        tune: &TuneConfig,
        data: &Labeled,
        device: &Device,
        session: TuneSession<'_>,
    ) -> Result<Tuned> {
        self.estimator().tune(tune, data, device, session)
    }
}

impl Estimator<Mlkr> {
    /// Fits the best of a few default candidates, compared by cross-validation inside these rows: what `nca fit --task
    /// regression` does without options.
    ///
    /// These settings are the first candidate; [`TuneConfig::default_candidates_for_numbers`] lists the others, and says
    /// where nothing is compared. Large tables are fitted by mini-batches ([`Estimator::for_rows`]).
    ///
    /// # Errors
    /// As [`Estimator::fit`], and settings that a search refuses, such as early stopping.
    pub fn choose(&self, data: &RegressionData, device: &Device) -> Result<Chosen> {
        let (estimator, any_dimension) = (self.clone().into_any(), self.d_output == self.d_input);
        let compared = TuneConfig::default_candidates_for_numbers(&estimator, data, any_dimension);
        estimator.best_of(compared.as_ref(), data, device)
    }
}

impl<M: Clone + Into<AnyMethod>> Estimator<M> {
    /// As [`NcaConfig::tune`], of any method with settings and any data.
    ///
    /// A method is tried at the settings that it declares ([`Method::GRID`](crate::method::Method::GRID),
    /// [`Method::searched`](crate::method::Method::searched)) and is compared by the rule that it learns: numbers by its R²,
    /// pairs by the mean log probability of those held out.
    ///
    /// # Errors
    /// As [`NcaConfig::tune`], or a method that has no settings to try.
    pub fn tune<D: TrainingData>(
        &self,
        tune: &TuneConfig,
        data: &D,
        device: &Device,
        session: TuneSession<'_>,
    ) -> Result<Tuned> {
        let search = self.search(tune, data, device, session)?;
        let estimator = search.estimator(&self.clone().into_any()).ok_or_else(|| {
            Error::setting(
                "the search was stopped before its first candidate was finished; let it run longer",
            )
        })?;
        Ok(Tuned { fitted: estimator.fit(data, device)?, search })
    }

    /// The best of what is compared, or a fit as it is.
    fn best_of<D: TrainingData>(
        &self,
        compared: Option<&TuneConfig>,
        data: &D,
        device: &Device,
    ) -> Result<Chosen> {
        let given = self.clone().into_any();
        let search = compared.map(|tune| given.search(tune, data, device, TuneSession::new()));
        let search = search.transpose()?;
        let chosen = search.as_ref().and_then(|search| search.estimator(&given)).unwrap_or(given);
        Ok(Chosen { fitted: chosen.for_rows(data.features().rows()).fit(data, device)?, search })
    }

    /// The search of [`Estimator::tune`] alone; [`Search::estimator`] gives the settings to fit with.
    ///
    /// The folds of a candidate run in parallel. The same seed gives the same trials on any number of threads.
    ///
    /// # Errors
    /// Data or settings that [`Estimator::fit_session`] refuses; lists and limits out of range, early stopping besides the
    /// search, a class with fewer rows than folds, a file of other trials, a method that has no settings to try.
    pub fn search<D: TrainingData>(
        &self,
        tune: &TuneConfig,
        data: &D,
        device: &Device,
        session: TuneSession<'_>,
    ) -> Result<Search> {
        let estimator = self.clone().into_any();
        let info = estimator.method.info();
        if !info.is_searched() {
            return Err(Error::setting(format!(
                "a search tries other settings, and {} has none; fit it as it is",
                info.label
            )));
        }
        search::run(&estimator, tune, (data, device), session)
    }
}
