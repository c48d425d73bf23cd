//! The program from outside: the folder it writes, resuming it, and what it refuses.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn program(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lca-2012"));
    command.args(arguments).current_dir(folder).output().unwrap()
}

#[test]
fn a_run_writes_the_table_its_bars_and_all_numbers() {
    let place = tempfile::tempdir().unwrap();
    let arguments = ["--sets", "iris", "--splits", "1", "--rows", "36", "--out", "run", "--quiet"];
    let output = program(place.path(), &arguments);
    assert!(output.status.success(), "{output:?}");
    let printed = String::from_utf8(output.stdout).unwrap();
    for words in ["LCA", "NCA, usual", "(2.22)", "REPORT.md"] {
        assert!(printed.contains(words), "{words} is not in {printed}");
    }
    let run = place.path().join("run");
    let text = fs::read_to_string(run.join("results.json")).unwrap();
    let results: Value = serde_json::from_str(&text).unwrap();
    let cells = results["cells"].as_array().unwrap();
    assert!(cells.len() >= 10 && cells.iter().all(|cell| cell["error"].as_f64().unwrap() < 0.3));
    let passes = cells.iter().filter(|cell| cell["method"] == "lmnn-passes");
    let endings: Vec<&str> = passes.map(|cell| cell["ending"].as_str().unwrap()).collect();
    assert!(endings.len() == 1 && endings.iter().all(|ending| ending.starts_with("Passes: ")));
    let lca = |mean: &&Value| mean["method"] == "lca";
    let lca = results["means"].as_array().unwrap().iter().find(lca).unwrap();
    assert_eq!((&lca["splits"], &lca["printed"]), (&1.into(), &2.22.into()));
    for figure in ["table-1.svg", "figure-5.svg"] {
        assert!(fs::read_to_string(run.join(figure)).unwrap().starts_with("<svg"), "{figure}");
    }
    let with_training = |cell: &Value| cell["training_error"].as_f64().is_some_and(|e| e < 0.3);
    let by_3_nn = |cell: &Value| {
        let method = cell["method"].as_str().unwrap();
        method != "nca-modern" && !method.ends_with("energies")
    };
    assert!(cells.iter().all(|cell| with_training(cell) == by_3_nn(cell)));
    assert!(fs::read_to_string(run.join("REPORT.md")).unwrap().contains("| iris | "));
    assert!(!run.join("checkpoint.json").exists());
}

#[test]
fn a_mean_is_over_the_splits() {
    let place = tempfile::tempdir().unwrap();
    let columns = ["--methods", "euclidean,lca", "--out", "run", "--quiet"];
    let output =
        program(place.path(), &[&["--sets", "iris", "--splits", "3"], &columns[..]].concat());
    assert!(output.status.success(), "{output:?}");
    let text = fs::read_to_string(place.path().join("run/results.json")).unwrap();
    let results: Value = serde_json::from_str(&text).unwrap();
    for method in ["euclidean", "lca"] {
        let of = |list: &str| -> Vec<Value> {
            let all = results[list].as_array().unwrap().iter();
            all.filter(|one| one["method"] == method).cloned().collect()
        };
        let errors =
            of("cells").iter().map(|cell| cell["error"].as_f64().unwrap()).collect::<Vec<_>>();
        assert_eq!(errors.len(), 3);
        let mean = 100.0 * errors.iter().sum::<f64>() / 3.0;
        let [told] = &of("means")[..] else { panic!("{results}") };
        assert!(
            (told["error"].as_f64().unwrap() - mean).abs() < 1e-9 && told["splits"] == 3,
            "{told}"
        );
    }
}

#[test]
fn figures_are_drawn_from_points_that_are_kept() {
    let place = tempfile::tempdir().unwrap();
    let arguments = ["--figures", "--sets", "iris", "--out", "run", "--quiet"];
    let output = program(place.path(), &arguments);
    assert!(output.status.success(), "{output:?}");
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.contains("PCA, Gaussians") && printed.contains("figure-2.svg"), "{printed}");
    let run = place.path().join("run");
    let text = fs::read_to_string(run.join("figures.json")).unwrap();
    let results: Value = serde_json::from_str(&text).unwrap();
    let points = results["points"].as_array().unwrap();
    let lines: Vec<(&str, u64)> = points
        .iter()
        .map(|point| (point["line"].as_str().unwrap(), point["dimension"].as_u64().unwrap()))
        .collect();
    let expected = [
        ("pca-gaussians", 2),
        ("pca-gaussians", 4),
        ("factor-gaussians", 2),
        ("factor-gaussians", 4),
        ("lda-gaussians", 2),
        ("pca-neighbors", 2),
        ("pca-neighbors", 4),
        ("lca", 2),
        ("lca", 4),
        ("lca-neighbors", 2),
        ("lca-neighbors", 4),
    ];
    assert_eq!(lines, expected);
    assert!(points.iter().all(|point| point["error"].as_f64().unwrap() < 0.2), "{points:?}");
    for number in 2..=4 {
        for kind in ["svg", "png"] {
            assert!(run.join(format!("figure-{number}.{kind}")).exists(), "{number}.{kind}");
        }
    }
    assert!(!run.join("figures-checkpoint.json").exists());
}

#[test]
fn settings_are_chosen_by_held_out_rows_and_only_the_chosen_see_the_test_rows() {
    let place = tempfile::tempdir().unwrap();
    let arguments = ["--choose", "--sets", "iris", "--splits", "2", "--out", "run", "--quiet"];
    let output = program(place.path(), &arguments);
    assert!(output.status.success(), "{output:?}");
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.contains("energies") && printed.contains("chosen.json"), "{printed}");
    let text = fs::read_to_string(place.path().join("run/chosen.json")).unwrap();
    let results: Value = serde_json::from_str(&text).unwrap();
    let (points, choices) = (&results["points"], results["choices"].as_array().unwrap());
    let points = points.as_array().unwrap();
    let settings = |of: &Value| (of["targets"].as_u64().unwrap(), of["steps"].as_u64().unwrap());
    for (rule, choice) in choices.iter().enumerate() {
        let mean = |on_test: bool, of: (u64, u64)| -> f64 {
            let is = |point: &&Value| point["on_test"] == on_test && settings(point) == of;
            let errors = points.iter().filter(is);
            let errors: Vec<f64> =
                errors.map(|point| point["errors"][rule].as_f64().unwrap()).collect();
            assert_eq!(errors.len(), 2);
            100.0 * errors.iter().sum::<f64>() / 2.0
        };
        let held_out = points.iter().filter(|point| point["on_test"] == false);
        let least = held_out.map(|point| mean(false, settings(point))).fold(f64::MAX, f64::min);
        assert!((choice["held_out"].as_f64().unwrap() - least).abs() < 1e-9, "{choice}");
        let test = mean(true, settings(choice));
        assert!((choice["test"].as_f64().unwrap() - test).abs() < 1e-9, "{choice}");
    }
    let mut chosen: Vec<(u64, u64)> = choices.iter().map(settings).collect();
    chosen.dedup();
    let tested = points.iter().filter(|point| point["on_test"] == true).count();
    assert_eq!((choices.len(), points.len() - tested, tested), (2, 30, 2 * chosen.len()));
}

#[test]
fn a_set_without_its_file_is_refused_with_the_cure() {
    let place = tempfile::tempdir().unwrap();
    let output = program(place.path(), &["--sets", "segment"]);
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(
        message.contains("segment.csv is not there") && message.contains("--data"),
        "{message}"
    );
}
