//! Closed forms as methods: linear maps without iterations. LDA, RCA and both look at the classes, the others at the features
//! alone, of any data.

use web_time::Instant;

use super::settings::settings;
use super::{Grid, Learned, Method, Problem, Uses};
use crate::baseline::{
    LdaConfig, PcaConfig, Projection, RcaConfig, Shrinkage, WhiteningConfig, lda_rca,
};
use crate::data::{Features, Labeled, TrainingData};
use crate::encoder::{AnyEncoder, DiagonalMap};
use crate::error::Result;
use crate::fit::{FitSession, FitSummary};
use crate::neighbors::Rule;

/// The tolerances that a search tries.
const TOLERANCES: Grid = &[("tolerance", &["1e-8", "1e-4", "1e-2"])];

/// What a search tries of those that have dimensions to choose.
const SEARCHED: &[Uses] = &[Uses::Dimensions];

/// The map that `fit` gives.
fn learn<D: TrainingData>(
    problem: &Problem<'_, D>,
    fit: impl FnOnce() -> Result<Projection>,
) -> Result<Learned> {
    let started = Instant::now();
    let map = fit()?.to_linear_map(&problem.device, problem.dtype);
    Ok(learned(problem, AnyEncoder::Linear(map), started))
}

fn learned<D: TrainingData>(
    problem: &Problem<'_, D>,
    encoder: AnyEncoder,
    started: Instant,
) -> Learned {
    let summary = FitSummary::closed_form(started).with_rows(problem.data, problem.data);
    Learned { encoder, rule: Rule::Neighbors, summary }
}

/// The shrinkages that a search tries.
const SHRINKAGES: (&str, &[&str]) = ("shrinkage", &["None", "LedoitWolf", "0.1", "0.5"]);

/// The most directions of LDA; one for a single class, which is refused with its own words.
fn directions(data: &Labeled) -> usize {
    LdaConfig::max_directions(data).max(1)
}

settings! {
    /// The directions that separate the classes best ([`LdaConfig`]).
    Lda {
        /// share of the identity in the within-class covariance: None, a number from 0 to 1, or LedoitWolf
        shrinkage: Shrinkage = "Shrinkage::None",
        /// whether each direction has length 1, not unit variance within the classes
        unit_length: bool = false,
    }
}

impl Method for Lda {
    const NAME: &'static str = "lda";
    const LABEL: &'static str = "LDA";
    const TITLE: &'static str = "Linear discriminant analysis";
    const WHEN_TO_USE: &'static str =
        "classes that are clouds of one shape; at most classes - 1 dimensions, at once";
    const USES: &'static [Uses] = &[Uses::Dimensions];
    const GRID: Grid = &[("unit_length", &["false", "true"]), SHRINKAGES];
    type Data = Labeled;

    fn searched(&self) -> &'static [Uses] {
        SEARCHED
    }

    fn default_dimension(&self, data: &Labeled) -> Option<usize> {
        Some(directions(data))
    }

    fn learn(&self, problem: &Problem<'_, Labeled>, _: FitSession<'_>) -> Result<Learned> {
        let config = LdaConfig::new(problem.d_output)
            .with_shrinkage(self.shrinkage)
            .with_unit_length(self.unit_length);
        learn(problem, || Ok(config.fit(problem.data)?.projection))
    }
}

settings! {
    /// Relevant components analysis: unit within-class covariance ([`RcaConfig`]).
    Rca {
        /// directions of a smaller share of the largest variance are left out
        tolerance: f64 = "1e-8",
    }
}

impl Method for Rca {
    const NAME: &'static str = "rca";
    const LABEL: &'static str = "RCA";
    const TITLE: &'static str = "Relevant components analysis";
    const WHEN_TO_USE: &'static str =
        "classes that are clouds of one shape; a full metric, at once";
    const USES: &'static [Uses] = &[];
    const GRID: Grid = TOLERANCES;
    type Data = Labeled;

