//! Two objectives, or two losses of a batch, as one.

use core::ops::Range;

use burn::config::Config;
use burn::module::{Module, ModuleDisplay};
use burn::tensor::Tensor;
use burn_nca::Sums;
use burn_nca::shown_on_one_line;

use super::{BatchLoss, DataTarget, Objective};

/// The settings of a [`SumLoss`].
#[derive(Config, Debug)]
pub struct SumLossConfig {
    /// What the second counts against the first.
    #[config(default = 1.0)]
    pub weight: f64,
}

impl SumLossConfig {
    /// The sum of these two.
    ///
    /// # Panics
    /// If the weight is negative or not finite.
    pub fn init<A: Module + ModuleDisplay, B: Module + ModuleDisplay>(
        &self,
        first: A,
        second: B,
    ) -> SumLoss<A, B> {
        let weight = self.weight;
        assert!(
            weight >= 0.0 && weight.is_finite(),
            "the weight must be finite and not negative, got {weight}"
        );
        SumLoss { first, second, weight }
    }
}

/// A weighted sum of two objectives of the same rows, or of two losses of the same batch.
///
/// ```text
/// L = L_1 + w L_2,   ∂L = ∂L_1 + w ∂L_2
/// ```
/// Labels and side information in one fit, for one: some rows have a class, of others it is known that they belong together.
/// As an [`Objective`] its target is the pair of theirs, and w weighs a term of the second against one of the first. As a
/// [`BatchLoss`] both have one type of target: [`SubsetLoss`](super::SubsetLoss) makes a loss of it of what is known of rows by
/// their number. A sum of three is a sum in a sum.
///
/// # Examples
/// Four rows, of which two have a class, and the other two belong together:
/// ```
/// use burn::tensor::{DType, Device, Tensor};
/// use burn_nca_learn::MetricModel;
/// use burn_nca_learn::data::Pairs;
/// use burn_nca_learn::encoder::LinearMap;
/// use burn_nca_learn::fit::{FitConfig, FitSession, Problem, minimize};
/// use burn_nca_learn::objective::{ClassIndex, NcaLossConfig, PairIndex, PairLossConfig, SumLossConfig};
///
/// let device = Device::flex();
/// let x = Tensor::<2>::from_floats([[0.0, 0.1], [0.3, 3.0], [1.0, 0.4], [1.3, 2.9]], &device);
/// let classes = ClassIndex::partly(&[Some(0), Some(0), None, None], &device)?;
/// let pairs = PairIndex::new(&Pairs::new(4, vec![(2, 3, 1.0)])?, &device);
///
/// let map = LinearMap::from_weight(&[1.0, 0.0, 0.0, 1.0], [2, 2], &device.clone().autodiff(), DType::F32);
/// let (nca, together) = (NcaLossConfig::new().init(), PairLossConfig::new().init());
/// let model = MetricModel::new(map, SumLossConfig::new().with_weight(0.5).init(nca, together));
/// let target = (classes, pairs);
/// let fitted = minimize(&Problem::new(model, &x, &target), &FitConfig::new(), FitSession::new())?;
/// let norms = fitted.module.encoder.weight.val().square().sum_dim(1).into_data();
/// let norms = norms.try_to_vec::<f32>().unwrap();
/// assert!(norms[0] > norms[1]); // the second feature, which is noise, counts less
/// # Ok::<(), burn_nca_learn::Error>(())
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct SumLoss<A: Module + ModuleDisplay, B: Module + ModuleDisplay> {
    /// The first.
    pub first: A,
    /// The second, which is weighed.
    pub second: B,
    weight: f64,
}

shown_on_one_line!(
    [A: Module + ModuleDisplay, B: Module + ModuleDisplay] SumLoss<A, B>,
    |module, content| {
        let content = content.add("first", &module.first).add("second", &module.second);
        content.add("weight", &module.weight)
    }
);

impl<A: BatchLoss, B: BatchLoss<Target = A::Target>> BatchLoss for SumLoss<A, B> {
    type Target = A::Target;

    fn batch_loss(&self, embeddings: Tensor<2>, target: &A::Target) -> Tensor<1> {
        let second = self.second.batch_loss(embeddings.clone(), target);
        self.first.batch_loss(embeddings, target) + second.mul_scalar(self.weight)
    }

