//! The agreements of n points, on a device.

use core::ops::Range;
use std::sync::Arc;

use burn::tensor::{Bool, DType, Device, Int, Tensor, s};
#[cfg(feature = "fused")]
use burn_nca_fused::{NeighborSets, PairSum, pair_sum};

#[cfg(feature = "fused")]
use super::among_all;
use super::target_index::centered;
use super::term_weights::TermWeights;
use super::transfer::{column, float_tensor, order_tensor, places, widest_float};
use super::{ClassIndex, DataTarget};
use crate::data::{AgreementRule, Agreements, SparseRows};
use crate::error::{Error, Result};
use crate::nca::{equal_pairs, squared_distances};

/// Stands for -log 0: no term is left of a pair that costs so much.
pub(super) const NO_AGREEMENT: f64 = 1e30;

/// The agreements of n points, prepared once for many evaluations of an objective on a device.
///
/// Labeled rows are put first: they are the terms, and the unlabeled ones are behind as neighbors,
/// or not at all. Agreements of labels and targets are never formed: equal labels are a range of columns, and targets
/// further coordinates of the points. Those of a list or function come from the host, a block at a time. No n x n
/// matrix exists.
///
/// # Examples
/// ```
/// # #[cfg(feature = "flex")] {
/// use burn::tensor::Device;
/// use burn_nca::data::Agreements;
/// use burn_nca::objective::AgreementIndex;
///
/// let list = vec![(0, 1, 1.0), (1, 0, 0.5)];
/// let agreements = Agreements::of_list(3, list)?;
/// let index = AgreementIndex::new(&agreements, &Device::flex())?;
/// assert_eq!((index.points(), index.labeled()), (3, 3));
/// assert_eq!(index.without_agreement(), [2]);
/// # }
/// # Ok::<(), burn_nca::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct AgreementIndex {
    agreements: Agreements,
    /// Labeled rows, those of equal labels together, then the others, each ascending.
    order: Vec<usize>,
    labeled: usize,
    /// The order on the device, unless it is that of the data already.
    gather: Option<Tensor<1, Int>>,
    /// Rows without agreement, in the order of the data.
    without: Vec<usize>,
    /// Whether each row of the order is one of them, `[n, 1]`.
    without_positive: Tensor<2, Bool>,
    rule: IndexedRule,
    /// The weight of the term of each row of the order.
    weights: TermWeights,
}

/// The agreements of the labeled rows, in their order.
#[derive(Clone, Debug)]
enum IndexedRule {
    Labels(Box<ClassIndex>),
    /// Targets over √2 s, `[labeled, columns]`: `log w_ij = -||u_i - u_j||²`.
    Targets(Box<Tensor<2>>),
    List(Arc<SparseRows>),
    /// Agreements that the host works out.
    Host(Arc<Agreements>),
    /// None: no row of a mini-batch is labeled.
    Nothing,
}

impl AgreementIndex {
    /// The index of these agreements, with what evaluations on `device` need there.
    ///
    /// # Errors
    /// No labeled row at all.
    ///
    /// # Panics
    /// If a user's function gives a value outside 0..1.
    pub fn new(agreements: &Agreements, device: &Device) -> Result<Self> {
        if agreements.labeled_rows().is_empty() {
            return Err(Error::data(format!(
                "none of the {} rows has a target; at least two are needed",
                agreements.points()
            )));
        }
        Ok(Self::index(agreements.clone(), &device.clone().inner()))
    }

    fn index(agreements: Agreements, device: &Device) -> Self {
        let mut order = agreements.labeled_rows();
        if let AgreementRule::Labels(labels) = agreements.rule() {
            order.sort_by_key(|&row| (labels[row], row));
        }
        let labeled = order.len();
        let mut is_labeled = vec![false; agreements.points()];
        order.iter().for_each(|&row| is_labeled[row] = true);
        order.extend((0..agreements.points()).filter(|&row| !is_labeled[row]));
        let without = agreements.without_agreement();
        let without_positive = order.iter().map(|row| without.binary_search(row).is_ok());
        let without_positive = column(without_positive.collect(), device);
        let rule = IndexedRule::new(agreements.select(&order[..labeled]), device);
        Self {
            agreements,
            gather: order_tensor(&order, device),
            order,
            labeled,
            without,
            without_positive,
            rule,
            weights: TermWeights::default(),
        }
    }

