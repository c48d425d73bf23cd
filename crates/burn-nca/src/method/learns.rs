//! Which data a method learns from: known where both types are, found out where the method is chosen at run time.

use super::{AnyMethod, Learned, Method, MethodInfo, Problem};
use crate::data::{Coincidences, Features, Labeled, RegressionData, TrainingData};
use crate::error::Result;
use crate::fit::FitSession;

/// Data that are those of another type, or hold them: a table with targets holds its features.
pub trait Holds<T> {
    /// The data of that type.
    fn held(&self) -> &T;
}

impl<T> Holds<T> for T {
    fn held(&self) -> &T {
        self
    }
}

impl Holds<Features> for Labeled {
    fn held(&self) -> &Features {
        self.features()
    }
}

impl Holds<Features> for RegressionData {
    fn held(&self) -> &Features {
        self.features()
    }
}

impl Holds<Features> for Coincidences {
    fn held(&self) -> &Features {
        self.features()
    }
}

/// A method that learns from data of this type: a [`Method`] from its own, checked by the compiler; an [`AnyMethod`] from
/// any, checked when it is called.
///
/// # Examples
/// LDA learns from classes; a table of numbers is no argument of its fit.
/// ```compile_fail
/// # fn fit(numbers: &burn_nca::data::RegressionData, device: &burn::tensor::Device) {
/// use burn_nca::{Estimator, method::Lda};
///
/// Estimator::new(4, 2, Lda::new()).fit(numbers, device);
/// # }
/// ```
pub trait LearnsFrom<D>: Clone + Into<AnyMethod> {
    /// What there is to say of the method.
    fn info(&self) -> MethodInfo {
        self.clone().into().info()
    }

    /// Checks that there is enough to learn from.
    ///
    /// # Errors
    /// Data of another kind than the method learns from, or too few of them.
    fn check_data(&self, data: &D) -> Result<()>;

    /// As [`Method::check`].
    ///
    /// # Errors
    /// As [`Method::check`].
    fn check_problem(&self, problem: &Problem<'_, D>) -> Result<()>;

    /// As [`Method::learn`].
    ///
    /// # Errors
    /// As [`Method::learn`].
    fn learn_from(&self, problem: &Problem<'_, D>, session: FitSession<'_>) -> Result<Learned>;
}

impl<M: Method, D: Holds<M::Data>> LearnsFrom<D> for M {
    fn check_data(&self, data: &D) -> Result<()> {
        data.held().check()
    }

    fn check_problem(&self, problem: &Problem<'_, D>) -> Result<()> {
        self.check(&problem.with_data(problem.data.held()))
    }

    fn learn_from(&self, problem: &Problem<'_, D>, session: FitSession<'_>) -> Result<Learned> {
        self.learn(&problem.with_data(problem.data.held()), session)
    }
}

impl<D: TrainingData> LearnsFrom<D> for AnyMethod {
    fn check_data(&self, data: &D) -> Result<()> {
        Self::check_data(self, data.any())
    }

    fn check_problem(&self, problem: &Problem<'_, D>) -> Result<()> {
        self.check(&problem.with_data(&problem.data.any()))
    }

    fn learn_from(&self, problem: &Problem<'_, D>, session: FitSession<'_>) -> Result<Learned> {
        self.learn(&problem.with_data(&problem.data.any()), session)
    }
}
