//! The classes of n points, ordered for evaluations by blocks.

use core::iter::repeat_n;
use core::ops::Range;

use burn::tensor::{Device, Int, Tensor};
use burn_nca_fused::NeighborSets;

use super::DataTarget;
use super::term_weights::TermWeights;
use super::transfer::{int_tensor, order_tensor, places};
use crate::data::{Features, Labeled};
use crate::error::{Error, Result};

/// The class membership of n points, prepared once for many evaluations of an objective.
///
/// Points are put in class order, so that the same-class partners of a block of points are one
/// contiguous range: no mask over all pairs is needed. Data that are in class order already (as
/// [`ClassIndex::order`] puts them) spare a reordering at each evaluation.
///
/// # Examples
/// ```
/// # #[cfg(feature = "flex")] {
/// use burn::tensor::Device;
/// use burn_nca::objective::ClassIndex;
///
/// let classes = ClassIndex::new(&[1, 0, 1, 2], &Device::flex()).unwrap();
/// assert_eq!(classes.order(), [1, 0, 2, 3]);
/// assert_eq!(classes.without_positive(), [1, 3]);
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ClassIndex {
    order: Vec<usize>,
    /// Where each row is in the order.
    places: Vec<usize>,
    /// Class boundaries in class order: class c spans `starts[c]..starts[c + 1]`.
    starts: Vec<usize>,
    /// Position of the class of each ordered point in `starts`.
    class_of: Vec<usize>,
    /// The order on the device, unless the points are in class order already.
    gather: Option<Tensor<1, Int>>,
    /// The class of each ordered point on the device, `[n]`.
    labels: Tensor<1, Int>,
    /// Number of points without a class; they are the last in class order.
    unlabeled: usize,
    /// The weight of the term of each ordered point.
    weights: TermWeights,
}

impl ClassIndex {
    /// The index of these labels, with what evaluations on `device` need there.
    ///
    /// Any numbers will do as labels: only whether two are equal matters.
    ///
    /// # Errors
    /// No label at all.
    pub fn new(labels: &[usize], device: &Device) -> Result<Self> {
        let labels: Vec<Option<usize>> = labels.iter().copied().map(Some).collect();
        Self::partly(&labels, device)
    }

    /// The index of points of which some have no class.
    ///
    /// A point without a class has no term and is never a positive; it only adds to the denominators of the others. It
    /// counts as a class of its own here, behind all others in class order.
    ///
    /// # Errors
    /// No point with a class.
    ///
    /// # Examples
    /// ```
    /// # #[cfg(feature = "flex")] {
    /// use burn::tensor::{Device, Tensor};
    /// use burn_nca::objective::{ClassIndex, NcaLossConfig, Objective};
    ///
    /// let device = Device::flex();
    /// let z = Tensor::<2>::from_floats([[0.0], [0.0], [0.0]], &device);
    /// let classes = ClassIndex::partly(&[Some(0), None, Some(0)], &device)?;
    /// // p_i = 1/2 of both: the point without a class is as near as the partner.
    /// let loss: f32 = NcaLossConfig::new().init().total(z, &classes).into_scalar();
    /// assert!((loss + 1.0).abs() < 1e-6);
    /// # }
    /// # Ok::<(), burn_nca::Error>(())
    /// ```
    pub fn partly(labels: &[Option<usize>], device: &Device) -> Result<Self> {
        if labels.iter().all(Option::is_none) {
            return Err(Error::data("there is no labeled row; at least two are needed"));
        }
        Ok(Self::index(labels, &device.clone().inner()))
    }

    fn index(labels: &[Option<usize>], device: &Device) -> Self {
        let mut order: Vec<usize> = (0..labels.len()).collect();
        order.sort_by_key(|&row| (labels[row].is_none(), labels[row], row));
        let (mut starts, mut class_of) = (vec![0], Vec::with_capacity(order.len()));
        let is_one_class = |a: &usize, b: &usize| labels[*a].is_some() && labels[*a] == labels[*b];
        for (class, rows) in order.chunk_by(is_one_class).enumerate() {
            class_of.extend(repeat_n(class, rows.len()));
            starts.push(class_of.len());
        }
        Self {
            places: places(&order),
            starts,
            gather: order_tensor(&order, device),
            labels: int_tensor(&class_of, device),
            class_of,
            unlabeled: labels.iter().filter(|label| label.is_none()).count(),
            weights: TermWeights::default(),
            order,
        }
    }

