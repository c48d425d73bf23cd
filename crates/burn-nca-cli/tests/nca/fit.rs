//! The main job: a table in, a metric, a comparison and a report out.

use predicates::prelude::*;
use predicates::str::contains;

use crate::{Place, failure, json, nca, numbers, read_json, read_timeless, stdout, words};

/// One fit whose settings are given, so that nothing is compared first.
const IRIS: &str = "fit iris --dim 2 --quiet --objective g --l2 0.01 --penalty weights";

#[test]
fn a_fit_of_iris_tells_everything_in_json() {
    let fit = json(&[&words(IRIS)[..], &["--format", "json"]].concat());
    for part in ["train", "test"] {
        let accuracy = fit["accuracy"][part].as_f64().unwrap();
        assert!((0.9..=1.0).contains(&accuracy), "{part}: {accuracy}");
    }
    assert!(fit["termination"].is_string() && fit["converged"].is_boolean());
    assert!(fit["iterations"].as_u64().unwrap() > 0);
    assert!(fit["evaluations"].as_u64() >= fit["iterations"].as_u64());
    assert!(fit["seconds"].as_f64().unwrap() > 0.0);
    assert!(fit["peak_memory_bytes"].as_u64().unwrap() > 1 << 20);
    assert_eq!(numbers(&fit["p"]).len(), 105);
    assert_eq!(numbers(&fit["perplexity"]).len(), 105);
    let f: f64 = numbers(&fit["p"]).iter().sum();
    assert!((fit["f"].as_f64().unwrap() - f).abs() < 1e-9 && f > 90.0, "f is {f}");
    let methods = fit["comparison"]["rows"].as_array().unwrap();
    let names: Vec<_> = methods.iter().map(|row| row["method"].as_str().unwrap()).collect();
    assert_eq!(names, ["Euclidean", "PCA", "LDA", "NCA"]);
    assert_eq!(fit["comparison"]["rows"][3]["nn_test"], fit["accuracy"]["test"]);
    assert_eq!(fit["device"]["name"], "cpu");
}

#[test]
fn the_table_of_iris_looks_as_it_should() {
    // Seconds and bytes differ from run to run; the last digits of the end point, and with them which tolerance stops the
    // fit first, from CPU to CPU.
    let varying = [" solver", " memory", " f ", " g ", " stopped"];
    let varies = |line: &&str| varying.iter().any(|start| line.starts_with(start));
    let text = stdout(&words(IRIS));
    let text: Vec<&str> = text.lines().filter(|line| !varies(line)).collect();
    insta::assert_snapshot!("iris", text.join("\n"));
}

#[test]
fn a_run_folder_holds_model_numbers_and_page() {
    let place = Place::new();
    let out = place.at("runs/iris");
    nca(&[&words(IRIS)[..], &["--out", &out]].concat()).assert().success();
    let report = read_json(&place.path("runs/iris/report.json"));
    assert_eq!(report["data"]["name"], "iris");
    assert!(report["command"].as_str().unwrap().starts_with("nca fit iris --dim 2"));
    let page = std::fs::read_to_string(place.path("runs/iris/report.html")).unwrap();
    assert!(page.contains("setosa") && page.len() > 10_000);
    assert!(place.path("runs/iris/model/model.json").exists());
    let left = std::fs::read_dir(place.path("runs")).unwrap().count();
    assert_eq!(left, 1, "no temporary folder is left");
    std::fs::remove_file(place.path("runs/iris/report.html")).unwrap();
    nca(&["report", &out]).assert().success().stdout(contains("report.html"));
    assert_eq!(std::fs::read_to_string(place.path("runs/iris/report.html")).unwrap(), page);
}

#[test]
fn batches_of_a_single_class_are_passed_over() {
    let fit = "fit iris --dim 2 --quiet --optimizer adam --l2 0 --epochs 1 --batch-size";
    let fit = |size| nca(&[&words(fit)[..], &[size]].concat()).assert().success();
    fit("2").stderr(contains("no step was taken").and(contains("a larger --batch-size")));
    fit("4");
}

#[test]
fn every_map_objective_optimizer_and_start_fits() {
    for options in [
        "--encoder diagonal --objective g",
        "--encoder mlp --hidden 8,4 --activation tanh --epochs 3 --optimizer adam --batch-size 64",
        "--dim 6 --init random --optimizer cg --max-iterations 5",
        "--dim 2 --optimizer sgd --epochs 20 --momentum 0.5 --candidates all",
        "--dim 3 --optimizer adam --epochs 20 --batch-size 32 --candidates nearest:64",
        "--dim 2 --init pca --scale min-max --l2 0.01 --repulsion 0.1 --max-iterations 5",
        "--dim 1 --init lda --early-stopping --patience 3 --max-iterations 5",
        "--precision f64 --device flex --max-iterations 5 --time-budget 60 --memory 16",
    ] {
        let fit = json(&words(&format!("fit iris --format json {options}")));
        assert!(fit["accuracy"]["test"].as_f64().unwrap() > 0.6, "{options}");
    }
}

