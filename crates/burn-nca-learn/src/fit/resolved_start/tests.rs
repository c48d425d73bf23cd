//! Starts are those of the rules that they name.

use super::*;
use crate::data::Features;

/// Rows of two features that LDA can handle, classes alternating.
fn labeled(n: usize, d: usize, c: usize) -> Labeled {
    let values = normal_entries(n * d, 1.0, 7);
    let labels = (0..n).map(|row| row % c).collect();
    Labeled::from_labels(Features::unnamed(values, d).unwrap(), labels).unwrap()
}

fn weight(start: &Start, data: &Labeled, k: usize) -> (Vec<f64>, ResolvedStart) {
    start.weight(data, k, 1).unwrap()
}

fn message(start: &Start, data: &Labeled, k: usize) -> String {
    start.weight(data, k, 1).unwrap_err().to_string()
}

#[test]
fn the_automatic_rule_is_that_of_scikit_learn_on_a_grid() {
    for k in 1..9 {
        for c in 1..7 {
            for d in 1..8 {
                for n in [2, 3, 6, 7, 50] {
                    let expected = if k < c && k <= d {
                        Start::Lda
                    } else if k < d && k < n {
                        Start::Pca
                    } else {
                        Start::Identity
                    };
                    assert_eq!(automatic_rule(k, c, d, n), expected, "k {k} c {c} d {d} n {n}");
                }
            }
        }
    }
}

#[test]
fn automatic_starts_equal_the_rule_they_name() {
    let data = labeled(40, 5, 3);
    let rules = [(2, Start::Lda), (3, Start::Pca), (5, Start::Identity)];
    for (k, rule) in rules {
        assert_eq!(weight(&Start::Auto, &data, k), weight(&rule, &data, k));
    }
    assert_eq!(weight(&Start::Auto, &data, 2).1, ResolvedStart::Lda { shrinkage: 0.0 });
}

#[test]
fn an_automatic_start_leaves_no_row_of_zeros() {
    let data = labeled(40, 3, 2);
    let (start, used) = weight(&Start::Auto, &data, 5);
    let ResolvedStart::PaddedIdentity { scale } = used else { panic!("{used:?}") };
    assert!((scale - 0.1 / 3f64.sqrt()).abs() < 1e-15);
    // Column r of the weight is row r of A.
    let row = |r: usize| -> Vec<f64> { start.iter().skip(r).step_by(5).copied().collect() };
    for (r, unit) in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].iter().enumerate() {
        assert_eq!(row(r), unit);
    }
    for r in [3, 4] {
        let length = row(r).iter().map(|a| a * a).sum::<f64>().sqrt();
        assert!(length > 0.01 && length < 0.4, "{length}");
    }
    assert_eq!(Start::Auto.weight(&data, 5, 1).unwrap().0, start);
    assert_ne!(Start::Auto.weight(&data, 5, 2).unwrap().0, start);
}

#[test]
fn automatic_lda_counts_only_classes_with_rows() {
    let data = labeled(60, 5, 3);
    let two_classes: Vec<usize> = (0..60).filter(|row| row % 3 != 1).collect();
    let data = data.select(&two_classes);
    assert_eq!(data.classes(), 3);
    assert_eq!(weight(&Start::Auto, &data, 2).1, ResolvedStart::Pca);
    let error = message(&Start::Lda, &data, 2);
    assert!(error.contains("LDA finds 1 directions of these classes"), "{error}");
}

#[test]
fn singular_scatter_gets_a_shrinkage_and_classes_of_equal_rows_fall_through_to_pca() {
    let wide = labeled(8, 20, 2);
    assert_eq!(weight(&Start::Auto, &wide, 1).1, ResolvedStart::Lda { shrinkage: 0.01 });
    assert_eq!(weight(&Start::Lda, &wide, 1), weight(&Start::Auto, &wide, 1));

    let singles = labeled(4, 6, 4);
    assert_eq!(weight(&Start::Auto, &singles, 2).1, ResolvedStart::Pca);
    let (start, used) = weight(&Start::Auto, &singles.select(&[0]), 2);
    assert_eq!((start, used), weight(&Start::Identity, &singles, 2));
}

