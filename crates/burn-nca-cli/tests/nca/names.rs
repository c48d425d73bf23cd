//! Names from a table on a terminal: none of them is obeyed, and none fills the screen.

use crate::{Place, failure, json, nca, stdout};

const RED: &str = "\u{1b}[31mred";

/// Two classes, one named by an escape sequence and one by 5000 letters, and a constant column.
fn table() -> String {
    let long = "A".repeat(5000);
    let row = |i: u32| format!("{},{},7,{}\n", i % 7, i % 5, if i % 7 < 3 { RED } else { &long });
    format!("a\u{1b}[2J,b,flat\u{9b}1m,kind\n{}", (0..60).map(row).collect::<String>())
}

#[test]
fn tables_and_messages_escape_and_shorten_what_files_and_json_keep() {
    let place = Place::new();
    let (data, out) = (place.file("data.csv", &table()), place.at("run"));
    let fit = ["fit", &data, "--dim", "2", "--max-iterations", "2", "--out", &out];
    for arguments in [&fit[..], &["evaluate", &out, &data], &["info", &out]] {
        let output = nca(arguments).assert().success().get_output().clone();
        for bytes in [output.stdout, output.stderr] {
            let text = String::from_utf8(bytes).unwrap();
            let escaped = |letter: char| letter.is_control() && letter != '\n';
            assert!(!text.contains(escaped), "{arguments:?}: {text:?}");
            assert!(!text.contains(&"A".repeat(41)), "{arguments:?}: {text}");
        }
    }
    assert!(stdout(&["evaluate", &out, &data]).contains("\\u{1b}[31mred"));
    let info = json(&["info", &out, "--format", "json"]);
    let names = info["classes"].as_array().unwrap();
    assert!(names.contains(&RED.into()) && names.contains(&"A".repeat(5000).into()));
    // Into a pipe or a file every byte goes as it is.
    let file = place.at("predicted.csv");
    nca(&["predict", &out, &data, "--out", &file]).assert().success();
    let predicted = std::fs::read_to_string(&file).unwrap();
    assert!(predicted.lines().any(|line| line == RED));
    assert_eq!(stdout(&["predict", &out, &data]), predicted);
}

#[test]
fn a_fit_prints_no_name_as_it_is() {
    let place = Place::new();
    let number = |i: u32| format!("{},{},{}.5\n", i % 7, i % 5, i % 7);
    let rows: String = (0..40).map(number).collect();
    let numbers = place.file("numbers.csv", &format!("a,b,{RED}price\n{rows}"));
    let rare =
        |i: u32| format!("{},{},{}\n", i % 9, i % 5, if i.is_multiple_of(9) { RED } else { "b" });
    let rows: String = (0..90).map(rare).collect();
    let classes = place.file("classes.csv", &format!("x{RED},b,kind\n{rows}"));
    for arguments in [
        // The target, unbalanced classes, and the features that a selection finds.
        &["fit", &numbers, "--task", "regression", "--max-iterations", "2"][..],
        &["fit", &classes, "--no-tune", "--max-iterations", "2"],
        &["fit", &classes, "--method", "ncfs", "--max-iterations", "2"],
    ] {
        let printed = stdout(arguments);
        assert!(printed.contains("\\u{1b}[31mred"), "{arguments:?}: {printed:?}");
        let obeyed = |letter: char| letter.is_control() && letter != '\n';
        assert!(!printed.contains(obeyed), "{arguments:?}: {printed:?}");
    }
}

#[test]
fn errors_shorten_what_they_quote() {
    let place = Place::new();
    let long = "A".repeat(5000);
    let one_class: String = (0..6).map(|i| format!("{i},{long}\n")).collect();
    let data = place.file("one.csv", &format!("a,kind\n{one_class}"));
    let one = failure(&["fit", &data, "--test-size", "0"], 1);
    let numbers: String = (0..6).map(|i| format!("{i},{i}.5\n")).collect();
    let data = place.file("numbers.csv", &format!("a,{long}\n{numbers}"));
    for message in [one, failure(&["fit", &data], 1)] {
        assert!(message.contains("\"AAA") && message.contains("A…\""), "{message}");
        assert!(message.len() < 400, "{message}");
    }
}
