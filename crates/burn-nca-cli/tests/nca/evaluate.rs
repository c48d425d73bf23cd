//! `nca evaluate`: its measures are the library's, and its comparison that of the fit.

use burn_nca_learn::data::TensorFeatures;
use burn_nca_learn::evaluate::{
    Embedded, LogLoss, McNemar, Reliability, brier_score, held_out_retrieval,
};
use burn_nca_learn::neighbors::{majority_vote, nearest};
use serde_json::Value;

use crate::models::{load, run};
use crate::{Place, assert_close, assert_parts, numbers, table};

/// The evaluation of the rows that the fit held out.
const EVALUATE: &str = "evaluate run test.csv --target kind";

#[track_caller]
fn close(found: &Value, expected: Option<f64>) {
    assert_close(found.as_f64().unwrap(), expected.unwrap(), 1e-12);
}

#[test]
fn the_measures_of_the_rows_held_out_are_those_of_the_fit_and_of_the_library() {
    let place = Place::new();
    let test = run(&place);
    let found = place.nca(EVALUATE).json();
    assert_eq!(found["rows"], 45);
    let report = place.json("run/report.json");
    let (told, of_fit) = (&found["accuracy"], &report["comparison"]["rows"][3]);
    assert_eq!(told["nn"], report["accuracy"]["test"]);
    assert_eq!((&told["knn"], &told["soft"]), (&of_fit["knn_test"], &of_fit["soft_test"]));
    assert_eq!(found["confusion"], report["confusion"]["counts"]);
    assert_eq!(numbers(&found["interval"]["nn"]).len(), 2);
    assert_parts(&place.nca(EVALUATE).printed(), &["45 rows", "virginica"]);

    let model = load(&place);
    close(&told["nn"], model.accuracy(&test, 1).unwrap().value());
    let probabilities = model.class_probabilities(test.features()).unwrap();
    let loss = LogLoss::of(&probabilities, test.labels()).unwrap();
    let told = &found["probabilities"];
    close(&told["log_loss"], loss.value());
    assert_eq!(told["without_training_rows"], 0);
    close(&told["brier_score"], brier_score(&probabilities, test.labels()).unwrap());
    let reliability = Reliability::of(&probabilities, test.labels(), 10).unwrap();
    close(&told["calibration_error"], reliability.expected_calibration_error());
    let bins = told["reliability"].as_array().unwrap();
    assert_eq!(bins.iter().map(|bin| bin["rows"].as_u64().unwrap()).sum::<u64>(), 45);

    let embedding = model.transform(test.features()).unwrap();
    let train = Embedded::new(model.references(), model.reference_labels());
    let queries = Embedded::new(&embedding, test.labels());
    let ranking = held_out_retrieval(train, queries, 5).unwrap();
    let told = &found["retrieval"];
    close(&told["precision_at_k"], ranking.precision_at_k);
    close(&told["r_precision"], ranking.r_precision);
    close(&told["map_at_r"], ranking.map_at_r);
    assert_eq!(told["without_relevant"], 0);

    // The comparison with Euclidean distance is that of the fit.
    let told = &found["euclidean"];
    assert_eq!(told["knn"], report["comparison"]["rows"][0]["knn_test"]);
    let count = |name: &str| told[name].as_u64().unwrap() as usize;
    let counts = McNemar::new(count("learnt_only"), count("euclidean_only"));
    close(&told["p_value"], Some(counts.p_value()));
    assert_eq!(told["test"], "exact");

    // The same by hand, among the rows that the fit kept for training.
    let data = burn_nca_data::bundled::iris();
    let split = burn_nca_learn::data::stratified_split(data.labels(), 0.3, 5).unwrap();
    let scaled = |rows: &[usize]| {
        let features = model.scaling().apply(data.select(rows).features()).unwrap();
        features.to_tensor(&model.references().device(), burn::tensor::DType::F64)
    };
    let neighbors = nearest(&scaled(&split.test), &scaled(&split.train), 5, None).unwrap();
    let euclidean = majority_vote(&neighbors, model.reference_labels(), 3, 5).unwrap();
    let learned = model.predict(test.features(), 5).unwrap();
    assert_eq!(McNemar::of(&learned, &euclidean, test.labels()).unwrap(), counts);

    // The model's own folder is in the run's, whose report it needs.
    let same = place.nca("evaluate run/model test.csv --target kind").json();
    assert_eq!(&same["euclidean"], told);

    // The model folder tells its training rows unless it is of an earlier version.
    std::fs::remove_file(place.path("run/report.json")).unwrap();
    let found = place.nca(EVALUATE).json();
    assert!(found["euclidean"]["p_value"].is_number(), "{found}");

    std::fs::remove_file(place.path("run/model/source.json")).unwrap();
    let found = place.nca(EVALUATE).json();
    let reason = found["euclidean_missing"].as_str().unwrap();
    assert_parts(reason, &["an earlier version", "fit it again"]);
    place.nca(&format!("{EVALUATE} --train iris")).fails(1, &["an earlier version"]);
    let predicted = place.nca("predict run test.csv").printed();
    assert_eq!(predicted.lines().next(), Some("class"));
}

/// A small table of two classes that overlap.
fn overlapping(rows: usize) -> String {
    let class = |at: usize| if at % 7 < 3 { "u" } else { "v" };
    table("a,b,y", rows, |at| format!("{},{},{}", at % 7, (at * 5) % 11, class(at)))
}

#[test]
fn a_table_that_has_moved_is_found_by_train_and_one_that_has_changed_is_not_compared() {
    let place = Place::new();
    place.file("data.csv", overlapping(60));
    place.nca("fit data.csv --dim 2 --out run").success();
    place.rename("data.csv", "moved.csv");
    let lost = place.nca("evaluate run moved.csv").json();
    assert!(lost["euclidean"].is_null());
    assert_parts(lost["euclidean_missing"].as_str().unwrap(), &["data.csv"]);
    assert!(place.nca("evaluate run moved.csv").printed().contains("not compared"));
    let found = place.nca("evaluate run moved.csv --train moved.csv").json();
    assert!(found["euclidean"]["p_value"].is_number() && found["euclidean_missing"].is_null());
    assert_eq!(numbers(&found["interval"]["knn"]).len(), 2);

    place.file("data.csv", overlapping(50));
    let found = place.nca("evaluate run data.csv").json();
    assert!(found["euclidean_missing"].as_str().unwrap().contains("--train"), "{found}");
}
