//! What scores count: no row of a row's own group, no row of weight 0, and ties as they are.

use serde_json::Value;

use crate::{Place, assert_parts, codes, failure, json, nca, words};

const QUICK: [&str; 5] = ["--no-tune", "--max-iterations", "5", "-q", "--format"];

fn fit(arguments: &[&str]) -> Value {
    json(&[&["fit"][..], arguments, &QUICK, &["json"]].concat())
}

/// Numbers that look random, from 0 to 999.
fn random(seed: usize) -> impl FnMut() -> usize {
    let mut state = seed as u64;
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % 1000
    }
}

/// Patients of three visits that are near copies; the class is a coin toss for each of them.
fn visits(patients: usize, number: bool) -> String {
    let mut next = random(7);
    let mut text = "patient,x,y,z,class\n".to_string();
    for patient in 0..patients {
        let at = [next(), next(), next()];
        let class = next();
        for visit in 0..3 {
            let [x, y, z] = at.map(|x| format!("{x}.{visit}"));
            let class =
                if number { class.to_string() } else { ["a", "b"][class / 37 % 2].to_string() };
            text.push_str(&format!("p{patient},{x},{y},{z},{class}\n"));
        }
    }
    text
}

#[test]
fn no_score_counts_rows_of_the_own_group() {
    let place = Place::new();
    let file = place.file("visits.csv", &visits(60, false));
    let all = ["--test-size", "0"];
    let (with, without) = (
        fit(&[&[&file[..], "--groups", "patient"], &all[..]].concat()),
        fit(&[&[&file[..], "--ignore", "patient"], &all[..]].concat()),
    );
    let train = |report: &Value| report["accuracy"]["train"].as_f64().unwrap();
    assert_eq!(train(&without), 1.0, "copies find each other");
    assert!((0.3..0.7).contains(&train(&with)), "{}", train(&with));
    for row in with["comparison"]["rows"].as_array().unwrap() {
        assert!(row["nn_train"].as_f64().unwrap() < 0.75, "{row}");
    }
    // f counts no copies, and neither do p and perplexity.
    let f = |report: &Value| report["f"].as_f64().unwrap();
    assert!(f(&with) < 126.0 && f(&without) > 150.0, "{} {}", f(&with), f(&without));
    let largest = |report: &Value| {
        let of = report["perplexity"].as_array().unwrap().iter();
        of.map(|one| one.as_f64().unwrap()).fold(0.0, f64::max)
    };
    assert!(largest(&with) > 1.0);
    let said = with["warnings"].to_string();
    assert!(said.contains("no score counts rows of a row's own group"), "{said}");
    // The k of a vote is chosen among other groups, and by the saved model as well.
    let model = place.at("m");
    let cv = ["--neighbors", "cv", "--groups", "patient", "--out", &model];
    let found = fit(&[&[&file[..]], &cv[..], &all].concat());
    assert!(found["accuracy"]["train"].as_f64().unwrap() < 0.75);
    let plain = fit(&[&[&file[..], "--neighbors", "cv", "--ignore", "patient"], &all[..]].concat());
    let k = |report: &Value| report["comparison"]["neighbors"].as_u64().unwrap();
    assert_eq!(k(&plain), 1, "copies find each other");
    let evaluated = json(&["evaluate", &model, &file, "--neighbors", "cv", "--format", "json"]);
    assert_eq!(evaluated["neighbors"].as_u64().unwrap(), k(&found));
    let said = evaluated["warnings"].to_string();
    assert!(said.contains("180 of 180 rows are of a group of training rows"), "{said}");
    let others =
        place.file("others.csv", &visits(60, false).replace('p', "q").replace("qat", "pat"));
    let said = json(&["evaluate", &model, &others, "--format", "json"])["warnings"].to_string();
    assert!(!said.contains("of a group"), "{said}");
}

#[test]
fn numbers_of_the_own_group_are_in_no_score() {
    let place = Place::new();
    let file = place.file("visits.csv", &visits(40, true));
    let regression = ["--task", "regression", "--test-size", "0", "--neighbors", "2"];
    let r2 = |options: &[&str]| {
        let found = fit(&[&[&file[..]], options, &regression].concat());
        let rows = found["comparison"]["rows"].as_array().unwrap().clone();
        rows.iter().map(|row| row["r2_train"].as_f64().unwrap()).fold(f64::MIN, f64::max)
    };
    assert!(r2(&["--ignore", "patient"]) > 0.9);
    assert!(r2(&["--groups", "patient"]) < 0.5);
    let tuned =
        ["--groups", "patient", "--task", "regression", "--tune", "--folds", "3", "--repeats", "1"];
    nca(&[&["fit", &file], &tuned[..], &["--budget", "1", "-q"]].concat()).assert().success();
}

/// Rows of three classes in so many groups.
fn sites(groups: usize) -> String {
    let mut next = random(3);
    let row = |row: usize| {
        let class = next() / 17 % 3;
        let at = [0, 1].map(|c| (400 * (class * (c + 1) % 3) + next()) as f64 / 100.0);
        format!("{},{},s{},{}\n", at[0], at[1], row % groups, ["u", "v", "w"][class])
    };
    "a,b,site,class\n".to_string() + &(0..90).map(row).collect::<String>()
}

