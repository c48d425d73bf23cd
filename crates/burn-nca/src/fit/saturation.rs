//! A start whose softmax is saturated: a vanishing gradient that is no optimum.

use burn::tensor::Tensor;
use burn_nca_fused::{NeighborSets, Number};

use super::Solution;
use crate::data::host_values;
use crate::encoder::Encoder;
use crate::model::MetricModel;
use crate::objective::{DataTarget, Objective};

/// A row whose neighbors, weighted by `p_ij`, are this much farther than the nearest of them is saturated, and so is a
/// term that a relative change of the embedding changes no more.
const SPREAD: f64 = 1e-4;

/// Terms that are looked at one by one; of more, these many evenly spread.
const TERMS: usize = 1000;

/// A value within this distance of the best there can be, in each term, has nothing left to gain.
const GAIN: f64 = 1e-5;

/// Whether a fit ended at its start, as if converged, only because the start is saturated.
///
/// Far-apart rows leave each row a single neighbor, or neighbors of one class: `p_i` is 0 or 1 to rounding and so does
/// not change with the map. The same happens at a perfect embedding, which is distinguished by the value; at another optimum
/// the slopes of the terms balance, but are there.
pub(super) fn explains<E: Encoder, O: Objective>(
    solution: &Solution<MetricModel<E, O>>,
    x: &Tensor<2>,
    target: &O::Target,
) -> bool {
    if solution.iterations > 0 || !solution.termination.converged() {
        return false;
    }
    let objective = &solution.module.objective;
    let terms = target.terms().max(1) as f64;
    let Some(lower_bound) = objective.lower_bound(target) else {
        return false;
    };
    (solution.value - lower_bound) / terms > GAIN && is_saturated(&solution.module, x, target)
}

/// Whether a change of the scale of the embedding would change no `p_ij`, in any row, or no change of it a term.
///
/// ```text
/// Σ_j p_ij (d²_ij - min_l d²_il) <= 1e-4      for every i: how log Σ_j exp(min d² - d²_ij) changes with the scale
/// ```
///
/// Not where all rows lie on one point, or each has but one other row: no scale gives their neighbors other weights.
fn is_saturated<E: Encoder, O: Objective>(
    model: &MetricModel<E, O>,
    x: &Tensor<2>,
    target: &O::Target,
) -> bool {
    let embedding = model.encoder.valid().forward(x.clone().without_autodiff());
    let [n, k] = embedding.dims();
    let z = host_values(embedding.clone());
    let found = f64::entropies(&z, &z, k, &NeighborSets::all(n, n).without_self(0));
    // The entropy is the logarithm of the sum and the mean of what is added to the nearest distance.
    let (logs, entropies) = found[n..].split_at(n);
    let uniform = (n as f64 - 1.0).ln() - SPREAD;
    if logs.iter().all(|&log| log >= uniform) {
        return false;
    }
    if logs.iter().zip(entropies).all(|(log, entropy)| entropy - log <= SPREAD) {
        return true;
    }
    let objective = &model.objective;
    let prepared = objective.prepared(embedding.clone(), target);
    let target = prepared.as_ref().unwrap_or(target);
    let count = target.terms();
    let step = count.div_ceil(TERMS).max(1);
    (0..count).step_by(step).all(|term| {
        let leaf = embedding.clone().autodiff().require_grad();
        let loss = objective.block(leaf.clone(), target, term..term + 1);
        slope_of(loss, &leaf, (&z, k)) <= SPREAD
    })
}

/// How much a term changes, at most, with a relative change of the embedding z about the rows that it depends on.
///
/// ```text
/// Σ_ab |g_ab| |z_ab - c_b|,   c_b = Σ_a |g_ab| z_ab / Σ_a |g_ab|,   g = dt/dz
/// ```
fn slope_of(term: Tensor<1>, leaf: &Tensor<2>, (z, k): (&[f64], usize)) -> f64 {
    if !term.is_tracked() {
        return 0.0;
    }
    let Some(gradient) = leaf.grad_remove(&mut term.backward()) else { return 0.0 };
    let sizes: Vec<f64> = host_values(gradient).into_iter().map(f64::abs).collect();
    let of_axis = |axis: usize| {
        let rows = || sizes.iter().zip(z).skip(axis).step_by(k);
        let total: f64 = rows().map(|(size, _)| size).sum();
        if total == 0.0 {
            return 0.0;
        }
        let center = rows().map(|(size, z)| size * z).sum::<f64>() / total;
        rows().map(|(size, z)| size * (z - center).abs()).sum::<f64>()
    };
    (0..k).map(of_axis).sum()
}

