//! Rows that are measured and were learned from, and rows that occur more than once: counted wherever a score is reported.

use serde_json::Value;

use crate::{Place, json, nca, stdout};

/// Rows of four numbers and a coin toss.
fn coin_toss(rows: usize, seed: u64) -> Vec<String> {
    let mut state = seed;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    let mut row = || {
        let x: Vec<String> = (0..4).map(|_| format!("{:.3}", next() as f64 / 1e6)).collect();
        format!("{},{}\n", x.join(","), if next() % 2 == 0 { "a" } else { "b" })
    };
    (0..rows).map(|_| row()).collect()
}

fn table(place: &Place, name: &str, rows: &[String]) -> String {
    place.file(name, &format!("p,q,r,s,class\n{}", rows.concat()))
}

/// The texts of the warnings of this code.
fn texts(report: &Value, code: &str) -> Vec<String> {
    let of_code = report["warnings"].as_array().unwrap().iter().filter(|one| one["code"] == code);
    of_code.map(|one| one["text"].as_str().unwrap().to_string()).collect()
}

const QUICK: [&str; 7] =
    ["--no-tune", "--no-baselines", "--max-iterations", "3", "--dim", "2", "-q"];

fn fit(arguments: &[&str]) -> Value {
    json(&[&["fit"][..], arguments, &QUICK, &["--format", "json"]].concat())
}

#[test]
fn test_rows_that_are_training_rows_are_counted_and_the_others_are_scored() {
    let place = Place::new();
    let (rows, new) = (coin_toss(60, 1), coin_toss(20, 2));
    let train = table(&place, "train.csv", &rows);
    let part = table(&place, "part.csv", &[&rows[..25], &new].concat());
    let found = fit(&[&train, "--test", &part]);
    let [text] = &texts(&found, "training_rows")[..] else { panic!("{}", found["warnings"]) };
    assert!(text.starts_with("25 of 45 test rows are also training rows"), "{text}");
    assert!(text.contains("optimistic; on the other 20 rows: 1-NN accuracy "), "{text}");
    assert_eq!(found["data"]["test_in_training"], 25);
    // The score of the others is that of the same fit on them alone.
    let others = fit(&[&train, "--test", &table(&place, "new.csv", &new)]);
    let share = 100.0 * others["accuracy"]["test"].as_f64().unwrap();
    assert!(text.ends_with(&format!("1-NN accuracy {share:.1} %")), "{text}: {share}");
    assert!(texts(&others, "training_rows").is_empty());

    let all = fit(&[&train, "--test", &train]);
    assert!(texts(&all, "training_rows")[0].starts_with("all 60 test rows are also training rows"));
    // Columns in another order and numbers that are written otherwise are the same rows.
    let other = |row: &String| {
        let cells: Vec<&str> = row.trim().split(',').collect();
        format!("{},{},{}00,{},+{}\n", cells[3], cells[4], cells[0], cells[1], cells[2])
    };
    let written: String = rows[..30].iter().map(other).collect();
    let other = place.file("other.csv", &format!("s,class,p,q,r\n{written}"));
    let found = fit(&[&train, "--test", &other]);
    assert!(texts(&found, "training_rows")[0].starts_with("all 30 test rows"), "{found}");
}

#[test]
fn copies_within_a_table_are_counted_in_a_random_split_and_without_one() {
    let place = Place::new();
    let thrice: Vec<String> =
        coin_toss(30, 3).into_iter().flat_map(|row| [row.clone(), row.clone(), row]).collect();
    let thrice = table(&place, "thrice.csv", &thrice);
    let found = fit(&[&thrice]);
    let text = &texts(&found, "training_rows")[0];
    let count = found["data"]["test_in_training"].as_u64().unwrap();
    assert!(count > 13 && text.starts_with(&format!("{count} of 27 test rows")), "{text}");
    assert!(texts(&found, "repeated_rows")[0].contains("training rows occur more than once"));
    let found = fit(&[&thrice, "--test-size", "0"]);
    let text = &texts(&found, "repeated_rows")[0];
    assert!(text.starts_with("90 of 90 training rows occur more than once"), "{text}");
    assert!(texts(&found, "training_rows").is_empty());
}