#[test]
fn a_start_may_come_from_a_file_or_a_saved_model() {
    let place = Place::new();
    let names = "sepal length,sepal width,petal length,petal width";
    let iris = stdout(&["fit", "iris", "--max-iterations", "0", "--format", "json", "--dim", "1"]);
    let columns: serde_json::Value = serde_json::from_str(&iris).unwrap();
    let header: Vec<_> = columns["feature_weights"]
        .as_array()
        .unwrap()
        .iter()
        .map(|w| w["column"].as_str().unwrap())
        .collect();
    assert_eq!(header.len(), names.split(',').count());
    let start = place.file("A.csv", &format!("{}\n0.5,-1,2,3\n", header.join(",")));
    let common = ["fit", "iris", "--max-iterations", "0", "--format", "json"];
    let given = json(&[&common[..], &["--dim", "1", "--init", &start]].concat());
    assert_eq!(numbers(&given["matrix"]["rows"][0]), [0.5, -1.0, 2.0, 3.0]);

    let out = place.at("run");
    nca(&["fit", "iris", "--dim", "2", "--out", &out]).assert().success();
    let fitted = read_json(&place.path("run/report.json"));
    let warm = json(&[&common[..], &["--warm-start", &out]].concat());
    assert_eq!(warm["matrix"], fitted["matrix"]);
    let same = json(&[&common[..], &["--warm-start", &out, "--dim", "2"]].concat());
    assert_eq!(same["matrix"], fitted["matrix"]);
    let message = failure(&["fit", "iris", "--warm-start", &out, "--dim", "3"], 2);
    assert!(
        message.contains("whose model has 2 dimensions\nhint: give --dim 2, leave --dim out, or"),
        "{message}"
    );
}

#[test]
fn what_a_user_should_know_is_said_on_stderr() {
    let place = Place::new();
    let data = place.file("data.csv", "a,b,y\n1,0,u\n2,0,u\n3,0,v\n4,0,v\n9,0,w\n");
    nca(&["fit", &data, "--init", "identity", "--test-size", "0", "--max-iterations", "1"])
        .assert()
        .success()
        .stderr(contains("warning: 1 column is constant").and(contains(": b\n")))
        .stderr(contains("warning: 1 class has a single training row").and(contains(": w\n")))
        .stderr(contains("warning: Not converged: the limit of iterations was reached"));
}

#[test]
fn a_fit_that_diverged_leaves_no_folder_that_waits_to_be_resumed() {
    let place = Place::new();
    let out = place.at("run");
    let diverging = ["--optimizer", "adam", "--learning-rate", "1e30", "--out", &out];
    let message =
        nca(&[&words(IRIS)[..5], &diverging].concat()).assert().get_output().stderr.clone();
    let message = String::from_utf8_lossy(&message).into_owned();
    // The map of the last step that was finite is the model.
    assert!(message.contains("--learning-rate"), "{message}");
    assert!(!place.path("run.partial").exists(), "{message}");
}

#[test]
fn equal_fits_make_equal_folders_but_for_their_times() {
    let place = Place::new();
    let fitted = |name: &str| {
        let options = ["--method", "nca", "--max-iterations", "5", "--out"];
        nca(&[&words(IRIS)[..5], &options, &[&place.at(name)]].concat()).assert().success();
        let files = ["", "/model"].map(|folder| {
            let files = std::fs::read_dir(place.path(&format!("{name}{folder}"))).unwrap();
            let mut files: Vec<_> = files.map(|file| file.unwrap().file_name()).collect();
            files.sort();
            files
        });
        let documents = ["report.json", "model/model.json", "model/source.json"]
            .map(|file| read_timeless(&place.path(name).join(file)));
        let tensors = files[1].iter().filter(|file| !file.to_string_lossy().ends_with(".json"));
        let tensors: Vec<Vec<u8>> = tensors
            .map(|file| std::fs::read(place.path(name).join("model").join(file)).unwrap())
            .collect();
        assert!(!tensors.is_empty());
        (files, documents, tensors)
    };
    assert_eq!(fitted("first"), fitted("second"));
}
