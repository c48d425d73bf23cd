//! Devices by name.

use serde_json::Value;

use crate::{Place, assert_parts, nca, table};

#[test]
fn the_devices_that_are_there_are_listed_and_the_cpu_passes_its_test() {
    let outcome = nca("devices").success();
    assert!(outcome.stdout().starts_with("cpu\n"), "{outcome}");
    assert!(!outcome.stderr().contains("panick"), "{outcome}");
}

#[test]
fn fused_and_plain_sums_of_each_device_are_compared() {
    let found = nca("devices --check").printed();
    assert!(found.starts_with("cpu  computes as it should"), "{found}");
    let agree = "fused and plain sums of 6 objectives agree";
    assert_parts(&found, &[&format!("f32: {agree}"), &format!("f64: {agree}")]);
}

/// The values of two fits, which are the same but for rounding.
fn assert_same(found: &Value, expected: &Value, tolerance: f64) {
    let [found, expected] = [found, expected].map(|report| report["f"].as_f64().unwrap());
    assert!((found - expected).abs() < tolerance * expected, "{found} and {expected}");
}

#[test]
fn sums_are_computed_as_asked_for() {
    let fit = |sums: &str| {
        let fit = "fit iris --method nca --no-tune --dim 1 --max-iterations 3 --precision f64";
        nca(&format!("{fit} --sums {sums}")).json()
    };
    let (plain, fused) = (fit("plain"), fit("fused"));
    assert_same(&fused, &plain, 1e-6);
    assert_eq!(plain["sums"]["way"], "plain");
    let series = fit("fourier --sums-tolerance 1e-10");
    assert_same(&series, &plain, 1e-6);
    assert_eq!(series["sums"]["way"], "fourier");
    assert_eq!(series["sums"]["tolerance"], 1e-10);
}

#[test]
fn a_fourier_series_is_said_of_classes_and_of_numbers() {
    let place = Place::new();
    let row = |at: usize| format!("{},{},{}", at % 7, at * at % 11, at % 7 + at * at % 11);
    place.file("t.csv", table("a,b,y", 40, row));
    for of in ["iris --method nca", "t.csv --task regression"] {
        let fit = format!("fit {of} --no-tune --dim 2 --max-iterations 3 --sums fourier");
        assert_parts(&place.nca(&fit).printed(), &["Fourier series, tolerance 1e-8, "]);
    }
}

const FIT: &str = "fit iris --dim 1 --max-iterations 0";

#[test]
fn the_fastest_device_is_measured_where_it_is_asked_for() {
    let outcome = nca(&format!("{FIT} --format json --device auto")).success();
    assert_parts(&outcome.stderr(), &["the fastest: value and gradient"]);
    let report = outcome.json();
    let name = report["device"]["name"].as_str().unwrap();
    assert!(nca("devices").printed().lines().any(|line| line.starts_with(name)), "{name}");
    // Where nothing is learned, the CPU.
    nca("predict no-such-model iris --device auto").fails(1, &["no-such-model"]);
}

#[test]
fn the_environment_names_the_default_and_is_checked() {
    let device = nca(FIT).env("BURN_DEVICE", "flex").json()["device"].take();
    assert_eq!((&device["name"], &device["backend"]), (&"flex".into(), &"flex".into()));
    let message = nca(FIT)
        .env("BURN_DEVICE", "abacus")
        .fails(1, &["environment variable BURN_DEVICE", "available devices"]);
    assert!(!message.contains("panick"), "{message}");
    assert_eq!(nca(FIT).json()["device"]["name"], "cpu");
}

#[cfg(feature = "ndarray")]
#[test]
fn the_cpu_backends_agree() {
    // What is chosen may hang on the last digit.
    let fit = |device| {
        nca(&format!("fit iris --dim 2 --no-tune --precision f64 --device {device}")).json()
    };
    let [flex, ndarray] = ["flex", "ndarray"].map(|device| fit(device)["f"].as_f64().unwrap());
    assert!((flex - ndarray).abs() < 1e-2, "{flex} and {ndarray}");
}
