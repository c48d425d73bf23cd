//! Sparse tables, from a Matrix Market file to predictions.

use std::fmt::Write;

use crate::{Place, array_of, assert_parts, table, warnings};

/// Writes `counts.mtx`, ninety texts of three topics over forty words, and their `topics.csv`.
pub fn write_texts(place: &Place) {
    let (mut entries, mut count) = (String::new(), 0);
    for row in 0..90 {
        for word in 0..40 {
            // A topic has ten words of its own, and all share the last ten.
            let own = word / 10 == row % 3 && (row * 7 + word * 5) % 4 < 2;
            let shared = word >= 30 && (row * 3 + word) % 5 == 0;
            if own || shared {
                count += 1;
                writeln!(entries, "{} {} {}", row + 1, word + 1, 1 + (row + word) % 3).unwrap();
            }
        }
    }
    let head = format!("%%MatrixMarket matrix coordinate integer general\n90 40 {count}\n");
    place.file("counts.mtx", head + &entries);
    place.file("topics.csv", table("topic", 90, |row| ["sport", "tech", "law"][row % 3].into()));
}

#[test]
fn a_sparse_table_is_reduced_for_the_fit_and_its_model_takes_the_table_itself() {
    let place = Place::new();
    write_texts(&place);
    let fit = "fit counts.mtx,topics.csv --dim 2 --reduce 8 --no-tune --out run";
    let report = place.nca(fit).json();
    assert_parts(warnings(&report)[0].1, &["40 columns"]);
    let settings = &place.nca("info run").json()["settings"];
    assert_eq!((&settings["d_input"], &settings["d_output"]), (&40.into(), &2.into()));
    let measured = place.nca("evaluate run counts.mtx,topics.csv").json();
    assert!(measured["accuracy"]["knn"].as_f64().unwrap() > 0.9, "{measured}");
    let topics = place.read("topics.csv");
    let right = |text: &str| text.lines().zip(topics.lines()).filter(|(a, b)| a == b).count();
    assert!(right(&place.nca("predict run counts.mtx").printed()) > 80);
    assert_eq!(place.nca("transform run counts.mtx").printed().lines().count(), 91);
    assert!(array_of(&place.json("run/report.json")["replay"]["frames"]).len() > 2);
    let fit = "fit counts.mtx,topics.csv --method modern --reduce 8 --out modern";
    place.nca(&format!("{fit} --set members=2 --set epochs=20")).printed();
    let info = place.nca("info modern").printed();
    assert_parts(&info, &["2 networks of 40-8-128", "own rule: that of the method"]);
    assert!(!info.contains("start "), "{info}");
    assert!(right(&place.nca("predict modern counts.mtx").printed()) > 80);
    let explained = place.nca("predict modern counts.mtx --explain").printed();
    assert_eq!(explained.lines().count(), 91);
}
