//! Columns that are constant but for rounding: zero in every scaling, start and method, and named.

use crate::{Place, array_of, number, numbers, table, warnings};

/// Five shares that add up to 1 but for rounding, each written so, and their class.
fn shares(write: impl Fn(f64) -> String) -> String {
    table("p1,p2,p3,p4,p5,total,class", 90, |row| {
        let class = row % 3;
        // Some noise without a generator: the digits of multiples of an irrational number.
        let noise = |at: usize| ((row * 5 + at + 1) as f64 * 0.618_033_988_749_894_9).fract();
        let part = |at| 0.2 + noise(at) + if at == class { 0.6 } else { 0.0 };
        let sum: f64 = (0..5).map(part).sum();
        let mut parts: Vec<f64> = (0..5).map(|at| part(at) / sum).collect();
        parts.push(parts.iter().sum());
        let cells: Vec<String> = parts.into_iter().map(&write).collect();
        format!("{},{}", cells.join(","), ["a", "b", "c"][class])
    })
}

#[test]
fn a_sum_of_shares_is_zero_and_named_whatever_the_scaling_start_and_method() {
    let place = Place::new();
    place.file("full.csv", shares(|part| part.to_string()));
    place.file("short.csv", shares(|part| format!("{part:.6}")));
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
        let limits = "--no-tune --no-baselines --test-size 0 --out run";
        let report = place.nca(&format!("fit full.csv {limits} {options}")).json();
        let told = warnings(&report);
        let constant = told.iter().find(|(code, _)| *code == "constant_columns");
        assert!(constant.is_some_and(|(_, text)| text.ends_with(": total")), "{options}: {told:?}");
        // The entries of the map in that column.
        let matrix = &report["matrix"];
        let at = array_of(&matrix["columns"]).iter().position(|name| name == "total").unwrap();
        let weights = array_of(&matrix["rows"]).iter().map(|row| numbers(row)[at].abs());
        assert!(weights.fold(0.0, f64::max) < 1e3, "{options}: {matrix}");
        // The same rows in six decimals, whose sums are 1 to 1e-6, are the same rows.
        let [full, short] = ["full.csv", "short.csv"].map(|data| {
            number(&place.nca(&format!("evaluate run {data}")).json()["accuracy"], "knn")
        });
        assert!((full - short).abs() < 0.03, "{options}: {full} and {short}");
        place.clear("run");
    }
}
