//! What scores count: no row of a row's own group, no row of weight 0, and ties as they are.

use serde_json::Value;

use crate::{Place, array_of, assert_parts, number, numbers, table, warned};

fn fit(place: &Place, options: &str) -> Value {
    place.nca(&format!("fit -q --no-tune --max-iterations 5 {options}")).json()
}

/// Numbers that look random, from 0 to 999.
fn random(seed: u64) -> impl FnMut() -> usize {
    let mut next = crate::random(seed);
    move || next() as usize % 1000
}

/// Patients of three visits that are near copies; the class is a coin toss for each of them.
fn visits(patients: usize, class: impl Fn(usize) -> String) -> String {
    let mut next = random(7);
    let of_patient = |patient: usize| {
        let at = [next(), next(), next()];
        let class = class(next());
        [0, 1, 2].map(|visit| {
            let [x, y, z] = at.map(|x| format!("{x}.{visit}"));
            format!("p{patient},{x},{y},{z},{class}")
        })
    };
    let rows: Vec<String> = (0..patients).flat_map(of_patient).collect();
    table("patient,x,y,z,class", rows.len(), |row| rows[row].clone())
}

#[test]
fn no_score_counts_rows_of_the_own_group() {
    let place = Place::new();
    let classes = visits(60, |class| ["a", "b"][class / 37 % 2].to_string());
    place.file("visits.csv", &classes);
    place.file("others.csv", classes.replace('p', "q").replace("qat", "pat"));
    let all = |options: &str| fit(&place, &format!("visits.csv --test-size 0 {options}"));
    let (with, without) = (all("--groups patient"), all("--ignore patient"));
    let train = |report: &Value| number(&report["accuracy"], "train");
    assert_eq!(train(&without), 1.0, "copies find each other");
    assert!((0.3..0.7).contains(&train(&with)), "{}", train(&with));
    for row in array_of(&with["comparison"]["rows"]) {
        assert!(number(row, "nn_train") < 0.75, "{row}");
    }
    // f counts no copies, and neither do p and perplexity.
    assert!(number(&with, "f") < 126.0 && number(&without, "f") > 150.0, "{}", with["f"]);
    assert!(numbers(&with["perplexity"]).into_iter().fold(0.0, f64::max) > 1.0);
    assert_parts(&warned(&with), &["no score counts rows of a row's own group"]);
    // The k of a vote is chosen among other groups, and by the saved model as well.
    let found = all("--neighbors cv --groups patient --out run");
    assert!(train(&found) < 0.75);
    let copies = all("--neighbors cv --ignore patient");
    assert_eq!(copies["comparison"]["neighbors"], 1, "copies find each other");
    let evaluated = place.nca("evaluate run visits.csv --neighbors cv").json();
    assert_eq!(evaluated["neighbors"], found["comparison"]["neighbors"]);
    assert_parts(&warned(&evaluated), &["180 of 180 rows are of a group of training rows"]);
    let others = warned(&place.nca("evaluate run others.csv").json());
    assert!(!others.contains("of a group"), "{others}");
}

#[test]
fn numbers_of_the_own_group_are_in_no_score() {
    let place = Place::new();
    place.file("visits.csv", visits(40, |number| number.to_string()));
    let r2 = |options: &str| {
        let regression = "visits.csv --task regression --test-size 0 --neighbors 2";
        let found = fit(&place, &format!("{regression} {options}"));
        let rows = array_of(&found["comparison"]["rows"]).iter();
        rows.map(|row| number(row, "r2_train")).fold(f64::MIN, f64::max)
    };
    assert!(r2("--ignore patient") > 0.9);
    assert!(r2("--groups patient") < 0.5);
    let tuned = "fit visits.csv --groups patient --task regression --tune --folds 3 --repeats 1";
    place.nca(&format!("{tuned} --budget 1 -q")).success();
}

/// Rows of three classes in so many groups.
fn sites(groups: usize) -> String {
    let mut next = random(3);
    table("a,b,site,class", 90, |row| {
        let class = next() / 17 % 3;
        let at = [0, 1].map(|c| (400 * (class * (c + 1) % 3) + next()) as f64 / 100.0);
        format!("{},{},s{},{}", at[0], at[1], row % groups, ["u", "v", "w"][class])
    })
}

