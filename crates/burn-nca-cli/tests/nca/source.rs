//! What a model remembers of its table: where it is, and the target's name.

use serde_json::Value;

use crate::{Place, array, corpus, table};

/// Patients with the target in the second column and a number of each in the first.
fn patients() -> String {
    let status = |i: usize| if (i * 7) % 10 < 4 { "ill" } else { "well" };
    let row = |i: usize| format!("{i},{},{},{}", status(i), (i * 7) % 10, (i * 13) % 17);
    table("id,status,glucose,insulin", 60, row)
}

/// The fit of [`patients`].
fn fit(place: &Place) {
    place.file("patients.csv", patients());
    place.nca("fit patients.csv --target status --ignore id --dim 1 --out run").success();
}

#[test]
fn the_model_folder_says_where_its_rows_came_from() {
    let place = Place::new();
    fit(&place);
    let source = place.json("run/model/source.json");
    assert_eq!((&source["data"], &source["task"]), (&"patients.csv".into(), &"classes".into()));
    assert_eq!(source["target"], "status");
    assert_eq!(source["ignored"], Value::from(vec!["id"]));
    assert_eq!((&source["split"]["share"], &source["split"]["seed"]), (&0.3.into(), &0.into()));
    let text = place.nca("info run").printed();
    assert!(text.contains("target status, without id; 30 % held out, seed 0"), "{text}");
    assert_eq!(place.nca("info run").json()["source"], source);
}

#[test]
fn predictions_and_evaluations_know_the_name_of_the_target() {
    let place = Place::new();
    fit(&place);
    let first_line =
        |command: &str| place.nca(command).printed().lines().next().unwrap_or_default().to_string();
    assert_eq!(first_line("predict run patients.csv"), "status");
    assert_eq!(first_line("predict run patients.csv --probabilities"), "status,p_ill,p_well");
    assert_eq!(place.nca("evaluate run patients.csv").json()["rows"], 60);

    place.file("new.csv", patients().replace("status", "state"));
    let target = "the model's target is \"status\"";
    let parts = [target, "--target", "no column \"status\""];
    place.nca("evaluate run new.csv").fails(1, &parts);
    assert_eq!(place.nca("evaluate run new.csv --target state").json()["rows"], 60);
}

#[test]
fn arrays_are_test_tables_and_new_rows_of_every_model() {
    let place = Place::new();
    let archive = corpus("npz/stored.npz");
    place.file("x.npy", array(&[0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5], 2));
    place.file("y.npy", array(&[0.0, 1.0, 0.0, 1.0, 1.0], 1));
    place.file("t.csv", "x1,x2,kind\n0,0.5,0\n1,1.5,1\n2,2.5,0\n3,3.5,1\n4,4.5,1\n");
    // The same five rows in every form.
    let arrays = [&archive, "x.npy,y.npy"];
    for data in [&archive, "x.npy,y.npy", "t.csv"] {
        for test in arrays {
            let report = place.nca(&format!("fit {data} --test {test} --method euclidean")).json();
            assert_eq!(report["data"]["rows"], 10, "{data} {test}");
        }
    }
    for data in arrays {
        for options in ["--missing mean", ""] {
            let fit = format!("fit {data} --method pca --test-size 0 --out run {options}");
            place.nca(&fit).success();
            for new in arrays {
                let measured = place.nca(&format!("evaluate run {new}")).json();
                assert_eq!(measured["rows"], 5, "{data} {new}");
            }
            assert_eq!(place.nca("predict run x.npy").printed().lines().count(), 6);
            place.clear("run");
        }
    }
}
