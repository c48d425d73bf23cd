//! Help, completions, lists, the demo, and what is refused: exit code 1 for data, 2 for usage.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};

use crate::{Place, assert_parts, nca, table};

pub const VERBS: &str = "demo fit transform predict evaluate info report export devices methods \
                         datasets completions";

#[test]
fn verbs_options_shells_and_data_sets_are_listed() {
    let help = nca("--help").printed();
    assert_parts(&help, &VERBS.split(' ').chain(["Exit codes"]).collect::<Vec<_>>());
    assert!(nca("--version").printed().contains(env!("CARGO_PKG_VERSION")));
    assert!(nca("info --help").printed().contains("null for an mlp"));
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = nca(&format!("completions {shell}")).printed();
        assert_parts(&script, &["nca", "evaluate"]);
    }
    let list = nca("datasets").printed();
    for name in ["iris", "wine", "digits", "balance", "rings"] {
        assert!(list.lines().any(|line| line.starts_with(name)), "{name}");
    }
    // Options stand under what they are about.
    let help = nca("fit -h").printed();
    for (heading, options) in [
        ("Tuning:", &["--tune", "--no-tune", "--budget", "--folds", "--repeats", "--tune-dim"][..]),
        ("Computation:", &["--device", "--precision", "--sums", "--sums-tolerance", "--memory"]),
        ("Output:", &["--out", "--picture", "--resume", "--format", "--quiet"]),
    ] {
        let lines = help.lines().skip_while(|line| *line != heading).skip(1);
        let lines = lines.take_while(|line| line.is_empty() || line.starts_with(' '));
        let lines = lines.filter(|line| line.trim_start().starts_with('-'));
        let words =
            lines.filter_map(|line| line.split_whitespace().find(|it| it.starts_with("--")));
        assert_eq!(words.collect::<Vec<_>>(), options, "{heading}\n{help}");
    }
}

#[test]
fn the_demo_serves_the_page_where_a_free_port_is_given() {
    let place = Place::new();
    place.file("index.html", "the page");
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = taken.local_addr().unwrap().port();
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

#[test]
fn commands_are_refused_with_what_is_wrong_and_what_to_do() {
    let place = Place::new();
    place.nca("fit iris --dim 2 --max-iterations 1 --out run").success();
    place.file("n.csv", table("a,b,y", 5, |row| format!("{row},{},{row}.5", row * row % 7)));
    let iris = "sepal_length_cm,sepal_width_cm,petal_length_cm,petal_width_cm";
    place.file("huge.csv", format!("{iris}\n5,3,1,0.2\n5,3,1e308,0.2\n"));
    let lines = include_str!("refused.txt").lines();
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let fields: Vec<&str> = line.split(" | ").collect();
        let message = place.nca(fields[1]).fails(fields[0].parse().unwrap(), &fields[2..]);
        assert!(!message.contains("panicked"), "{line}: {message}");
    }
}