    fn learn(&self, problem: &Problem<'_, Labeled>, _: FitSession<'_>) -> Result<Learned> {
        let config = RcaConfig::new().with_tolerance(self.tolerance);
        learn(problem, || config.fit(problem.data))
    }
}

settings! {
    /// LDA, then RCA in its space ([`lda_rca`]).
    LdaRca {
        /// share of the identity in the within-class covariance: None, a number from 0 to 1, or LedoitWolf
        shrinkage: Shrinkage = "Shrinkage::None",
    }
}

impl Method for LdaRca {
    const NAME: &'static str = "lda-rca";
    const LABEL: &'static str = "LDA+RCA";
    const TITLE: &'static str = "Linear discriminant analysis, then relevant components analysis";
    const WHEN_TO_USE: &'static str = "as LDA, where LDA has to be shrunk";
    const USES: &'static [Uses] = &[Uses::Dimensions];
    const GRID: Grid = &[SHRINKAGES];
    type Data = Labeled;

    fn searched(&self) -> &'static [Uses] {
        SEARCHED
    }

    fn default_dimension(&self, data: &Labeled) -> Option<usize> {
        Some(directions(data))
    }

    fn learn(&self, problem: &Problem<'_, Labeled>, _: FitSession<'_>) -> Result<Learned> {
        let config = LdaConfig::new(problem.d_output).with_shrinkage(self.shrinkage);
        learn(problem, || lda_rca(problem.data, &config))
    }
}

settings! {
    /// Distances as the (scaled) features have them: what every learned map is to be compared with.
    Euclidean {}
}

impl Method for Euclidean {
    const NAME: &'static str = "euclidean";
    const LABEL: &'static str = "Euclidean";
    const TITLE: &'static str = "Euclidean distance of the scaled features";
    const WHEN_TO_USE: &'static str = "any data; baseline without learning";
    const USES: &'static [Uses] = &[];
    type Data = Features;

    fn learn(&self, problem: &Problem<'_, Features>, _: FitSession<'_>) -> Result<Learned> {
        let started = Instant::now();
        let ones = vec![1.0; problem.data.columns()];
        let map = DiagonalMap::from_scale(&ones, &problem.device, problem.dtype);
        Ok(learned(problem, AnyEncoder::Diagonal(map), started))
    }
}

settings! {
    /// The directions of largest variance ([`PcaConfig`]).
    Pca {}
}

impl Method for Pca {
    const NAME: &'static str = "pca";
    const LABEL: &'static str = "PCA";
    const TITLE: &'static str = "Principal component analysis";
    const WHEN_TO_USE: &'static str = "any data; few dimensions, without using the target";
    const USES: &'static [Uses] = &[Uses::Dimensions];
    type Data = Features;

    fn searched(&self) -> &'static [Uses] {
        SEARCHED
    }

    /// n rows span n - 1 directions.
    fn default_dimension(&self, data: &Features) -> Option<usize> {
        let most = data.rows().saturating_sub(1).max(1);
        (data.columns() > most).then_some(most)
    }

    fn learn(&self, problem: &Problem<'_, Features>, _: FitSession<'_>) -> Result<Learned> {
        let config = PcaConfig::new(problem.d_output);
        learn(problem, || Ok(config.fit(problem.data)?.projection))
    }
}

settings! {
    /// Unit total covariance ([`WhiteningConfig`]).
    Whitening {
        /// directions of a smaller share of the largest variance are left out
        tolerance: f64 = "1e-8",
    }
}

impl Method for Whitening {
    const NAME: &'static str = "whitening";
    const LABEL: &'static str = "whitening";
    const TITLE: &'static str = "Whitening (Mahalanobis distance of the total covariance)";
    const WHEN_TO_USE: &'static str = "any data; correlated features, without using the target";
    const USES: &'static [Uses] = &[];
    const GRID: Grid = TOLERANCES;
    type Data = Features;

    fn learn(&self, problem: &Problem<'_, Features>, _: FitSession<'_>) -> Result<Learned> {
        let config = WhiteningConfig::new().with_tolerance(self.tolerance);
        learn(problem, || config.fit(problem.data))
    }
}
