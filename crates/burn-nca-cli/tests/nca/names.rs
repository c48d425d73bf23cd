//! Names from a table on a terminal: none of them is obeyed, and none fills the screen.

use crate::{Place, array_of, table};

const RED: &str = "\u{1b}[31mred";

/// Fails where a text has a letter that a terminal obeys, or a name in full.
fn assert_escaped(text: &str, command: &str) {
    let is_obeyed = |letter: char| letter.is_control() && letter != '\n';
    assert!(!text.contains(is_obeyed) && !text.contains(&"A".repeat(41)), "{command}: {text:?}");
}

#[test]
fn tables_and_messages_escape_and_shorten_what_files_and_json_keep() {
    let place = Place::new();
    // Two classes, one named by an escape sequence and one by 5000 letters, and a constant column.
    let long = "A".repeat(5000);
    let class = |i: usize| if i % 7 < 3 { RED } else { &long };
    let row = |i: usize| format!("{},{},7,{}", i % 7, i % 5, class(i));
    place.file("t.csv", table("a\u{1b}[2J,b,flat\u{9b}1m,kind", 60, row));
    let fit = "fit t.csv --dim 2 --max-iterations 2 --out run";
    for command in [fit, "evaluate run t.csv", "info run"] {
        let outcome = place.nca(command).success();
        assert_escaped(&outcome.stdout(), command);
        assert_escaped(&outcome.stderr(), command);
    }
    assert!(place.nca("evaluate run t.csv").printed().contains("\\u{1b}[31mred"));
    let info = place.nca("info run").json();
    let names = array_of(&info["classes"]);
    assert!(names.contains(&RED.into()) && names.contains(&long.clone().into()));
    // Into a pipe or a file every byte goes as it is.
    place.nca("predict run t.csv --out predicted.csv").success();
    let predicted = place.read("predicted.csv");
    assert!(predicted.lines().any(|line| line == RED));
    assert_eq!(place.nca("predict run t.csv").printed(), predicted);

    // The target, unbalanced classes, and the features that a selection finds.
    place.file(
        "numbers.csv",
        table(&format!("a,b,{RED}price"), 40, |i| format!("{},{},{}.5", i % 7, i % 5, i % 7)),
    );
    let class = |i: usize| if i.is_multiple_of(9) { RED } else { "b" };
    let rare = |i: usize| format!("{},{},{}", i % 9, i % 5, class(i));
    place.file("classes.csv", table(&format!("x{RED},b,kind"), 90, rare));
    for of in
        ["numbers.csv --task regression", "classes.csv --no-tune", "classes.csv --method ncfs"]
    {
        let printed = place.nca(&format!("fit {of} --max-iterations 2")).printed();
        assert!(printed.contains("\\u{1b}[31mred"), "{of}: {printed:?}");
        assert_escaped(&printed, of);
    }
}
