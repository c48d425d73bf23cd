//! A start whose softmax is saturated: a vanishing gradient that is no optimum.

use burn::tensor::Tensor;
use burn_nca_kernels::{Columns, Number};

use super::Solution;
use crate::data::host_values;
use crate::encoder::Encoder;
use crate::model::MetricModel;
use crate::objective::Objective;

/// A row whose neighbours, weighted by `p_ij`, are this much farther than the nearest of them is saturated.
const SPREAD: f64 = 1e-4;

/// A value within this distance of the best there can be, in each term, has nothing left to gain.
const GAIN: f64 = 1e-5;

/// Whether a fit ended at its start, as if converged, only because the start is saturated.
///
/// Far-apart rows leave each row a single neighbour: `p_ij` is 0 or 1 to rounding and so does not change with the
/// map. The same happens at a perfect embedding, which is told apart by the value.
pub(super) fn explains<E: Encoder, O: Objective>(
    solution: &Solution<MetricModel<E, O>>,
    x: &Tensor<2>,
    target: &O::Target,
) -> bool {
    if solution.iterations > 0 || !solution.termination.converged() {
        return false;
    }
    let objective = &solution.module.objective;
    let terms = objective.num_terms(target).max(1) as f64;
    let Some(least) = objective.least(target) else {
        return false;
    };
    (solution.value - least) / terms > GAIN && is_saturated(&solution.module.encoder.valid(), x)
}

/// Whether a change of the scale of the embedding would change no `p_ij`, in any row.
///
/// ```text
/// Σ_j p_ij (d²_ij - min_l d²_il) <= 1e-4      for every i: how log Σ_j exp(min d² - d²_ij) changes with the scale
/// ```
///
/// Not where all rows lie on one point, or each has but one other row: no scale gives their neighbours other weights.
fn is_saturated<E: Encoder>(encoder: &E, x: &Tensor<2>) -> bool {
    let z = encoder.forward(x.clone().without_autodiff());
    let [n, k] = z.dims();
    let z = host_values(z);
    let found = f64::entropies(&z, &z, k, &Columns::all(n, n).without_self(0));
    // The entropy is the logarithm of the sum and the mean of what is added to the nearest distance.
    let (logs, entropies) = found[n..].split_at(n);
    let uniform = (n as f64 - 1.0).ln() - SPREAD;
    logs.iter().any(|&log| log < uniform)
        && logs.iter().zip(entropies).all(|(log, entropy)| entropy - log <= SPREAD)
}

#[cfg(test)]
mod tests {
    use burn::module::Module;
    use burn::tensor::{Device, TensorData};

    use super::*;
    use crate::encoder::LinearMap;
    use crate::fit::{FitConfig, FitSession, Problem, Termination, minimise};
    use crate::objective::{ClassIndex, Criterion, NcaLossConfig};

    /// Fits the rows 0, 1, 5, 6 of one feature, times `scale`, under these labels.
    fn end(scale: f64, labels: [usize; 4], criterion: Criterion, l2: f64) -> Termination {
        let device = Device::flex();
        let x = Tensor::from_data(TensorData::from([[0f32], [1.0], [5.0], [6.0]]), &device);
        let classes = ClassIndex::new(&labels, &device).unwrap();
        let map = LinearMap::from_weight(&[scale], [1, 1], &device, burn::tensor::DType::F32);
        let loss = NcaLossConfig::new().with_criterion(criterion).init();
        let model = MetricModel::new(map, loss).train();
        let config = FitConfig::new().with_l2(l2);
        let problem = Problem::new(model, &x, &classes);
        minimise(&problem, &config, FitSession::new()).unwrap().termination
    }

    #[test]
    fn a_saturated_start_is_told_from_an_optimum() {
        assert_eq!(end(1e4, [0, 1, 0, 1], Criterion::F, 0.0), Termination::Saturated);
        // The gradient need not be 0 exactly.
        assert_eq!(end(5.0, [0, 1, 0, 1], Criterion::F, 0.0), Termination::Saturated);
        // All rows lie on one point: every neighbour counts alike.
        assert_eq!(end(0.0, [0, 1, 0, 1], Criterion::F, 0.0), Termination::GradientSmall);
        // Every row has found its own: nothing is left to gain.
        assert_eq!(end(1e4, [0, 0, 1, 1], Criterion::F, 0.0), Termination::GradientSmall);
    }

    #[test]
    fn the_cures_that_are_named_cure() {
        for end in [
            end(1e4, [0, 1, 0, 1], Criterion::G, 0.0),
            end(1e4, [0, 1, 0, 1], Criterion::F, 0.01),
            end(0.1, [0, 1, 0, 1], Criterion::F, 0.0),
        ] {
            assert_ne!(end, Termination::Saturated);
        }
    }
}