#[test]
fn the_identity_passes_the_first_features_and_pads_with_zeros() {
    let data = labeled(10, 2, 2);
    assert_eq!(weight(&Start::Identity, &data, 1).0, [1.0, 0.0]);
    assert_eq!(weight(&Start::Identity, &data, 3).0, [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
}

#[test]
fn a_given_start_is_transposed_and_its_size_and_values_are_checked() {
    let data = labeled(10, 2, 2);
    let given = Start::Given { weight: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0] };
    let (start, used) = weight(&given, &data, 3);
    assert_eq!((start, used), (vec![1.0, 3.0, 5.0, 2.0, 4.0, 6.0], ResolvedStart::Given));
    let error = message(&given, &data, 2);
    assert!(
        error.contains("has 6 values, but the map is of shape [2, 2]; give 4 values"),
        "{error}"
    );
    let error = message(&Start::Given { weight: vec![0.0, f64::NAN] }, &data, 1);
    assert!(error.contains("value 2 of the given start is NaN"), "{error}");
    assert!(message(&given, &data, 0).contains("0 embedding dimensions"));
}

#[test]
fn random_starts_are_normal_seeded_and_extend_by_rows() {
    let data = labeled(10, 400, 2);
    let start = Start::Random { scale: None };
    let (values, used) = weight(&start, &data, 50);
    assert_eq!(used, ResolvedStart::Random { scale: 0.05 });
    let moment = |power| values.iter().map(|x| (x / 0.05).powi(power)).sum::<f64>() / 20_000.0;
    // Four standard errors of the mean of 20000 draws: √1, √2 and √96 over √20000.
    assert!(moment(1).abs() < 0.029, "mean {}", moment(1));
    assert!((moment(2) - 1.0).abs() < 0.041, "variance {}", moment(2));
    assert!((moment(4) - 3.0).abs() < 0.28, "fourth moment {}", moment(4));

    assert_eq!(start.weight(&data, 50, 1).unwrap().0, values);
    assert_ne!(start.weight(&data, 50, 2).unwrap().0, values);
    let (longer, _) = weight(&start, &data, 51);
    assert!((0..400).all(|j| longer[j * 51..j * 51 + 50] == values[j * 50..(j + 1) * 50]));
    let error = message(&Start::Random { scale: Some(0.0) }, &data, 2);
    assert!(error.contains("scale of a random start is 0;"), "{error}");
}

#[test]
fn diagonal_starts_are_ones_magnitudes_or_given() {
    for start in [Start::Auto, Start::Identity] {
        assert_eq!(start.diagonal(3, 1).unwrap().0, [1.0; 3]);
    }
    let random = Start::Random { scale: Some(2.0) }.diagonal(3, 5).unwrap().0;
    let draws: Vec<f64> = normal_entries(3, 2.0, 5).iter().map(|x| x.abs()).collect();
    assert_eq!(random, draws);
    let given = Start::Given { weight: vec![1.0, -2.0, 0.5] };
    assert_eq!(given.diagonal(3, 1).unwrap().0, [1.0, -2.0, 0.5]);

    let error = Start::Given { weight: vec![1.0] }.diagonal(3, 1).unwrap_err().to_string();
    assert!(error.contains("has 1 values, but the map is of shape [3]"), "{error}");
    let error = Start::Pca.diagonal(3, 1).unwrap_err().to_string();
    assert!(error.contains("cannot start from PCA") && error.contains("Identity"), "{error}");
}

#[test]
fn the_rule_of_a_start_survives_its_text() {
    for start in [
        ResolvedStart::Identity,
        ResolvedStart::PaddedIdentity { scale: 0.05 },
        ResolvedStart::Random { scale: 0.25 },
        ResolvedStart::Pca,
        ResolvedStart::Lda { shrinkage: 0.0 },
        ResolvedStart::Lda { shrinkage: 0.01 },
        ResolvedStart::Given,
    ] {
        let json = serde_json::to_string(&start).unwrap();
        assert_eq!(json, format!("\"{start}\""));
        assert_eq!(serde_json::from_str::<ResolvedStart>(&json).unwrap(), start);
    }
    let error = ResolvedStart::try_from("elsewhere".to_string()).unwrap_err().to_string();
    assert!(error.starts_with("there is no start") && error.contains("elsewhere"), "{error}");
}

#[test]
fn many_rows_in_few_dimensions_start_with_more_neighbors() {
    let found = [(150, 2), (6000, 2), (6000, 5), (6000, 6)].map(|(n, k)| start_perplexity(n, k));
    assert_eq!(found, [15.0, 200.0, 200.0, 15.0]);
    assert_eq!(start_perplexity(1_000_000, 2), start_perplexity(50_000, 2));
}
