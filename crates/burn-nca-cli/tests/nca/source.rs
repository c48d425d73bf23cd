//! What a model remembers of its table: where it is, and the target's name.

use serde_json::Value;

use crate::{Place, table};

#[test]
fn the_model_folder_says_where_its_rows_came_from_and_how_the_target_is_called() {
    let place = Place::new();
    let status = |i: usize| if (i * 7) % 10 < 4 { "ill" } else { "well" };
    let row = |i: usize| format!("{i},{},{},{}", status(i), (i * 7) % 10, (i * 13) % 17);
    let patients = table("id,status,glucose,insulin", 60, row);
    place.file("patients.csv", &patients);
    place.nca("fit patients.csv --target status --ignore id --dim 1 --out run").success();
    let source = place.json("run/model/source.json");
    assert_eq!((&source["data"], &source["task"]), (&"patients.csv".into(), &"classes".into()));
    assert_eq!(source["target"], "status");
    assert_eq!(source["ignored"], Value::from(vec!["id"]));
    assert_eq!((&source["split"]["share"], &source["split"]["seed"]), (&0.3.into(), &0.into()));
    let text = place.nca("info run").printed();
    assert!(text.contains("target status, without id; 30 % held out, seed 0"), "{text}");
    assert_eq!(place.nca("info run").json()["source"], source);

    for (options, head) in [("", "status\n"), ("--probabilities", "status,p_ill,p_well\n")] {
        let predicted = place.nca(&format!("predict run patients.csv {options}")).printed();
        assert!(predicted.starts_with(head), "{predicted}");
    }
    assert_eq!(place.nca("evaluate run patients.csv").json()["rows"], 60);
    place.file("new.csv", patients.replace("status", "state"));
    let parts = ["the model's target is \"status\"", "--target", "no column \"status\""];
    place.nca("evaluate run new.csv").fails(1, &parts);
    assert_eq!(place.nca("evaluate run new.csv --target state").json()["rows"], 60);
}
