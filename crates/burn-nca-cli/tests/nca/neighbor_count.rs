//! `--neighbors cv` and `--neighbors entropy`: k found on the training rows.

use crate::Place;

#[test]
fn the_number_of_neighbors_may_be_found_on_the_training_rows() {
    let place = Place::new();
    place.nca("fit iris --dim 2 --out run").success();
    let predicted = |k: &str| place.nca(&format!("predict run iris --neighbors {k}")).printed();
    for rule in ["cv", "entropy"] {
        let measured = place.nca(&format!("evaluate run iris --neighbors {rule}")).json();
        let k = measured["neighbors"].as_u64().unwrap();
        assert!((1..=105).contains(&k), "{rule}: {k}");
        assert!(measured["accuracy"]["knn"].as_f64().unwrap() > 0.9);
        assert_eq!(predicted(rule).lines().count(), 151);
        assert_eq!(predicted(rule), predicted(&k.to_string()));
    }
    let said = place.nca("predict run iris --neighbors many").failure(2);
    assert!(said.contains("cv or entropy"), "{said}");
}