#[cfg(test)]
mod tests {
    use burn::module::Module;
    use burn::tensor::{Device, TensorData};

    use super::*;
    use crate::encoder::LinearMap;
    use crate::fit::{FitConfig, FitSession, Problem, Termination, minimize};
    use crate::objective::{ClassIndex, Criterion, NcaLoss, NcaLossConfig};

    /// Fits rows of one feature, times `scale`, under these labels.
    fn solution(
        (scale, x): (f64, &[f32]),
        labels: &[usize],
        (criterion, l2): (Criterion, f64),
    ) -> Solution<MetricModel<LinearMap, NcaLoss>> {
        let device = Device::flex();
        let x = Tensor::from_data(TensorData::new(x.to_vec(), [x.len(), 1]), &device);
        let classes = ClassIndex::new(labels, &device).unwrap();
        let map = LinearMap::from_weight(&[scale], [1, 1], &device, burn::tensor::DType::F32);
        let loss = NcaLossConfig::new().with_criterion(criterion).init();
        let problem = Problem::new(MetricModel::new(map, loss).train(), &x, &classes);
        minimize(&problem, &FitConfig::new().with_l2(l2), FitSession::new()).unwrap()
    }

    #[test]
    fn a_saturated_start_is_told_from_an_optimum_and_cured() {
        let mixed = [0, 1, 0, 1];
        for (scale, labels, settings, expected) in [
            (1e4, mixed, (Criterion::F, 0.0), Some(Termination::Saturated)),
            // The gradient need not be 0 exactly.
            (5.0, mixed, (Criterion::F, 0.0), Some(Termination::Saturated)),
            // All rows lie on one point: every neighbor counts alike.
            (0.0, mixed, (Criterion::F, 0.0), Some(Termination::GradientSmall)),
            // Every row has found its own: nothing is left to gain.
            (1e4, [0, 0, 1, 1], (Criterion::F, 0.0), Some(Termination::GradientSmall)),
            // The cures that are named.
            (1e4, mixed, (Criterion::G, 0.0), None),
            (1e4, mixed, (Criterion::F, 0.01), None),
            (0.1, mixed, (Criterion::F, 0.0), None),
        ] {
            let end = solution((scale, &[0.0, 1.0, 5.0, 6.0]), &labels, settings).termination;
            match expected {
                Some(expected) => assert_eq!(end, expected, "{scale} {settings:?}"),
                None => assert_ne!(end, Termination::Saturated, "{scale} {settings:?}"),
            }
        }
    }

    #[test]
    fn rows_of_several_neighbors_of_one_class_are_saturated_too() {
        let x = [0.0, 0.5, 1.2, 1e4, 1.5e4, 2.1e4];
        let end = |labels: &[usize]| {
            let solution = solution((1.0, &x), labels, (Criterion::F, 0.0));
            (solution.value, solution.termination)
        };
        assert_eq!(end(&[0, 0, 0, 1, 0, 1]), (-3.0, Termination::Saturated));
        assert_eq!(end(&[0, 0, 0, 1, 1, 1]), (-6.0, Termination::GradientSmall));
    }

    #[test]
    fn a_fit_that_starts_from_an_optimum_has_converged() {
        // The best scale leaves p_i between 0.19 and 1: f = 4.28 of 6.
        let fit = |scale: f64| {
            let x = [0.0, 1.0, 2.5, 3.0, 4.2, 5.0];
            solution((scale, &x), &[0, 0, 0, 1, 1, 1], (Criterion::F, 0.0))
        };
        let first = fit(0.7);
        assert!((first.value + 4.2843).abs() < 1e-3, "{}", first.value);
        let again = fit(first.module.encoder.matrix()[0]);
        assert!(again.termination.converged(), "{}", again.termination);
    }
}
