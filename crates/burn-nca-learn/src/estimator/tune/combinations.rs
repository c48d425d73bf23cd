//! The candidates of a search: all combinations of its lists, those near the heads first.

use std::iter;

use super::{Candidate, TuneConfig};
use crate::data::AnyData;
use crate::encoder::EncoderConfig;
use crate::estimator::Estimator;
use crate::fit::{Penalty, Start};
use crate::method::{AnyMethod, Uses};
use crate::objective::Criterion;

/// The numbers of steps at which methods whose rule is known at the end of a fit alone are stopped.
const STOPS: [Option<usize>; 3] = [None, Some(5), Some(20)];

/// The most numbers of dimensions that are tried without being asked for.
const MOST_DIMENSIONS: usize = 4;

impl TuneConfig {
    /// The same, trying fewer dimensions too where the method is one whose dimensions are searched: a half, a quarter and
    /// an eighth of those of the configuration.
    #[must_use]
    pub fn with_dimensions_of(mut self, config: &Estimator, data: AnyData<'_>) -> Self {
        let is_linear = config.encoder == EncoderConfig::Linear;
        if is_linear && config.method.info().searched.contains(&Uses::Dimensions) {
            // The rows of a fold span one direction fewer than they are.
            let n = data.features().rows();
            let most = n.saturating_sub(n.div_ceil(self.folds.max(1)) + 1).max(1);
            let halves = |k: &usize| Some(k / 2).filter(|half| *half > 0);
            let all = iter::successors(Some(config.d_output.min(most)), halves);
            self.dimensions = Some(all.take(MOST_DIMENSIONS).collect());
        }
        self
    }

    /// The candidates, those near the heads of the lists first, each in all the dimensions that were asked for.
    ///
    /// Methods without a criterion have none in their candidates.
    pub(super) fn candidates(&self, config: &Estimator, data: AnyData<'_>) -> Vec<Candidate> {
        if let Some(candidates) = &self.candidates {
            return candidates.clone();
        }
        let (method, fit) = (&config.method, &config.fit);
        let info = method.info();
        let is_searched = |uses| info.searched.contains(&uses);
        let penalty = fit.penalty.or(match (method, &config.encoder) {
            (AnyMethod::Nca(_), EncoderConfig::Mlp(_)) => Some(Penalty::Weights),
            (AnyMethod::Nca(_), _) => Some(Penalty::Spread),
            _ => None,
        });
        let criteria: Vec<Option<Criterion>> = if method.settings().contains_key("criterion") {
            self.criteria.iter().copied().map(Some).collect()
        } else {
            vec![None]
        };
        let l2 = match &self.l2 {
            Some(l2) => l2.clone(),
            None if is_searched(Uses::L2) => {
                method.penalties(&config.encoder, data.features().rows())
            }
            None => vec![fit.l2],
        };
        let scales = match is_searched(Uses::Start) {
            true => self.start_perplexities.clone(),
            false => vec![fit.start_perplexity],
        };
        let stops = match info.own_rule && is_searched(Uses::Optimizer) {
            true if fit.optimizer.batches().is_none() && !self.steps.is_empty() => STOPS.to_vec(),
            _ => vec![fit.stop_at],
        };
        let settings = self.settings.clone().unwrap_or_else(|| method.grid());
        let mut ranked = Vec::new();
        for &d_output in self.dimensions.as_deref().unwrap_or(&[config.d_output]) {
            let starts = match &self.starts {
                Some(starts) => starts.clone(),
                None if is_searched(Uses::Start) => default_starts(config, d_output, data),
                None => vec![fit.start.clone()],
            };
            let mut all = vec![(0, Candidate { penalty, ..Candidate::of_fit(fit, d_output) })];
            all = crossed(all, &starts, |one, start| one.start = start.clone());
            all = crossed(all, &scales, |one, scale| one.start_perplexity = *scale);
            all = crossed(all, &l2, |one, l2| one.l2 = *l2);
            all = crossed(all, &criteria, |one, criterion| one.criterion = *criterion);
            all = crossed(all, &stops, |one, stop_at| one.stop_at = *stop_at);
            // What the method lists first is changed first.
            for (name, values) in settings.iter().rev() {
                all = crossed(all, values, |one, value| {
                    one.settings.insert(name.clone(), value.clone());
                });
            }
            ranked.extend(all);
        }
        ranked.sort_by_key(|(rank, _)| *rank);
        ranked.into_iter().map(|(_, candidate)| candidate).take(self.most_candidates).collect()
    }
}

/// Every candidate with each of these values, ranked by the places of its values in their lists.
fn crossed<T>(
    candidates: Vec<(usize, Candidate)>,
    values: &[T],
    set: impl Fn(&mut Candidate, &T),
) -> Vec<(usize, Candidate)> {
    let of_one = |(rank, candidate): (usize, Candidate)| {
        let with = |(at, value)| {
            let mut candidate = candidate.clone();
            set(&mut candidate, value);
            (rank + at, candidate)
        };
        values.iter().enumerate().map(with).collect::<Vec<_>>()
    };
    candidates.into_iter().flat_map(of_one).collect()
}

