//! The targets of a data set, of which an objective is a sum, and of a batch, of which a loss is one: classes, agreements, pairs.

use core::ops::Range;

use burn::tensor::{Int, Tensor};

/// The target of an [`Objective`](super::Objective) for the n points of a data set, prepared once for many evaluations.
///
/// What it prepares on a device (index tensors, weights) is there without autodiff, in any number type: cast it to the
/// embedding's.
pub trait DataTarget: Clone + Send + Sync + 'static {
    /// Number of points, n: the rows of the embedding.
    fn points(&self) -> usize;

    /// The target of the points `rows` alone, in that order, for a mini-batch.
    #[must_use]
    fn subset(&self, rows: &[usize]) -> Self;

    /// Number of terms of the whole sum: by default one a point.
    fn terms(&self) -> usize {
        self.points()
    }

    /// Number of terms that count: what a mean over them divides by. Points without a partner have no term of f or g, for
    /// one; they are in [`terms`](Self::terms) only.
    fn counted(&self) -> usize {
        self.terms()
    }

    /// An order of the points `rows` and `others`, all distinct, in which the terms of `rows` are a few ranges, and
    /// these ranges; `None` where a term does not belong to a point. For [`SampledTerms`](super::SampledTerms).
    fn sample(
        &self,
        _rows: &[usize],
        _others: &[usize],
    ) -> Option<(Vec<usize>, Vec<Range<usize>>)> {
        None
    }
}

/// Two targets of the same points.
impl<A: DataTarget, B: DataTarget> DataTarget for (A, B) {
    /// # Panics
    /// If the two are about different numbers of points.
    fn points(&self) -> usize {
        let (n, m) = (self.0.points(), self.1.points());
        assert_eq!(n, m, "targets of {n} and of {m} points; give two of the same rows");
        n
    }

    fn subset(&self, rows: &[usize]) -> Self {
        (self.0.subset(rows), self.1.subset(rows))
    }

    fn terms(&self) -> usize {
        self.0.terms() + self.1.terms()
    }

    fn counted(&self) -> usize {
        self.0.counted() + self.1.counted()
    }
}

/// The targets of a [`BatchLoss`](super::BatchLoss) for the rows of a batch.
pub trait BatchTarget: Clone + core::fmt::Debug + Send + 'static {
    /// The target off the autodiff device, for metrics.
    #[must_use]
    fn without_autodiff(self) -> Self;
}

/// The class and the identity of each row of a batch.
#[derive(Clone, Debug)]
pub struct ClassTarget {
    /// The class of each row, `[n]`.
    pub labels: Tensor<1, Int>,
    /// The number of each row's sample in its data set, `[n]`, not negative.
    pub ids: Tensor<1, Int>,
}

impl ClassTarget {
    /// Labels of rows that are samples of their own, numbered in order.
    ///
    /// # Shapes
    /// - labels: `[n]`
    pub fn of_labels(labels: Tensor<1, Int>) -> Self {
        let [n] = labels.dims();
        let ids = Tensor::arange(0..n as i64, &labels.device());
        Self { labels, ids }
    }
}

impl BatchTarget for ClassTarget {
    fn without_autodiff(self) -> Self {
        Self { labels: self.labels.without_autodiff(), ids: self.ids.without_autodiff() }
    }
}

/// Numeric targets, one row per row of the batch, `[n, m]`.
impl BatchTarget for Tensor<2> {
    fn without_autodiff(self) -> Self {
        Tensor::without_autodiff(self)
    }
}

/// Pairs among the rows of a batch that belong together.
#[derive(Clone, Debug)]
pub struct PairTarget {
    /// Row numbers of the batch, `[p, 2]`.
    pub pairs: Tensor<2, Int>,
    /// How much each pair counts, `[p]`, not negative.
    pub weights: Tensor<1>,
}

impl BatchTarget for PairTarget {
    fn without_autodiff(self) -> Self {
        Self { pairs: self.pairs.without_autodiff(), weights: self.weights.without_autodiff() }
    }
}

/// How far each two rows of a batch agree.
#[derive(Clone, Debug)]
pub enum AgreementTarget {
    /// A table of agreements, `[n, n]`, in 0..1.
    Table(Tensor<2>),
    /// Continuous targets, which agree by a Gaussian of their distance.
    Targets {
        /// The targets, `[n, t]`; a row with a NaN is unlabeled.
        values: Tensor<2>,
        /// The width s of the Gaussian, in the units of the targets.
        width: f64,
    },
}

impl BatchTarget for AgreementTarget {
    fn without_autodiff(self) -> Self {
        match self {
            Self::Table(agreements) => Self::Table(agreements.without_autodiff()),
            Self::Targets { values, width } => {
                Self::Targets { values: values.without_autodiff(), width }
            }
        }
    }
}