    fn after_step(self) -> Self {
        let (first, second) = (self.first.after_step(), self.second.after_step());
        Self { first, second, ..self }
    }
}

/// Two targets of which one or both are others; `None` where neither is.
fn either<A: Clone, B: Clone>(others: (Option<A>, Option<B>), target: &(A, B)) -> Option<(A, B)> {
    let (first, second) = target.clone();
    match others {
        (None, None) => None,
        (of_first, of_second) => Some((of_first.unwrap_or(first), of_second.unwrap_or(second))),
    }
}

impl<A: Objective, B: Objective> Objective for SumLoss<A, B> {
    type Target = (A::Target, B::Target);

    const MOVING_TARGET: bool = A::MOVING_TARGET || B::MOVING_TARGET;

    fn with_sums(self, sums: Sums) -> Self {
        let (first, second) = (self.first.with_sums(sums), self.second.with_sums(sums));
        Self { first, second, ..self }
    }

    /// Those of the first, or of the second where the first has none.
    fn sums_taken(&self, embedding: Tensor<2>, target: &Self::Target) -> Option<(Sums, usize)> {
        let of_first = self.first.sums_taken(embedding.clone(), &target.0);
        of_first.or_else(|| self.second.sums_taken(embedding, &target.1))
    }

    fn prepared(&self, embedding: Tensor<2>, target: &Self::Target) -> Option<Self::Target> {
        let first = self.first.prepared(embedding.clone(), &target.0);
        either((first, self.second.prepared(embedding, &target.1)), target)
    }

    fn updated_target(&self, embedding: Tensor<2>, target: &Self::Target) -> Option<Self::Target> {
        let first = self.first.updated_target(embedding.clone(), &target.0);
        either((first, self.second.updated_target(embedding, &target.1)), target)
    }

    fn block(&self, embedding: Tensor<2>, target: &Self::Target, terms: Range<usize>) -> Tensor<1> {
        let zero = Tensor::zeros([1], (&embedding.device(), embedding.dtype()));
        let parts = self.block_parts(embedding, target, terms).into_iter();
        parts.reduce(|sum, part| sum + part).unwrap_or(zero)
    }

    fn block_parts(
        &self,
        embedding: Tensor<2>,
        target: &Self::Target,
        terms: Range<usize>,
    ) -> Vec<Tensor<1>> {
        let after = target.0.terms();
        let first = terms.start.min(after)..terms.end.min(after);
        let second = terms.start.saturating_sub(after)..terms.end.saturating_sub(after);
        let mut parts = Vec::new();
        if !first.is_empty() {
            parts = self.first.block_parts(embedding.clone(), &target.0, first);
        }
        if !second.is_empty() {
            let of_second = self.second.block_parts(embedding, &target.1, second);
            parts.extend(of_second.into_iter().map(|part| part.mul_scalar(self.weight)));
        }
        parts
    }

    fn lower_bound(&self, target: &Self::Target) -> Option<f64> {
        let second = self.second.lower_bound(&target.1)?;
        Some(self.first.lower_bound(&target.0)? + self.weight * second)
    }

    fn blocks(&self, z: &Tensor<2>, target: &Self::Target, rows: usize) -> Vec<Range<usize>> {
        let after = target.0.terms();
        let second = self.second.blocks(z, &target.1, rows).into_iter();
        let second = second.map(|block| block.start + after..block.end + after);
        self.first.blocks(z, &target.0, rows).into_iter().chain(second).collect()
    }

    /// The sum of what both say; where the terms of one do not count in the batch, what the other says.
    fn estimate(
        &self,
        embedding: Tensor<2>,
        batch: &Self::Target,
        whole: &Self::Target,
    ) -> Option<Tensor<1>> {
        let first = self.first.estimate(embedding.clone(), &batch.0, &whole.0);
        let second = self.second.estimate(embedding, &batch.1, &whole.1);
        let second = second.map(|second| second.mul_scalar(self.weight));
        [first, second].into_iter().flatten().reduce(|sum, part| sum + part)
    }
}

#[cfg(test)]
mod tests;
