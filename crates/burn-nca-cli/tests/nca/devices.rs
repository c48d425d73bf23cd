//! Devices by name.

use crate::{Place, assert_parts, nca, number, table};

#[test]
fn devices_are_listed_and_fused_and_plain_sums_of_each_are_compared() {
    let outcome = nca("devices").success();
    assert!(outcome.stdout().starts_with("cpu\n"), "{outcome}");
    assert!(!outcome.stderr().contains("panick"), "{outcome}");
    let found = nca("devices --check").printed();
    assert!(found.starts_with("cpu  computes as it should"), "{found}");
    let agree = "fused and plain sums of 6 objectives agree";
    assert_parts(&found, &[&format!("f32: {agree}"), &format!("f64: {agree}")]);
}

#[test]
fn sums_are_computed_on_devices_as_asked_for() {
    let fit = |sums: &str| {
        let fit = "fit iris --method nca --no-tune --dim 1 --max-iterations 3 --precision f64";
        nca(&format!("{fit} --sums {sums}")).json()
    };
    let plain = fit("plain");
    assert_eq!(plain["sums"]["way"], "plain");
    let series = fit("fourier --sums-tolerance 1e-10");
    assert_eq!(
        (&series["sums"]["way"], &series["sums"]["tolerance"]),
        (&"fourier".into(), &1e-10.into())
    );
    // The same but for rounding.
    for other in [fit("fused"), series] {
        let (found, expected) = (number(&other, "f"), number(&plain, "f"));
        assert!((found - expected).abs() < 1e-6 * expected, "{found} and {expected}");
    }
    let place = Place::new();
    let row = |at: usize| format!("{},{},{}", at % 7, at * at % 11, at % 7 + at * at % 11);
    place.file("t.csv", table("a,b,y", 40, row));
    for of in ["iris --method nca", "t.csv --task regression"] {
        let fit = format!("fit {of} --no-tune --dim 2 --max-iterations 3 --sums fourier");
        assert_parts(&place.nca(&fit).printed(), &["Fourier series, tolerance 1e-8, "]);
    }
}

#[test]
fn a_device_is_the_fastest_or_that_of_the_environment_where_it_is_asked_for() {
    let fit = "fit iris --dim 1 --max-iterations 0";
    let outcome = nca(&format!("{fit} --format json --device auto")).success();
    assert_parts(&outcome.stderr(), &["the fastest: value and gradient"]);
    let report = outcome.json();
    let name = report["device"]["name"].as_str().unwrap();
    assert!(nca("devices").printed().lines().any(|line| line.starts_with(name)), "{name}");

    let device = nca(fit).env("BURN_DEVICE", "flex").json()["device"].take();
    assert_eq!((&device["name"], &device["backend"]), (&"flex".into(), &"flex".into()));
    let parts = ["environment variable BURN_DEVICE", "available devices"];
    let message = nca(fit).env("BURN_DEVICE", "abacus").fails(1, &parts);
    assert!(!message.contains("panick"), "{message}");
    assert_eq!(nca(fit).json()["device"]["name"], "cpu");
}

#[cfg(feature = "ndarray")]
#[test]
fn the_cpu_backends_agree() {
    // What is chosen may hang on the last digit.
    let fit = |device| {
        nca(&format!("fit iris --dim 2 --no-tune --precision f64 --device {device}")).json()
    };
    let [flex, ndarray] = ["flex", "ndarray"].map(|device| number(&fit(device), "f"));
    assert!((flex - ndarray).abs() < 1e-2, "{flex} and {ndarray}");
}
