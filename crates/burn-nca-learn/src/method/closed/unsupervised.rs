//! Euclidean distance, PCA and whitening: methods that look at the features alone, of any data.

use web_time::Instant;

use burn::config::Config;

use super::{SEARCHED, TOLERANCES, learn, learned};
use crate::baseline::{PcaConfig, WhiteningConfig};
use crate::data::Features;
use crate::encoder::{AnyEncoder, DiagonalMap};
use crate::error::Result;
use crate::fit::FitSession;
use crate::method::settings::settings;
use crate::method::{Grid, Learned, Method, Problem, Setting, Uses};

/// Distances as the (scaled) features have them: what every learned map is to be compared with.
#[derive(Config, Debug, PartialEq)]
pub struct Euclidean {}

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

/// The directions of largest variance ([`PcaConfig`]).
#[derive(Config, Debug, PartialEq)]
pub struct Pca {}

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
    const SETTINGS: &'static [Setting] = Self::FIELDS;
    const USES: &'static [Uses] = &[];
    const GRID: Grid = TOLERANCES;
    type Data = Features;

    fn learn(&self, problem: &Problem<'_, Features>, _: FitSession<'_>) -> Result<Learned> {
        let config = WhiteningConfig::new().with_tolerance(self.tolerance);
        learn(problem, || config.fit(problem.data))
    }
}