    /// The index of a labeled table: its labels, its weights, and behind them its rows without a class.
    ///
    /// # Errors
    /// As [`ClassIndex::new`].
    pub fn of(data: &Labeled, device: &Device) -> Result<Self> {
        let others = data.unlabeled().map_or(0, Features::rows);
        let labels = data.labels().iter().copied().map(Some);
        let labels: Vec<Option<usize>> = labels.chain(repeat_n(None, others)).collect();
        let index = Self::partly(&labels, device)?;
        match data.weights() {
            Some(weights) => index.with_weights(&[weights, &vec![0.0; others]].concat()),
            None => Ok(index),
        }
    }

    /// The same points, the term of each times its weight, in the order of the data.
    ///
    /// ```text
    /// f = Σ_i w_i p_i,   g = Σ_i w_i log p_i
    /// ```
    /// A row of weight 2 counts as two terms, one of weight 0 as none; all stay neighbors of the others,
    /// once. The numbers of terms (`l2` is per row) do not change.
    ///
    /// # Errors
    /// Not one weight per point, a weight that is negative or not finite, or none that is positive.
    ///
    /// # Examples
    /// ```
    /// # #[cfg(feature = "flex")] {
    /// use burn::tensor::{Device, Tensor};
    /// use burn_nca::objective::{ClassIndex, NcaLossConfig, Objective};
    ///
    /// let device = Device::flex();
    /// let z = Tensor::<2>::from_floats([[0.0], [0.0], [9.0], [9.0]], &device);
    /// let classes = ClassIndex::new(&[0, 0, 1, 1], &device)?.with_weights(&[1.0, 1.0, 3.0, 0.5])?;
    /// let loss: f32 = NcaLossConfig::new().init().total(z, &classes).into_scalar();
    /// assert!((loss + 5.5).abs() < 1e-6); // every p_i is 1
    /// # }
    /// # Ok::<(), burn_nca::Error>(())
    /// ```
    pub fn with_weights(self, weights: &[f64]) -> Result<Self> {
        let of_rows = TermWeights::new(weights, self.points(), &self.labels.device())?;
        Ok(Self { weights: of_rows.select(&self.order), ..self })
    }

    /// The weight of the term of each point, in the order of the data; `None` where all count as one. For objectives of
    /// one's own, which have terms to weigh.
    pub fn weights(&self) -> Option<Vec<f64>> {
        let weights = self.weights.values()?;
        Some(self.places.iter().map(|&place| weights[place]).collect())
    }

    /// Number of points, n.
    pub fn points(&self) -> usize {
        self.order.len()
    }

    /// Number of points with a class: the terms of f and g. They are the first in class order.
    pub fn labeled(&self) -> usize {
        self.points() - self.unlabeled
    }

    /// Number of classes with at least one point; a point without a class is one of its own.
    pub fn classes(&self) -> usize {
        self.starts.len() - 1
    }

    /// The rows in class order.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Rows (in the order of the data) that are the only ones of their class, ascending; rows without a class are not
    /// among them. They have no same-class partner: their p_i is 0 whatever the metric, so they add nothing to f and are left out
    /// of g, but they stay neighbors of the others.
    pub fn without_positive(&self) -> Vec<usize> {
        let of_one_row = self.spans().filter(|span| span.len() == 1 && span.start < self.labeled());
        let mut rows: Vec<usize> = of_one_row.map(|span| self.order[span.start]).collect();
        rows.sort_unstable();
        rows
    }

    /// Number of points with a same-class partner: the number of terms of f and g that can be won.
    pub fn num_with_positive(&self) -> usize {
        self.points() - self.spans().filter(|span| span.len() == 1).count()
    }

    /// How much the points with a same-class partner weigh together: the most that f can be.
    pub(super) fn weight_with_partner(&self) -> f64 {
        self.spans().filter(|span| span.len() > 1).map(|span| self.weights.sum(span)).sum()
    }

    /// The embedding `[n, k]` with its rows in class order.
    pub fn arrange(&self, embedding: Tensor<2>) -> Tensor<2> {
        match &self.gather {
            Some(order) => embedding.select(0, order.clone()),
            None => embedding,
        }
    }

    /// For each of the ordered points `rows`, the other points of its class; of n points, the first of which are these.
    pub(super) fn partners(&self, rows: &Range<usize>, n: usize) -> NeighborSets {
        NeighborSets::within(self.spans_of(rows), n).without_self(rows.start)
    }

    /// The [partners](Self::partners) of each of the ordered points `rows`, and all others: a series has a sum over all with the
    /// same error as one over the points of other classes, which may be small.
    pub(super) fn sets(&self, rows: &Range<usize>, n: usize) -> [NeighborSets; 2] {
        [self.partners(rows, n), NeighborSets::all(rows.len(), n).without_self(rows.start)]
    }

