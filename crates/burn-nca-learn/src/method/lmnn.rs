//! Large margin nearest neighbors: every row nearer to rows of its class than to others, by a margin.

use burn::tensor::{DType, Device};

use super::settings::settings;
use super::{GradientMethod, Grid, Learned, Method, Names, Problem, Uses, learn};
use crate::data::Labeled;
use crate::error::{Error, Result};
use crate::fit::FitSession;
use crate::objective::{LargeMarginLoss, LargeMarginLossConfig, TargetNeighbors};

settings! {
    /// Large margin nearest neighbors ([`LargeMarginLoss`]), from any start and through any encoder.
    ///
    /// # References
    /// K. Weinberger, L. Saul, Distance Metric Learning for Large Margin Nearest Neighbor Classification, JMLR 10, 2009.
    Lmnn {
        /// target neighbors of each row: the nearest of its class before learning
        neighbors: usize = 3,
        /// weight of the margin against the pull of the target neighbors, between 0 and 1
        ///
        /// µ of the paper.
        push: f64 = 0.5,
    }
}

impl Method for Lmnn {
    const NAMES: Names = ["lmnn", "LMNN", "Large margin nearest neighbors"];
    const WHEN_TO_USE: &'static str =
        "classes; for k-NN with a k of 3 or so, where classes overlap little";
    const USES: &'static [Uses] = Uses::ALL;
    const GRID: Grid = &[("push", &["0.5", "0.2", "0.8"]), ("neighbors", &["3", "1", "10", "40"])];
    type Data = Labeled;

    fn check(&self, _problem: &Problem<'_, Labeled>) -> Result<()> {
        if self.neighbors == 0 {
            return Err(Error::setting("neighbors of LMNN is 0; give 1 or more, such as 3"));
        }
        if self.push > 0.0 && self.push < 1.0 {
            return Ok(());
        }
        Err(Error::setting(format!(
            "push of LMNN is {}; give a number between 0 and 1, such as 0.5",
            self.push
        )))
    }

    fn learn(&self, problem: &Problem<'_, Labeled>, session: FitSession<'_>) -> Result<Learned> {
        learn(self, problem, session)
    }
}

impl GradientMethod for Lmnn {
    type Objective = LargeMarginLoss;

    fn objective(&self, _: &Device, _: DType) -> LargeMarginLoss {
        LargeMarginLossConfig::new().with_push(self.push).init()
    }

    fn target(&self, train: &Labeled, device: &Device) -> Result<TargetNeighbors> {
        TargetNeighbors::of(train, self.neighbors, device)
    }
}
