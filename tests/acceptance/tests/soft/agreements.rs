//! Soft matches over a whole data set, and as an ordinary Burn loss.

use acceptance::data::{overlapping, select, uniform};
use acceptance::oracle::embed;
use burn::nn::loss::Reduction;
use burn::tensor::{DType, Device, s};
use burn_nca_learn::data::{AgreementWidth, Agreements};
use burn_nca_learn::objective::{
    AgreementIndex, ClassIndex, Criterion, DataTarget, NcaLossConfig, Objective, SoftNcaLoss,
    SoftNcaLossConfig,
};

use crate::soft::oracle::soft_matches;
use crate::soft::setup::{
    Case, assert_close, assert_nothing, at_any_block, at_block, at_embedding,
    check_finite_at_all_scales, check_gradients, tensor,
};

const CRITERIA: [Criterion; 2] = [Criterion::F, Criterion::G];

pub fn loss(criterion: Criterion, unlabeled_neighbors: bool) -> SoftNcaLoss {
    SoftNcaLossConfig::new()
        .with_criterion(criterion)
        .with_unlabeled_neighbors(unlabeled_neighbors)
        .init()
}

pub fn index(agreements: &Agreements) -> AgreementIndex {
    AgreementIndex::new(agreements, &Device::flex()).unwrap()
}

/// One of each kind; some rows unlabeled, some without any agreement.
fn kinds(n: usize) -> Vec<Agreements> {
    let targets: Vec<f64> = uniform(n, 21).iter().map(|t| 300.0 + 40.0 * t).collect();
    let mut plane = uniform(2 * n, 22);
    plane[5] = f64::NAN;
    plane[2 * n - 2] = f64::NAN;
    let chain = (0..n - 2).filter(|i| i % 4 != 1);
    let list = chain.flat_map(|i| [(i, i + 2, 0.3 + 0.01 * i as f64), (i, i + 1, 1.0)]).collect();
    let labels: Vec<Option<usize>> = (0..n).map(|i| (i % 6 != 4).then_some((i * i) % 5)).collect();
    vec![
        Agreements::of_targets(&targets, 1, AgreementWidth::Given(12.5)).unwrap(),
        Agreements::of_targets(&plane, 2, AgreementWidth::Median).unwrap(),
        Agreements::of_list(n, list).unwrap(),
        Agreements::of_function(n, |i, j| {
            if (i + j) % 3 == 0 { 0.0 } else { 1.0 / (1 + i + 2 * j) as f64 }
        }),
        Agreements::of_function(n, |i, j| if i < 5 { 0.0 } else { (j % 2) as f64 })
            .with_unlabeled(&[0, 7, 8])
            .unwrap(),
        Agreements::of_labels(&labels),
    ]
}

fn labeled(agreements: &Agreements) -> Vec<bool> {
    let rows = agreements.labeled_rows();
    (0..agreements.points()).map(|row| rows.binary_search(&row).is_ok()).collect()
}

#[test]
fn soft_matches_agree_with_nested_loops_at_any_block_size() {
    let case = Case::new(31, 3, 2, 1);
    for agreements in kinds(31) {
        for neighbors in [false, true] {
            let expected = soft_matches(&case.z, 2, &labeled(&agreements), neighbors, |i, j| {
                agreements.log_agreement(i, j)
            });
            for (criterion, value) in CRITERIA.into_iter().zip([expected.f, expected.g]) {
                let model = case.linear(loss(criterion, neighbors));
                let found = at_any_block(&model, &case.features(), &index(&agreements));
                assert_close(&[-found], &[value], 1e-10);
            }
        }
    }
}

#[test]
fn gradients_agree_with_central_differences() {
    let case = Case::new(19, 3, 2, 2);
    for agreements in kinds(19) {
        for criterion in CRITERIA {
            check_gradients(loss(criterion, true), &case.features(), &index(&agreements));
        }
    }
    let agreements = &kinds(19)[1];
    check_gradients(loss(Criterion::G, false), &case.features(), &index(agreements));
}