#[test]
fn a_split_column_and_regression_and_pairs_count_theirs() {
    let place = Place::new();
    let rows = coin_toss(40, 4);
    let marked = |(at, row): (usize, &String)| {
        format!("{},{}\n", row.trim(), if at % 4 == 0 { "test" } else { "train" })
    };
    let twice: Vec<&String> = rows.iter().flat_map(|row| [row, row, row]).collect();
    let text: String = twice.iter().enumerate().map(|(at, row)| marked((at, row))).collect();
    let split = place.file("split.csv", &format!("p,q,r,s,class,part\n{text}"));
    let found = fit(&[&split, "--split", "part", "--target", "class"]);
    assert!(texts(&found, "training_rows")[0].starts_with("all 30 test rows"), "{found}");

    let number = |(at, row): (usize, &String)| {
        format!("{},{}\n", row.trim().rsplit_once(',').unwrap().0, at * at % 17)
    };
    let numbers: Vec<String> = rows.iter().enumerate().map(number).collect();
    let (train, test) =
        (table(&place, "t.csv", &numbers[..30]), table(&place, "u.csv", &numbers[20..]));
    let found = fit(&[&train, "--test", &test, "--task", "regression"]);
    let text = &texts(&found, "training_rows")[0];
    assert!(text.starts_with("10 of 20 test rows are also training rows"), "{text}");
    assert!(text.contains("on the other 10 rows: R²"), "{text}");

    let pairs: String =
        (1..40).map(|row| format!("{row},{}\n{},{row}\n", row + 1, row + 1)).collect();
    let pairs = place.file("pairs.csv", &pairs);
    let features = ["--ignore", "class"];
    let found =
        fit(&[&[&table(&place, "p.csv", &rows)[..], "--pairs", &pairs][..], &features].concat());
    let text = &texts(&found, "training_rows")[0];
    assert!(text.contains(" test pairs are also training pairs"), "{text}");
}

#[test]
fn a_saved_model_is_scored_on_the_rows_it_has_not_seen() {
    let place = Place::new();
    let (rows, new) = (coin_toss(60, 5), coin_toss(12, 6));
    let train = table(&place, "train.csv", &rows);
    let model = place.at("m");
    let fit = [&["fit", &train, "--test-size", "0", "--out", &model], &QUICK[..]].concat();
    nca(&fit).assert().success();
    let mixed = table(&place, "mixed.csv", &[&rows[..4], &new].concat());
    let found = json(&["evaluate", &model, &mixed, "--format", "json"]);
    let text = &texts(&found, "training_rows")[0];
    let expected = "4 of 16 rows are also training rows";
    assert!(text.starts_with(expected) && text.contains("on the other 12 rows: 5-NN"), "{text}");
    let alone = json(&["evaluate", &model, &table(&place, "new.csv", &new), "--format", "json"]);
    let share = 100.0 * alone["accuracy"]["knn"].as_f64().unwrap();
    assert!(text.ends_with(&format!("5-NN accuracy {share:.1} %")), "{text}: {share}");
    let twice = table(&place, "twice.csv", &[&new[..], &new].concat());
    let found = json(&["evaluate", &model, &twice, "--format", "json"]);
    assert!(texts(&found, "repeated_rows")[0].starts_with("24 of 24 rows occur more than once"));
    assert!(stdout(&["evaluate", &model, &mixed]).contains("rows"));
}

#[test]
fn training_rows_are_known_by_their_embedding_where_the_table_is_gone() {
    let place = Place::new();
    let (rows, new) = (coin_toss(40, 8), coin_toss(12, 9));
    let train = table(&place, "train.csv", &rows);
    let model = place.at("m");
    nca(&[&["fit", &train, "--test-size", "0", "--out", &model], &QUICK[..]].concat())
        .assert()
        .success();
    // Rows were appended: the table is no longer that of the fit.
    table(&place, "train.csv", &[&rows[..], &new].concat());
    let evaluate = |file: &str| json(&["evaluate", &model, file, "--format", "json"]);
    let text = &texts(&evaluate(&train), "training_rows")[0];
    assert!(
        text.starts_with("40 of 52 rows are also training rows (the same embedding)"),
        "{text}"
    );
    assert!(text.contains("on the other 12 rows: 5-NN"), "{text}");
    assert_eq!(texts(&evaluate(&table(&place, "new.csv", &new)), "training_rows"), [""; 0]);

    let number = |(at, row): (usize, &String)| {
        format!("{},{}\n", row.trim().rsplit_once(',').unwrap().0, at * at % 17)
    };
    let numbers: Vec<String> = rows.iter().enumerate().map(number).collect();
    let (file, model) = (table(&place, "numbers.csv", &numbers), place.at("n"));
    let fit = ["fit", &file, "--task", "regression", "--test-size", "0", "--out", &model];
    nca(&[&fit, &QUICK[..]].concat()).assert().success();
    std::fs::rename(&file, place.path("moved.csv")).unwrap();
    let found = json(&["evaluate", &model, &place.at("moved.csv"), "--format", "json"]);
    assert!(texts(&found, "training_rows")[0].starts_with("all 40 rows are also"), "{found}");
}
