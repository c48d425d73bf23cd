//! Linear discriminants by hand, as the other route gives them, and refused.

use super::*;
use crate::baseline::fixture::{
    Reference, assert_close, assert_identity, assert_refused, random_labeled, within_after,
};

/// Two classes that differ in the first of three features by hand, with a free third one.
fn labeled(third: [f64; 4]) -> Labeled {
    let values = [[0.0, 5.0], [4.0, 6.0], [10.0, 6.0], [14.0, 5.0]];
    let rows = values.iter().zip(third).flat_map(|(row, x)| [row[0], row[1], x]).collect();
    Labeled::from_labels(Features::unnamed(rows, 3).unwrap(), vec![0, 0, 1, 1]).unwrap()
}

#[test]
fn directions_and_ratios_are_those_of_scikit_learn_to_sign() {
    for reference in Reference::all() {
        let data = reference.data();
        let lda = LdaConfig::new(2).fit(&data).unwrap();
        assert_close(&lda.projection.weight(), &reference.numbers("lda_scalings"), 1e-9);
        assert_close(&lda.explained_ratio, &reference.numbers("lda_explained_ratio"), 1e-10);
        assert_identity(&within_after(&lda.projection, &data), 2, 1e-10);
    }
}

#[test]
fn shrunk_directions_are_those_of_scipy_and_the_share_that_of_ledoit_and_wolf() {
    for reference in Reference::all() {
        let shrinkage = Shrinkage::Fixed { amount: reference.number("shrinkage") };
        let config = LdaConfig::new(2).with_shrinkage(shrinkage);
        let lda = config.fit(&reference.data()).unwrap();
        assert_close(&lda.projection.weight(), &reference.numbers("shrunk_lda_scalings"), 1e-10);
        assert_close(&lda.variance_ratio, &reference.numbers("shrunk_lda_variance_ratio"), 1e-10);

        let config = config.with_shrinkage(Shrinkage::LedoitWolf);
        let lda = config.fit(&reference.data()).unwrap();
        let share = reference.number("ledoit_wolf_shrinkage");
        assert_close(&[lda.shrinkage], &[share], 1e-12);
    }
}

#[test]
fn a_constant_column_gets_no_weight_and_a_repeated_one_changes_no_ratio() {
    let constant = LdaConfig::new(1).fit(&labeled([0.1; 4])).unwrap();
    assert_eq!(constant.projection.weight()[2], 0.0);
    let repeated = LdaConfig::new(1).fit(&labeled([0.0, 4.0, 10.0, 14.0])).unwrap();
    assert_close(&repeated.variance_ratio, &constant.variance_ratio, 1e-10);
    for (lda, third) in [(constant, [0.1; 4]), (repeated, [0.0, 4.0, 10.0, 14.0])] {
        assert_identity(&within_after(&lda.projection, &labeled(third)), 1, 1e-10);
    }
}

#[test]
fn a_separating_direction_without_variance_is_an_error_that_a_shrinkage_cures() {
    let data = labeled([1.0, 1.0, 2.0, 2.0]);
    assert_refused(LdaConfig::new(1).fit(&data), &["singular: 1 of 3", "a shrinkage"]);
    for shrinkage in [Shrinkage::Fixed { amount: 0.01 }, Shrinkage::LedoitWolf] {
        let lda = LdaConfig::new(1).with_shrinkage(shrinkage).fit(&data).unwrap();
        assert!(lda.projection.weight()[2].abs() > 0.0 && lda.shrinkage > 0.0);
    }
    let wide = random_labeled(6, 20, 2, 1);
    assert_refused(LdaConfig::new(1).fit(&wide), &["singular: 16 of 20"]);
}

/// Compares the routes through d x d and through the span: directions, ratios, shrinkage.
fn compare_routes(data: &Labeled, shrinkage: Shrinkage) {
    let config = LdaConfig::new(2).with_shrinkage(shrinkage);
    let groups = Groups::of_classes(data);
    let by_features = config.fit_in_features(&groups).unwrap();
    let by_span = config.fit_in_span(&groups).unwrap();
    let largest = by_features.projection.weight().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let scaled =
        |lda: &Lda| -> Vec<f64> { lda.projection.weight().iter().map(|x| x / largest).collect() };
    assert_close(&scaled(&by_span), &scaled(&by_features), 1e-7);
    assert_close(&by_span.variance_ratio, &by_features.variance_ratio, 1e-8);
    assert_close(&by_span.explained_ratio, &by_features.explained_ratio, 1e-9);
    assert_close(&[by_span.shrinkage], &[by_features.shrinkage], 1e-10);
}

