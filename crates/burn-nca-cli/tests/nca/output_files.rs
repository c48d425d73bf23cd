//! `--out FILE`, standard output and pipes, and pictures.
#![cfg(unix)]

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;

use crate::program::Outcome;
use crate::{Place, assert_parts, models};

#[test]
fn standard_output_by_name_or_link_keeps_what_a_file_holds_already() {
    let place = Place::new();
    models::run(&place);
    symlink("/dev/stdout", place.path("o.csv")).unwrap();
    for out in ["/dev/stdout", "o.csv"] {
        let mut file = fs::File::create(place.path("all.csv")).unwrap();
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
    let reader = std::thread::spawn(move || drop(fs::File::open(pipe).unwrap()));
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
