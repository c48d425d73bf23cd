//! Warnings: the same on stderr, in the JSON and on the page; and none where nothing is wrong.

use std::io::Write;
#[cfg(unix)]
use std::os::unix::fs::symlink;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::{Place, nca, read_json};

/// What a fit into `run` says on stderr, in its JSON, in report.json and on its page.
fn fit(place: &Place, arguments: &[&str]) -> (String, Value, String) {
    let out = place.at("run");
    let _ = std::fs::remove_dir_all(&out);
    let all = [&["fit"], arguments, &["--format", "json", "--out", &out]].concat();
    let output = nca(&all).assert().success().get_output().clone();
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(read_json(&place.path("run/report.json"))["warnings"], printed["warnings"]);
    let page = std::fs::read_to_string(place.path("run/report.html")).unwrap();
    (String::from_utf8(output.stderr).unwrap(), printed["warnings"].clone(), page)
}

/// Whether exactly these warnings are reported, in all places alike.
fn tells(told: &(String, Value, String), codes: &[&str]) {
    let (stderr, warnings, page) = told;
    let warnings = warnings.as_array().unwrap();
    let found: Vec<_> = warnings.iter().map(|warning| warning["code"].as_str().unwrap()).collect();
    assert_eq!(found, codes, "{stderr}");
    for warning in warnings {
        let text = warning["text"].as_str().unwrap();
        assert!(stderr.contains(&format!("warning: {text}\n")), "{text:?} is not in {stderr}");
        let shown = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        assert!(page.contains(&format!("<p class=\"warning\">{shown}</p>")), "{text:?}");
    }
    assert_eq!(stderr.matches("warning: ").count(), codes.len(), "{stderr}");
    assert_eq!(page.matches("class=\"warning\"").count(), codes.len());
}

/// Rows of two numbers and a price, a column without a spread between them.
fn table(place: &Place, classes: bool) -> String {
    let target = |i: u32| {
        if classes { ["u", "v"][(i % 2) as usize].to_string() } else { (i * i % 11).to_string() }
    };
    let row = |i: u32| format!("{},7,{},{}\n", i % 11, (i * 5) % 13, target(i));
    let rows: String = (0..40).map(row).collect();
    place.file("data.csv", &format!("a,b,c,y\n{rows}"))
}

#[test]
fn a_collapsed_embedding_is_told_everywhere_whatever_was_learned_from() {
    let place = Place::new();
    let classes = table(&place, true);
    let flat = ["--l2", "1000", "--dim", "2"];
    let told = fit(&place, &[&[&classes[..]], &flat[..]].concat());
    tells(&told, &["constant_columns", "collapsed_to_point"]);
    let numbers = table(&place, false);
    let told = fit(&place, &[&[&numbers[..], "--task", "regression"], &flat[..]].concat());
    tells(&told, &["constant_columns", "collapsed_to_point"]);
    let pairs = place.file("pairs.csv", "1,12\n2,13\n3,14\n4,15\n5,16\n6,17\n7,18\n8,19\n");
    let of_pairs = [&numbers[..], "--pairs", &pairs, "--ignore", "y"];
    let told = fit(&place, &[&of_pairs[..], &flat[..]].concat());
    tells(&told, &["constant_columns", "collapsed_to_point"]);
}

#[test]
fn the_first_command_of_the_readme_warns_of_nothing() {
    let place = Place::new();
    tells(&fit(&place, &["iris", "--dim", "2"]), &[]);
    tells(&fit(&place, &["balance", "--dim", "2", "--max-iterations", "200"]), &[]);
}

#[test]
fn a_planned_end_is_no_warning_and_a_limit_is_one() {
    let place = Place::new();
    let numbers = table(&place, false);
    let adam = ["--optimizer", "adam", "--epochs", "2", "--ignore", "b"];
    let regression = [&[&numbers[..], "--task", "regression"], &adam[..]].concat();
    let (_, warnings, page) = fit(&place, &regression);
    let codes: Vec<_> = warnings.as_array().unwrap().iter().map(|one| &one["code"]).collect();
    assert!(!codes.contains(&&Value::from("not_converged")), "{codes:?}");
    assert!(!page.contains("<p class=\"warning\">All epochs"));
    let limited = ["iris", "--dim", "2", "--max-iterations", "3"];
    let (stderr, warnings, _) = fit(&place, &limited);
    assert_eq!(warnings[0]["code"], "not_converged");
    assert!(stderr.contains("--max-iterations"), "{stderr}");
}

#[test]
#[cfg(unix)]
fn a_checkpoint_that_cannot_be_written_is_in_the_report() {
    let place = Place::new();
    let out = place.at("run");
    let mut program = nca(&["fit", "-", "--dim", "1", "--no-tune", "--quiet", "--out", &out]);
    program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = program.spawn().unwrap();
    let started = Instant::now();
    while !place.path("run.partial/.lock").exists() {
        assert!(started.elapsed() < Duration::from_secs(60), "the folder does not appear");
        std::thread::sleep(Duration::from_millis(5));
    }
    // The program waits for its table, and the checkpoint has nowhere to go.
    symlink("no/such/place", place.path("run.partial/checkpoint.json")).unwrap();
    let table = std::fs::read(table(&place, true)).unwrap();
    child.stdin.take().unwrap().write_all(&table).unwrap();
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{stderr}");
    assert_eq!(stderr.matches("the checkpoint cannot be written").count(), 1, "{stderr}");
    let report = read_json(&place.path("run/report.json"));
    let mut warnings = report["warnings"].as_array().unwrap().iter();
    assert!(warnings.any(|warning| warning["code"] == "checkpoint_not_written"), "{stderr}");
}

#[test]
fn what_was_unusual_in_new_rows_is_in_the_json_of_evaluate_and_predict() {
    let place = Place::new();
    let row = |row: u32| {
        format!(
            "{row},{},{}\n",
            ["r", "g"][(row % 2) as usize],
            ["x", "y"][(row / 10 % 2) as usize]
        )
    };
    let rows: String = (0..40).map(row).collect();
    let (data, out) = (place.file("t.csv", &format!("a,c,y\n{rows}")), place.at("run"));
    let options = ["--categorical", "auto", "--dim", "1", "--no-tune", "--quiet", "--out", &out];
    nca(&[&["fit", &data], &options[..]].concat()).assert().success();
    let new = place.file("new.csv", "a,c,y\n3,r,x\n4,blue,x\n13,g,\n14,g,y\n");
    let told = |verb: &str| {
        let output = nca(&[verb, &out, &new, "--format", "json"]).assert().success();
        let output = output.get_output().clone();
        let stderr = String::from_utf8(output.stderr).unwrap();
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        let warnings = document["warnings"].as_array().unwrap();
        for warning in warnings {
            let text = warning["text"].as_str().unwrap();
            assert_eq!(stderr.matches(&format!("warning: {text}\n")).count(), 1, "{stderr}");
        }
        warnings.iter().map(|one| one["code"].as_str().unwrap().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(told("predict"), ["prepared"]);
    assert_eq!(told("evaluate")[..2], ["prepared", "rows_without_class"]);
}
