//! Numeric targets and pairs: from a table to predictions, and what is refused.

use predicates::prelude::*;
use predicates::str::contains;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use crate::{Place, json, nca, read_json, stdout, words};

const ROWS: usize = 120;

/// Five columns; the price is a curve of the first two, the others are noise.
pub fn houses(place: &Place) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let mut text = "size,age,a,b,c,price\n".to_string();
    for _ in 0..ROWS {
        let x: [f64; 5] = std::array::from_fn(|_| rng.random_range(-1.0..1.0));
        let price = 200.0 + 80.0 * (2.0 * x[0]).sin() + 30.0 * x[1];
        let cells: Vec<String> =
            x.iter().chain([&price]).map(|value| format!("{value:.6}")).collect();
        text.push_str(&format!("{}\n", cells.join(",")));
    }
    place.file("houses.csv", &text)
}

/// Frames of a film and the list of its neighbors in time, rows counted from 1.
pub fn film(place: &Place) -> (String, String) {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let (mut frames, mut pairs) = ("x,y,a,b,c\n".to_string(), "row,next\n".to_string());
    for frame in 0..ROWS {
        let time = frame as f64 / 9.0;
        let noise: [f64; 3] = std::array::from_fn(|_| rng.random_range(-1.0..1.0));
        let noise = noise.map(|value| format!("{value:.5}")).join(",");
        frames.push_str(&format!("{:.5},{:.5},{noise}\n", time.sin(), time.cos()));
        if frame > 0 {
            pairs.push_str(&format!("{frame},{}\n", frame + 1));
        }
    }
    (place.file("film.csv", &frames), place.file("pairs.csv", &pairs))
}

fn score(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("{key} is not in {value}"))
}

#[test]
fn a_numeric_target_is_learned_compared_and_predicted() {
    let place = Place::new();
    let (data, out) = (houses(&place), place.at("run"));
    let options = words("--target price --task regression --format json");
    let fit = json(&[&["fit", &data, "--out", &out], &options[..]].concat());
    assert_eq!(fit["kind"], "numbers");
    assert_eq!(fit["method"], "MLKR");
    assert_eq!((fit["data"]["train"].as_u64(), fit["data"]["test"].as_u64()), (Some(84), Some(36)));
    let rows = fit["comparison"]["rows"].as_array().unwrap();
    let names: Vec<String> =
        rows.iter().map(|row| format!("{} {}", row["method"], row["rule"])).collect();
    let expected =
        ["Euclidean 5-NN", "PCA 5-NN", "MLKR 5-NN", "MLKR kernel"].map(|n| n.replace(' ', "\" \""));
    assert_eq!(names, expected.map(|name| format!("\"{name}\"")));
    assert!(
        score(&fit["scores"], "r2_test") > score(&rows[0], "r2_test") + 0.05,
        "{}",
        fit["comparison"]
    );
    assert!(score(&fit["scores"], "rmse_test") < score(&rows[0], "rmse_test"));
    assert_eq!(read_json(&place.path("run/report.json"))["scores"], fit["scores"]);
    let page = std::fs::read_to_string(place.path("run/report.html")).unwrap();
    assert!(page.contains("class=\"colors\"") && page.contains("Predicted and true values"));
    nca(&["report", &out]).assert().success();
    assert_eq!(std::fs::read_to_string(place.path("run/report.html")).unwrap(), page);

    let predicted = stdout(&["predict", &out, &data]);
    assert_eq!(predicted.lines().next(), Some("price"));
    assert_eq!(predicted.lines().count(), ROWS + 1);
    assert!(predicted.lines().skip(1).all(|line| line.parse::<f64>().is_ok()));
    let nearest = stdout(&["predict", &out, &data, "--neighbors", "1"]);
    let soft = stdout(&["predict", &out, &data, "--rule", "soft"]);
    assert_eq!(predicted, soft);
    assert_ne!(predicted, nearest);
    let evaluation = json(&["evaluate", &out, &data, "--target", "price", "--format", "json"]);
    assert!(score(&evaluation["kernel"], "r2") > 0.8 && evaluation["rows"] == ROWS);
    let text = stdout(&["evaluate", &out, &data]);
    assert!(text.contains("target price") && text.contains("kernel"), "{text}");
    assert_eq!(stdout(&["transform", &out, &data]).lines().count(), ROWS + 1);
    let text = stdout(&["info", &out]);
    assert!(text.contains("target         price") && text.contains("MLKR"), "{text}");
    assert!(json(&["info", &out, "--format", "json"])["matrix"]["rows"].is_array());
}

