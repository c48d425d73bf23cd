//! Help, completions, lists, and stdout as a pipe.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};

use crate::{Place, assert_parts, nca};

pub const VERBS: &str = "demo fit transform predict evaluate info report export devices methods \
                         datasets completions";

#[test]
fn the_help_names_every_verb() {
    let help = nca("--help").printed();
    assert_parts(&help, &VERBS.split(' ').collect::<Vec<_>>());
    assert!(help.contains("Exit codes"));
}

#[test]
fn options_stand_under_what_they_are_about() {
    let (help, mut heading) = (nca("fit -h").printed(), "");
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
    assert!(nca("info --help").printed().contains("null for an mlp"));
}

#[test]
fn wrong_usage_ends_with_2() {
    for (command, part) in [("", "Usage"), ("learn", "unrecognized subcommand"), ("fit", "<DATA>")]
    {
        nca(command).fails(2, &[part]);
    }
    assert!(nca("--version").printed().contains(env!("CARGO_PKG_VERSION")));
}

#[test]
fn every_shell_has_completions() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = nca(&format!("completions {shell}")).printed();
        assert_parts(&script, &["nca", "evaluate"]);
    }
}

#[test]
fn the_data_sets_are_listed() {
    let list = nca("datasets").printed();
    for name in ["iris", "wine", "digits", "balance", "rings"] {
        assert!(list.lines().any(|line| line.starts_with(name)), "{name}");
    }
}

#[test]
fn the_demo_serves_the_page_where_a_free_port_and_its_folder_are_given() {
    let place = Place::new();
    place.file("index.html", "the page");
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = taken.local_addr().unwrap().port();
    place
        .nca("demo --site none --port 0")
        .fails(1, &["build.sh", "or name its folder with --site"]);
    let taken_port = format!("demo --site . --port {port}");
    place.nca(&taken_port).fails(1, &["; give another --port, or 0 for any"]);
    let mut demo = place.nca("demo --site . --port 0").start();
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
