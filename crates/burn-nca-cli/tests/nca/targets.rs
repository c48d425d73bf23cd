//! Targets that a feature gives away, that lack values, or that classes and collinear columns make difficult.

use crate::{Place, failure, json, nca};

const SHORT: [&str; 5] = ["-q", "--no-tune", "--no-baselines", "--max-iterations", "3"];

/// What a short fit says on stderr.
fn said(options: &[&str]) -> String {
    let output =
        nca(&[&["fit"], options, &SHORT[..]].concat()).assert().success().get_output().clone();
    String::from_utf8(output.stderr).unwrap()
}

/// Sixty rows.
fn table(place: &Place, header: &str, row: impl Fn(usize) -> String) -> String {
    let rows: String = (0..60).map(|at| row(at) + "\n").collect();
    place.file("data.csv", &format!("{header}\n{rows}"))
}

fn noise(at: usize) -> String {
    format!("{},{}", at * 37 % 23, at * 11 % 17)
}

#[test]
fn a_copy_of_the_class_is_named_as_text_and_as_numbers() {
    let place = Place::new();
    let words = table(&place, "a,b,kind,y", |at| {
        format!("{},{},{}", noise(at), ["x", "y", "z"][at % 3], ["u", "v", "w"][at % 3])
    });
    let told = said(&[&words, "--categorical", "auto"]);
    assert_eq!(told.matches("determines the target exactly").count(), 1, "{told}");
    assert!(told.contains("the column kind determines"), "{told}");
    let codes = table(&place, "a,b,kind,y", |at| {
        format!("{},{},{}", noise(at), 7 - at % 3, ["u", "v", "w"][at % 3])
    });
    assert!(said(&[&codes]).contains("the column kind determines"));
    let told = said(&[&codes, "--ignore", "kind"]);
    assert!(!told.contains("determine"), "{told}");
}

#[test]
fn rows_without_a_number_are_left_out_when_asked_and_never_filled_in() {
    let place = Place::new();
    let y = |at: usize| if at == 7 { "NaN".to_string() } else { (at * 5 % 31).to_string() };
    let data = table(&place, "a,b,y", |at| format!("{},{}", noise(at), y(at)));
    let regression = ["fit", &data[..], "--task", "regression"];
    let message = failure(&regression, 1);
    assert!(message.contains("or give --missing drop, which leaves them out"), "{message}");
    let filled = [&regression[..], &["--missing", "mean"]].concat();
    assert!(failure(&filled, 1).contains("never filled in"));
    let dropped =
        [&regression[..], &["--missing", "drop", "--format", "json"], &SHORT[..]].concat();
    assert_eq!(json(&dropped)["data"]["rows"], 59);
}

#[test]
fn a_start_by_lda_is_shrunk_where_rows_are_few_and_the_cure_of_the_method_works() {
    let place = Place::new();
    let header: Vec<String> = (0..70).map(|column| format!("x{column}")).collect();
    let cell =
        |row: usize, column: usize| (row * 29 + column * column * 13 + row * column * 7) % 101;
    let data = table(&place, &format!("{},y", header.join(",")), |at| {
        let cells: Vec<String> = (0..70).map(|column| cell(at, column).to_string()).collect();
        format!("{},{}", cells.join(","), ["u", "v", "w"][at * at % 7 % 3])
    });
    said(&[&data, "--init", "lda", "--dim", "2"]);
    let message = failure(&["fit", &data, "--method", "lda", "-q"], 1);
    assert!(message.contains("give --set shrinkage=0.01"), "{message}");
    nca(&["fit", &data, "--method", "lda", "-q", "--set", "shrinkage=0.01"]).assert().success();
}

#[test]
fn columns_of_money_and_shares_are_no_levels() {
    let place = Place::new();
    for (cell, cure) in [("$1,200.50", "currency"), ("\"1,200\"", "thousands"), ("12 %", "percent")]
    {
        let cell = if cell.contains(',') {
            format!("\"{}\"", cell.trim_matches('"'))
        } else {
            cell.into()
        };
        let data = table(&place, "a,b,y", |at| format!("{},{cell},{}", at % 7, ["u", "v"][at % 2]));
        for options in [&[][..], &["--categorical", "auto"], &["--missing", "mean"]] {
            let message = failure(&[&["fit", &data[..]], options].concat(), 1);
            assert!(message.contains(cure) && !message.contains("--categorical auto"), "{message}");
        }
    }
}
