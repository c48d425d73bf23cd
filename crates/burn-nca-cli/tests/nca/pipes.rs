//! Where data come from: files, pipes and standard input give the same fit.

use std::io::Write;

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
