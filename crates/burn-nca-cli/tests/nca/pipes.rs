//! Where data come from: files, pipes and standard input give the same fit.

use std::fs::{self, File};
use std::io::Seek;

use serde_json::Value;

use crate::program::Outcome;
use crate::{Place, assert_parts, gzip, wait_until};

const TABLE: &str = "measurement,b,y\n1,2,p\n2,1,q\n3,3,p\n4,1,q\n5,2,p\n6,6,q\n7,1,p\n8,2,q\n";

#[test]
fn a_pipe_gives_what_a_file_gives() {
    let place = Place::new();
    place.file("t.csv", TABLE);
    // What a fit of this source says about its data and its columns.
    let fit_of = |source: &str, input: &[u8]| -> [Value; 2] {
        let fit = format!("fit {source} --dim 1 --max-iterations 2 -q --format json");
        let report = place.nca(&fit).run_fed(input).success().json();
        [report["data"]["rows"].clone(), report["feature_weights"].clone()]
    };
    let expected = fit_of("t.csv", b"");
    assert_eq!(expected[0], 8);
    for input in [TABLE.as_bytes(), &gzip(TABLE.as_bytes())] {
        assert_eq!(fit_of("-", input), expected);
        if cfg!(unix) {
            assert_eq!(fit_of("/dev/stdin", input), expected);
        }
    }
}

/// Runs a command with a file on stdin, of which nothing is read.
fn without_stdin(place: &Place, command: &str, file: &str) -> Outcome {
    let mut stdin = File::open(place.path(file)).unwrap();
    let outcome = place.nca(command).stdin(stdin.try_clone().unwrap()).output().unwrap();
    let outcome = Outcome(outcome).success();
    assert_eq!(stdin.stream_position().unwrap(), 0, "{outcome}");
    outcome
}

#[test]
fn an_evaluation_leaves_standard_input_to_others() {
    let place = Place::new();
    place.file("t.csv", TABLE);
    place.nca("fit - --dim 1 --max-iterations 2 --out run").run_fed(TABLE).success();
    let measured = place.nca("evaluate run -").run_fed(TABLE).success();
    assert_parts(&measured.stdout(), &["8 rows"]);
    let evaluate = "evaluate run t.csv --format json";
    let found = without_stdin(&place, evaluate, "t.csv").json();
    let reason = found["euclidean_missing"].as_str().unwrap();
    assert_parts(reason, &["standard input", "give the table of the fit with --train"]);
    let found = without_stdin(&place, &format!("{evaluate} --train t.csv"), "t.csv").json();
    assert!(found["euclidean"]["p_value"].is_number(), "{found}");

    let pairs = "1,2\n3,4\n5,6\n7,8\n";
    place.file("pairs.csv", pairs);
    let fit = "fit t.csv --ignore y --pairs - --test-size 0 --max-iterations 2 --out of-pairs";
    place.nca(fit).run_fed(pairs).success();
    without_stdin(&place, "evaluate of-pairs t.csv --pairs pairs.csv", "pairs.csv");
}

#[cfg(unix)]
#[test]
fn an_evaluation_does_not_wait_for_a_fifo_of_the_fit() {
    let place = Place::new();
    place.file("t.csv", TABLE);
    place.fifo("fifo.csv");
    let fifo = place.path("fifo.csv");
    let writer = std::thread::spawn(move || fs::write(fifo, TABLE).unwrap());
    place.nca("fit fifo.csv --dim 1 --max-iterations 2 --out run").success();
    writer.join().unwrap();
    let mut child = place.nca("evaluate run t.csv --format json").start();
    let waits = "it waits for somebody to write into the FIFO";
    wait_until(waits, || child.try_wait().unwrap().is_some());
    let found = Outcome::of(child).json();
    assert_parts(found["euclidean_missing"].as_str().unwrap(), &["fifo.csv", "--train"]);
}
