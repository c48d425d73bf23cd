//! The main job: a table in, a metric, a comparison and a report out, as the README shows it; and the objective at the identity, against the numbers
//! of other programs' tests (computed independently).

use serde_json::Value;

use crate::{Place, ROOT, array_of, assert_close, methods_compared, nca, number, numbers};

/// One fit whose settings are given, so that nothing is compared first.
const IRIS: &str = "fit iris --dim 2 --quiet --objective g --l2 0.01 --penalty weights";

/// The lines that do not differ between runs and CPUs: without the last digits of the end point, and with them which
/// tolerance stops the fit first, times and bytes, and what the time limit of a loaded machine leaves out of a comparison.
fn lasting<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let varying = [" solver", " memory", " f ", " g ", " stopped"];
    let lasts = |line: &&str| !varying.iter().any(|start| line.starts_with(start));
    lines.filter(lasts).map(|line| line.split(": best of ").next().unwrap_or(line)).collect()
}

#[test]
fn the_table_of_iris_looks_as_it_should() {
    insta::assert_snapshot!("iris", lasting(nca(IRIS).printed().lines()).join("\n"));
}

#[test]
fn the_first_command_of_the_readme_prints_what_it_shows_and_learns() {
    let readme = std::fs::read_to_string(format!("{ROOT}/README.md")).unwrap();
    // The lines of the fenced block that follows a marker.
    let block_after = |marker: &str| -> Vec<&str> {
        let (_, rest) = readme.split_once(marker).unwrap();
        rest.trim_start().lines().skip(1).take_while(|line| !line.starts_with("```")).collect()
    };
    let command = block_after("<!-- main-job -->").join(" ");
    let arguments = command.strip_prefix("cargo run --locked -- ").unwrap();
    let (arguments, folder) = arguments.split_once(" --out ").unwrap();
    let place = Place::new();
    let printed = place.nca(&format!("{arguments} --out run")).printed();
    let shown = block_after("<!-- main-output -->");
    assert_eq!(lasting(printed.lines()), lasting(shown.into_iter()), "{arguments}:\n{printed}");
    assert!(readme.contains(&format!("`{folder}/report.html`")));

    // It learns: gradient steps, a training curve and a replay, and more rows correct than by any baseline.
    let report = place.json("run/report.json");
    assert!(report["iterations"].as_u64().unwrap() > 2 && report["replay"].is_object());
    let rows = array_of(&report["comparison"]["rows"]);
    let (fitted, baselines) = rows.split_last().unwrap();
    assert_eq!(fitted["method"], "NCA");
    let most = number(fitted, "nn_test") - 0.1;
    assert!(baselines.iter().all(|row| number(row, "nn_test") < most), "{rows:?}");
}

#[test]
fn a_run_folder_holds_everything_as_json_model_and_page() {
    let place = Place::new();
    place.nca(&format!("{IRIS} --out runs/iris")).success();
    let fit = place.json("runs/iris/report.json");
    let accuracies = ["train", "test"].map(|part| number(&fit["accuracy"], part));
    assert!(accuracies.iter().all(|accuracy| (0.9..=1.0).contains(accuracy)), "{accuracies:?}");
    assert!(fit["termination"].is_string() && fit["converged"].is_boolean());
    assert!(fit["iterations"].as_u64().unwrap() > 0);
    assert!(fit["evaluations"].as_u64() >= fit["iterations"].as_u64());
    assert!(number(&fit, "seconds") > 0.0);
    assert!(fit["peak_memory_bytes"].as_u64().unwrap() > 1 << 20);
    assert_eq!(numbers(&fit["p"]).len(), 105);
    assert_eq!(numbers(&fit["perplexity"]).len(), 105);
    let f: f64 = numbers(&fit["p"]).iter().sum();
    assert_close(number(&fit, "f"), f, 1e-9);
    assert!(f > 90.0, "f is {f}");
    assert_eq!(methods_compared(&fit), ["Euclidean", "PCA", "LDA", "NCA"]);
    assert_eq!(fit["comparison"]["rows"][3]["nn_test"], fit["accuracy"]["test"]);
    assert_eq!((&fit["device"]["name"], &fit["data"]["name"]), (&"cpu".into(), &"iris".into()));
    assert!(fit["command"].as_str().unwrap().starts_with("nca fit iris --dim 2"));
    let page = place.read("runs/iris/report.html");
    assert!(page.contains("setosa") && page.len() > 10_000);
    assert!(place.path("runs/iris/model/model.json").exists());
    assert_eq!(std::fs::read_dir(place.path("runs")).unwrap().count(), 1, "nothing temporary");
    std::fs::remove_file(place.path("runs/iris/report.html")).unwrap();
    assert!(place.nca("report runs/iris").printed().contains("report.html"));
    assert_eq!(place.read("runs/iris/report.html"), page);
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
        let fit = nca(&format!("fit iris {options}")).json();
        assert!(number(&fit["accuracy"], "test") > 0.6, "{options}");
    }
}

