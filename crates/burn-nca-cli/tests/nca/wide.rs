//! Tables of more features than rows, sizes that no machine has, and hundreds of classes: what is written grows with the rows,
//! not with the classes squared.

use crate::{Place, array_of, assert_parts, methods_compared, random, table, warned};

/// Rows of two classes in many columns, the first of which separates them.
fn wide_table(rows: usize, columns: usize) -> String {
    let names: Vec<String> = (1..=columns).map(|column| format!("g{column}")).collect();
    let mut next = random(1);
    let mut random = || (next() >> 21) as f64 / 512.0 - 1.0;
    table(&format!("{},class", names.join(",")), rows, |row| {
        let class = row % 2;
        let mut cells = vec![format!("{}", class as f64 + random() / 8.0)];
        cells.extend((1..columns).map(|_| format!("{:.2}", random())));
        format!("{},{}", cells.join(","), ["a", "b"][class])
    })
}

#[test]
fn a_wide_table_takes_the_memory_of_its_rows() {
    let place = Place::new();
    place.file("genes.csv", wide_table(24, 6000));
    let said = place.nca("fit genes.csv --max-iterations 2 --quiet --out run").said();
    assert_parts(&said, &["6000 features are mapped to 15 dimensions"]);
    let report = place.json("run/report.json");
    assert_eq!(methods_compared(&report), ["Euclidean", "PCA", "LDA, shrinkage 0.01", "NCA"]);
    // One matrix of 6000 x 6000 would be 288 MB.
    let peak = report["peak_memory_bytes"].as_u64();
    assert!(peak.is_none_or(|bytes| bytes < 250 << 20), "{peak:?} bytes");
}

#[test]
fn sizes_without_bound_are_refused_before_anything_is_allocated() {
    let place = Place::new();
    place.file("n.csv", "a,b,y\n1,2,0.5\n2,1,1.5\n3,4,2.5\n4,1,3.5\n5,2,4.5\n");
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
        ("n.csv --task regression --dim 3000", "ask for 20 dimensions or fewer"),
    ] {
        let error = place.nca(&format!("fit {options}")).fails(1, &[message]);
        assert!(!error.contains("panicked"), "{options}: {error}");
    }
}

#[test]
fn columns_are_reduced_for_the_fit_and_the_model_takes_the_table_itself() {
    let place = Place::new();
    let wide = wide_table(60, 12);
    let level = |row: usize| if row == 0 { "color" } else { ["red", "blue", "green"][row % 3] };
    let lines = wide.lines().enumerate().map(|(row, line)| format!("{},{line}\n", level(row)));
    place.file("t.csv", lines.collect::<String>());
    let fit = "fit t.csv --categorical auto --dim 2 --no-tune";
    let report = place.nca(&format!("{fit} --reduce 6 --out run")).json();
    let said = "15 columns are reduced to 6 by PCA of the training rows, with";
    assert_parts(&warned(&report), &[said]);
    let settings = &place.nca("info run").json()["settings"];
    assert_eq!((&settings["d_input"], &settings["d_output"]), (&15.into(), &2.into()));
    let own = place.nca("evaluate run t.csv").json();
    assert!(own["accuracy"]["knn"].as_f64().unwrap() > 0.8, "{own}");
    assert_eq!(place.nca("predict run t.csv").printed().lines().count(), 61);
    let network = format!("{fit} --reduce 6 --encoder mlp --epochs 9 --out mlp");
    let report = place.nca(&network).json();
    let own = place.nca("evaluate mlp t.csv").json();
    let report = &report["accuracy"]["knn"];
    assert!(own["accuracy"]["knn"].as_f64() >= report.as_f64(), "{own} {report}");
    assert_parts(&place.nca("info mlp").printed(), &["network 15-256-128-2"]);
    place.nca("fit t.csv --categorical auto --reduce 16").fails(1, &["give --reduce 15 or fewer"]);
}

#[test]
fn the_report_of_many_classes_is_small_and_lists_the_errors() {
    let place = Place::new();
    // Four rows of each class around its own place.
    let row = |i: usize| {
        let (class, at) = (i / 4, i % 4);
        format!("{},{},name {class}", class % 40 * 3 + at % 2, class / 40 * 2 + at / 2)
    };
    place.file("t.csv", table("a,b,class", 1600, row));
    let report = place.nca("fit t.csv --dim 2 --max-iterations 1 --out run").json();
    let classes = &report["data"]["classes"];
    assert_eq!(classes[2]["name"], "name 2");
    assert_eq!(classes[10]["name"], "name 10", "as people count");
    assert!(report["confusion"].get("counts").is_none());
    let cells = array_of(&report["confusion"]["cells"]);
    let rows: u64 = cells.iter().map(|cell| cell[2].as_u64().unwrap()).sum();
    assert_eq!(rows, 400);
    for (name, most) in [("run/report.html", 600_000), ("run/report.json", 400_000)] {
        let size = std::fs::metadata(place.path(name)).unwrap().len();
        assert!(size < most, "{name}: {size}");
    }

    let evaluation = place.nca("evaluate run t.csv").json();
    assert!(evaluation["confusion"].is_null() && evaluation["confusion_cells"].is_array());
    assert!(place.nca("evaluate run t.csv").printed().lines().count() < 70);
    let text = place.nca("info run").printed();
    assert!(text.lines().all(|line| line.chars().count() < 700), "{text}");
}
