//! The objective at the identity, against the numbers of other programs' tests (computed independently).

use serde_json::Value;

use crate::{Place, numbers};

/// The objective of a table at the identity.
fn at_the_identity(csv: &str) -> Value {
    let place = Place::new();
    place.file("t.csv", csv);
    place.nca("fit t.csv --init identity --scale none --max-iterations 0 --test-size 0").json()
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
}

fn all_close(found: &Value, expected: &[f64]) {
    let found = numbers(found);
    assert_eq!(found.len(), expected.len());
    found.iter().zip(expected).for_each(|(found, expected)| close(*found, *expected));
}

#[test]
fn six_points_of_mlpack() {
    let fit =
        at_the_identity("x1,x2,y\n-0.1,1,0\n-0.1,0,0\n-0.1,-1,0\n0.1,1,1\n0.1,0,1\n0.1,-1,1\n");
    let (p, q) = (0.224788612489, 0.306125165759);
    all_close(&fit["p"], &[p, q, p, p, q, p]);
    close(fit["f"].as_f64().unwrap(), 1.5114047814734728);
    close(fit["g"].as_f64().unwrap(), -8.33790171820718);
    let (outer, inner) = (2.931940506989, 4.503750023252);
    all_close(&fit["perplexity"], &[outer, inner, outer, outer, inner, outer]);
    assert_eq!(fit["iterations"], 0);
    assert_eq!(fit["termination"], "MaxIterations");
    assert!(fit["accuracy"]["test"].is_null());
}

#[test]
fn p_stands_in_the_order_of_the_rows_and_g_leaves_out_points_without_a_partner() {
    let together = at_the_identity("x,y\n0,a\n0.5,b\n1,a\n");
    let p = |same: f64, other: f64| {
        (-same * same).exp() / ((-same * same).exp() + (-other * other).exp())
    };
    let expected = [p(1.0, 0.5), 0.0, p(1.0, 0.5)];
    all_close(&together["p"], &expected);
    close(together["g"].as_f64().unwrap(), 2.0 * expected[0].ln());
    assert_eq!(together["data"]["without_partner"], 1);
}
