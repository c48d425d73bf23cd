//! Every loss and similarity against the nested loops, and what must not break a loss.

use acceptance::data::uniform;
use burn::module::Param;
use burn::nn::loss::Reduction;
use burn::tensor::{DType, Tensor};
use burn_nca_learn::objective::{
    BatchLoss, ClassTarget, ProxyNcaLossConfig, SoftNearestNeighborLossConfig, SupConLossConfig,
};

use crate::loss::oracle::{self, Rows};
use crate::loss::setup::{
    SIMILARITIES, assert_close, leaf, proxy_nca, rows, snn, sup_con, target, tensor,
    value_and_slope,
};

fn value(loss: &impl BatchLoss<Target = ClassTarget>, rows: &Rows) -> f64 {
    let (z, target) = leaf(rows);
    loss.batch_loss(z, &target).into_scalar::<f64>()
}

#[test]
fn the_losses_are_those_of_the_papers() {
    for (n, k, seed) in [(5, 1, 1), (17, 3, 2), (40, 6, 3)] {
        let rows = rows(n, k, seed);
        let proxies = uniform(4 * k, seed + 50);
        for similarity in SIMILARITIES {
            for t in [0.05, 1.0, 3.0] {
                let at = (similarity, t);
                let expected = oracle::soft_nearest_neighbor(at, &rows, &rows);
                assert_close(&[value(&snn(similarity, t), &rows)], &[expected], 1e-7);
                let expected = oracle::sup_con(at, &rows, &rows);
                assert_close(&[value(&sup_con(similarity, t), &rows)], &[expected], 1e-7);
                let expected = oracle::proxy_nca(at, &rows, &proxies);
                assert_close(&[value(&proxy_nca(at, &proxies, k), &rows)], &[expected], 1e-10);
            }
        }
    }
}

#[test]
fn the_sum_is_the_mean_times_the_rows_that_count() {
    let rows = rows(20, 2, 5);
    let device = crate::loss::setup::autodiff();
    // All but the one row of class 3 have a positive, and each class has a proxy.
    let [sums, means] = [Reduction::Sum, Reduction::Mean].map(|how| {
        let near = SoftNearestNeighborLossConfig::new().with_reduction(how.clone()).init(&device);
        let pull = SupConLossConfig::new().with_reduction(how.clone()).init(&device);
        let mut proxies = ProxyNcaLossConfig::new(4, 2).with_reduction(how).init(&device);
        proxies.proxies = Param::from_tensor(tensor(&uniform(8, 6), 2, &device));
        [value(&near, &rows), value(&pull, &rows), value(&proxies, &rows)]
    });
    assert_close(&sums, &[19.0 * means[0], 19.0 * means[1], 20.0 * means[2]], 1e-12);
}

#[test]
fn a_batch_without_any_positive_costs_nothing_and_sends_nothing_back() {
    let rows = Rows { z: uniform(8, 6), k: 2, labels: vec![0, 1, 2, 3], ids: vec![0, 1, 2, 3] };
    for similarity in SIMILARITIES {
        let nothing = (0.0, vec![0.0; 8]);
        assert_eq!(value_and_slope(&snn(similarity, 1.0), &rows), nothing);
        assert_eq!(value_and_slope(&sup_con(similarity, 1.0), &rows), nothing);
    }
}

#[test]
fn a_row_without_a_proxy_is_not_counted() {
    let mut with = rows(9, 2, 7);
    with.labels = vec![0, 1, 0, 1, 0, 1, 0, 1, 5];
    let without = with.select(&(0..8).collect::<Vec<_>>());
    let loss = proxy_nca((SIMILARITIES[2], 0.1), &uniform(4, 8), 2);
    assert_close(&[value(&loss, &with)], &[value(&loss, &without)], 1e-12);
}

#[test]
fn equal_rows_and_rows_of_zeros_leave_every_gradient_finite() {
    let mut rows = rows(10, 2, 42);
    rows.z[..8].fill(0.0);
    let proxies = uniform(4 * 2, 60);
    for similarity in SIMILARITIES {
        for (value, slope) in [
            value_and_slope(&snn(similarity, 0.5), &rows),
            value_and_slope(&sup_con(similarity, 0.5), &rows),
            value_and_slope(&proxy_nca((similarity, 0.5), &proxies, 2), &rows),
        ] {
            assert!(value.is_finite(), "{similarity:?}: {value}");
            assert!(slope.iter().all(|g| g.is_finite()), "{similarity:?}: {slope:?}");
        }
    }
}

#[test]
fn values_and_gradients_stay_finite_in_f32_at_every_scale() {
    let rows = rows(16, 3, 43);
    for exponent in -6..=6 {
        let scale = 10f64.powi(exponent);
        let at = Rows { z: rows.z.iter().map(|z| scale * z).collect(), ..rows.clone() };
        for similarity in SIMILARITIES {
            let (z, _) = leaf(&at);
            let z: Tensor<2> = z.without_autodiff().cast(DType::F32).autodiff().require_grad();
            let loss = snn(similarity, 0.1).batch_loss(z.clone(), &target(&at));
            let slope = z.grad(&loss.backward()).unwrap();
            let (loss, slope) = (loss.into_scalar::<f64>(), crate::loss::setup::numbers(slope));
            assert!(loss.is_finite(), "{similarity:?} at {scale}: {loss}");
            assert!(slope.iter().all(|g| g.is_finite()), "{similarity:?} at {scale}: {slope:?}");
        }
    }
}
