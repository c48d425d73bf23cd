//! Help, completions, lists, and stdout as a pipe.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::Stdio;

use predicates::prelude::*;
use predicates::str::contains;

use crate::{Place, failure, nca, stdout};

pub const VERBS: [&str; 12] = [
    "demo",
    "fit",
    "transform",
    "predict",
    "evaluate",
    "info",
    "report",
    "export",
    "devices",
    "methods",
    "datasets",
    "completions",
];

#[test]
fn every_verb_has_help_with_an_example() {
    let help = stdout(&["--help"]);
    for verb in VERBS {
        assert!(help.contains(verb), "{verb} is not in the help");
        let text = stdout(&[verb, "--help"]);
        assert!(
            text.contains("Example") && text.contains(&format!("nca {verb}")),
            "{verb}: {text}"
        );
    }
    assert!(help.contains("Exit codes"));
}

#[test]
fn options_stand_under_what_they_are_about() {
    let (help, mut heading) = (stdout(&["fit", "-h"]), "");
    let mut found = Vec::new();
    for line in help.lines() {
        match line.split_whitespace().find(|word| word.starts_with("--")) {
            Some(option) if line.trim_start().starts_with('-') => found.push((option, heading)),
            _ if !line.starts_with(' ') => heading = line,
            _ => {}
        }
    }
    for (heading, options) in [
        ("Tuning:", &["--tune", "--no-tune", "--budget", "--folds", "--repeats", "--tune-dim"][..]),
        ("Computation:", &["--device", "--precision", "--sums", "--sums-tolerance", "--memory"]),
        ("Output:", &["--out", "--picture", "--resume", "--format", "--quiet"]),
    ] {
        let under = found.iter().filter(|(_, at)| *at == heading).map(|(option, _)| *option);
        assert_eq!(under.collect::<Vec<_>>(), options, "{heading}\n{help}");
    }
    assert!(stdout(&["info", "--help"]).contains("null for an mlp"));
}

#[test]
fn wrong_usage_ends_with_2() {
    nca(&[]).assert().code(2);
    nca(&["learn"]).assert().code(2).stderr(contains("unrecognized subcommand"));
    nca(&["fit"]).assert().code(2).stderr(contains("<DATA>"));
    nca(&["--version"]).assert().success().stdout(contains(env!("CARGO_PKG_VERSION")));
}

#[test]
fn every_shell_has_completions() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        nca(&["completions", shell])
            .assert()
            .success()
            .stdout(contains("nca").and(contains("evaluate")));
    }
}

#[test]
fn the_data_sets_are_listed() {
    let list = stdout(&["datasets"]);
    for name in ["iris", "wine", "digits", "balance", "rings"] {
        assert!(list.lines().any(|line| line.starts_with(name)), "{name}");
    }
}

#[test]
fn the_demo_serves_the_page_where_a_free_port_and_its_folder_are_given() {
    let place = Place::new();
    place.file("index.html", "the page");
    let site = place.at("");
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let message = failure(&["demo", "--site", &place.at("none"), "--port", "0"], 1);
    assert!(message.contains("or name its folder with --site"), "{message}");
    let message = failure(&["demo", "--site", &site, "--port", &port], 1);
    assert!(message.contains("; give another --port, or 0 for any"), "{message}");
    let mut demo = nca(&["demo", "--site", &site, "--port", "0"]);
    let mut demo = demo.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(demo.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.strip_prefix("http://").and_then(|line| line.split('/').next()).unwrap();
    let mut answer = String::new();
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    stream.read_to_string(&mut answer).unwrap();
    demo.kill().unwrap();
    demo.wait().unwrap();
    assert!(answer.ends_with("the page"), "{answer}");
}
