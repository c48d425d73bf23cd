//! LDA, RCA and LDA followed by RCA: closed forms that look at the classes.

use super::{SEARCHED, TOLERANCES, learn};
use crate::baseline::{LdaConfig, RcaConfig, Shrinkage, lda_rca};
use crate::data::Labeled;
use crate::error::Result;
use crate::fit::FitSession;
use crate::method::settings::settings;
use crate::method::{Grid, Learned, Method, Problem, Setting, Uses};

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
    const SETTINGS: &'static [Setting] = Self::FIELDS;
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
    const SETTINGS: &'static [Setting] = Self::FIELDS;
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
    const SETTINGS: &'static [Setting] = Self::FIELDS;
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
