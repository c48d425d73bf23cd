//! Numeric targets and pairs: from a table to predictions, and what is refused.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{Place, assert_parts, number, table, warnings};

const ROWS: usize = 120;

/// Writes `houses.csv`: five columns; the price is a curve of the first two, the others are noise.
pub fn write_houses(place: &Place) {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let row = |_| {
        let x: [f64; 5] = std::array::from_fn(|_| rng.random_range(-1.0..1.0));
        let price = 200.0 + 80.0 * (2.0 * x[0]).sin() + 30.0 * x[1];
        let cells = x.iter().chain([&price]).map(|value| format!("{value:.6}"));
        cells.collect::<Vec<_>>().join(",")
    };
    place.file("houses.csv", table("size,age,a,b,c,price", ROWS, row));
}

/// Writes `film.csv`, frames of a film, and `pairs.csv`, its neighbors in time, rows counted from 1.
pub fn write_film(place: &Place) {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let frame = |at: usize| {
        let time = at as f64 / 9.0;
        let noise: [f64; 3] = std::array::from_fn(|_| rng.random_range(-1.0..1.0));
        let noise = noise.map(|value| format!("{value:.5}")).join(",");
        format!("{:.5},{:.5},{noise}", time.sin(), time.cos())
    };
    place.file("film.csv", table("x,y,a,b,c", ROWS, frame));
    let pair = |row| format!("{},{}", row + 1, row + 2);
    place.file("pairs.csv", table("row,next", ROWS - 1, pair));
}

#[test]
fn a_numeric_target_is_learned_compared_and_predicted() {
    let place = Place::new();
    write_houses(&place);
    let fit =
        place.nca("fit houses.csv --target price --task regression --method mlkr --out run").json();
    assert_eq!((&fit["kind"], &fit["method"]), (&"numbers".into(), &"MLKR".into()));
    assert_eq!((&fit["data"]["train"], &fit["data"]["test"]), (&84.into(), &36.into()));
    let rows = fit["comparison"]["rows"].as_array().unwrap();
    let names: Vec<_> = rows.iter().map(|row| [&row["method"], &row["rule"]]).collect();
    let expected = [["Euclidean", "5-NN"], ["PCA", "5-NN"], ["MLKR", "5-NN"], ["MLKR", "kernel"]];
    assert_eq!(names, expected);
    let [own, other] = [&fit["scores"], &rows[0]];
    assert!(number(own, "r2_test") > number(other, "r2_test") + 0.05, "{own} {other}");
    assert!(number(own, "rmse_test") < number(other, "rmse_test"));
    assert_eq!(place.json("run/report.json")["scores"], fit["scores"]);
    let page = place.read("run/report.html");
    assert_parts(&page, &["class=\"colors\"", "Predicted and true values"]);
    place.nca("report run").success();
    assert_eq!(place.read("run/report.html"), page);

    let predicted = place.nca("predict run houses.csv").printed();
    assert_eq!(predicted.lines().next(), Some("price"));
    assert_eq!(predicted.lines().count(), ROWS + 1);
    assert!(predicted.lines().skip(1).all(|line| line.parse::<f64>().is_ok()));
    let evaluation = place.nca("evaluate run houses.csv --target price").json();
    assert!(number(&evaluation["kernel"], "r2") > 0.8 && evaluation["rows"] == ROWS);
    assert_parts(&place.nca("evaluate run houses.csv").printed(), &["target price", "kernel"]);
    assert_eq!(place.nca("transform run houses.csv").printed().lines().count(), ROWS + 1);
    assert_parts(&place.nca("info run").printed(), &["target         price", "MLKR"]);
    assert!(place.nca("info run").json()["matrix"]["rows"].is_array());
}

#[test]
fn soft_matches_take_width_and_criterion_and_every_map_fits() {
    let place = Place::new();
    write_houses(&place);
    for options in [
        "--soft",
        "--soft --width 20 --objective g --dim 2",
        "--soft --task regression --optimizer adam --epochs 5 --batch-size 32",
        "--task regression --encoder mlp --hidden 8 --activation tanh --max-iterations 20",
        "--task regression --encoder diagonal --l2 0.01 --early-stopping --patience 4",
        "--task regression --init pca --dim 1 --precision f64 --test-size 0",
    ] {
        let fit = place.nca(&format!("fit houses.csv {options}")).json();
        let train = number(&fit["scores"], "r2_train");
        assert!(train > 0.2, "{options}: {train}");
    }
    let short = place.nca("fit houses.csv --soft --max-iterations 1").success();
    assert_parts(&short.stdout(), &["soft NCA, kernel", "R² test"]);
    assert_parts(&short.stderr(), &["Not converged"]);
}

#[test]
fn pairs_are_learned_without_labels_and_measured_on_pairs_held_out() {
    let place = Place::new();
    write_film(&place);
    let fit = place.nca("fit film.csv --pairs pairs.csv --dim 2 --out run").json();
    assert_eq!((&fit["kind"], fit["data"]["target"].as_str()), (&"pairs".into(), None));
    assert_eq!((&fit["data"]["train"], &fit["data"]["test"]), (&83.into(), &36.into()));
    let recall = |row: usize| number(&fit["comparison"]["rows"][row], "recall_5_test");
    assert!(recall(2) > recall(0) + 0.2, "{}", fit["comparison"]);
    assert_parts(&place.read("run/report.html"), &["class=\"links\""]);
    assert_eq!(place.nca("transform run film.csv").printed().lines().count(), ROWS + 1);
    assert_parts(&place.nca("info run").printed(), &["pairs (equation 8)"]);
    let evaluation = place.nca("evaluate run film.csv --pairs pairs.csv").json();
    assert!(number(&evaluation, "recall_10") > 0.5 && evaluation["pairs"] == 119);
    assert_parts(&place.nca("evaluate run film.csv --pairs pairs.csv").printed(), &["median rank"]);
    let (code, text) = warnings(&evaluation)[0];
    assert_eq!(code, "training_rows");
    assert!(text.starts_with("83 of 119 pairs are also training pairs"), "{text}");
    place.file("other.csv", "1,3\n2,4\n3,5\n");
    let evaluation = place.nca("evaluate run film.csv --pairs other.csv").json();
    assert_eq!(warnings(&evaluation), []);
    let bundled = place.nca("fit iris --pairs pairs.csv --test-size 0").json();
    assert!(number(&bundled["scores"], "recall_5_train") > 0.0);
}