#[test]
fn a_start_may_come_from_a_file_or_a_saved_model() {
    let place = Place::new();
    let start = |options: &str| place.nca(&format!("fit iris --max-iterations 0 {options}")).json();
    let columns = "sepal_length_cm,sepal_width_cm,petal_length_cm,petal_width_cm";
    place.file("A.csv", format!("{columns}\n0.5,-1,2,3\n"));
    let given = start("--dim 1 --init A.csv");
    assert_eq!(numbers(&given["matrix"]["rows"][0]), [0.5, -1.0, 2.0, 3.0]);

    place.nca("fit iris --dim 2 --out run").success();
    let fitted = place.json("run/report.json");
    for options in ["--warm-start run", "--warm-start run --dim 2"] {
        assert_eq!(start(options)["matrix"], fitted["matrix"], "{options}");
    }
}

#[test]
fn a_fit_that_diverged_leaves_no_folder_that_waits_to_be_resumed() {
    let place = Place::new();
    let fit = "fit iris --dim 2 --quiet --optimizer adam --learning-rate 1e30 --out run";
    let message = place.nca(fit).run().stderr();
    // The map of the last step that was finite is the model.
    assert!(message.contains("--learning-rate"), "{message}");
    assert!(!place.path("run.partial").exists(), "{message}");
}

/// The objective of a table at the identity.
fn at_the_identity(csv: &str) -> Value {
    let place = Place::new();
    place.file("t.csv", csv);
    place.nca("fit t.csv --init identity --scale none --max-iterations 0 --test-size 0").json()
}

fn all_close(found: &Value, expected: &[f64]) {
    let found = numbers(found);
    assert_eq!(found.len(), expected.len());
    found.iter().zip(expected).for_each(|(found, expected)| assert_close(*found, *expected, 1e-9));
}

#[test]
fn six_points_of_mlpack() {
    let fit =
        at_the_identity("x1,x2,y\n-0.1,1,0\n-0.1,0,0\n-0.1,-1,0\n0.1,1,1\n0.1,0,1\n0.1,-1,1\n");
    let (p, q) = (0.224788612489, 0.306125165759);
    all_close(&fit["p"], &[p, q, p, p, q, p]);
    assert_close(number(&fit, "f"), 1.5114047814734728, 1e-9);
    assert_close(number(&fit, "g"), -8.33790171820718, 1e-9);
    let (outer, inner) = (2.931940506989, 4.503750023252);
    all_close(&fit["perplexity"], &[outer, inner, outer, outer, inner, outer]);
    assert_eq!(fit["iterations"], 0);
    assert_eq!(fit["termination"], "MaxIterations");
    assert!(fit["accuracy"]["test"].is_null());
}

#[test]
fn p_stands_in_the_order_of_the_rows_and_g_leaves_out_points_without_a_partner() {
    let together = at_the_identity("x,y\n0,a\n0.5,b\n1,a\n");
    let p = |same: f64, other: f64| {
        (-same * same).exp() / ((-same * same).exp() + (-other * other).exp())
    };
    let expected = [p(1.0, 0.5), 0.0, p(1.0, 0.5)];
    all_close(&together["p"], &expected);
    assert_close(number(&together, "g"), 2.0 * expected[0].ln(), 1e-9);
    assert_eq!(together["data"]["without_partner"], 1);
}
