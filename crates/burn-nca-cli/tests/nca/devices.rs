//! Devices by name.

use predicates::prelude::*;
use predicates::str::contains;

use crate::{Place, failure, json, nca, stdout, words};

#[test]
fn the_devices_that_are_there_are_listed_and_the_cpu_passes_its_test() {
    let list = stdout(&["devices"]);
    assert!(list.starts_with("cpu\n"), "{list}");
    nca(&["devices"]).assert().success().stderr(contains("panick").not());
}

#[test]
fn fused_and_plain_sums_of_each_device_are_compared() {
    let found = stdout(&["devices", "--check"]);
    assert!(found.starts_with("cpu  computes as it should"), "{found}");
    for name in ["f32", "f64"] {
        let line = format!("{name}: fused and plain sums of 6 objectives agree");
        assert!(found.contains(&line), "{found}");
    }
}

#[test]
fn sums_are_computed_as_asked_for() {
    let f = |sums: &str| {
        let fit = ["fit", "iris", "--dim", "1", "--no-tune", "--max-iterations", "3"];
        let report =
            json(&[&fit[..], &["--sums", sums, "--precision", "f64", "--format", "json"]].concat());
        report["f"].as_f64().unwrap()
    };
    let (plain, fused) = (f("plain"), f("fused"));
    assert!((plain - fused).abs() < 1e-6 * fused, "{plain} and {fused}");
    let message = failure(&["fit", "iris", "--method", "pca", "--dim", "1", "--sums", "plain"], 2);
    assert!(message.contains("--sums has no effect on the method pca"), "{message}");
}

#[test]
fn a_fourier_series_is_used_where_there_is_one_and_refused_elsewhere() {
    let fit = ["fit", "iris", "--method", "nca", "--max-iterations", "3"];
    let fit = |options: &'static str| [&fit[..], &words(options)].concat();
    let report = |options: &'static str| json(&[fit(options), vec!["--format", "json"]].concat());
    let found = report("--no-tune --dim 1 --sums fourier --sums-tolerance 1e-10 --precision f64");
    assert_eq!(found["sums"]["way"], "fourier");
    assert_eq!(found["sums"]["tolerance"], 1e-10);
    let plain = report("--no-tune --dim 1 --sums plain --precision f64");
    assert_eq!(plain["sums"]["way"], "plain");
    let [f, expected] = [&found, &plain].map(|report| report["f"].as_f64().unwrap());
    assert!((f - expected).abs() < 1e-6 * expected, "{f} and {expected}");
    let text = stdout(&fit("--no-tune --dim 2 --sums fourier"));
    assert!(text.contains("Fourier series, tolerance 1e-8, "), "{text}");
    let place = Place::new();
    let table = place.at("t.csv");
    let row = |at: usize| format!("{},{},{}\n", at % 7, at * at % 11, at % 7 + at * at % 11);
    std::fs::write(&table, format!("a,b,y\n{}", (0..40).map(row).collect::<String>())).unwrap();
    let numbers = words("--task regression --no-tune --dim 2 --max-iterations 3 --sums fourier");
    let text = stdout(&[&["fit", &table][..], &numbers].concat());
    assert!(text.contains("Fourier series, tolerance 1e-8, "), "{text}");
}

#[test]
fn the_fastest_device_is_measured_where_it_is_asked_for() {
    let fit = words("fit iris --dim 1 --max-iterations 0 --format json --device auto");
    let output = nca(&fit).assert().success().stderr(contains("the fastest: value and gradient"));
    let report: serde_json::Value =
        serde_json::from_slice(&output.get_output().stdout.clone()).unwrap();
    let name = report["device"]["name"].as_str().unwrap();
    assert!(stdout(&["devices"]).lines().any(|line| line.starts_with(name)), "{name}");
    // Where nothing is learned, the CPU.
    assert!(
        failure(&["predict", "no-such-model", "iris", "--device", "auto"], 1)
            .contains("no-such-model")
    );
}

#[test]
fn the_environment_names_the_default_and_is_checked() {
    let fit = ["fit", "iris", "--dim", "1", "--max-iterations", "0", "--format", "json"];
    let output =
        nca(&fit).env("BURN_DEVICE", "flex").assert().success().get_output().stdout.clone();
    let report: serde_json::Value = serde_json::from_slice(&output).unwrap();
    assert_eq!(
        (&report["device"]["name"], &report["device"]["backend"]),
        (&"flex".into(), &"flex".into())
    );
    nca(&fit).env("BURN_DEVICE", "abacus").assert().code(1).stderr(
        contains("environment variable BURN_DEVICE")
            .and(contains("available devices"))
            .and(contains("panick").not()),
    );
    assert_eq!(json(&fit)["device"]["name"], "cpu");
}

#[cfg(feature = "ndarray")]
#[test]
fn the_cpu_backends_agree() {
    let fit = |device: &str| {
        // What is chosen may hang on the last digit.
        let fit = "fit iris --dim 2 --no-tune --precision f64 --format json --device";
        json(&[&words(fit)[..], &[device]].concat())
    };
    let (flex, ndarray) = (fit("flex"), fit("ndarray"));
    let (a, b) = (flex["f"].as_f64().unwrap(), ndarray["f"].as_f64().unwrap());
    assert!((a - b).abs() < 1e-2, "{a} and {b}");
}