    /// For each of the ordered points `rows`, the points of other classes.
    #[cfg(feature = "fused")]
    pub(super) fn others(&self, rows: &Range<usize>) -> NeighborSets {
        NeighborSets::outside(self.spans_of(rows), self.points())
    }

    /// The span of the class of each of the ordered points `rows`.
    fn spans_of(&self, rows: &Range<usize>) -> Vec<Range<usize>> {
        let classes = self.class_of[rows.clone()].iter();
        classes.map(|&class| self.starts[class]..self.starts[class + 1]).collect()
    }

    /// The terms of ordered points `rows`, each times its weight, `[b, 1]` to `[b, 1]`.
    pub fn weigh(&self, terms: Tensor<2>, rows: Range<usize>) -> Tensor<2> {
        self.weights.weigh(terms, rows)
    }

    /// The class of each of the points `rows` in class order ([`order`](Self::order)), `[len]`, on the device
    /// of the index; classes are numbered from 0, without gaps.
    ///
    /// # Panics
    /// If the range ends beyond [`points`](Self::points).
    pub fn labels(&self, rows: &Range<usize>) -> Tensor<1, Int> {
        self.labels.clone().slice([rows.clone()])
    }

    /// The span of each class in class order.
    pub fn spans(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.starts.windows(2).map(|span| span[0]..span[1])
    }
}

impl DataTarget for ClassIndex {
    fn points(&self) -> usize {
        self.points()
    }

    fn subset(&self, rows: &[usize]) -> Self {
        let places: Vec<usize> = rows.iter().map(|&row| self.places[row]).collect();
        let label = |&place: &usize| (place < self.labeled()).then(|| self.class_of[place]);
        let labels: Vec<Option<usize>> = places.iter().map(label).collect();
        let index = Self::index(&labels, &self.labels.device());
        let ordered: Vec<usize> = index.order.iter().map(|&row| places[row]).collect();
        Self { weights: self.weights.select(&ordered), ..index }
    }

    /// The points `rows` and `others` in class order, the rows of each class first, and where those with a class are.
    fn sample(&self, rows: &[usize], others: &[usize]) -> Option<(Vec<usize>, Vec<Range<usize>>)> {
        let class_of = |row: usize| self.class_of[self.places[row]];
        let classes = self.classes() - self.unlabeled;
        let rows = rows.iter().map(|&row| (class_of(row), class_of(row) >= classes, row));
        let others = others.iter().map(|&row| (class_of(row), true, row));
        let mut points: Vec<(usize, bool, usize)> = rows.chain(others).collect();
        points.sort_by_key(|&(class, other, _)| (class, other));
        let mut terms: Vec<Range<usize>> = Vec::new();
        for (at, _) in points.iter().enumerate().filter(|(_, point)| !point.1) {
            match terms.last_mut() {
                Some(last) if last.end == at => last.end += 1,
                _ => terms.push(at..at + 1),
            }
        }
        Some((points.into_iter().map(|point| point.2).collect(), terms))
    }

    /// Those of the points with a class.
    fn terms(&self) -> usize {
        self.labeled()
    }

    fn counted(&self) -> usize {
        self.num_with_positive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_numbers_will_do_as_labels() {
        let labels = [usize::MAX, 3_000_000_000, usize::MAX, 7];
        let index = ClassIndex::new(&labels, &Device::flex()).unwrap();
        assert_eq!((index.points(), index.classes(), index.num_with_positive()), (4, 3, 2));
        assert_eq!((index.order(), index.without_positive()), (&[3, 1, 0, 2][..], vec![1, 3]));
        let classes = index.labels(&(0..4)).into_data().convert::<i64>();
        assert_eq!(classes.try_to_vec::<i64>().unwrap(), [0, 1, 2, 2]);
    }

    #[test]
    fn weights_are_told_in_the_order_of_the_data() {
        let index = ClassIndex::new(&[1, 0, 1, 0], &Device::flex()).unwrap();
        assert_eq!(index.weights(), None);
        let index = index.with_weights(&[3.0, 0.0, 0.5, 2.0]).unwrap();
        assert_eq!(index.weights().unwrap(), [3.0, 0.0, 0.5, 2.0]);
        assert_eq!(index.subset(&[3, 0]).weights().unwrap(), [2.0, 3.0]);
    }

    #[test]
    fn no_label_at_all_is_refused() {
        let error = ClassIndex::new(&[], &Device::flex()).unwrap_err().to_string();
        assert!(error.contains("at least two are needed"), "{error}");
    }
}