    /// The same points, the term of each times its weight, in the order of the data: `f = Σ_i w_i p_i`.
    ///
    /// All stay neighbors of the others, once; see [`ClassIndex::with_weights`](super::ClassIndex::with_weights).
    ///
    /// # Errors
    /// Not one weight per point, a weight that is negative or not finite, or none that is positive.
    pub fn with_weights(self, weights: &[f64]) -> Result<Self> {
        let of_rows = TermWeights::new(weights, self.points(), &self.without_positive.device())?;
        Ok(Self { weights: of_rows.select(&self.order), ..self })
    }

    /// The terms of the labeled points `rows`, each times its weight, `[b, 1]` to `[b, 1]`.
    pub(super) fn weigh(&self, terms: Tensor<2>, rows: Range<usize>) -> Tensor<2> {
        self.weights.weigh(terms, rows)
    }

    /// How much the points with an agreement weigh together: no f is larger.
    pub(super) fn weight_with_agreement(&self) -> f64 {
        let agrees = |place: &usize| self.without.binary_search(&self.order[*place]).is_err();
        (0..self.labeled).filter(agrees).map(|place| self.weights.sum(place..place + 1)).sum()
    }

    /// Number of points, n, labeled or not.
    pub fn points(&self) -> usize {
        self.order.len()
    }

    /// Number of labeled points: the terms.
    pub fn labeled(&self) -> usize {
        self.labeled
    }

    /// Labeled rows whose agreements are all 0, ascending: their p_i is 0 whatever the metric. They add
    /// nothing to f or g, but stay neighbors of the others.
    pub fn without_agreement(&self) -> &[usize] {
        &self.without
    }

    /// Number of labeled rows that agree with some other row: the number of terms that count.
    pub fn with_agreement(&self) -> usize {
        self.labeled - self.without.len()
    }

    /// The embedding of the points that take part, labeled first: all, or the labeled ones alone.
    pub(super) fn arrange(&self, embedding: Tensor<2>, unlabeled_too: bool) -> Tensor<2> {
        let arranged = match &self.gather {
            Some(order) => embedding.select(0, order.clone()),
            None => embedding,
        };
        if unlabeled_too || self.labeled == self.points() {
            arranged
        } else {
            arranged.slice(s![0..self.labeled])
        }
    }

    /// Which of the labeled points `rows` have no agreement, `[b, 1]`.
    pub(super) fn without_positive(&self, rows: &Range<usize>) -> Tensor<2, Bool> {
        self.without_positive.clone().slice([rows.clone()])
    }

    /// Whether the agreements of a block are in a table of pairs.
    pub(super) fn is_table(&self) -> bool {
        matches!(self.rule, IndexedRule::List(_) | IndexedRule::Host(_))
    }

    /// The classes of the labeled points, where equal labels are the agreements.
    pub(super) fn classes(&self) -> Option<&ClassIndex> {
        let IndexedRule::Labels(classes) = &self.rule else { return None };
        Some(classes)
    }

    /// `log Σ_j w_ij exp(-||z_i - z_j||²)` of the labeled points i in `rows`, `[b, 1]`, from points as
    /// [`arrange`](Self::arrange) gives them; -∞ where no point agrees. For agreements without a
    /// [table](Self::is_table).
    ///
    /// ```text
    /// w_ij = exp(-||u_i - u_j||²):   w_ij exp(-||z_i - z_j||²) = exp(-||(z_i, u_i) - (z_j, u_j)||²)
    /// ```
    #[cfg(feature = "fused")]
    pub(super) fn log_agreeing(
        &self,
        sum: PairSum,
        z: Tensor<2>,
        rows: &Range<usize>,
    ) -> Tensor<2> {
        let (b, all, [m, _]) = (rows.len(), self.labeled, z.dims());
        if let Some(classes) = self.classes() {
            let partners = classes.partners(rows, m);
            return pair_sum(sum, (among_all(&z, rows), z), None, &partners);
        }
        let z = if m == all { z } else { z.slice(s![0..all]) };
        let (points, among) = match &self.rule {
            IndexedRule::Targets(targets) => {
                let on_device = Tensor::zeros(targets.dims(), (&z.device(), z.dtype()));
                let targets = on_device + Tensor::clone(targets).cast(z.dtype());
                (Tensor::cat(vec![z, targets], 1), NeighborSets::all(b, all))
            }
            _ => (z, NeighborSets::within(vec![0..0; b], all)),
        };
        let queries = among_all(&points, rows);
        pair_sum(sum, (queries, points), None, &among.without_self(rows.start))
    }

