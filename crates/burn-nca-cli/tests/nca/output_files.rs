//! `--out FILE`: what is there is replaced, written to, or refused, and never destroyed.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::process::{Command, Stdio};

use crate::{Place, assert_parts, failure, models, nca, stdout};

#[test]
fn what_is_no_plain_file_stays_what_it_is() {
    let place = Place::new();
    let (run, data, _) = models::run(&place);
    let expected = stdout(&["predict", &run, &data]);
    let predict = |out: &str| {
        nca(&["predict", &run, &data, "--out", out]).assert().success();
    };

    let target = place.file("target.csv", "old");
    symlink("target.csv", place.path("link.csv")).unwrap();
    predict(&place.at("link.csv"));
    assert!(fs::symlink_metadata(place.path("link.csv")).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(target).unwrap(), expected);

    symlink("made.csv", place.path("dangling.csv")).unwrap();
    predict(&place.at("dangling.csv"));
    assert_eq!(fs::read_to_string(place.path("made.csv")).unwrap(), expected);

    fs::hard_link(place.path("made.csv"), place.path("other.csv")).unwrap();
    fs::write(place.path("other.csv"), "old").unwrap();
    predict(&place.at("made.csv"));
    assert_eq!(fs::read_to_string(place.path("other.csv")).unwrap(), expected);

    assert!(Command::new("mkfifo").arg(place.path("pipe.csv")).status().unwrap().success());
    let pipe = place.path("pipe.csv");
    let reader = std::thread::spawn(move || fs::read_to_string(pipe).unwrap());
    predict(&place.at("pipe.csv"));
    assert_eq!(reader.join().unwrap(), expected);

    predict("/dev/null");
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    assert_eq!(stdout(&["predict", &run, &data, "--out", "/dev/stdout"]), expected);
}

#[test]
fn standard_output_by_name_keeps_what_a_file_holds_already() {
    let place = Place::new();
    let (run, data, _) = models::run(&place);
    let file = fs::File::create(place.path("all.csv")).unwrap();
    let mut program = nca(&["transform", &run, &data, "--out", "/dev/stdout"]);
    std::io::Write::write_all(&mut (&file), b"kept\n").unwrap();
    program.stdout(file.try_clone().unwrap()).status().unwrap();
    std::io::Write::write_all(&mut (&file), b"end\n").unwrap();
    let text = fs::read_to_string(place.path("all.csv")).unwrap();
    assert!(text.starts_with("kept\nz1,z2\n") && text.ends_with("\nend\n"), "{text}");
}

#[test]
fn a_link_to_standard_output_keeps_the_file_behind_it() {
    let place = Place::new();
    let (run, data, _) = models::run(&place);
    symlink("/dev/stdout", place.path("o.csv")).unwrap();
    let all = place.file("all.csv", "kept\n");
    let open = fs::OpenOptions::new().append(true).open(&all).unwrap();
    let mut program = nca(&["transform", &run, &data, "--out", &place.at("o.csv")]);
    assert!(program.stdout(open).status().unwrap().success());
    let text = fs::read_to_string(all).unwrap();
    assert!(text.starts_with("kept\nz1,z2\n") && text.lines().count() == 47, "{text}");
}

#[test]
fn a_closed_stdout_keeps_no_file_from_being_written() {
    let place = Place::new();
    let picture = place.at("p.svg");
    let fit = ["fit", "iris", "--dim", "2", "--no-tune", "--max-iterations", "2"];
    let mut program = nca(&[&fit[..], &["--picture", &picture]].concat());
    let mut child = program.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
    assert!(fs::read_to_string(picture).unwrap().contains("setosa"));
}

#[test]
fn only_the_pipe_of_stdout_may_be_closed() {
    let place = Place::new();
    let (run, data, _) = models::run(&place);
    let text = fs::read_to_string(&data).unwrap();
    let (head, rows) = text.split_once('\n').unwrap();
    // More than a pipe holds, so that the reader goes while it is written to.
    let many = place.file("many.csv", &format!("{head}\n{}", rows.repeat(200)));
    let pipe = place.at("pipe.csv");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || drop(fs::File::open(pipe).unwrap())
    });
    let message = failure(&["transform", &run, &many, "--out", &pipe], 1);
    assert!(message.contains("pipe.csv cannot be written"), "{message}");
    reader.join().unwrap();

    for more in [&[][..], &["--out", "/dev/stdout"]] {
        let mut program = nca(&[&["transform", &run, &many], more].concat());
        let mut child = program.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    }
}

#[test]
fn a_file_keeps_its_permissions_and_a_read_only_one_its_contents() {
    let place = Place::new();
    let (run, data, _) = models::run(&place);
    let out = place.file("z.csv", "old");
    let mode = |mode| fs::set_permissions(&out, fs::Permissions::from_mode(mode)).unwrap();
    mode(0o400);
    for verb in ["predict", "transform"] {
        let message = failure(&[verb, &run, &data, "--out", &out], 1);
        assert!(message.contains("the file is read-only"), "{message}");
    }
    assert_eq!(fs::read_to_string(&out).unwrap(), "old");
    mode(0o604);
    nca(&["predict", &run, &data, "--out", &out]).assert().success();
    assert_eq!(fs::metadata(&out).unwrap().mode() & 0o777, 0o604);

    let layer = place.at("layer.safetensors");
    nca(&["export", &run, "--to", &layer]).assert().success();
    let usual = fs::metadata(place.file("plain", "")).unwrap().mode();
    assert_eq!(fs::metadata(layer).unwrap().mode(), usual);
}

#[test]
fn pictures_are_written_as_svg_and_png_by_a_fit_and_by_its_report() {
    let place = Place::new();
    let (run, svg, png) = (place.at("run"), place.at("iris.svg"), place.at("iris.PNG"));
    nca(&["fit", "iris", "--dim", "2", "--no-tune", "--out", &run, "--picture", &svg])
        .assert()
        .success();
    nca(&["report", &run, "--picture", &png, "--picture", &place.at("again.svg")])
        .assert()
        .success();
    let text = std::fs::read_to_string(&svg).unwrap();
    assert_parts(&text, &["iris, NCA", "setosa", "pale"]);
    assert_eq!(text, std::fs::read_to_string(place.path("again.svg")).unwrap());
    assert!(std::fs::read(&png).unwrap().starts_with(b"\x89PNG"));
    let message = failure(&["report", &run, "--picture", "iris.pdf"], 2);
    assert!(message.contains("written as .svg or .png"), "{message}");
    let nowhere = place.at("none/iris.svg");
    let message = failure(&["fit", "iris", "--picture", &nowhere], 2);
    assert!(message.contains("is not there; make it first"), "{message}");
}