#[test]
fn few_groups_leave_a_coarser_comparison_and_one_leaves_none() {
    let place = Place::new();
    for groups in 2..8 {
        let file = place.file("sites.csv", &sites(groups));
        let found =
            json(&["fit", &file, "--groups", "site", "--dim", "2", "-q", "--format", "json"]);
        assert!(found["accuracy"]["test"].is_number(), "{groups}");
        assert_eq!(
            codes(&found).contains(&"few_groups"),
            groups < 7,
            "{groups}: {:?}",
            codes(&found)
        );
    }
    let file = place.file("sites.csv", &sites(4));
    let message = failure(&["fit", &file, "--groups", "site", "--tune", "--folds", "9"], 1);
    assert!(message.contains("give --folds 3 or fewer"), "{message}");
    let cured = ["fit", &file, "--groups", "site", "--tune", "--folds", "3", "--budget", "1", "-q"];
    nca(&cured).assert().success();
}

#[test]
fn groups_that_are_the_classes_hold_nothing_out_and_that_is_said() {
    let place = Place::new();
    let rows = sites(3);
    let by_class: String =
        rows.lines().map(|line| format!("{line},{}\n", line.rsplit(',').next().unwrap())).collect();
    let file = place.file("by-class.csv", &by_class.replacen("class,class", "class,group", 1));
    let arguments = ["fit", &file, "--target", "class", "--groups", "group", "--ignore", "site"];
    let message = failure(&arguments, 1);
    assert_parts(&message, &["every class is in one group", "--test-size 0"]);
    let found = json(&[&arguments[..], &["--test-size", "0", "-q", "--format", "json"]].concat());
    assert!(
        codes(&found).contains(&"few_groups") && found["accuracy"]["train"].as_f64().unwrap() > 0.3
    );
    // One class of several.
    let some = by_class.replace(",v,v\n", ",v,u\n").replace("class,class", "class,group");
    let some = some.lines().enumerate().map(|(at, line)| match at % 2 {
        0 if at > 0 && line.ends_with(",u") => line[..line.len() - 1].to_string() + "w",
        _ => line.to_string(),
    });
    let file = place.file("some.csv", &some.collect::<Vec<_>>().join("\n"));
    let options = "--target class --groups group --ignore site -q --test-size 0 --format json";
    let found = json(&[&["fit", &file], &words(options)[..]].concat());
    let text = found["warnings"].to_string();
    assert!(text.contains("1 class is in one group") && text.contains(": w"), "{text}");
}

#[test]
fn rows_of_weight_0_are_as_if_they_were_not_there() {
    let place = Place::new();
    let rows: Vec<String> = sites(3).lines().map(String::from).collect();
    let kept = |at: usize| at % 4 != 1;
    let weighted = |weight: &dyn Fn(usize) -> &'static str| -> String {
        let row = |(at, row): (usize, &String)| match at {
            0 => format!("{row},w\n"),
            _ => format!("{row},{}\n", weight(at)),
        };
        rows.iter().enumerate().map(row).collect()
    };
    let zero = place.file("zero.csv", &weighted(&|at| if kept(at) { "2" } else { "0" }));
    let some: String = rows
        .iter()
        .enumerate()
        .filter(|(at, _)| kept(*at))
        .map(|(_, row)| format!("{row}\n"))
        .collect();
    let some = place.file("some.csv", &some);
    let ignore = ["--ignore", "site", "--target", "class", "--seed", "3"];
    let a = fit(&[&[&zero[..], "--weights", "w"], &ignore[..]].concat());
    let b = fit(&[&[&some[..]], &ignore[..]].concat());
    for key in ["accuracy", "f", "g", "comparison", "matrix", "confusion"] {
        assert_eq!(a[key], b[key], "{key}");
    }
    assert!(
        a["warnings"].to_string().contains("23 rows have weight 0 and are left out"),
        "{}",
        a["warnings"]
    );
    let row = |report: &Value| report["embedding"]["points"][0]["row"].as_u64().unwrap();
    assert!(row(&a) >= row(&b), "rows are numbered by the file");
    let none = place.file("none.csv", &weighted(&|_| "0"));
    let message = failure(&["fit", &none, "--weights", "w", "--target", "class"], 1);
    assert!(message.contains("none of the 90 rows has a positive weight"), "{message}");
}

#[test]
fn a_scaled_identity_has_the_scores_of_euclidean_distance_in_f32_and_f64() {
    let place = Place::new();
    // Grades from 1 to 5, and yes or no.
    let mut next = random(1);
    let grade = |_: usize| {
        let x = [next() % 5 + 1, next() % 5 + 1, next() % 5 + 1, next() % 5 + 1, next() % 2];
        let class = if x[0] * x[1] > x[2] * x[3] { "l" } else { "r" };
        format!("{},{},{},{},{},{class}\n", x[0], x[1], x[2], x[3], x[4])
    };
    let rows: String = (0..250).map(grade).collect();
    let file = place.file("grades.csv", &format!("a,b,c,d,e,class\n{rows}"));
    for scale in ["none", "standardize"] {
        for perplexity in ["0", "7", "15"] {
            for precision in ["f32", "f64"] {
                let options = format!(
                    "--init identity --max-iterations 0 --start-perplexity {perplexity} \
                     --scale {scale} --precision {precision} -q --format json"
                );
                let found = json(&[&["fit", &file], &words(&options)[..]].concat());
                let rows = found["comparison"]["rows"].as_array().unwrap();
                let (plain, scaled) = (&rows[0], rows.last().unwrap());
                for key in ["nn_train", "nn_test", "knn_test"] {
                    assert_eq!(plain[key], scaled[key], "{key} {scale} {perplexity} {precision}");
                }
            }
        }
    }
}
