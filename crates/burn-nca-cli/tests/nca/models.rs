//! Saved models: what the program does with one is what the library does.

use burn_nca_data::bundled::iris;
use burn_nca_learn::data::{Labeled, stratified_split};
use burn_nca_learn::{Fitted, device};

use crate::{Place, assert_parts, failure, json, nca, numbers, stdout};

/// A run of iris, and the rows it held out as a CSV file with its columns in another order.
pub fn run(place: &Place) -> (String, String, Labeled) {
    let out = place.at("run");
    let fit = ["fit", "iris", "--dim", "2", "--seed", "5", "--no-tune", "--out", &out];
    nca(&fit).assert().success();
    let data = iris();
    let test = data.select(&stratified_split(data.labels(), 0.3, 5).unwrap().test);
    let names = test.features().names();
    let mut text =
        format!("kind,note,{}\n", names.iter().rev().cloned().collect::<Vec<_>>().join(","));
    for row in 0..test.rows() {
        let values: Vec<String> =
            test.features().row(row).iter().rev().map(f64::to_string).collect();
        text.push_str(&format!(
            "{},text,{}\n",
            test.class_names()[test.labels()[row]],
            values.join(",")
        ));
    }
    (out, place.file("test.csv", &text), test)
}

pub fn load(place: &Place) -> Fitted {
    Fitted::load(&place.path("run/model"), &device::open("cpu").unwrap()).unwrap()
}

#[test]
fn predictions_and_embeddings_are_those_of_the_library() {
    let place = Place::new();
    let (out, file, test) = run(&place);
    let model = load(&place);
    let names = |classes: Vec<usize>| {
        classes.into_iter().map(|class| test.class_names()[class].clone()).collect::<Vec<_>>()
    };
    let lines = |text: &str| text.lines().skip(1).map(String::from).collect::<Vec<_>>();

    let predicted = stdout(&["predict", &out, &file, "--neighbors", "3"]);
    assert_eq!(lines(&predicted), names(model.predict(test.features(), 3).unwrap()));
    let probabilities = model.class_probabilities(test.features()).unwrap();
    let soft = stdout(&["predict", &out, &file, "--rule", "soft", "--probabilities"]);
    assert_eq!(soft.lines().next().unwrap(), "class,p_setosa,p_versicolor,p_virginica");
    for (row, line) in lines(&soft).iter().enumerate() {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells[1].parse::<f64>().unwrap(), probabilities.probability(row, 0));
    }

    let embedded = stdout(&["transform", &out, &file]);
    let expected =
        model.transform(test.features()).unwrap().into_data().try_to_vec::<f32>().unwrap();
    let found: Vec<f32> = lines(&embedded)
        .iter()
        .flat_map(|line| line.split(',').map(|x| x.parse().unwrap()).collect::<Vec<f32>>())
        .collect();
    assert_eq!(found, expected);
    let npy = place.at("z.npy");
    nca(&["transform", &out, &file, "--out", &npy])
        .assert()
        .success()
        .stdout(predicates::str::is_empty());
    let read = burn_nca_data::read_npy_features(&npy).unwrap();
    assert_eq!((read.rows(), read.columns()), (45, 2));
    assert!(read.values().iter().zip(&expected).all(|(read, z)| *read == f64::from(*z)));
    let parquet = place.at("z.parquet");
    nca(&["transform", &out, &file, "--out", &parquet]).assert().success();
    let bytes = std::fs::read(&parquet).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    // Its columns are plain: the numbers of each are there one after the other.
    for column in 0..2 {
        let column = expected.iter().skip(column).step_by(2);
        let plain: Vec<u8> = column.flat_map(|z| z.to_le_bytes()).collect();
        assert!(bytes.windows(plain.len()).any(|part| part == plain));
    }
    for (format, path) in [("npy", &npy), ("parquet", &parquet)] {
        let sent = nca(&["transform", &out, &file, "--format", format]).output().unwrap();
        assert!(sent.status.success() && sent.stdout == std::fs::read(path).unwrap(), "{format}");
    }
    let message = failure(&["transform", &out, &file, "--format", "npy", "--out", &parquet], 1);
    assert!(message.contains("written as .npy here"), "{message}");
}

#[test]
fn an_evaluation_of_the_rows_held_out_is_that_of_the_fit() {
    let place = Place::new();
    let (out, file, test) = run(&place);
    let report = crate::read_json(&place.path("run/report.json"));
    let evaluation = json(&["evaluate", &out, &file, "--target", "kind", "--format", "json"]);
    assert_eq!(evaluation["rows"], 45);
    assert_eq!(evaluation["accuracy"]["nn"], report["accuracy"]["test"]);
    let row = &report["comparison"]["rows"][3];
    assert_eq!(evaluation["accuracy"]["knn"], row["knn_test"]);
    assert_eq!(evaluation["accuracy"]["soft"], row["soft_test"]);
    assert_eq!(evaluation["confusion"], report["confusion"]["counts"]);
    let accuracy = load(&place).accuracy(&test, 1).unwrap().value().unwrap();
    // A number read from JSON may differ in its last digit.
    let printed = evaluation["accuracy"]["nn"].as_f64().unwrap();
    assert!((printed - accuracy).abs() < 1e-12, "{printed} is not {accuracy}");
    assert_eq!(numbers(&evaluation["interval"]["nn"]).len(), 2);
    let table = stdout(&["evaluate", &out, &file, "--target", "kind"]);
    assert!(table.contains("45 rows") && table.contains("virginica"), "{table}");
}

