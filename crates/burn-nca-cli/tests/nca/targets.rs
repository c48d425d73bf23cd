//! Targets that a feature gives away or that lack values, and columns of money.

use crate::{Place, assert_parts, table};

/// A short fit of the table.
const FIT: &str = "fit t.csv -q --no-tune --no-baselines --max-iterations 3";

/// Writes sixty rows of this header, of which each begins with two columns of noise.
fn write(place: &Place, header: &str, row: impl Fn(usize) -> String) {
    let row = |at: usize| format!("{},{},{}", at * 37 % 23, at * 11 % 17, row(at));
    place.file("t.csv", table(&format!("a,b,{header}"), 60, row));
}

#[test]
fn a_copy_of_the_class_is_named_as_text_and_as_numbers() {
    let place = Place::new();
    let said = |options: &str| place.nca(&format!("{FIT} {options}")).said();
    let class = |at: usize| ["u", "v", "w"][at % 3];
    write(&place, "kind,y", |at| format!("{},{}", ["x", "y", "z"][at % 3], class(at)));
    let told = said("--categorical auto");
    assert_eq!(told.matches("determines the target exactly").count(), 1, "{told}");
    assert!(told.contains("the column kind determines"), "{told}");
    write(&place, "kind,y", |at| format!("{},{}", 7 - at % 3, class(at)));
    assert!(said("").contains("the column kind determines"));
    let told = said("--ignore kind");
    assert!(!told.contains("determine"), "{told}");
}

#[test]
fn rows_without_a_number_are_left_out_when_asked_and_never_filled_in() {
    let place = Place::new();
    write(&place, "y", |at| if at == 7 { "NaN".into() } else { (at * 5 % 31).to_string() });
    let fit = |options: &str| place.nca(&format!("{FIT} --task regression {options}"));
    let message = fit("").failure(1);
    assert!(message.contains("or give --missing drop, which leaves them out"), "{message}");
    assert!(fit("--missing mean").failure(1).contains("never filled in"));
    assert_eq!(fit("--missing drop").json()["data"]["rows"], 59);
}

#[test]
fn columns_of_money_and_shares_are_no_levels() {
    let place = Place::new();
    for (cell, cure) in
        [("\"$1,200.50\"", "currency"), ("\"1,200\"", "thousands"), ("12 %", "percent")]
    {
        write(&place, "money,y", |at| format!("{cell},{}", ["u", "v"][at % 2]));
        for options in ["", "--categorical auto", "--missing mean"] {
            let message = place.nca(&format!("fit t.csv {options}")).failure(1);
            assert_parts(&message, &[cure]);
            assert!(!message.contains("--categorical auto"), "{message}");
        }
    }
}
