//! The objectives on random points against nested loops: whatever the formula does not depend on changes nothing.

use burn::tensor::DType;
use burn_nca_learn::data::{AgreementWidth, Agreements, Pairs};
use burn_nca_learn::objective::{Criterion, Objective};
use proptest::prelude::*;

use crate::soft::oracle::{kernel_regression, pair_cost, soft_matches};
use crate::soft::setup::{assert_close, some_pairs, tensor};
use crate::soft::{agreements, pairs, regression};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn values_are_those_of_nested_loops(
        points in prop::collection::vec((-3.0..3.0, -3.0..3.0, -2.0..2.0), 4..20), away in -20.0..20.0,
    ) {
        let z: Vec<f64> = points.iter().flat_map(|(x, y, _)| [x + away, y - away]).collect();
        let targets: Vec<f64> = points.iter().map(|(.., target)| target + away).collect();
        let embedding = || tensor(&z, 2, DType::F64);

        let soft = Agreements::of_targets(&targets, 1, AgreementWidth::Given(0.8)).unwrap();
        let known = vec![true; points.len()];
        let expected = soft_matches(&z, 2, &known, false, |i, j| soft.log_agreement(i, j));
        for (criterion, expected) in [(Criterion::F, expected.f), (Criterion::G, expected.g)] {
            let loss = agreements::loss(criterion, false);
            let found: f64 = loss.total(embedding(), &agreements::index(&soft)).into_scalar();
            assert_close(&[-found], &[expected], 1e-9);
        }
        let list = some_pairs(points.len());
        let target = pairs::index(&Pairs::new(points.len(), list.clone()).unwrap());
        for include_self in [true, false] {
            let found: f64 = pairs::loss(include_self).total(embedding(), &target).into_scalar();
            assert_close(&[found], &[pair_cost(&z, 2, &list, include_self)], 1e-9);
        }
        let target = regression::index(&targets, 1);
        let found: f64 = regression::loss().total(embedding(), &target).into_scalar();
        assert_close(&[found], &[kernel_regression(&z, 2, &targets, 1).iter().sum()], 1e-9);
    }
}
