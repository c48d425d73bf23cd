//! Where tables come from and results go: files, pipes and standard streams, one that takes nothing, and pictures.

use std::fs::{self, File};
use std::io::{Seek, Write};
use std::process::Stdio;

use serde_json::Value;

use crate::program::Outcome;
use crate::{Place, assert_parts, gzip, models, nca, wait_until};

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

#[cfg(unix)]
#[test]
fn standard_output_by_name_or_link_keeps_what_a_file_holds_already() {
    let place = Place::new();
    models::run(&place);
    std::os::unix::fs::symlink("/dev/stdout", place.path("o.csv")).unwrap();
    for out in ["/dev/stdout", "o.csv"] {
        let mut file = File::create(place.path("all.csv")).unwrap();
        file.write_all(b"kept\n").unwrap();
        let mut program = place.nca(&format!("transform run test.csv --out {out}"));
        assert!(program.stdout(file.try_clone().unwrap()).status().unwrap().success());
        file.write_all(b"end\n").unwrap();
        let text = place.read("all.csv");
        assert!(text.starts_with("kept\nz1,z2\n") && text.ends_with("\nend\n"), "{text}");
        assert_eq!(text.lines().count(), 48, "{out}: {text}");
    }
}

#[test]
fn a_closed_stdout_keeps_no_file_from_being_written() {
    let place = Place::new();
    let fit = "fit iris --dim 2 --no-tune --max-iterations 2 --picture p.svg";
    let mut child = place.nca(fit).start();
    drop(child.stdout.take());
    Outcome::of(child).success();
    assert!(place.read("p.svg").contains("setosa"));
}

#[cfg(unix)]
#[test]
fn only_the_pipe_of_stdout_may_be_closed() {
    let place = Place::new();
    models::run(&place);
    let text = place.read("test.csv");
    let (head, rows) = text.split_once('\n').unwrap();
    // More than a pipe holds, so that the reader goes while it is written to.
    place.file("many.csv", format!("{head}\n{}", rows.repeat(200)));
    place.fifo("pipe.csv");
    let pipe = place.path("pipe.csv");
    let reader = std::thread::spawn(move || drop(File::open(pipe).unwrap()));
    place.nca("transform run many.csv --out pipe.csv").fails(1, &["pipe.csv cannot be written"]);
    reader.join().unwrap();

    for more in ["", "--out /dev/stdout"] {
        let mut child = place.nca(&format!("transform run many.csv {more}")).start();
        drop(child.stdout.take());
        let outcome = Outcome::of(child).success();
        assert_eq!(outcome.stderr(), "");
    }
}

#[test]
fn pictures_are_written_as_svg_and_png_by_a_fit_and_by_its_report() {
    let place = Place::new();
    place.nca("fit iris --dim 2 --no-tune --out run --picture iris.svg").success();
    place.nca("report run --picture iris.PNG --picture again.svg").success();
    let text = place.read("iris.svg");
    assert_parts(&text, &["iris, NCA", "setosa", "pale"]);
    assert_eq!(text, place.read("again.svg"));
    assert!(fs::read(place.path("iris.PNG")).unwrap().starts_with(b"\x89PNG"));
}

/// Whatever is written there fails: the disk is full, or the reader has left.
#[cfg(unix)]
fn deaf() -> [(&'static str, Stdio); 2] {
    let full = File::options().write(true).open("/dev/full").unwrap();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    [("full", full.into()), ("closed", writer.into())]
}

#[cfg(unix)]
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
