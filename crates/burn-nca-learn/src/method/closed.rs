//! Closed forms as methods, without iterations: LDA, RCA and both look at the classes, the others at the features alone.

use web_time::Instant;

use super::settings::settings;
use super::{Grid, Learned, Method, Names, Problem, Uses};
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

/// What those use that have dimensions to choose, and what a search tries of them.
const DIMENSIONS: &[Uses] = &[Uses::Dimensions];

/// The map that `fit` gives.
fn learn<D: TrainingData>(
    problem: &Problem<'_, D>,
    fit: impl FnOnce() -> Result<AnyEncoder>,
) -> Result<Learned> {
    let started = Instant::now();
    let encoder = fit()?;
    let summary = FitSummary::closed_form(started).with_rows(problem.data, problem.data);
    Ok(Learned { encoder, rule: Rule::Neighbors, summary })
}

fn linear<D>(problem: &Problem<'_, D>, map: &Projection) -> AnyEncoder {
    AnyEncoder::Linear(map.to_linear_map(&problem.device, problem.dtype))
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
    const NAMES: Names = ["lda", "LDA", "Linear discriminant analysis"];
    const WHEN_TO_USE: &'static str =
        "classes that are clouds of one shape; at most classes - 1 dimensions, at once";
    const USES: &'static [Uses] = DIMENSIONS;
    const SEARCHED: &'static [Uses] = DIMENSIONS;
    const GRID: Grid = &[("unit_length", &["false", "true"]), SHRINKAGES];
    type Data = Labeled;

    fn default_dimension(&self, data: &Labeled) -> Option<usize> {
        Some(directions(data))
    }

    fn learn(&self, problem: &Problem<'_, Labeled>, _: FitSession<'_>) -> Result<Learned> {
        let config = LdaConfig::new(problem.d_output)
            .with_shrinkage(self.shrinkage)
            .with_unit_length(self.unit_length);
        learn(problem, || Ok(linear(problem, &config.fit(problem.data)?.projection)))
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
    const NAMES: Names = ["rca", "RCA", "Relevant components analysis"];
    const WHEN_TO_USE: &'static str =
        "classes that are clouds of one shape; a full metric, at once";
    const GRID: Grid = TOLERANCES;
    type Data = Labeled;

    fn learn(&self, problem: &Problem<'_, Labeled>, _: FitSession<'_>) -> Result<Learned> {
        let config = RcaConfig::new().with_tolerance(self.tolerance);
        learn(problem, || Ok(linear(problem, &config.fit(problem.data)?)))
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
    const NAMES: Names =
        ["lda-rca", "LDA+RCA", "Linear discriminant analysis, then relevant components analysis"];
    const WHEN_TO_USE: &'static str = "as LDA, where LDA has to be shrunk";
    const USES: &'static [Uses] = DIMENSIONS;
    const SEARCHED: &'static [Uses] = DIMENSIONS;
    const GRID: Grid = &[SHRINKAGES];
    type Data = Labeled;

    fn default_dimension(&self, data: &Labeled) -> Option<usize> {
        Some(directions(data))
    }

    fn learn(&self, problem: &Problem<'_, Labeled>, _: FitSession<'_>) -> Result<Learned> {
        let config = LdaConfig::new(problem.d_output).with_shrinkage(self.shrinkage);
        learn(problem, || Ok(linear(problem, &lda_rca(problem.data, &config)?)))
    }
}

settings! {
    /// Distances as the (scaled) features have them: what every learned map is to be compared with.
    Euclidean {}
}

impl Method for Euclidean {
    const NAMES: Names = ["euclidean", "Euclidean", "Euclidean distance of the scaled features"];
    const WHEN_TO_USE: &'static str = "any data; baseline without learning";
    type Data = Features;

    fn learn(&self, problem: &Problem<'_, Features>, _: FitSession<'_>) -> Result<Learned> {
        let ones = vec![1.0; problem.data.columns()];
        let map = DiagonalMap::from_scale(&ones, &problem.device, problem.dtype);
        learn(problem, || Ok(AnyEncoder::Diagonal(map)))
    }
}

settings! {
    /// The directions of largest variance ([`PcaConfig`]).
    Pca {}
}

impl Method for Pca {
    const NAMES: Names = ["pca", "PCA", "Principal component analysis"];
    const WHEN_TO_USE: &'static str = "any data; few dimensions, without using the target";
    const USES: &'static [Uses] = DIMENSIONS;
    const SEARCHED: &'static [Uses] = DIMENSIONS;
    type Data = Features;

    /// n rows span n - 1 directions.
    fn default_dimension(&self, data: &Features) -> Option<usize> {
        let most = data.rows().saturating_sub(1).max(1);
        (data.columns() > most).then_some(most)
    }

    fn learn(&self, problem: &Problem<'_, Features>, _: FitSession<'_>) -> Result<Learned> {
        let config = PcaConfig::new(problem.d_output);
        learn(problem, || Ok(linear(problem, &config.fit(problem.data)?.projection)))
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
    const NAMES: Names =
        ["whitening", "whitening", "Whitening (Mahalanobis distance of the total covariance)"];
    const WHEN_TO_USE: &'static str = "any data; correlated features, without using the target";
    const GRID: Grid = TOLERANCES;
    type Data = Features;

    fn learn(&self, problem: &Problem<'_, Features>, _: FitSession<'_>) -> Result<Learned> {
        let config = WhiteningConfig::new().with_tolerance(self.tolerance);
        learn(problem, || Ok(linear(problem, &config.fit(problem.data)?)))
    }
}