#[test]
fn hard_labels_give_the_values_and_gradients_of_nca() {
    let d = 3;
    for (n, classes) in [(40, 3), (40, 25), (11, 1)] {
        let sample = overlapping(n, d, classes, 3);
        let mut case = Case::new(n, d, 2, 4);
        case.x = sample.x.clone();
        let labels: Vec<Option<usize>> = sample.y.iter().copied().map(Some).collect();
        let soft_target = index(&Agreements::of_labels(&labels));
        let hard_target = ClassIndex::new(&sample.y, &Device::flex()).unwrap();
        assert_eq!(soft_target.without_agreement(), hard_target.without_positive());
        assert_eq!(soft_target.with_agreement(), hard_target.num_with_positive());
        for criterion in CRITERIA {
            let hard = case.linear(NcaLossConfig::new().with_criterion(criterion).init());
            let soft = case.linear(loss(criterion, false));
            let (value, gradient) = at_block(&hard, &case.features(), &hard_target, 9);
            let (soft_value, soft_gradient) = at_block(&soft, &case.features(), &soft_target, 9);
            assert_close(&[soft_value], &[value], 1e-12);
            assert_close(&soft_gradient, &gradient, 1e-11);
        }
    }
}

#[test]
fn unlabeled_rows_are_neighbors_only_if_asked() {
    let case = Case::new(25, 3, 2, 5);
    let mut targets = uniform(25, 6);
    let unlabeled = [2, 3, 11, 24];
    unlabeled.iter().for_each(|&row| targets[row] = f64::NAN);
    let agreements = Agreements::of_targets(&targets, 1, AgreementWidth::Given(0.4)).unwrap();
    let target = index(&agreements);
    assert_eq!((target.points(), target.labeled(), target.with_agreement()), (25, 21, 21));
    assert_eq!(target.terms(), 21);

    let kept = agreements.labeled_rows();
    let mut moved = case.x.clone();
    unlabeled.iter().for_each(|&row| moved[row * 3] += 0.5);
    let moved = tensor(&moved, 3, DType::F64);
    let (x, without) = (case.features(), tensor(&select(&case.x, 3, &kept), 3, DType::F64));
    for criterion in CRITERIA {
        let model = case.linear(loss(criterion, false));
        let found = at_block(&model, &x, &target, 8);
        // The same as if they were not there.
        let labeled_only = at_block(&model, &without, &index(&agreements.select(&kept)), 8);
        assert_close(&[found.0], &[labeled_only.0], 1e-13);
        assert_close(&found.1, &labeled_only.1, 1e-13);
        assert_eq!(at_block(&model, &moved, &target, 8), found);

        let model = case.linear(loss(criterion, true));
        let with = at_block(&model, &x, &target, 8).0;
        assert!((with - at_block(&model, &moved, &target, 8).0).abs() > 1e-4);
        // They can only take from the agreement of the labeled rows.
        assert!(with > found.0);
    }
}

#[test]
fn agreements_that_underflow_keep_their_terms() {
    // In f32 each w_ij is 0 (its logarithm is -450 or less), and each p_i too.
    let targets: Vec<f64> = (0..8).map(|t| 30.0 * f64::from(t)).collect();
    let agreements = Agreements::of_targets(&targets, 1, AgreementWidth::Given(1.0)).unwrap();
    let expected_terms =
        |z: &[f64]| soft_matches(z, 1, &[true; 8], false, |i, j| agreements.log_agreement(i, j)).g;
    let z: Vec<f64> = (0..8).map(|i| f64::from((i * 3) % 8)).collect();
    let found = loss(Criterion::G, false)
        .total(tensor(&z, 1, DType::F32), &index(&agreements))
        .into_scalar::<f64>();
    assert_close(&[-found], &[expected_terms(&z)], 1e-5);
    let [single, double] = [DType::F32, DType::F64].map(|dtype| {
        let total = |z| loss(Criterion::G, false).total(z, &index(&agreements));
        at_embedding(&tensor(&z, 1, dtype), total).1
    });
    // f32 knows a logarithm of -450 to 3e-5, one of -1800 to 1e-4.
    for (a, b) in single.iter().zip(&double) {
        assert!(b.abs() > 1e-3 && (a - b).abs() < 1e-3, "{single:?} against {double:?}");
    }
}

#[test]
fn soft_matches_are_finite_in_f32_at_all_scales() {
    let case = Case::new(31, 3, 2, 8);
    for agreements in kinds(31) {
        for criterion in CRITERIA {
            let target = index(&agreements);
            check_finite_at_all_scales(loss(criterion, true), &case, &target);
            check_finite_at_all_scales(loss(criterion, false), &case, &target);
        }
    }
}

