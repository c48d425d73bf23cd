//! Tables of more features than rows, and sizes that no machine has.

use predicates::str::contains;

use crate::{Place, failure, json, nca, read_json, stdout, words};

/// Rows of two classes in many columns, the first of which separates them.
fn wide_table(rows: usize, columns: usize) -> String {
    let names: Vec<String> = (1..=columns).map(|column| format!("g{column}")).collect();
    let mut text = format!("{},class\n", names.join(","));
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 54) as f64 / 512.0 - 1.0
    };
    for row in 0..rows {
        let class = row % 2;
        let mut cells = vec![format!("{}", class as f64 + random() / 8.0)];
        cells.extend((1..columns).map(|_| format!("{:.2}", random())));
        text.push_str(&format!("{},{}\n", cells.join(","), ["a", "b"][class]));
    }
    text
}

#[test]
fn a_wide_table_takes_the_memory_of_its_rows() {
    let place = Place::new();
    let data = place.file("genes.csv", &wide_table(24, 6000));
    let out = place.at("run");
    let fit = ["fit", &data, "--max-iterations", "2", "--quiet", "--out", &out];
    nca(&fit).assert().success().stderr(contains("6000 features are mapped to 15 dimensions"));
    let report = read_json(&place.path("run/report.json"));
    let rows = report["comparison"]["rows"].as_array().unwrap();
    let methods: Vec<_> = rows.iter().map(|row| row["method"].as_str().unwrap()).collect();
    assert_eq!(methods, ["Euclidean", "PCA", "LDA, shrinkage 0.01", "NCA"]);
    // One matrix of 6000 x 6000 would be 288 MB.
    let peak = report["peak_memory_bytes"].as_u64();
    assert!(peak.is_none_or(|bytes| bytes < 250 << 20), "{peak:?} bytes");
}

#[test]
fn sizes_without_bound_are_refused_before_anything_is_allocated() {
    let place = Place::new();
    let numbers = place.file("n.csv", "a,b,y\n1,2,0.5\n2,1,1.5\n3,4,2.5\n4,1,3.5\n5,2,4.5\n");
    for (options, message) in [
        (
            "iris --dim 2 --encoder mlp --hidden 4000000 --optimizer lbfgs",
            "for 105 rows together; give layers of 2556528 or fewer",
        ),
        (
            "iris --dim 2 --encoder mlp --hidden 4000000",
            "make 36000002 parameters, more than 33554432",
        ),
        ("iris --dim 10000", "an embedding of 10000 dimensions was asked for"),
        ("iris --dim 18446744073709551615", "ask for 40 dimensions or fewer"),
        ("iris --dim 2 --encoder mlp --hidden 99999999999999", "99999999999999"),
        ("iris --tune --repeats 1000000", "repeated 1000000 times"),
        ("NUMBERS --task regression --dim 3000", "ask for 20 dimensions or fewer"),
    ] {
        let options = words(options).into_iter();
        let options: Vec<&str> =
            options.map(|word| if word == "NUMBERS" { &numbers[..] } else { word }).collect();
        let error = failure(&[&["fit"], &options[..]].concat(), 1);
        assert!(error.contains(message) && !error.contains("panicked"), "{options:?}: {error}");
    }
}

#[test]
fn columns_are_reduced_for_the_fit_and_the_model_takes_the_table_itself() {
    let place = Place::new();
    let mut table = String::new();
    for (row, line) in wide_table(60, 12).lines().enumerate() {
        let level = if row == 0 { "color" } else { ["red", "blue", "green"][row % 3] };
        table += &format!("{level},{line}\n");
    }
    let (data, out) = (place.file("t.csv", &table), place.at("run"));
    let fit = ["fit", &data, "--categorical", "auto", "--reduce", "6", "--dim", "2", "--no-tune"];
    let report = json(&[&fit[..], &["--out", &out, "--format", "json"]].concat());
    let told =
        |report: &serde_json::Value, text: &str| report["warnings"].to_string().contains(text);
    assert!(
        told(&report, "15 columns are reduced to 6 by PCA of the training rows, with"),
        "{report}"
    );
    let info = json(&["info", &out, "--format", "json"]);
    assert_eq!(
        (&info["settings"]["d_input"], &info["settings"]["d_output"]),
        (&15.into(), &2.into())
    );
    let own = json(&["evaluate", &out, &data, "--format", "json"]);
    assert!(own["accuracy"]["knn"].as_f64().unwrap() > 0.8, "{own}");
    assert_eq!(stdout(&["predict", &out, &data]).lines().count(), 61);
    let modern = failure(&[&fit[..], &["--method", "modern"]].concat(), 2);
    assert!(modern.contains("leave --method modern out"), "{modern}");
    let more = failure(&["fit", &data, "--categorical", "auto", "--reduce", "16"], 1);
    assert!(more.contains("give --reduce 15 or fewer"), "{more}");
}
