//! Rows that are measured and were learned from, and rows that occur more than once: counted wherever a score is reported.

use serde_json::Value;

use crate::{Place, number, random, warnings};

/// Rows of four numbers and a coin toss.
fn coin_toss(rows: usize, seed: u64) -> Vec<String> {
    let mut next = random(seed);
    let mut row = |_| {
        let x: Vec<String> = (0..4).map(|_| format!("{:.3}", next() as f64 / 1e6)).collect();
        format!("{},{}\n", x.join(","), ["a", "b"][next() as usize % 2])
    };
    (0..rows).map(&mut row).collect()
}

/// The same rows with a number in place of the coin toss.
fn with_numbers(rows: &[String]) -> Vec<String> {
    let number = |(at, row): (usize, &String)| {
        format!("{},{}\n", row.trim().rsplit_once(',').unwrap().0, at * at % 17)
    };
    rows.iter().enumerate().map(number).collect()
}

fn write(place: &Place, name: &str, rows: &[String]) {
    place.file(name, format!("p,q,r,s,class\n{}", rows.concat()));
}

/// The first text of a warning of this code; empty where there is none.
fn text<'a>(report: &'a Value, code: &str) -> &'a str {
    let of_code = |(found, text): (&str, &'a str)| (found == code).then_some(text);
    warnings(report).into_iter().find_map(of_code).unwrap_or_default()
}

/// A warning of training rows with this start and these parts.
#[track_caller]
fn assert_known(report: &Value, start: &str, part: &str) {
    let text = text(report, "training_rows");
    assert!(text.starts_with(start) && text.contains(part), "{text}");
}

fn fit(place: &Place, options: &str) -> Value {
    let quick = "fit --no-tune --no-baselines --max-iterations 3 --dim 2 -q";
    place.nca(&format!("{quick} {options}")).json()
}

#[test]
fn every_split_and_task_counts_its_own() {
    let place = Place::new();
    let rows = coin_toss(40, 4);
    let thrice: Vec<String> = rows.iter().flat_map(|row| vec![row.clone(); 3]).collect();
    write(&place, "thrice.csv", &thrice);
    let found = fit(&place, "thrice.csv");
    let count = found["data"]["test_in_training"].as_u64().unwrap();
    assert!(count > 13, "{count}");
    assert_known(&found, "", " test rows are also training rows");
    assert!(text(&found, "repeated_rows").contains("training rows occur more than once"));
    let found = fit(&place, "thrice.csv --test-size 0");
    let start = "120 of 120 training rows occur more than once";
    assert!(text(&found, "repeated_rows").starts_with(start), "{}", found["warnings"]);
    assert_eq!(text(&found, "training_rows"), "");

    let marked = |(at, row): (usize, &String)| {
        format!("{},{}\n", row.trim(), if at % 4 == 0 { "test" } else { "train" })
    };
    let marked: String = thrice.iter().enumerate().map(marked).collect();
    place.file("split.csv", format!("p,q,r,s,class,part\n{marked}"));
    assert_known(&fit(&place, "split.csv --split part --target class"), "all 30 test rows", "");

    // Columns in another order and numbers that are written otherwise are the same rows; the others are scored.
    let new = coin_toss(20, 2);
    write(&place, "train.csv", &rows);
    write(&place, "new.csv", &new);
    let other = |row: &String| {
        let cells: Vec<&str> = row.trim().split(',').collect();
        format!("{},{},{}00,{},+{}\n", cells[3], cells[4], cells[0], cells[1], cells[2])
    };
    let written: String = rows[..25].iter().chain(&new).map(other).collect();
    place.file("part.csv", format!("s,class,p,q,r\n{written}"));
    let found = fit(&place, "train.csv --test part.csv");
    assert_eq!(found["data"]["test_in_training"], 25);
    // The score of the others is that of the same fit on them alone.
    let others = fit(&place, "train.csv --test new.csv");
    let share = 100.0 * number(&others["accuracy"], "test");
    let said = format!("optimistic; on the other 20 rows: 1-NN accuracy {share:.1} %");
    assert_known(&found, "25 of 45 test rows are also training rows", &said);
    assert_eq!(text(&others, "training_rows"), "");

    let numbers = with_numbers(&rows);
    write(&place, "t.csv", &numbers[..30]);
    write(&place, "u.csv", &numbers[20..]);
    let found = fit(&place, "t.csv --test u.csv --task regression");
    let start = "10 of 20 test rows are also training rows";
    assert_known(&found, start, "on the other 10 rows: R²");

    let pair = |row| format!("{row},{}\n{},{row}\n", row + 1, row + 1);
    place.file("pairs.csv", (1..40).map(pair).collect::<String>());
    let found = fit(&place, "train.csv --pairs pairs.csv --ignore class");
    assert_known(&found, "", " test pairs are also training pairs");
}

#[test]
fn a_saved_model_is_scored_on_the_rows_it_has_not_seen() {
    let place = Place::new();
    let (rows, new) = (coin_toss(60, 5), coin_toss(12, 6));
    write(&place, "train.csv", &rows);
    write(&place, "mixed.csv", &[&rows[..4], &new].concat());
    write(&place, "new.csv", &new);
    write(&place, "twice.csv", &[&new[..], &new].concat());
    fit(&place, "train.csv --test-size 0 --out run");
    let evaluate = |file: &str| place.nca(&format!("evaluate run {file}")).json();
    let share = 100.0 * number(&evaluate("new.csv")["accuracy"], "knn");
    let said = format!("on the other 12 rows: 5-NN accuracy {share:.1} %");
    assert_known(&evaluate("mixed.csv"), "4 of 16 rows are also training rows", &said);
    let found = evaluate("twice.csv");
    assert!(text(&found, "repeated_rows").starts_with("24 of 24 rows occur more than once"));

    // Training rows are known by their embedding where the table is no longer that of the fit: rows were appended.
    write(&place, "train.csv", &[&rows[..], &new].concat());
    let start = "60 of 72 rows are also training rows (the same embedding)";
    assert_known(&evaluate("train.csv"), start, "on the other 12 rows: 5-NN");
    assert_eq!(text(&evaluate("new.csv"), "training_rows"), "");
    write(&place, "numbers.csv", &with_numbers(&rows));
    fit(&place, "numbers.csv --task regression --test-size 0 --out n");
    place.rename("numbers.csv", "moved.csv");
    assert_known(&place.nca("evaluate n moved.csv").json(), "all 60 rows are also", "");
}