    /// `log w_ij` of the labeled points i in `rows` with all labeled points j, and where they do not agree at all, both
    /// `[b, labeled]`.
    pub(super) fn log_agreements(
        &self,
        rows: &Range<usize>,
        dtype: DType,
    ) -> (Tensor<2>, Tensor<2, Bool>) {
        let device = self.without_positive.device();
        let log_w = match &self.rule {
            IndexedRule::Targets(targets) => {
                let part = Tensor::clone(targets).slice(s![rows.clone(), ..]);
                squared_distances(part, Tensor::clone(targets)).neg().cast(dtype)
            }
            IndexedRule::Labels(..) | IndexedRule::Nothing => {
                Tensor::zeros([rows.len(), self.labeled], (&device, dtype))
            }
            IndexedRule::List(_) | IndexedRule::Host(_) => self.costs(rows, dtype).neg(),
        };
        let apart = match &self.rule {
            IndexedRule::Labels(classes) => {
                equal_pairs(classes.labels(rows), classes.labels(&(0..self.labeled))).bool_not()
            }
            _ => log_w.clone().lower_equal_elem(-NO_AGREEMENT / 2.0),
        };
        (log_w, apart)
    }

    /// `-log w_ij` of the labeled points i in `rows` with all labeled points j, `[b, labeled]`, of a
    /// [table](Self::is_table); [`NO_AGREEMENT`] where w is 0.
    pub(super) fn costs(&self, rows: &Range<usize>, dtype: DType) -> Tensor<2> {
        let shape = [rows.len(), self.labeled];
        let mut costs = vec![NO_AGREEMENT; shape[0] * shape[1]];
        let lines = costs.chunks_exact_mut(self.labeled.max(1)).zip(rows.clone());
        match &self.rule {
            IndexedRule::List(table) => lines.for_each(|(line, row)| {
                table.row(row).for_each(|(column, weight)| line[column] = -weight.ln());
            }),
            IndexedRule::Host(agreements) => lines.for_each(|(line, row)| {
                for (column, cost) in line.iter_mut().enumerate() {
                    *cost = (-agreements.log_agreement(row, column)).min(NO_AGREEMENT);
                }
            }),
            IndexedRule::Labels(..) | IndexedRule::Targets(_) | IndexedRule::Nothing => {}
        }
        float_tensor(costs, shape, &self.without_positive.device(), dtype)
    }
}

impl DataTarget for AgreementIndex {
    fn points(&self) -> usize {
        self.points()
    }

    fn subset(&self, rows: &[usize]) -> Self {
        let index = Self::index(self.agreements.select(rows), &self.without_positive.device());
        let places = places(&self.order);
        let ordered: Vec<usize> = index.order.iter().map(|&at| places[rows[at]]).collect();
        Self { weights: self.weights.select(&ordered), ..index }
    }

    /// Those of the labeled points.
    fn terms(&self) -> usize {
        self.labeled()
    }

    fn counted(&self) -> usize {
        self.with_agreement()
    }
}

impl IndexedRule {
    /// The rule of agreements whose rows are all labeled.
    fn new(agreements: Agreements, device: &Device) -> Self {
        if agreements.points() == 0 {
            return Self::Nothing;
        }
        match agreements.rule() {
            AgreementRule::Labels(labels) => {
                Self::Labels(Box::new(ClassIndex::new(labels, device).expect("there is a row")))
            }
            AgreementRule::Targets { values, columns, width } => {
                let unit = width * std::f64::consts::SQRT_2;
                let scaled = centered(values, *columns).into_iter().map(|t| t / unit).collect();
                let shape = [values.len() / columns, *columns];
                let targets = float_tensor(scaled, shape, device, widest_float(device));
                Self::Targets(Box::new(targets))
            }
            AgreementRule::List(table) => Self::List(Arc::new(table.clone())),
            AgreementRule::Function { .. } => Self::Host(Arc::new(agreements)),
        }
    }
}
