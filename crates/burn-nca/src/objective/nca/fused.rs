//! The exact forms of f and g by fused sums: rows in class order, so that the partners of a point are one range.

use core::ops::Range;

use burn::tensor::activation::log_sigmoid;
use burn::tensor::{Bool, Tensor, TensorData};
use burn_nca_fused::{NeighborSets, PairSum, Summand, pair_sum};

use super::NcaLoss;
use crate::objective::reduction::total;
use crate::objective::{ClassIndex, among_all};
use crate::sums::{LOG_SUM, Sums, exact_rows};

/// The terms of a block: points in class order.
pub(super) struct Block<'a> {
    /// The embedding in class order, `[n, k]`.
    z: &'a Tensor<2>,
    classes: &'a ClassIndex,
    rows: Range<usize>,
}

impl<'a> Block<'a> {
    /// The ordered points `rows`.
    pub(super) fn new(z: &'a Tensor<2>, classes: &'a ClassIndex, rows: Range<usize>) -> Self {
        Self { z, classes, rows }
    }

    /// The sums over the points: of the criterion, and of the hinge where the loss has one.
    pub(super) fn parts(&self, loss: &NcaLoss) -> Vec<Tensor<1>> {
        let sum = |terms| total(self.classes.weigh(terms, self.rows.clone()));
        let terms = loss.criterion.terms(self.log_p(loss.sums));
        let terms = match self.without_positive() {
            Some(without_positive) => terms.mask_fill(without_positive, 0.0),
            None => terms,
        };
        let has_hinge = loss.repulsion > 0.0;
        let others = || self.classes.others(&self.rows);
        let hinge = || sum(self.sum(PairSum::Sum(Summand::Hinge), &others()));
        let hinge = has_hinge.then(|| hinge().mul_scalar(loss.repulsion));
        [sum(terms)].into_iter().chain(hinge).collect()
    }

    /// `log p_i`, `[b, 1]`; 0 for a point without a partner.
    fn log_p(&self, sums: Sums) -> Tensor<2> {
        let Self { classes, rows, .. } = self;
        let tolerance = self.tolerance(sums);
        let kind = tolerance.map_or(LOG_SUM, PairSum::Fourier);
        let same = self.sum(kind, &classes.partners(rows));
        let same = match self.without_positive() {
            Some(without_positive) => same.mask_fill(without_positive, 0.0),
            None => same,
        };
        if tolerance.is_some() {
            let [_, all] = self.sets();
            return (same - self.sum(kind, &all)).clamp_max(0.0);
        }
        log_sigmoid(same - self.sum(LOG_SUM, &classes.others(rows)))
    }

    /// The partners of each point, and all others: a series has a sum over all with the same error as one over the points of
    /// other classes, which may be small.
    fn sets(&self) -> [NeighborSets; 2] {
        let all = NeighborSets::all(self.rows.len(), self.classes.points());
        [self.classes.partners(&self.rows), all.without_self(self.rows.start)]
    }

    /// The tolerance of these sums if they are by a Fourier series.
    pub(super) fn tolerance(&self, sums: Sums) -> Option<f64> {
        sums.fourier(&among_all(self.z, &self.rows), self.z, || self.sets(), 0)
    }

    /// How these sums are computed, and how many points have one that a Fourier series leaves to an exact sum.
    pub(super) fn sums_taken(&self, sums: Sums) -> (Sums, usize) {
        let Some(tolerance) = self.tolerance(sums) else { return (Sums::Fused, 0) };
        let points = (&among_all(self.z, &self.rows), self.z);
        (Sums::Fourier(tolerance), exact_rows(points, &self.sets(), false, tolerance))
    }

    /// A sum of each point over others, `[b, 1]`.
    fn sum(&self, sum: PairSum, columns: &NeighborSets) -> Tensor<2> {
        pair_sum(sum, (among_all(self.z, &self.rows), self.z.clone()), None, columns)
    }

    /// Which points have no partner, `[b, 1]`, if some have none.
    fn without_positive(&self) -> Option<Tensor<2, Bool>> {
        let partners = self.classes.partners(&self.rows);
        let without_positive: Vec<bool> =
            (0..self.rows.len()).map(|i| partners.count(i) == 0).collect();
        without_positive.contains(&true).then(|| {
            let b = without_positive.len();
            Tensor::from_data(TensorData::new(without_positive, [b, 1]), &self.z.device())
        })
    }
}

