//! A fit of a large file gives the same model, predictions and report on any number of threads.

use std::fs;

use crate::{Place, random, table, timeless};

/// More than a megabyte, which is read in pieces: three classes that differ in some of 44 columns.
fn write_table(place: &Place) {
    let columns = 44;
    let header: String = (0..columns).map(|column| format!("f{column},")).collect();
    let mut next = random(1);
    let text = table(&format!("{header}kind"), 2600, |row| {
        let cell = |column: usize| {
            let noise = (next() >> 7) as f64 / f64::from(1 << 23) - 1.0;
            let class = if column < 5 { row % 3 } else { 0 };
            format!("{:.7},", noise + 0.4 * class as f64)
        };
        (0..columns).map(cell).collect::<String>() + &format!("c{}", row % 3)
    });
    assert!(text.len() > 1 << 20);
    place.file("t.csv", text);
}

#[test]
fn the_number_of_threads_changes_no_byte_of_a_fit() {
    let place = Place::new();
    write_table(&place);
    let results = ["1", "2", "64"].map(|threads| {
        let on =
            |command: &str| place.nca(command).env("RAYON_NUM_THREADS", threads).success().stdout();
        let settings = "--dim 6 --max-iterations 2 --objective g --l2 0.01 --penalty weights";
        on(&format!("fit t.csv --quiet --out {threads} {settings}"));
        let predictions = ["", "--rule soft --probabilities"]
            .map(|rule| on(&format!("predict {threads} t.csv {rule}")));
        let files = ["encoder.bpk", "references.bpk"]
            .map(|file| fs::read(place.path(&format!("{threads}/model/{file}"))).unwrap());
        let documents = ["model/model.json", "model/source.json", "report.json"]
            .map(|file| timeless(place.json(&format!("{threads}/{file}"))));
        ((files, predictions), documents)
    });
    let [one, others @ ..] = results;
    for (threads, other) in [2, 64].into_iter().zip(others) {
        assert!(one.0 == other.0, "1 and {threads} threads: tensors or predictions differ");
        assert_eq!(one.1, other.1, "model.json and report.json of 1 and {threads} threads");
    }
}