/// The automatic start, and for linear maps of low rank others: there the start decides most.
fn default_starts(config: &Estimator, d_output: usize, data: AnyData<'_>) -> Vec<Start> {
    let (n, d) = (data.features().rows(), data.features().columns());
    if config.encoder != EncoderConfig::Linear || d_output >= d {
        return vec![Start::Auto];
    }
    // Without classes, or to as many dimensions as there are, the automatic start is PCA.
    let classes = match data {
        AnyData::Classes(data) => data.class_counts().iter().filter(|count| **count > 0).count(),
        _ => 0,
    };
    let mut starts = vec![Start::Auto];
    if d_output < classes.min(n) {
        starts.push(Start::Pca);
    }
    starts.push(Start::Random { scale: None });
    starts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NcaConfig;
    use crate::data::{Features, Labeled, TrainingData};
    use crate::fit::{OptimizerConfig, START_PERPLEXITY, StochasticConfig};

    fn data(rows: usize, d: usize) -> Labeled {
        let features = Features::unnamed((0..rows * d).map(|at| at as f64).collect(), d).unwrap();
        Labeled::from_labels(features, (0..rows).map(|row| row % 2).collect()).unwrap()
    }

    #[test]
    fn candidates_near_the_heads_of_the_lists_come_first() {
        let data = data(8, 3);
        let tune = TuneConfig::new()
            .with_l2(Some(vec![0.1, 0.0]))
            .with_start_perplexities(vec![Some(START_PERPLEXITY)])
            .with_dimensions(Some(vec![3, 1]))
            .with_most_candidates(99);
        let plain = NcaConfig::new(3, 3).estimator().into_any();
        let candidates = tune.candidates(&plain, data.as_any_data());
        let usual = Candidate::of(&NcaConfig::recommended(3, 3));
        assert_eq!(candidates[0], Candidate { l2: 0.1, ..usual });
        let near = |candidate: &Candidate| (candidate.criterion, candidate.l2, candidate.d_output);
        assert_eq!(near(&candidates[1]), (Some(Criterion::G), 0.1, 1));
        let others: Vec<_> = candidates[2..7].iter().map(near).collect();
        for one in [(Some(Criterion::F), 0.1, 3), (Some(Criterion::G), 0.0, 1)] {
            assert!(others.contains(&one), "{others:?}");
        }
        // A full map has one start; a map to 1 dimension starts by LDA, by PCA and at random.
        assert_eq!(candidates.len(), 4 + 3 * 4);
        let few = tune.with_most_candidates(3).candidates(&plain, data.as_any_data());
        assert_eq!(few, candidates[..3]);
    }

    #[test]
    fn a_method_is_tried_at_its_settings_and_at_no_other() {
        let data = data(40, 8);
        let data = data.as_any_data();
        let estimator = |name: &str| Estimator::new(8, 8, AnyMethod::named(name).unwrap());
        let tried = |tune: &TuneConfig, name: &str| tune.candidates(&estimator(name), data);
        let tune = TuneConfig::new();
        let all = tried(&tune.clone().with_dimensions_of(&estimator("lca"), data), "lca");
        assert_eq!(all.len(), 12);
        assert!(all.iter().all(|one| one.l2 == 0.0 && one.start_perplexity.is_none()), "{all:?}");
        let dimensions: Vec<usize> = all[..4].iter().map(|one| one.d_output).collect();
        assert_eq!(dimensions, [8, 4, 2, 1]);
        assert_eq!(all[0].to_string(), "local_scales=true, targets=3, trainer=em, k = 8");
        // The number of steps of a rule that is known at the end alone is a candidate.
        let vsm = tried(&tune, "vsm");
        assert!(vsm[0].stop_at.is_none() && vsm.iter().any(|one| one.stop_at == Some(5)));
        assert!(vsm.iter().all(|one| one.l2 == 0.0));
        assert!(tried(&tune, "gvsm").iter().any(|one| one.l2 == 0.01));
        // Mini-batches are measured at their end only, as rules that are known then.
        let by =
            |estimator: &Estimator| tune.clone().with_steps(vec![5, 0, 5]).step_grid(estimator);
        let mut batches = estimator("nca");
        batches.fit.optimizer = OptimizerConfig::Adam(StochasticConfig::new());
        assert_eq!([by(&estimator("nca")), by(&batches)], [vec![0, 5], vec![]]);
        assert!(by(&estimator("vsm")).is_empty());
        // What is asked for instead.
        let asked = vec![("push".to_string(), vec!["0.3".to_string(), "0.7".to_string()])];
        let tune = tune.with_settings(Some(asked)).with_l2(Some(vec![0.5]));
        let all = tried(&tune.with_start_perplexities(vec![None]), "lmnn");
        let asked: Vec<String> = all.iter().map(ToString::to_string).collect();
        assert_eq!(asked, ["push=0.3, l2 0.5, k = 8", "push=0.7, l2 0.5, k = 8"]);
    }
}
