//! The cure of every message of the page's own: what it asks for is done, and then accepted.

use burn_nca_learn::Result;
use burn_nca_learn::data::Missing;

use crate::{Learning, Map, NewRows, Reading, Settings, Table, open};

#[track_caller]
fn cured<T, U>(refused: Result<T>, cure: &str, cured: Result<U>) {
    let message = refused.err().unwrap().to_string();
    assert!(message.split_once("; ").is_some_and(|(_, said)| said.contains(cure)), "{message}");
    assert!(cured.is_ok(), "after the cure of {message}");
}

fn iris(settings: Settings) -> Result<Learning> {
    Learning::new(open("iris", None, &Reading::default())?, settings)
}

#[test]
fn tables_and_settings_that_are_refused_are_cured_as_the_message_says() {
    let text = |text: &str, reading: &Reading| open("t.csv", Some(text.as_bytes()), reading);
    let read = |table: &str| text(table, &Reading::default());
    cured(open("lilies", None, &Reading::default()), "drop a CSV file", read("a,y\n1,u\n2,v\n"));
    let filled =
        |table: &str| text(table, &Reading { missing: Missing::Mean, ..Reading::default() });
    cured(filled("a,y\n1,\n2,\n"), "write the class of some rows", filled("a,y\n1,u\n2,\n"));
    let of = |target: &str| -> Result<Table> {
        text(
            "a,c,y\n1,u,0.5\n2,v,1.5\n",
            &Reading {
                target: Some(target.into()),
                ignore: vec!["c".into()],
                ..Reading::default()
            },
        )
    };
    let other = Reading { target: Some("c".into()), ..Reading::default() };
    cured(of("y"), "choose a column of classes", text("a,c,y\n1,u,0.5\n2,v,1.5\n", &other));
    let held_out = |test_size| iris(Settings { test_size, ..Settings::default() });
    cured(held_out(0.95), "a number from 0 to 0.9", held_out(0.9));
}

#[test]
fn rows_that_are_refused_are_cured_as_the_message_says() {
    let mut learning = iris(Settings::default()).unwrap();
    let columns = learning.cells();
    let mut add = |cells: &str| learning.add_rows(NewRows::Cells(cells.into()));
    cured(add("1,2"), &format!("one number for each of {}", columns.join(", ")), add("1,2,3,4"));
    cured(add("1,2,x,4"), "give one", add("1,2,3,4"));
    let mut file = |rows: usize| {
        let text = format!("{}\n{}", columns.join(","), "1,2,3,4\n".repeat(rows));
        learning.add_rows(NewRows::File { name: "new.csv".into(), bytes: text.into() })
    };
    cured(file(1001), "give fewer", file(1000));
    // The table has 150 rows, and there are 1000 new ones.
    cured(learning.neighborhood(1150), "the table has 150 rows", learning.neighborhood(1149));
    let network = iris(Settings { map: Map::Mlp, ..Settings::default() }).unwrap();
    let folder = network.model().and_then(|model| model.to_files());
    cured(network.matrix_csv(), "take the model's folder", folder);
}
