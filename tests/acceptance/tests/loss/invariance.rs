//! What must not break a loss.

use burn::tensor::{DType, Tensor};
use burn_nca_learn::objective::{BatchLoss, Similarity};

use crate::loss::oracle::Rows;
use crate::loss::setup::{
    SIMILARITIES, leaf, proxy_nca, rows, snn, sup_con, target, value_and_slope,
};

fn each_loss(similarity: Similarity, rows: &Rows) -> Vec<(f64, Vec<f64>)> {
    let proxies = acceptance::data::uniform(4 * rows.k, 60);
    vec![
        value_and_slope(&snn(similarity, 0.5), rows),
        value_and_slope(&sup_con(similarity, 0.5), rows),
        value_and_slope(&proxy_nca((similarity, 0.5), &proxies, rows.k), rows),
    ]
}

#[test]
fn equal_rows_and_rows_of_zeros_leave_every_gradient_finite() {
    let mut rows = rows(10, 2, 42);
    rows.z[..8].fill(0.0);
    for similarity in SIMILARITIES {
        for (value, slope) in each_loss(similarity, &rows) {
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
