//! Defects found in other programs, each as a test that ours does not have it (docs/peers.md).

use acceptance::data::{lbfgs, overlapping};
use burn::tensor::{DType, Device, Tensor, s};
use burn_nca_learn::data::{Features, Labeled, Scaling, ScalingKind, host_values};
use burn_nca_learn::fit::{FitConfig, Start, Termination};
use burn_nca_learn::neighbors::leave_one_out_probabilities;
use burn_nca_learn::objective::transfer::{float_tensor, int_tensor};
use burn_nca_learn::objective::{Criterion, Objective};
use burn_nca_learn::{NcaConfig, evaluate};

use crate::objective::setup::{classes, loss};

fn column(values: &[f64], dtype: DType) -> Tensor<2> {
    float_tensor(values.to_vec(), [values.len(), 1], &Device::flex(), dtype)
}

fn g(z: Tensor<2>, y: &[usize]) -> f64 {
    -loss(Criterion::G).total(z, &classes(y)).into_scalar::<f64>()
}

/// D1: a softmax over the wrong axis. Rows of p sum to 1, and p is not its transpose; f alone cannot tell.
#[test]
fn d1_the_softmax_runs_over_the_neighbors_of_each_point() {
    let sample = overlapping(12, 1, 3, 31);
    let z = column(&sample.x, DType::F64);
    // With one class per point, p_ij can be read off: row i of the class probabilities.
    let own: Vec<usize> = (0..12).collect();
    let p = leave_one_out_probabilities(&z, &own, 12).unwrap();
    let mut asymmetry: f64 = 0.0;
    for i in 0..12 {
        let sum: f64 = (0..12).map(|j| p.probability(i, j)).sum();
        assert!((sum - 1.0).abs() < 1e-12);
        assert_eq!(p.probability(i, i), 0.0);
        for j in 0..12 {
            asymmetry = asymmetry.max((p.probability(i, j) - p.probability(j, i)).abs());
        }
    }
    assert!(asymmetry > 1e-3);
    let expected = acceptance::oracle::nca(&sample.x, 1, &sample.y).g;
    assert!((g(z, &sample.y) - expected).abs() < 1e-10 * expected.abs());
}

/// D2, D3, D8: without log-sum-exp a far point's row is 0/0, or its term is dropped. Here it keeps its exact
/// logarithm and gradient.
#[test]
fn d2_d3_d8_the_hardest_point_keeps_its_term_and_gradient() {
    for dtype in [DType::F32, DType::F64] {
        // The nearest partner of 0 is at 40: p_i = exp(-1600 + 1), far below what exp can hold.
        let z = column(&[0.0, 1.0, 40.0, 41.0], dtype).autodiff().require_grad();
        let y = int_tensor(&[0, 1, 0, 1], &Device::flex());
        let terms = loss(Criterion::G).forward_no_reduction(z.clone(), y);
        let first = terms.clone().slice(s![0..1]).into_scalar::<f64>();
        assert!((first - (1600.0 - 1.0)).abs() < 0.1, "{first}");
        let gradient = host_values(z.grad(&terms.sum().backward()).unwrap());
        assert!(gradient.iter().all(|g| g.is_finite() && g.abs() > 1.0), "{gradient:?}");
    }
}

/// D3: a point that is alone in its class is not an accident of underflow: it is counted and reported.
#[test]
fn d3_points_without_a_partner_are_counted() {
    let features = Features::unnamed(vec![0.0, 0.1, 1.0, 1.1, 5.0], 1).unwrap();
    let data = Labeled::from_labels(features, vec![0, 0, 1, 1, 2]).unwrap();
    let fitted = NcaConfig::new(1, 1).fit(&data, &Device::flex()).unwrap();
    assert_eq!(fitted.summary().num_unmatched, 1);
    let z = column(&[0.0, 0.1, 1.0, 1.1, 5.0], DType::F64);
    assert!(g(z, &[0, 0, 1, 1, 2]).is_finite());
}

/// D4, D5: a point must not find itself. A copy of it counts, whatever its distance.
#[test]
fn d4_d5_the_self_is_left_out_by_identity() {
    let z = [0.0, 0.0, 3.0, 3.0];
    // Alone, each point's nearest neighbor is its copy, of the other class: everything is wrong.
    let at = acceptance::oracle::nca(&z, 1, &[0, 1, 0, 1]);
    assert!((g(column(&z, DType::F64), &[0, 1, 0, 1]) - at.g).abs() < 1e-9);
    assert!(at.f < 1e-3);
}