#[test]
fn few_groups_leave_a_coarser_comparison() {
    let place = Place::new();
    for groups in [2, 6, 7] {
        place.file("sites.csv", sites(groups));
        let found = place.nca("fit sites.csv --groups site --dim 2 -q").json();
        assert!(found["accuracy"]["test"].is_number(), "{groups}");
        let said = warned(&found);
        assert_eq!(said.contains("few_groups: "), groups < 7, "{groups}: {said}");
    }
    let tuned = "fit sites.csv --groups site --tune -q --folds 3 --budget 1";
    place.nca(tuned).success();
}

#[test]
fn classes_and_groups_that_no_row_can_be_right_about_are_named() {
    let place = Place::new();
    let said = |class: &dyn Fn(usize) -> &'static str, options: &str| {
        let row =
            |i: usize| format!("{},{},s{},k{},{}", i % 11, i * 5 % 13, i % 3, i % 2, class(i));
        place.file("sites.csv", table("a,b,site,one,y", 60, row));
        warned(&fit(&place, &format!("sites.csv --dim 1 {options}")))
    };
    let alone = |i| if i == 5 { "z" } else { ["u", "v"][i / 3 % 2] };
    let words = said(&alone, "--ignore site,one --test-size 0");
    assert!(words.contains("single_row_classes: 1 class has a single training row"), "{words}");
    let of_site = |i| if i % 3 == 0 { ["u", "w"][i / 3 % 2] } else { ["u", "v"][i / 3 % 2] };
    let words = said(&of_site, "--groups site --ignore one");
    assert!(words.contains("few_groups: 1 class is in one group of column \"site\""), "{words}");
    let classes = |i| ["u", "v", "w"][i % 3];
    let words = said(&classes, "--groups site --ignore one --test-size 0");
    assert!(words.contains("few_groups: every class is in one group of column"), "{words}");
    let parts = ["every class is in one group", "nothing can be held out\n", "--test-size 0"];
    place.nca("fit sites.csv --groups site --ignore one --dim 1").fails(1, &parts);
    let words = said(&|i| ["u", "v"][i % 2], "--ignore site --categorical auto");
    assert!(words.contains("target_copy: the column one determines the target"), "{words}");
}

#[test]
fn rows_of_weight_0_are_as_if_they_were_not_there() {
    let place = Place::new();
    let rows = sites(3);
    let is_kept = |at: usize| at % 4 != 1;
    let weight = |at| if at == 0 { "w" } else { ["0", "2"][usize::from(is_kept(at))] };
    let weighted = rows.lines().enumerate().map(|(at, row)| format!("{row},{}\n", weight(at)));
    place.file("zero.csv", weighted.collect::<String>());
    let kept = rows.lines().enumerate().filter(|(at, _)| is_kept(*at));
    place.file("some.csv", kept.map(|(_, row)| format!("{row}\n")).collect::<String>());
    let options = "--ignore site --target class --seed 3";
    let a = fit(&place, &format!("zero.csv --weights w {options}"));
    let b = fit(&place, &format!("some.csv {options}"));
    for key in ["accuracy", "f", "g", "comparison", "matrix", "confusion"] {
        assert_eq!(a[key], b[key], "{key}");
    }
    assert_parts(&warned(&a), &["23 rows have weight 0 and are left out"]);
    let row = |report: &Value| report["embedding"]["points"][0]["row"].as_u64().unwrap();
    assert!(row(&a) >= row(&b), "rows are numbered by the file");
}

#[test]
fn a_scaled_identity_has_the_scores_of_euclidean_distance_in_f32_and_f64() {
    let place = Place::new();
    // Grades from 1 to 5, and yes or no.
    let mut next = random(1);
    let grades = |_| {
        let x = [next() % 5 + 1, next() % 5 + 1, next() % 5 + 1, next() % 5 + 1, next() % 2];
        let class = if x[0] * x[1] > x[2] * x[3] { "l" } else { "r" };
        format!("{},{},{},{},{},{class}", x[0], x[1], x[2], x[3], x[4])
    };
    place.file("t.csv", table("a,b,c,d,e,class", 250, grades));
    for of in ["none --start-perplexity 0", "none --start-perplexity 7", "standardize"] {
        for precision in ["f32", "f64"] {
            let fit = format!("fit t.csv --init identity --max-iterations 0 -q --scale {of}");
            let found = place.nca(&format!("{fit} --precision {precision}")).json();
            let rows = array_of(&found["comparison"]["rows"]);
            for key in ["nn_train", "nn_test", "knn_test"] {
                assert_eq!(rows[0][key], rows.last().unwrap()[key], "{key} {of} {precision}");
            }
        }
    }
}
