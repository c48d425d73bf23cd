//! What a search tries, and how.

use burn::config::Config;

use super::Candidate;
use crate::data::Features;
use crate::error::{Error, Result};
use crate::estimator::Estimator;
use crate::fit::{START_PERPLEXITY, Start};
use crate::method::Uses;
use crate::objective::Criterion;

/// The most fits of a candidate: folds times repeats.
const MOST_FITS: usize = 1000;

/// The most numbers in the rows of all folds, each of which holds a copy: 8 GB in f32.
const MOST_VALUES: usize = 1 << 31;

/// What a search tries, and how.
///
/// Candidates near the heads of all lists are tried first. [`Choice`](super::Choice) says which is chosen.
///
/// # Examples
/// ```
/// use burn_nca_learn::estimator::tune::TuneConfig;
/// use burn_nca_learn::objective::Criterion;
///
/// let quick = TuneConfig::new().with_criteria(vec![Criterion::G]).with_budget(Some(30.0));
/// assert_eq!((quick.folds, quick.criteria.len()), (5, 1));
/// ```
#[derive(Config, Debug)]
pub struct TuneConfig {
    /// Number of folds of the cross-validation.
    #[config(default = 5)]
    pub folds: usize,
    /// Number of repetitions of the cross-validation, each with other folds; more helps where rows are few.
    #[config(default = 2)]
    pub repeats: usize,
    /// The criteria to try.
    #[config(default = "vec![Criterion::G, Criterion::F]")]
    pub criteria: Vec<Criterion>,
    /// The settings of the method to try, each with its values; by default those of
    /// [`AnyMethod::grid`](crate::method::AnyMethod::grid).
    pub settings: Option<Vec<(String, Vec<String>)>>,
    /// The weights of the L2 penalty to try; by default that which the method recommends, then others. Unless the configuration
    /// says otherwise they weigh the spread of the embedding for maps of NCA and the weights for others.
    pub l2: Option<Vec<f64>>,
    /// The starts to try; by default the automatic one, and for a low rank PCA and random entries too.
    pub starts: Option<Vec<Start>>,
    /// The perplexities to scale the start to that are tried; `None` for the start as it is.
    #[config(default = "vec![Some(START_PERPLEXITY), None]")]
    pub start_perplexities: Vec<Option<f64>>,
    /// The numbers of embedding dimensions k to try, each before any other setting is; by default that of the
    /// configuration alone.
    pub dimensions: Option<Vec<usize>>,
    /// The candidates themselves, in the place of all lists above.
    pub candidates: Option<Vec<Candidate>>,
    /// The numbers of steps after which every fit is measured; the end of the fit always is. 0 is the start
    /// itself: Euclidean distance for a full map, LDA or PCA for one of low rank.
    #[config(default = "vec![0, 1, 2, 3, 5, 8, 12, 20, 35, 60, 100]")]
    pub steps: Vec<usize>,
    /// The k of the k-NN by which fits are compared.
    #[config(default = 1)]
    pub neighbors: usize,
    /// Compare on a stratified sample of so many rows, where there are more; by default on all.
    pub most_rows: Option<usize>,
    /// Compare without the rows of classes with fewer rows than folds, which are refused otherwise.
    #[config(default = false)]
    pub leave_out_small_classes: bool,
    /// The most candidates: of all combinations of the lists, those nearest to the heads.
    #[config(default = 12)]
    pub most_candidates: usize,
    /// Stop the search after this many seconds, without the final fit: the candidate that is tried then is compared on the folds
    /// that are finished, if they are two or more, and where none is finished the first is taken. No limit by default.
    pub budget: Option<f64>,
}

impl TuneConfig {
    pub(super) fn check(&self, config: &Estimator) -> Result<()> {
        let lists = [
            ("criteria", self.criteria.is_empty()),
            ("l2 weights", self.l2.as_ref().is_some_and(Vec::is_empty)),
            ("starts", self.starts.as_ref().is_some_and(Vec::is_empty)),
            ("dimensions", self.dimensions.as_ref().is_some_and(Vec::is_empty)),
            ("perplexities of the start", self.start_perplexities.is_empty()),
            ("candidates", self.candidates.as_ref().is_some_and(Vec::is_empty)),
        ];
        if let Some((name, _)) = lists.iter().find(|(_, empty)| *empty) {
            return Err(Error::setting(format!(
                "the list of {name} to try is empty; give at least one, or leave the default"
            )));
        }
        let info = config.method.info();
        if self.l2.is_some() && !info.uses.contains(&Uses::L2) {
            return Err(Error::setting(format!(
                "l2 weights are to be tried, and {} has no L2 penalty; leave them out",
                info.label
            )));
        }
        for (name, values) in self.settings.iter().flatten() {
            if values.is_empty() {
                return Err(Error::setting(format!(
                    "no value of {name} is to be tried; give at least one, or leave {name} out"
                )));
            }
            for value in values {
                config.method.with_setting(name, value)?;
            }
        }
        if let Some(l2) = self.l2.iter().flatten().find(|l2| !(**l2 >= 0.0 && l2.is_finite())) {
            return Err(Error::setting(format!(
                "one of the l2 weights to try is {l2}; give finite weights that are not negative"
            )));
        }
        if let Some(budget) = self.budget.filter(|budget| budget.is_nan() || *budget <= 0.0) {
            return Err(Error::setting(format!(
                "the budget of the search is {budget} seconds; give a positive number"
            )));
        }
        if self.neighbors == 0 {
            return Err(Error::setting("fits are compared by 0-NN; give 1 or more neighbors"));
        }
        if self.most_candidates == 0 {
            return Err(Error::setting("at most 0 candidates are to be tried; give 1 or more"));
        }
        if self.repeats == 0 {
            return Err(Error::setting("the cross-validation is repeated 0 times; give 1 or more"));
        }
        if config.fit.early_stopping.is_some() || config.fit.stop_at.is_some() {
            return Err(Error::setting(
                "a search finds the number of steps by its folds; leave early_stopping and stop_at out",
            ));
        }
        Ok(())
    }

    /// Checks the number of fits and their memory, before the folds are made.
    pub(super) fn check_folds(&self, features: &Features) -> Result<()> {
        let (folds, repeats) = (self.folds, self.repeats);
        let fits = folds.checked_mul(repeats).filter(|fits| *fits <= MOST_FITS);
        let Some(fits) = fits else {
            return Err(Error::setting(format!(
                "{folds} folds, repeated {repeats} times, are more than {MOST_FITS} fits of each candidate; give \
                 fewer folds or repeats, such as 5 and 2"
            )));
        };
        let (n, d) = (features.rows(), features.columns());
        if fits.checked_mul(n * d).is_none_or(|values| values > MOST_VALUES) {
            return Err(Error::setting(format!(
                "{folds} folds, repeated {repeats} times, hold {fits} copies of {n} rows of {d} features, more \
                 than {MOST_VALUES} numbers; give fewer folds or repeats, or fewer rows"
            )));
        }
        Ok(())
    }

    /// The steps at which fits by this optimizer are measured, ascending: none for mini-batches, whose learning rate falls over
    /// all epochs, nor for methods whose number of steps is not searched or whose own rule is known at the end.
    pub(super) fn step_grid(&self, config: &Estimator) -> Vec<usize> {
        let info = config.method.info();
        let mut step_grid = match &config.fit.optimizer {
            _ if info.own_rule || !info.searched.contains(&Uses::Optimizer) => Vec::new(),
            optimizer if optimizer.batches().is_some() => Vec::new(),
            _ => self.steps.clone(),
        };
        step_grid.sort_unstable();
        step_grid.dedup();
        step_grid
    }
}