#[cfg(feature = "fourier")]
#[cfg(test)]
mod tests {
    use burn::tensor::{DType, Device};

    use super::*;
    use crate::data::host_values;
    use crate::objective::{Criterion, NcaLossConfig, Objective};
    use crate::sums::FOURIER_TOLERANCE;

    /// 2500 points of seven classes, one of them of a single point, and some without a class.
    fn points(k: usize, dtype: DType) -> (Tensor<2>, ClassIndex) {
        let n = 2500;
        let device = Device::flex().autodiff();
        let wave = |i: usize| 6.0 * ((i * i + 3 * i) as f64 * 0.37).sin() + (i % 6) as f64;
        let values: Vec<f64> = (0..n * k).map(wave).collect();
        let class = |i: usize| match i {
            0 => Some(6),
            _ if i.is_multiple_of(11) => None,
            _ => Some(i % 6),
        };
        let labels: Vec<Option<usize>> = (0..n).map(class).collect();
        let z = Tensor::from_data(TensorData::new(values, [n, k]), (&device, dtype));
        (z.require_grad(), ClassIndex::partly(&labels, &device).unwrap())
    }

    /// Value and gradient.
    fn found(z: &Tensor<2>, classes: &ClassIndex, criterion: Criterion, sums: Sums) -> Vec<f64> {
        let loss = NcaLossConfig::new().with_criterion(criterion).with_sums(sums).init();
        let total = loss.total(z.clone(), classes);
        let gradient = z.grad(&total.clone().backward()).unwrap();
        [host_values(total), host_values(gradient)].concat()
    }

    #[test]
    fn plain_fused_and_fourier_sums_agree() {
        for k in [1, 2] {
            for (dtype, error) in [(DType::F64, 1e-7), (DType::F32, 1e-5)] {
                let (z, classes) = points(k, dtype);
                for criterion in [Criterion::F, Criterion::G] {
                    let [plain, fused, fourier, auto] =
                        [Sums::Plain, Sums::Fused, Sums::Fourier(FOURIER_TOLERANCE), Sums::Auto]
                            .map(|sums| found(&z, &classes, criterion, sums));
                    assert!(auto == fourier || auto == fused, "auto is neither");
                    assert_ne!(fourier, fused, "the series was not used");
                    let loose = found(&z, &classes, criterion, Sums::Fourier(1e-5));
                    assert_ne!(loose, fourier, "the tolerance was not used");
                    for other in [plain, fused] {
                        let value = (fourier[0] / other[0] - 1.0).abs();
                        let norm = |values: &mut dyn Iterator<Item = f64>| {
                            values.map(|x| x * x).sum::<f64>().sqrt()
                        };
                        let off = norm(&mut (1..other.len()).map(|i| fourier[i] - other[i]));
                        let off = off / norm(&mut other[1..].iter().copied());
                        let told = format!("k = {k}, {dtype:?}, {criterion:?}: {value:e} {off:e}");
                        assert!(value < error && off < 1e-4, "{told}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_way_of_the_sums_is_reported() {
        for (k, by_series) in [(2, true), (3, false)] {
            let (z, classes) = points(k, DType::F64);
            let taken = |sums: Sums| {
                let loss = NcaLossConfig::new().with_sums(sums).init();
                loss.sums_taken(z.clone(), &classes).unwrap()
            };
            assert_eq!(taken(Sums::Plain), (Sums::Plain, 0));
            assert_eq!(taken(Sums::Fused), (Sums::Fused, 0));
            if by_series {
                let (sums, exact) = taken(Sums::Fourier(1e-6));
                assert_eq!(sums, Sums::Fourier(1e-6));
                assert!(exact < 2500, "{exact}");
            } else {
                assert_eq!(taken(Sums::Auto), (Sums::Fused, 0));
            }
        }
    }

    #[test]
    #[should_panic(expected = "there is no Fourier series in 3 dimensions")]
    fn a_series_in_three_dimensions_is_refused() {
        let (z, classes) = points(3, DType::F64);
        found(&z, &classes, Criterion::F, Sums::Fourier(FOURIER_TOLERANCE));
    }
}
