//! The settings of a fit by mini-batches, and what stands for those that are not set.

use burn::config::Config;

use crate::error::{Error, Result, require};

/// Rows of a batch where none are asked for.
const BATCH: usize = 2000;

/// Steps that a fit takes at least where no number of epochs is asked for.
const STEPS: usize = 400;

/// The same for a network with batch normalization.
const NETWORK_STEPS: usize = 600;

/// Passes over the data that a fit takes at least where no number of them is asked for.
const FEWEST_EPOCHS: usize = 4;

/// The learning rate in units of the parameters at the start, where none is asked for.
const RELATIVE_RATE: f64 = 0.08;

/// Mini-batch fitting.
///
/// Each epoch visits every row once, in a seeded random order. The learning rate falls to zero along a cosine.
///
/// ```text
/// S ≈ (M / m) Σ_{i in the batch} t_i + l2 n penalty      what a batch of b says of the penalized sum S
/// step: d(S / n),   value of an epoch: the mean of S over its batches, gradient: that of its last batch
/// ```
/// t_i are the objective's terms, n their number in the whole data, M and m the numbers of those that count
/// (rows that have a partner), in the whole data and in the batch
/// ([`Objective::estimate`](crate::objective::Objective::estimate)). Value and gradient are thus in the unit of the exact
/// ones, the penalty weighs against the terms as it does there at any batch size, and a batch of all rows gives
/// both exactly. What is left of a bias is that the neighbors of a row are those of its batch: a batch should
/// hold several rows of each class.
///
/// With `candidates` the rows of a batch see others as well, and a batch says `(n / b) Σ t_i` with these as neighbors
/// ([`SampledTerms`](crate::objective::SampledTerms)). With all n rows that is the stochastic gradient of the NCA paper, a sum truncated over i alone,
/// and unbiased; with m of them the neighbors are thinned by m / n. A step embeds all candidates.
///
/// With `nearest_candidates` those outside the batch are those with the largest `Σ_{i in the batch} p_ij` under the map at the start
/// of the epoch: the sum over j truncated, as the paper does. What of p they omit is a number of each epoch
/// ([`Progress::omitted`](super::Progress)). An epoch then takes a pass over all pairs besides, without a gradient.
///
/// A batch in which no term can be changed (no row has a partner, or all rows are of one class) takes no step.
/// A fit whose first epoch takes none ends at its start, as [`Termination::NoStep`](super::Termination::NoStep).
///
/// Layers that behave differently in training do so here: batch normalization sees the rows of the batch and moves
/// its running statistics, which are kept with the best held-out epoch. Dropout and noise draw from Burn's generator of
/// the device, which is seeded for each batch by [`FitConfig::seed`](super::FitConfig::seed) and the number of the batch.
///
/// # Defaults
/// What is not set is taken from the data and the map:
///
/// - batches of 2000 rows: with fewer, the neighbors of a row are too few and too far;
/// - as many epochs as 400 steps need, and 4 at least;
/// - a learning rate of 0.08 of the root mean square of the parameters at the start. A step of Adam moves every
///   parameter by about the learning rate, so that the rate has their unit: features measured in thousandths and a
///   start that is a thousandth give the same steps.
///
/// # Examples
/// ```
/// use burn_nca::fit::StochasticConfig;
///
/// let settings = StochasticConfig::new();
/// assert_eq!((settings.batch_rows(60_000), settings.epochs_of(60_000)), (2000, 14));
/// assert_eq!(settings.with_epochs(Some(3)).epochs_of(60_000), 3);
/// ```
#[derive(Config, Debug)]
pub struct StochasticConfig {
    /// Passes over the data; by default [`epochs_of`](Self::epochs_of) as many rows.
    pub epochs: Option<usize>,
    /// Rows of a batch, all rows where there are fewer; 2000 by default.
    pub batch_size: Option<usize>,
    /// The learning rate at the start; by default 0.08 of the root mean square of the parameters at the start.
    pub learning_rate: Option<f64>,
    /// Rows that those of a batch see as neighbors: the batch and others at random, up to this many in all (all rows
    /// where there are fewer). Without, the batch alone.
    pub candidates: Option<usize>,
    /// Decoupled decay of the parameters (AdamW): each step multiplies them by 1 - rate * decay. For
    /// [`OptimizerConfig::Adam`](super::OptimizerConfig::Adam); none by default.
    pub weight_decay: Option<f64>,
    /// As `candidates`, in place of them: the batch and the rows that weigh most for it, up to this many in all.
    pub nearest_candidates: Option<usize>,
}

