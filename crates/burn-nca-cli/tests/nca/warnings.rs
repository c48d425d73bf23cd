//! Warnings: the same on stderr, in the JSON and on the page; and none where nothing is wrong.

use std::io::Write;
#[cfg(unix)]
use std::os::unix::fs::symlink;

use crate::program::Outcome;
use crate::{Place, table, wait_until, warned, warnings};

/// Checks that a fit reports exactly these warnings: on stderr, in its JSON, which is in report.json too, and on its page.
fn assert_warns(place: &Place, options: &str, codes: &[&str]) {
    let _ = std::fs::remove_dir_all(place.path("run"));
    let outcome = place.nca(&format!("fit --format json --out run {options}")).success();
    let (report, stderr, page) = (outcome.json(), outcome.stderr(), place.read("run/report.html"));
    assert_eq!(place.json("run/report.json")["warnings"], report["warnings"]);
    let warnings = warnings(&report);
    assert_eq!(warnings.iter().map(|(code, _)| *code).collect::<Vec<_>>(), codes, "{stderr}");
    for (_, text) in warnings {
        assert!(stderr.contains(&format!("warning: {text}\n")), "{text:?} is not in {stderr}");
        let shown = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        assert!(page.contains(&format!("<p class=\"warning\">{shown}</p>")), "{text:?}");
    }
    assert_eq!(stderr.matches("warning: ").count(), codes.len(), "{stderr}");
    assert_eq!(page.matches("class=\"warning\"").count(), codes.len());
}

/// Writes forty rows of two numbers and a target, a column between them that is constant but for rounding.
fn write_tables(place: &Place) {
    let of = |target: &dyn Fn(usize) -> String| {
        let sum = |i: usize| if i.is_multiple_of(3) { "0.3" } else { "0.30000000000000004" };
        table("a,b,c,y", 40, |i| format!("{},{},{},{}", i % 11, sum(i), (i * 5) % 13, target(i)))
    };
    place.file("classes.csv", of(&|i| ["u", "v"][i % 2].to_string()));
    place.file("numbers.csv", of(&|i| (i * i % 11).to_string()));
    place.file("pairs.csv", "1,12\n2,13\n3,14\n4,15\n5,16\n6,17\n7,18\n8,19\n");
}

#[test]
fn a_collapsed_embedding_is_told_everywhere_and_the_first_commands_warn_of_nothing() {
    let place = Place::new();
    write_tables(&place);
    for data in
        ["classes.csv", "numbers.csv --task regression", "numbers.csv --pairs pairs.csv --ignore y"]
    {
        let codes = ["constant_columns", "collapsed_to_point"];
        assert_warns(&place, &format!("{data} --l2 1000 --dim 2"), &codes);
    }
    assert_warns(&place, "iris --dim 2", &[]);
    assert_warns(&place, "balance --dim 2 --max-iterations 200", &[]);
}

#[test]
#[cfg(unix)]
fn a_checkpoint_that_cannot_be_written_is_in_the_report() {
    let place = Place::new();
    write_tables(&place);
    let mut child = place.nca("fit - --dim 1 --no-tune --quiet --out run").start();
    wait_until("the folder does not appear", || place.path("run.partial/.lock").exists());
    // The program waits for its table, and the checkpoint has nowhere to go.
    symlink("no/such/place", place.path("run.partial/checkpoint.json")).unwrap();
    child.stdin.take().unwrap().write_all(place.read("classes.csv").as_bytes()).unwrap();
    let stderr = Outcome::of(child).success().stderr();
    assert_eq!(stderr.matches("the checkpoint cannot be written").count(), 1, "{stderr}");
    let report = place.json("run/report.json");
    assert!(warned(&report).contains("checkpoint_not_written: "), "{stderr}");
}

#[test]
fn what_was_unusual_in_new_rows_is_in_the_json_of_evaluate_and_predict() {
    let place = Place::new();
    let row = |row: usize| format!("{row},{},{}", ["r", "g"][row % 2], ["x", "y"][row / 10 % 2]);
    place.file("t.csv", table("a,c,y", 40, row));
    place.nca("fit t.csv --categorical auto --dim 1 --no-tune --quiet --out run").success();
    place.file("new.csv", "a,c,y\n3,r,x\n4,blue,x\n13,g,\n14,g,y\n");
    for (verb, codes) in
        [("predict", &["prepared"][..]), ("evaluate", &["prepared", "rows_without_class"])]
    {
        let outcome = place.nca(&format!("{verb} run new.csv --format json")).success();
        let (stderr, document) = (outcome.stderr(), outcome.json());
        let warnings = warnings(&document);
        for (_, text) in &warnings {
            assert_eq!(stderr.matches(&format!("warning: {text}\n")).count(), 1, "{stderr}");
        }
        let found: Vec<&str> = warnings.iter().map(|(code, _)| *code).take(2).collect();
        assert_eq!(found, codes);
    }
}