#[test]
fn a_batch_of_rows_is_the_data_set_of_these_rows() {
    let case = Case::new(31, 3, 2, 9);
    let rows = [30, 2, 7, 8, 15, 16, 17, 4, 21];
    let rows_of_x = select(&case.x, 3, &rows);
    let x = tensor(&rows_of_x, 3, DType::F64);
    for agreements in kinds(31) {
        for neighbors in [false, true] {
            let model = case.linear(loss(Criterion::G, neighbors));
            let batch = index(&agreements).subset(&rows);
            let z = embed(&rows_of_x, 3, &case.a, 2);
            let known: Vec<bool> = rows.iter().map(|&row| labeled(&agreements)[row]).collect();
            let expected = soft_matches(&z, 2, &known, neighbors, |i, j| {
                agreements.log_agreement(rows[i], rows[j])
            });
            let found = model.objective.total(model.forward(x.clone()), &batch);
            assert_close(&[-found.into_scalar::<f64>()], &[expected.g], 1e-10);
        }
    }
}

#[test]
fn a_table_of_agreements_gives_the_sum_over_blocks() {
    let n = 17;
    let case = Case::new(n, 3, 2, 31);
    let weight = |i: usize, j: usize| {
        if i == 4 || (i + j).is_multiple_of(4) { 0.0 } else { 1.0 / (1 + j) as f64 }
    };
    let target = index(&Agreements::of_function(n, weight));
    assert_eq!(target.without_agreement(), [4]);
    // What is on the diagonal must not matter.
    let entry = |i: usize, j: usize| if i == j { 0.7 } else { weight(i, j) };
    let table: Vec<f64> = (0..n * n).map(|at| entry(at / n, at % n)).collect();
    for criterion in CRITERIA {
        let config = SoftNcaLossConfig::new().with_criterion(criterion);
        let sum = loss(criterion, false).total(case.embedding(), &target).into_scalar::<f64>();
        for (reduction, expected) in [(Reduction::Sum, sum), (Reduction::Mean, sum / 16.0)] {
            let batch = config.clone().with_reduction(reduction).init();
            let found = batch.forward(case.embedding(), tensor(&table, n, DType::F64));
            assert_close(&[found.into_scalar::<f64>()], &[expected], 1e-12);
        }
    }
}

#[test]
fn targets_give_the_sum_over_blocks_with_unlabeled_rows_in_or_out() {
    let n = 17;
    let case = Case::new(n, 3, 2, 32);
    let mut targets = uniform(2 * n, 33);
    (targets[6], targets[19]) = (f64::NAN, f64::NAN);
    let agreements = Agreements::of_targets(&targets, 2, AgreementWidth::Given(0.6)).unwrap();
    let target = index(&agreements);
    for neighbors in [false, true] {
        for criterion in CRITERIA {
            let (objective, z) = (loss(criterion, neighbors), case.embedding());
            let (sum, slopes) = at_embedding(&z, |z| objective.total(z, &target));
            let batch = tensor(&targets, 2, DType::F64);
            let (mean, found) =
                at_embedding(&z, |z| objective.forward_targets(z, batch.clone(), 0.6));
            assert_close(&[mean], &[sum / 15.0], 1e-12);
            assert_close(&found, &slopes.iter().map(|g| g / 15.0).collect::<Vec<_>>(), 1e-13);
        }
    }
}

#[test]
fn a_batch_that_agrees_on_nothing_or_has_no_labeled_row_gives_0_and_no_nan() {
    let case = Case::new(5, 3, 2, 34);
    let nothing = tensor(&[0.0; 25], 5, DType::F64);
    assert_nothing(&case.embedding(), |z| loss(Criterion::G, false).forward(z, nothing.clone()));
    let unknown = tensor(&[f64::NAN; 5], 1, DType::F64);
    let of_unknown = |z| loss(Criterion::F, false).forward_targets(z, unknown.clone(), 1.0);
    assert_nothing(&case.embedding(), of_unknown);
    let targets = [1.0, f64::NAN, f64::NAN, 2.0];
    let agreements = Agreements::of_targets(&targets, 1, AgreementWidth::Given(1.0)).unwrap();
    let batch = index(&agreements).subset(&[1, 2]);
    for neighbors in [false, true] {
        let loss = loss(Criterion::F, neighbors);
        assert_nothing(&case.embedding().slice(s![1..3]), |z| loss.total(z, &batch));
    }
}
