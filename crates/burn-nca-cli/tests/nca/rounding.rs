//! Columns that are constant but for rounding: zero in every scaling, start and method, and named.

use serde_json::Value;

use crate::{Place, json, numbers};

/// Five shares that add up to 1 but for rounding, in `digits` decimals or in full, and their class.
fn shares(place: &Place, name: &str, digits: Option<usize>) -> String {
    let mut text = "p1,p2,p3,p4,p5,total,class\n".to_string();
    for row in 0..90_u32 {
        let class = row % 3;
        // Some noise without a generator: the digits of multiples of an irrational number.
        let noise = |at: u32| (f64::from(row * 5 + at + 1) * 0.618_033_988_749_894_9).fract();
        let parts: Vec<f64> =
            (0..5).map(|at| 0.2 + noise(at) + if at == class { 0.6 } else { 0.0 }).collect();
        let sum: f64 = parts.iter().sum();
        let mut parts: Vec<f64> = parts.iter().map(|part| part / sum).collect();
        parts.push(parts.iter().sum());
        let cells = parts.iter().map(|part| match digits {
            Some(digits) => format!("{part:.digits$},"),
            None => format!("{part},"),
        });
        text += &format!("{}{}\n", cells.collect::<String>(), ["a", "b", "c"][class as usize]);
    }
    place.file(name, &text)
}

/// The largest entry of the map in the column of this name.
fn weight(report: &Value, column: &str) -> f64 {
    let matrix = &report["matrix"];
    let columns = matrix["columns"].as_array().unwrap();
    let at = columns.iter().position(|name| name == column).unwrap();
    let rows = matrix["rows"].as_array().unwrap().iter();
    rows.map(|row| numbers(row)[at].abs()).fold(0.0, f64::max)
}

#[test]
fn a_sum_of_shares_is_zero_and_named_whatever_the_scaling_start_and_method() {
    let place = Place::new();
    let (full, short) = (shares(&place, "full.csv", None), shares(&place, "short.csv", Some(6)));
    for options in [
        "--dim 2",
        "--dim 2 --scale common",
        "--dim 2 --scale min-max",
        "--dim 2 --scale none",
        "--dim 2 --init pca",
        "--dim 2 --precision f64",
        "--method lda",
        "--method lda --scale none",
        "--method rca",
        "--method rca --scale none",
        "--method pca --dim 2",
        "--method whitening",
        "--method whitening --scale none",
        "--method lmnn --dim 2",
        "--method lca --dim 2",
        "--method ncfs",
    ] {
        let out = place.at("run");
        let _ = std::fs::remove_dir_all(&out);
        let limits = "--no-tune --no-baselines --test-size 0 --format json";
        let given: Vec<&str> = options.split(' ').chain(limits.split(' ')).collect();
        let report = json(&[&["fit", &full, "--out", &out], &given[..]].concat());
        let told = report["warnings"].as_array().unwrap().iter();
        let told: Vec<&Value> = told.filter(|told| told["code"] == "constant_columns").collect();
        assert!(told[0]["text"].as_str().unwrap().ends_with(": total"), "{options}: {told:?}");
        assert!(weight(&report, "total") < 1e3, "{options}: {}", report["matrix"]);
        // The same rows in six decimals, whose sums are 1 to 1e-6, are the same rows.
        let [full, short] = [&full, &short].map(|data| {
            let measured = json(&["evaluate", &out, data, "--format", "json"]);
            measured["accuracy"]["knn"].as_f64().unwrap()
        });
        assert!((full - short).abs() < 0.03, "{options}: {full} and {short}");
    }
}

#[test]
fn a_column_of_rounding_stays_zero_in_new_rows() {
    let place = Place::new();
    let (data, out) = (shares(&place, "full.csv", None), place.at("run"));
    json(&["fit", &data, "--dim", "2", "--no-tune", "--format", "json", "--out", &out]);
    let rows =
        "p1,p2,p3,p4,p5,total\n.5,.2,.15,.1,.05,1\n.5,.2,.15,.1,.05,0.99\n.5,.2,.15,.1,.05,7e6\n";
    let new = place.file("new.csv", rows);
    let embedded = crate::stdout(&["transform", &out, &new]);
    let lines: Vec<&str> = embedded.lines().skip(1).collect();
    assert!(lines.len() == 3 && lines.iter().all(|line| *line == lines[0]), "{embedded}");
}

#[test]
fn real_columns_of_small_and_of_far_values_are_no_rounding() {
    let place = Place::new();
    let row = |i: u32| {
        let class = i % 2;
        let second = 1_600_000_000 + u64::from(class);
        format!(
            "{}e-9,{second},{},{}\n",
            1 + class + i % 3 / 2,
            i * 7 % 11,
            ["u", "v"][class as usize]
        )
    };
    let rows: String = (0..40).map(row).collect();
    let data = place.file("far.csv", &format!("volume,time,x,y\n{rows}"));
    let options = ["--dim", "2", "--no-tune", "--test-size", "0", "--format", "json"];
    let report = json(&[&["fit", &data], &options[..]].concat());
    assert_eq!(report["accuracy"]["train"], 1.0, "{}", report["accuracy"]);
    assert!(!report["warnings"].to_string().contains("constant_columns"), "{}", report["warnings"]);
}