#[test]
fn a_model_tells_what_it_is_in_text_and_json() {
    let place = Place::new();
    let (out, _, _) = run(&place);
    let text = stdout(&["info", &out]);
    assert_parts(
        &text,
        &["4 features to 2 dimensions", "setosa, versicolor, virginica", "onverged", "z2"],
    );
    let info = json(&["info", &out, "--format", "json"]);
    assert_eq!(info["matrix"]["rows"].as_array().unwrap().len(), 2);
    assert_eq!(info["rows"], 105);
    assert!(info["termination"].is_string());
}

#[test]
fn small_weights_are_no_zeros() {
    let place = Place::new();
    let rows: String =
        (0..30).map(|row| format!("{},{},{}\n", row % 7 * 10_000_000, row % 5, row % 2)).collect();
    let (data, out) = (place.file("t.csv", &format!("a,b,y\n{rows}")), place.at("run"));
    let fit =
        ["fit", &data, "--scale", "none", "--no-tune", "--max-iterations", "2", "--out", &out];
    nca(&fit).assert().success();
    let text = stdout(&["info", &out]);
    let row = text.lines().find(|line| line.starts_with(" a ")).unwrap();
    assert!(row.contains("e-") && !row.contains('\u{2212}'), "{text}");
}

#[test]
fn an_exported_layer_is_a_file_of_its_own() {
    let place = Place::new();
    let (out, _, _) = run(&place);
    let file = place.at("A.safetensors");
    nca(&["export", &out, "--to", &file]).assert().success();
    let bytes = std::fs::read(&file).unwrap();
    let header = String::from_utf8_lossy(&bytes[8..]);
    assert!(header.contains("weight") && header.contains("bias"));
    nca(&["export", &out, "--to", &place.at("A.bin")]).assert().code(1);
}

#[cfg(unix)]
#[test]
fn a_fifo_in_the_place_of_a_file_is_refused() {
    let place = Place::new();
    let (out, file, _) = run(&place);
    for (name, verb) in [
        ("model/encoder.bpk", "predict"),
        ("model/references.bpk", "predict"),
        ("model/source.json", "predict"),
        ("model/model.json", "predict"),
        ("report.json", "report"),
    ] {
        let (path, kept) = (place.path(&format!("run/{name}")), place.path("kept"));
        std::fs::rename(&path, &kept).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let arguments = [verb, &out, &file];
        let message = failure(&arguments[..if verb == "report" { 2 } else { 3 }], 1);
        assert!(message.contains(name) && message.contains("a regular file"), "{message}");
        std::fs::rename(&kept, &path).unwrap();
    }
    nca(&["predict", &out, &file]).assert().success();
}

#[test]
fn a_row_that_is_not_finite_is_named_by_its_place_in_the_table() {
    let place = Place::new();
    let rows: String = (0..20).map(|i| format!("{},{},{}\n", i % 7, i % 5, i % 2)).collect();
    let (data, out) = (place.file("t.csv", &format!("a,b,c\n{rows}NA,1,0\n")), place.at("run"));
    let fit = ["fit", &data, "--missing", "drop", "--no-tune", "--max-iterations", "2"];
    nca(&[&fit[..], &["--out", &out]].concat()).assert().success();
    let new = place.file("new.csv", "a,b\nNA,1\n1e308,2\n");
    let labeled = place.file("labeled.csv", "a,b,c\nNA,1,0\n1,1,\n1e308,2,1\n");
    for (verb, data, row) in
        [("transform", &new, 2), ("predict", &new, 2), ("evaluate", &labeled, 3)]
    {
        let message = failure(&[verb, &out, data], 1);
        assert!(message.contains(&format!("row {row}: the embedding is not finite")), "{message}");
    }
    // Rows without a class are set apart where nothing is prepared, too.
    let (data, out) = (place.file("whole.csv", &format!("a,b,c\n{rows}")), place.at("other"));
    nca(&["fit", &data, "--no-tune", "--max-iterations", "2", "--out", &out]).assert().success();
    let labeled = place.file("apart.csv", "a,b,c\n1,1,\n1e308,2,1\n");
    let message = failure(&["evaluate", &out, &labeled], 1);
    assert!(message.contains("row 2: the embedding is not finite"), "{message}");
}

#[test]
fn a_model_of_an_encoder_that_is_not_known_here_is_refused_in_the_words_of_the_program() {
    let place = Place::new();
    let (out, ..) = run(&place);
    let file = place.path("run/model/model.json");
    let mut card = crate::read_json(&file);
    assert_eq!(card["card"]["encoder"], "Linear");
    card["card"]["encoder"] = serde_json::Value::Null;
    std::fs::write(&file, card.to_string()).unwrap();
    let message = failure(&["info", &out], 1);
    assert!(
        message.contains("an encoder of the user's own\nhint: load it in the program"),
        "{message}"
    );
    assert!(!message.contains("load_with"), "{message}");
}
