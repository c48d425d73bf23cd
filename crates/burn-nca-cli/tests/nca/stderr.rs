//! A stderr that takes nothing ends no work.
#![cfg(unix)]

use std::fs::OpenOptions;
use std::process::Stdio;

use crate::{Place, assert_parts, nca};

/// Whatever is written there fails: the disk is full, or the reader has left.
fn deaf() -> [(&'static str, Stdio); 2] {
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    [("full", full.into()), ("closed", writer.into())]
}

#[test]
fn a_fit_ends_well_with_stderr_closed_and_an_error_keeps_its_exit_code() {
    // A constant column is warned of before the fit, too few iterations after it.
    let place = Place::new();
    place.file("t.csv", "a,b,c\n1,5,x\n2,5,x\n3,5,x\n2,5,y\n4,5,y\n5,5,y\n");
    for (kind, stderr) in deaf() {
        let mut fit = place.nca(&format!("fit t.csv --dim 1 --max-iterations 1 --out {kind}"));
        let status = fit.stderr(stderr).stdout(Stdio::null()).status().unwrap();
        assert!(status.success(), "{kind}: {status}");
        assert!(place.path(kind).join("report.html").exists());
    }
    for (kind, stderr) in deaf() {
        let mut predict = nca("predict no/model no.csv");
        assert_eq!(predict.stderr(stderr).status().unwrap().code(), Some(1), "{kind}");
    }
}

#[test]
fn what_is_being_done_is_logged_where_that_is_asked_for() {
    let [quiet, once, twice] = ["", "-v", "-vv"].map(|verbosity| {
        nca(&format!("fit iris --dim 1 --no-tune --max-iterations 2 {verbosity}")).said()
    });
    assert!(!quiet.contains(" INFO "), "{quiet}");
    let training = " INFO  burn_nca_cli::fitting::stages: training";
    assert_parts(&once, &["105 training rows, 4 features, on cpu", training]);
    assert!(!once.contains(" DEBUG "), "{once}");
    assert!(twice.contains("iteration 1: value"), "{twice}");
}
