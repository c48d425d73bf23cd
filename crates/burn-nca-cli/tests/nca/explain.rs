//! What a prediction is made of (`nca predict --explain`), and training rows whose labels look wrong (`nca info --labels`).

use serde_json::Value;

use crate::{Place, array_of, assert_parts, number, table, warnings};

/// A model of named rows of two classes that the first column parts; that of `row 8` is wrong. The last is of no class.
fn fit(place: &Place) {
    let row = |at: usize| {
        let even = usize::is_multiple_of(at, 2);
        let kind = if even == (at == 8) { "left" } else { "right" };
        let x = if even { 9.0 } else { 1.0 } + at as f64 / 40.0;
        format!("row {at},{x},{},{kind}", (at * 7) % 5)
    };
    place.file("t.csv", table("name,x,noise,kind", 24, row) + "row 24,5.0,1,\n");
    let fit = "fit t.csv --target kind --id name --dim 1 --test-size 0 --no-tune --no-baselines";
    place.nca(&format!("{fit} --quiet --out run")).success();
}

#[test]
fn the_shares_of_all_neighbors_are_the_probabilities_and_features_are_named() {
    let place = Place::new();
    fit(&place);
    place.file("new.csv", "x,noise\n1.3,2\n9.2,3\n");
    for rule in ["--rule soft", "--neighbors 5"] {
        let predict = format!("predict run new.csv --explain=99 --probabilities {rule}");
        let found = place.nca(&predict).json();
        assert_eq!(warnings(&found), []);
        for row in array_of(&found["rows"]) {
            let (neighbors, features) =
                (array_of(&row["explanation"]["neighbors"]), &row["explanation"]["features"]);
            for class in ["left", "right"] {
                let own = neighbors.iter().filter(|one| one["target"] == class);
                let sum: f64 = own.map(|one| number(one, "share")).sum();
                let p = number(&row["probabilities"], class);
                assert!((sum - p).abs() < 1e-5, "{sum} {p}");
            }
            // Rows have the numbers and names of the file.
            let first = &neighbors[0];
            assert_eq!(first["id"], format!("row {}", first["row"].as_u64().unwrap() - 1));
            // One row of the other class is where it should not be: the noise alone tells it from its neighbors.
            let (top, rival) =
                if row["row"] == 1 { ("x", Value::Null) } else { ("noise", "row 8".into()) };
            assert_eq!(features["top"][0]["name"], top);
            let compared_with = &features["compared_with"];
            assert!(rival.is_null() || compared_with["id"] == rival, "{compared_with}");
            assert_ne!(compared_with["target"], row["prediction"]);
            assert!(number(features, "error").abs() < 1e-4 * number(features, "difference"));
        }
    }
    let text = place.nca("predict run new.csv --explain=2").printed();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[0],
        "kind,neighbor_1,neighbor_1_id,neighbor_1_kind,neighbor_1_share,neighbor_2,neighbor_2_id,neighbor_2_kind,\
         neighbor_2_share,feature_1,feature_1_nearer_by,feature_2,feature_2_nearer_by,feature_3,feature_3_nearer_by"
    );
    assert!(lines.iter().all(|line| line.matches(',').count() == 14), "{text}");
    assert!(lines[1].starts_with("left,") && lines[1].contains(",0.2,"), "{text}");
    let plain = place.nca("predict run new.csv --explain").printed();
    assert!(plain.contains("neighbor_3_share") && !plain.contains("neighbor_4"), "{plain}");
}

/// Writes the labels of a model and gives the lines of the file, and what was said.
fn labels(place: &Place) -> (Vec<String>, String) {
    let outcome = place.nca("info run --labels labels.csv").success();
    assert_eq!(outcome.stdout(), "");
    (place.read("labels.csv").lines().map(String::from).collect(), outcome.stderr())
}

#[test]
fn a_wrong_label_is_the_first_of_the_list_and_a_table_that_is_gone_leaves_the_neighbors() {
    let place = Place::new();
    fit(&place);
    let (lines, _) = labels(&place);
    assert_eq!((lines.len(), &lines[0][..]), (25, "row,id,class,p,log_p,suggested,suggested_p"));
    assert!(lines[1].starts_with("9,row 8,left,0,-") && lines[1].contains(",right,1"), "{lines:?}");

    place.rename("t.csv", "moved.csv");
    let (lines, said) = labels(&place);
    assert_parts(&said, &["numbered by the training rows alone"]);
    assert!(lines[0].starts_with("row,class,p,"), "{lines:?}");
    let found = place.nca("predict run moved.csv --explain").json();
    assert_parts(warnings(&found)[0].1, &["numbered by the training rows alone"]);
    let explanation = &found["rows"][0]["explanation"];
    assert!(explanation["features"].is_null());
    assert_eq!(array_of(&explanation["neighbors"]).len(), 3);
    let found = place.nca("predict run moved.csv --explain --train moved.csv").json();
    assert!(found["rows"][0]["explanation"]["features"].is_object(), "{found}");
}

#[test]
fn numbers_are_explained_and_their_residuals_listed() {
    let place = Place::new();
    let row = |at: usize| {
        let wrong = if at == 11 { 50.0 } else { 0.0 };
        format!("{at},{},{}", (at * 7) % 5, at as f64 / 2.0 + wrong)
    };
    place.file("t.csv", table("x,noise,t", 30, row));
    let fit = "fit t.csv --target t --task regression --dim 1 --max-iterations 5 --test-size 0";
    place.nca(&format!("{fit} --no-tune --no-baselines --quiet --out run")).success();
    let found = place.nca("predict run t.csv --explain=30").json();
    for row in array_of(&found["rows"]) {
        let neighbors = array_of(&row["explanation"]["neighbors"]).iter();
        let sum: f64 = neighbors.map(|one| number(one, "share") * number(one, "target")).sum();
        assert!((sum - number(row, "prediction")).abs() < 1e-3, "{row}");
        assert!(row["explanation"]["features"]["compared_with"].is_null());
    }
    let (lines, _) = labels(&place);
    assert_eq!((lines.len(), &lines[0][..]), (31, "row,target,value,predicted,residual"));
    assert!(lines[1].starts_with("12,t,55.5,"), "{lines:?}");
}