/// D6: the reported value must be the one whose gradient is taken.
#[test]
fn d6_the_reported_value_is_the_minimized_one() {
    let sample = overlapping(40, 3, 2, 33);
    let data = sample.labeled();
    let fit = FitConfig::new().with_precision(burn_nca_learn::fit::Precision::F64);
    let fitted = NcaConfig::new(3, 2).with_fit(fit).fit(&data, &Device::flex()).unwrap();
    let again = loss(Criterion::F).total(fitted.references().clone(), &classes(&sample.y));
    assert!((again.into_scalar::<f64>() - fitted.summary().value).abs() < 1e-10);
}

/// D8: the start must not come back as if it were the result.
#[test]
fn d8_a_hopeless_start_is_reported() {
    // Scaled so far that p_ij is 0 or 1 in f32: the gradient of f is 0, but every row has a wrong neighbor.
    let features = Features::unnamed(vec![0.0, 1.0, 2.0, 3.0], 1).unwrap();
    let data = Labeled::from_labels(features, vec![0, 1, 0, 1]).unwrap();
    let fit = FitConfig::new().with_start(Start::Given { weight: vec![1e4] });
    let config = NcaConfig::new(1, 1).with_fit(fit);
    let fitted = config.fit(&data, &Device::flex()).unwrap();
    assert_eq!(fitted.summary().iterations, 0);
    let termination = fitted.summary().termination;
    assert_eq!(termination, Termination::Saturated);
    assert!(!termination.converged() && !termination.is_planned());
    assert!(termination.sentence().contains("use criterion g"));
    // The first cure that the sentence names.
    let cured = config.with_criterion(Criterion::G).fit(&data, &Device::flex()).unwrap();
    assert!(cured.summary().iterations > 0);
}

/// D10: non-convergence is never silent.
#[test]
fn d10_a_fit_that_did_not_converge_says_so() {
    let data = overlapping(60, 4, 3, 34).labeled();
    let fit = FitConfig::new().with_optimizer(lbfgs(2));
    let fitted = NcaConfig::new(4, 2).with_fit(fit).fit(&data, &Device::flex()).unwrap();
    assert_eq!(fitted.summary().termination, Termination::MaxIterations);
    assert!(!fitted.summary().termination.converged());
    assert!(fitted.summary().termination.to_string().contains("Not converged"));
}

/// D11: constant columns have no deviation to divide by.
#[test]
fn d11_constant_columns_survive_scaling() {
    // A gap between the classes: no point is as near to the other class as to its own.
    let place = |i: i32| f64::from(if i < 10 { i } else { i + 5 });
    let values: Vec<f64> = (0..20).flat_map(|i| [0.1, place(i)]).collect();
    let features = Features::unnamed(values, 2).unwrap();
    let scaled = Scaling::fit(ScalingKind::Standardize, &features).apply(&features).unwrap();
    assert!(scaled.values().iter().all(|x| x.is_finite()));
    let labels = (0..20).map(|i| usize::from(i >= 10)).collect();
    let data = Labeled::from_labels(features, labels).unwrap();
    let fitted = NcaConfig::new(2, 1).fit(&data, &Device::flex()).unwrap();
    assert_eq!(fitted.leave_one_out(1).unwrap().value(), Some(1.0));
}

/// The known optimum of scikit-learn's test: everything collapses onto one point, which is reported.
#[test]
fn a_collapse_is_an_optimum_and_is_noticed() {
    // Two points and their midpoint, y = 0 0 1 (GOLDEN G7): f = 2 / (1 + exp(d/2)), best at d = 0.
    for d in [0.0, 0.5, 2.0] {
        let z = column(&[0.0, 2.0 * f64::sqrt(d), f64::sqrt(d)], DType::F64);
        let at = -loss(Criterion::F).total(z.clone(), &classes(&[0, 0, 1])).into_scalar::<f64>();
        let exact = 2.0 / (1.0 + (3.0 * d).exp());
        assert!((at - exact).abs() < 1e-12, "{at} {exact}");
        let collapsed = evaluate::Spread::of(&z).unwrap().unwrap().collapse().is_some();
        assert_eq!(collapsed, d == 0.0);
    }
}
