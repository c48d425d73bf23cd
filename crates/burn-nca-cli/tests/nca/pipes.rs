//! Where data come from: files, pipes and standard input give the same fit.

use std::fs::{self, File};
use std::io::{Seek, Write};
use std::process::Output;

use flate2::{Compression, write::GzEncoder};
use serde_json::Value;

use crate::{Place, nca};

const TABLE: &str = "measurement,b,y\n1,2,p\n2,1,q\n3,3,p\n4,1,q\n5,2,p\n6,6,q\n7,1,p\n8,2,q\n";

/// What a fit of this source, fed these bytes, says about its data and its columns.
fn fit_of(source: &str, input: &[u8]) -> (Value, Value) {
    let options = ["--dim", "1", "--max-iterations", "2", "-q", "--format", "json"];
    let outcome = nca(&[&["fit", source][..], &options].concat()).assert_fed(input).success();
    let mut report: Value = serde_json::from_slice(&outcome.get_output().stdout).unwrap();
    (report["data"]["rows"].take(), report["feature_weights"].take())
}

#[test]
fn a_pipe_gives_what_a_file_gives() {
    let place = Place::new();
    let file = place.file("table.csv", TABLE);
    let expected = fit_of(&file, b"");
    assert_eq!(expected.0, 8);
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(TABLE.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    for input in [TABLE.as_bytes(), &packed] {
        assert_eq!(fit_of("-", input), expected);
        if cfg!(unix) {
            assert_eq!(fit_of("/dev/stdin", input), expected);
        }
    }
}

#[test]
fn messages_name_standard_input() {
    let outcome = nca(&["fit", "-"]).assert_fed(b"a,y\nred,p\n").failure().code(1);
    let message = String::from_utf8_lossy(&outcome.get_output().stderr).into_owned();
    assert!(message.contains("error: standard input, line 2 (row 1), column \"a\""), "{message}");
}

/// The model of a fit that was fed these bytes.
fn fed(options: &[&str], out: &str, input: &[u8]) {
    let fit = [&["fit"], options, &["--max-iterations", "2", "--out", out]].concat();
    nca(&fit).assert_fed(input).success();
}

/// Runs `nca` with a file on stdin and says how much of that was read.
fn with_stdin(arguments: &[&str], file: &str) -> (Output, u64) {
    let mut stdin = File::open(file).unwrap();
    let output = nca(arguments).stdin(stdin.try_clone().unwrap()).output().unwrap();
    (output, stdin.stream_position().unwrap())
}

#[test]
fn an_evaluation_leaves_standard_input_to_others() {
    let place = Place::new();
    let (table, run) = (place.file("table.csv", TABLE), place.at("run"));
    fed(&["-", "--dim", "1"], &run, TABLE.as_bytes());
    let evaluate = ["evaluate", &run, &table, "--format", "json"];
    let (output, read) = with_stdin(&evaluate, &table);
    assert_eq!((output.status.success(), read), (true, 0), "{output:?}");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let reason = found["euclidean_missing"].as_str().unwrap();
    assert!(
        reason.contains("standard input")
            && reason.contains("give the table of the fit with --train")
    );
    let (output, read) = with_stdin(&[&evaluate[..], &["--train", &table]].concat(), &table);
    assert_eq!((output.status.success(), read), (true, 0), "{output:?}");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(found["euclidean"]["p_value"].is_number(), "{found}");

    let (pairs, of_pairs) = (place.file("pairs.csv", "1,2\n3,4\n5,6\n7,8\n"), place.at("of-pairs"));
    let options = [&table, "--ignore", "y", "--pairs", "-", "--test-size", "0"];
    fed(&options, &of_pairs, &fs::read(&pairs).unwrap());
    let (output, read) = with_stdin(&["evaluate", &of_pairs, &table, "--pairs", &pairs], &pairs);
    assert_eq!((output.status.success(), read), (true, 0), "{output:?}");
}

#[cfg(unix)]
#[test]
fn an_evaluation_does_not_wait_for_a_fifo_of_the_fit() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    let place = Place::new();
    let (table, run, fifo) =
        (place.file("table.csv", TABLE), place.at("run"), place.at("fifo.csv"));
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let writer = std::thread::spawn({
        let fifo = fifo.clone();
        move || fs::write(fifo, TABLE).unwrap()
    });
    fed(&[&fifo, "--dim", "1"], &run, b"");
    writer.join().unwrap();
    let mut program = nca(&["evaluate", &run, &table, "--format", "json"]);
    let mut child = program.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            panic!("it waits for somebody to write into the FIFO");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let found: Value = serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap();
    let reason = found["euclidean_missing"].as_str().unwrap();
    assert!(reason.contains("fifo.csv") && reason.contains("--train"), "{reason}");
}