#[test]
fn soft_matches_take_width_and_criterion_and_every_map_fits() {
    let place = Place::new();
    let data = houses(&place);
    for options in [
        "--soft",
        "--soft --width 20 --objective g --dim 2",
        "--soft --task regression --optimizer adam --epochs 5 --batch-size 32",
        "--task regression --encoder mlp --hidden 8 --activation tanh --max-iterations 20",
        "--task regression --encoder diagonal --l2 0.01 --early-stopping --patience 4",
        "--task regression --init pca --dim 1 --precision f64 --test-size 0",
    ] {
        let fit = json(&[&["fit", &data, "--format", "json"], &words(options)[..]].concat());
        let train = score(&fit["scores"], "r2_train");
        assert!(train > 0.2, "{options}: {train}");
    }
    nca(&["fit", &data, "--soft", "--max-iterations", "1"])
        .assert()
        .success()
        .stdout(contains("soft NCA, kernel").and(contains("R² test")))
        .stderr(contains("Not converged"));
}

#[test]
fn pairs_are_learned_without_labels_and_measured_on_pairs_held_out() {
    let place = Place::new();
    let ((film, pairs), out) = (film(&place), place.at("run"));
    let fit =
        json(&["fit", &film, "--pairs", &pairs, "--dim", "2", "--format", "json", "--out", &out]);
    assert_eq!((fit["kind"].as_str(), fit["data"]["target"].as_str()), (Some("pairs"), None));
    assert_eq!((fit["data"]["train"].as_u64(), fit["data"]["test"].as_u64()), (Some(83), Some(36)));
    let rows = fit["comparison"]["rows"].as_array().unwrap();
    let recall = |row: &Value| score(row, "recall_5_test");
    assert!(recall(&rows[2]) > recall(&rows[0]) + 0.2, "{}", fit["comparison"]);
    let page = std::fs::read_to_string(place.path("run/report.html")).unwrap();
    assert!(page.contains("class=\"links\""));
    assert_eq!(stdout(&["transform", &out, &film]).lines().count(), ROWS + 1);
    let text = stdout(&["info", &out]);
    assert!(text.contains("pairs (equation 8)"), "{text}");
    let evaluation = json(&["evaluate", &out, &film, "--pairs", &pairs, "--format", "json"]);
    assert_eq!(evaluation["pairs"], 119);
    assert!(score(&evaluation, "recall_10") > 0.5);
    assert!(stdout(&["evaluate", &out, &film, "--pairs", &pairs]).contains("median rank"));
    let warning = &evaluation["warnings"][0];
    assert_eq!(warning["code"], "training_rows");
    assert!(
        warning["text"].as_str().unwrap().starts_with("83 of 119 pairs are also training pairs"),
        "{warning}"
    );
    let other = place.file("other.csv", "1,3\n2,4\n3,5\n");
    let evaluation = json(&["evaluate", &out, &film, "--pairs", &other, "--format", "json"]);
    assert_eq!(evaluation["warnings"], Value::Array(Vec::new()));
    let bundled = json(&["fit", "iris", "--pairs", &pairs, "--test-size", "0", "--format", "json"]);
    assert!(score(&bundled["scores"], "recall_5_train") > 0.0);
}
