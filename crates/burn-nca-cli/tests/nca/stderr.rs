//! A stderr that takes nothing ends no work.
#![cfg(unix)]

use std::fs::OpenOptions;
use std::process::Stdio;

use crate::{Place, nca};

/// Whatever is written there fails: the disk is full, or the reader has left.
fn deaf() -> [(&'static str, Stdio); 2] {
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    [("full", full.into()), ("closed", writer.into())]
}

#[test]
fn a_fit_ends_well_with_stderr_closed() {
    // A constant column is warned of before the fit, too few iterations after it.
    let place = Place::new();
    let data = place.file("t.csv", "a,b,c\n1,5,x\n2,5,x\n3,5,x\n2,5,y\n4,5,y\n5,5,y\n");
    for (kind, stderr) in deaf() {
        let out = place.at(kind);
        let mut fit = nca(&["fit", &data, "--dim", "1", "--max-iterations", "1", "--out", &out]);
        let status = fit.stderr(stderr).stdout(Stdio::null()).status().unwrap();
        assert!(status.success(), "{kind}: {status}");
        assert!(place.path(kind).join("report.html").exists());
    }
}

#[test]
fn an_error_keeps_its_exit_code_with_stderr_closed() {
    for (kind, stderr) in deaf() {
        let mut predict = nca(&["predict", "no/model", "no.csv"]);
        assert_eq!(predict.stderr(stderr).status().unwrap().code(), Some(1), "{kind}");
    }
}

#[test]
fn what_is_being_done_is_logged_where_that_is_asked_for() {
    let told = |options: &[&str]| {
        let fit = ["fit", "iris", "--dim", "1", "--no-tune", "--max-iterations", "2"];
        let output = nca(&[&fit[..], options].concat()).output().unwrap();
        assert!(output.status.success(), "{options:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let [quiet, once, twice] = [&[][..], &["-v"], &["-vv"]].map(told);
    assert!(!quiet.contains(" INFO "), "{quiet}");
    assert!(once.contains("105 training rows, 4 features, on cpu"), "{once}");
    assert!(once.contains(" INFO  burn_nca_cli::fitting::stages: training"), "{once}");
    assert!(!once.contains(" DEBUG "), "{once}");
    assert!(twice.contains("iteration 1: value"), "{twice}");
}
