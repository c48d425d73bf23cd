//! Starts are those of the rules that they name.

use super::*;
use crate::data::Features;

/// Rows of normal entries, classes one after the other.
fn labeled(n: usize, d: usize, c: usize) -> Labeled {
    let values = normal_entries(n * d, 1.0, 7);
    let labels = (0..n).map(|row| row % c).collect();
    Labeled::from_labels(Features::unnamed(values, d).unwrap(), labels).unwrap()
}

fn weight(start: &Start, data: &Labeled, k: usize) -> (Vec<f64>, ResolvedStart) {
    start.weight(data, k, 1).unwrap()
}

#[test]
fn automatic_starts_equal_the_rule_they_name() {
    let data = labeled(40, 5, 3);
    for (k, rule) in [(2, Start::Lda), (3, Start::Pca), (5, Start::Identity)] {
        assert_eq!(weight(&Start::Auto, &data, k), weight(&rule, &data, k));
    }
    assert_eq!(weight(&Start::Auto, &data, 2).1, ResolvedStart::Lda { shrinkage: 0.0 });
    // Only classes with rows count.
    let data = labeled(60, 5, 3);
    let data = data.select(&(0..60).filter(|row| row % 3 != 1).collect::<Vec<_>>());
    assert_eq!((data.classes(), weight(&Start::Auto, &data, 2).1), (3, ResolvedStart::Pca));
    let error = Start::Lda.weight(&data, 2, 1).unwrap_err().to_string();
    assert!(error.contains("LDA finds 1 directions of these classes"), "{error}");
    // Singular scatter gets a shrinkage; classes of equal rows fall through to PCA, a row to the identity.
    let wide = labeled(8, 20, 2);
    assert_eq!(weight(&Start::Auto, &wide, 1).1, ResolvedStart::Lda { shrinkage: 0.01 });
    assert_eq!(weight(&Start::Lda, &wide, 1), weight(&Start::Auto, &wide, 1));
    let singles = labeled(4, 6, 4);
    assert_eq!(weight(&Start::Auto, &singles, 2).1, ResolvedStart::Pca);
    let start = weight(&Start::Auto, &singles.select(&[0]), 2);
    assert_eq!(start, weight(&Start::Identity, &singles, 2));
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
fn the_identity_and_a_given_start_are_written_out() {
    let data = labeled(10, 2, 2);
    assert_eq!(weight(&Start::Identity, &data, 1).0, [1.0, 0.0]);
    assert_eq!(weight(&Start::Identity, &data, 3).0, [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    let given = Start::Given { weight: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0] };
    let transposed = vec![1.0, 3.0, 5.0, 2.0, 4.0, 6.0];
    assert_eq!(weight(&given, &data, 3), (transposed, ResolvedStart::Given));
}

#[test]
fn random_starts_are_normal_seeded_and_extend_by_rows() {
    let data = labeled(10, 400, 2);
    let start = Start::Random { scale: None };
    let (values, used) = weight(&start, &data, 50);
    assert_eq!(used, ResolvedStart::Random { scale: 0.05 });
    let moment = |power| values.iter().map(|x| (x / 0.05).powi(power)).sum::<f64>() / 20_000.0;
    // Four standard errors of the mean of 20000 draws: √1, √2 and √96 over √20000.
    for (power, expected, most) in [(1, 0.0, 0.029), (2, 1.0, 0.041), (4, 3.0, 0.28)] {
        assert!((moment(power) - expected).abs() < most, "moment {power}: {}", moment(power));
    }
    assert_eq!(start.weight(&data, 50, 1).unwrap().0, values);
    assert_ne!(start.weight(&data, 50, 2).unwrap().0, values);
    let (longer, _) = weight(&start, &data, 51);
    assert!((0..400).all(|j| longer[j * 51..j * 51 + 50] == values[j * 50..(j + 1) * 50]));
}

#[test]
fn diagonal_starts_are_ones_magnitudes_or_given() {
    let of = |start: Start, seed| start.diagonal(3, seed).unwrap().0;
    assert_eq!([of(Start::Auto, 1), of(Start::Identity, 1)], [[1.0; 3], [1.0; 3]]);
    let draws: Vec<f64> = normal_entries(3, 2.0, 5).iter().map(|x| x.abs()).collect();
    assert_eq!(of(Start::Random { scale: Some(2.0) }, 5), draws);
    assert_eq!(of(Start::Given { weight: vec![1.0, -2.0, 0.5] }, 1), [1.0, -2.0, 0.5]);
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