impl StochasticConfig {
    /// Settings for a network with batch normalization ([`HiddenLayers::regularized`]) and this many rows: 600 steps of
    /// batches of half the rows, 2000 at most, a learning rate of 0.01, a decay of 0.01.
    ///
    /// [`HiddenLayers::regularized`]: crate::encoder::HiddenLayers::regularized
    pub fn of_network(rows: usize) -> Self {
        let settings = Self::new().with_batch_size(Some((rows / 2).clamp(2, BATCH)));
        let epochs = NETWORK_STEPS.div_ceil(settings.batches_of(rows)).max(FEWEST_EPOCHS);
        settings
            .with_epochs(Some(epochs))
            .with_learning_rate(Some(0.01))
            .with_weight_decay(Some(0.01))
    }

    /// Checks every range.
    ///
    /// # Errors
    /// A batch of fewer than 2 rows, a learning rate that is not a positive finite number, or a decay that is negative or
    /// not finite.
    pub fn check(&self) -> Result<()> {
        let rows = self.batch_size.unwrap_or(BATCH);
        require(rows >= 2, || {
            format!(
                "the batch size is {rows}; a row needs neighbors in its batch, so give 2 or more"
            )
        })?;
        if let Some(rate) = self.learning_rate {
            require(rate > 0.0 && rate.is_finite(), || {
                format!("the learning rate is {rate}; give a positive number, such as 0.01")
            })?;
        }
        let decay = self.weight_decay.unwrap_or(0.0);
        require(decay >= 0.0 && decay.is_finite(), || {
            format!("the weight decay is {decay}; give a number of 0 or more, such as 0.01")
        })?;
        if let (Some(random), Some(nearest)) = (self.candidates, self.nearest_candidates) {
            return Err(Error::setting(format!(
                "there are to be {random} candidates at random and the {nearest} nearest; give one of the two"
            )));
        }
        if let (Some(candidates), Some(batch)) = (self.all_candidates(), self.batch_size) {
            require(candidates >= batch, || {
                format!(
                    "there are to be {candidates} candidates for a batch of {batch}, which are candidates themselves; \
                     give as many candidates or more, or a smaller batch"
                )
            })?;
        }
        Ok(())
    }

    /// Rows that those of a batch see as neighbors, if there are to be others than the batch.
    #[doc(hidden)]
    pub fn all_candidates(&self) -> Option<usize> {
        self.candidates.or(self.nearest_candidates)
    }

    /// Rows of a batch of data with `rows` rows, about: batches are of nearly equal size.
    pub fn batch_rows(&self, rows: usize) -> usize {
        self.batch_size.unwrap_or(BATCH).min(rows)
    }

    /// Passes over data with `rows` rows.
    pub fn epochs_of(&self, rows: usize) -> usize {
        self.epochs.unwrap_or_else(|| STEPS.div_ceil(self.batches_of(rows)).max(FEWEST_EPOCHS))
    }

    /// Batches of nearly equal size: a small last batch would have few neighbors.
    pub(super) fn batches_of(&self, rows: usize) -> usize {
        (rows as f64 / self.batch_size.unwrap_or(BATCH) as f64).round().max(1.0) as usize
    }

    pub(super) fn rate_from(&self, start: &[f64]) -> f64 {
        self.learning_rate.unwrap_or_else(|| {
            let squares: f64 = start.iter().map(|x| x * x).sum();
            let typical = (squares / start.len().max(1) as f64).sqrt();
            RELATIVE_RATE * if typical > 0.0 { typical } else { 1.0 }
        })
    }
}