#[test]
fn both_routes_agree_on_wide_and_tall_tables_and_repeated_rows() {
    for (n, d) in [(9, 20), (20, 70), (60, 5)] {
        let data = random_labeled(n, d, 3, 4);
        let twice: Vec<usize> = (0..n).chain(0..n / 2).collect();
        for data in [data.select(&twice), data] {
            compare_routes(&data, Shrinkage::Fixed { amount: 0.01 });
            compare_routes(&data, Shrinkage::LedoitWolf);
            if n > d {
                compare_routes(&data, Shrinkage::None);
            }
        }
    }
}

#[test]
fn both_routes_agree_without_shrinkage_on_a_wide_table_of_few_directions() {
    // 30 columns, of scales from 1e-3 to 1e3, that combine four.
    let narrow = random_labeled(18, 4, 3, 4);
    let mut values = Vec::new();
    for row in narrow.features().values().chunks_exact(4) {
        values.extend((0..30).map(|j| {
            let scale = 10f64.powi(j % 7 - 3);
            scale * (row[(j % 4) as usize] + 0.1 * f64::from(j) * row[((j + 1) % 4) as usize])
        }));
    }
    let data = narrow.with_features(Features::unnamed(values, 30).unwrap()).unwrap();
    let config = LdaConfig::new(2);
    let wide = config.fit(&data).unwrap();
    let narrow_fit = config.fit(&narrow).unwrap();
    assert_close(&wide.variance_ratio, &narrow_fit.variance_ratio, 1e-8);
    assert_identity(&within_after(&wide.projection, &data), 2, 1e-9);
    compare_routes(&data, Shrinkage::None);
}

#[test]
fn only_classes_with_rows_count_toward_the_limit() {
    let data = random_labeled(30, 4, 3, 1);
    let two_left: Vec<usize> = (0..30).filter(|row| row % 3 != 1).collect();
    let data = data.select(&two_left);
    assert!(LdaConfig::new(1).fit(&data).is_ok());
    let refused = "2 classes with rows and 4 features have at most 1";
    assert_refused(LdaConfig::new(2).fit(&data), &[refused]);
}

#[test]
fn collinear_class_means_give_a_direction_of_ratio_zero_not_a_shorter_map() {
    let mut values = Vec::new();
    for class in 0..3 {
        for [a, b] in [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]] {
            values.extend([5.0 * f64::from(class) + a, b]);
        }
    }
    let labels = (0..12).map(|row| row / 4).collect();
    let data = Labeled::from_labels(Features::unnamed(values, 2).unwrap(), labels).unwrap();
    let lda = LdaConfig::new(2).fit(&data).unwrap();
    assert_close(&lda.variance_ratio, &[50.0 / 3.0, 0.0], 1e-12);
    assert_close(&lda.projection.weight(), &[1.0, 0.0, 0.0, 1.0], 1e-12);
}

#[test]
fn equal_rows_are_an_error() {
    let equal = Features::unnamed(vec![0.1; 4], 1).unwrap();
    let equal = Labeled::from_labels(equal, vec![0, 1, 0, 1]).unwrap();
    let alike = "the rows of each class are all alike, and LDA has no within-class scatter to scale; choose another method";
    assert_refused(LdaConfig::new(1).fit(&equal), &[alike]);
}

#[test]
fn directions_of_unit_length_are_the_same_directions() {
    let data = random_labeled(30, 4, 3, 5);
    let plain = LdaConfig::new(2).fit(&data).unwrap();
    let unit = LdaConfig::new(2).with_unit_length(true).fit(&data).unwrap();
    assert_eq!(unit.variance_ratio, plain.variance_ratio);
    let (plain, unit) = (plain.projection.matrix(), unit.projection.matrix());
    for (plain, unit) in plain.chunks(4).zip(unit.chunks(4)) {
        let length = plain.iter().map(|x| x * x).sum::<f64>().sqrt();
        assert_close(unit, &plain.iter().map(|x| x / length).collect::<Vec<_>>(), 1e-12);
    }
}
