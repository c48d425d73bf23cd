//! The cases of the program's own messages whose cure is in their text: how a fit ended, folders of runs, files to write.

use std::fmt::Display;

use burn_nca_files::write_atomically;
use burn_nca_program::{Cells, RunFolder};

use super::files::bad;
use super::worded::{Refused, refused};
use super::{Case, methods};

/// A fit without a search, of these options.
fn fit(options: &str) -> String {
    methods::fit(&format!("--no-tune --test-size 0 {options}"))
}

fn of(says: &'static str, options: &str) -> Case {
    bad(says, "t.csv", methods::rows()).command(&fit(options))
}

/// Rows of which each has one neighbor within reach.
const FAR: &str = "a,y\n0,u\n1000,u\n5000,v\n6000,v\n20000,u\n21000,v\n";

pub(super) fn all() -> Vec<Case> {
    let far = |options: &str| format!("fit t.csv --no-tune --test-size 0 --method nca {options}");
    let report = |says, name: &'static str, bytes: &str, command: &str| {
        let case = bad(says, name, bytes).file("t.csv", methods::rows()).command(command);
        case.before("fit t.csv --ignore n --no-tune --method pca --out run")
    };
    vec![
        of("the limit of iterations was reached", "--method nca --max-iterations 2").instead(
            "a larger --max-iterations allows more",
            &fit("--method nca --max-iterations 2000"),
        ),
        of("the time allowed is used up", "--method nca --time-budget 0.001").instead(
            "a larger --time-budget allows more",
            &fit("--method nca --time-budget 600"),
        ),
        of("the time budget of 0.001 s is spent", "--method nca --time-budget 0.001")
            .instead("give a larger --time-budget", &fit("--method nca --time-budget 600")),
        of("no step was taken", "--method nca --optimizer adam --epochs 1 --batch-size 2").instead(
            "in no batch did a row have both a row of its class and a row of another; a larger --batch-size gives it both",
            &fit("--method nca --optimizer adam --epochs 1 --batch-size 16"),
        ),
        bad("the start is saturated", "t.csv", FAR)
            .command(&far("--scale none --init identity --objective f --l2 0"))
            .instead("--objective g", &far("--scale none --init identity --objective g --l2 0"))
            .instead(", --l2 0.01", &far("--scale none --init identity --objective f --l2 0.01"))
            .instead(
                "--scale standardize lets it move",
                &far("--scale standardize --init identity --objective f --l2 0"),
            ),
        bad("training rows occur more than once", "t.csv", "a,b,g,y\n1,2,1,u\n1,2,1,u\n3,1,2,v\n3,1,2,v\n2,2,3,u\n4,4,3,v\n")
            .command("fit t.csv --ignore g --no-tune --test-size 0 --method pca")
            .edit("remove them", "a,b,g,y\n1,2,1,u\n3,1,2,v\n2,2,3,u\n4,4,3,v\n")
            .instead(
                ", or name what belongs together with --groups",
                "fit t.csv --groups g --no-tune --test-size 0 --method pca",
            ),
        of("3 features are mapped to 2 dimensions", "--method lda").instead(
            "--dim sets another number, up to 3 for the full metric",
            &fit("--method lda --dim 1"),
        ),
        report("other/report.json cannot be read", "other/report.txt", "", "report other").instead(
            "give the folder that nca fit --out wrote: No such file or directory (os error 2)",
            "report run",
        ),
        report("run/report.json is not JSON", "run/report.json", "none", "report run")
            .without("fit again: expected ident at line 1 column 2"),
        report("is not a complete report", "run/report.json", "{\"format\": 1}", "report run")
            .without("correct it")
            .without("fit again: missing field `warnings`"),
    ]
}

pub(super) fn calls() -> Vec<Refused> {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    let open = |name: &str, resume| RunFolder::open(&at(name), resume, &["checkpoint.json"]);
    let new = |name: &str| open(name, false).map(drop);
    let hold = |name: &str| std::fs::create_dir_all(at(name)).unwrap();
    // Another run.
    let running = open("a", false).unwrap();
    let in_use = new("a");
    let elsewhere = new("b");
    drop(running);
    let ended = new("a");
    hold("c");
    let exists = new("c");
    hold("d.partial");
    std::fs::write(at("d.partial/notes.txt"), "").unwrap();
    let foreign = open("d", true).map(drop);
    let other = new("e");
    std::fs::rename(at("d.partial/notes.txt"), at("notes.txt")).unwrap();
    let moved = open("d", true).map(drop);
    let none = RunFolder::open(&at("none/.."), false, &[]).map(drop);
    let write = |name: &str| write_atomically(&at(name), b"text");
    hold("folder");
    let cells = |file: &str, of: &str| {
        Cells::<String, u32>::open(at(file), of.to_string(), |_| true).map(drop)
    };
    cells("cells.json", "seed 1").unwrap();
    let mut calls = vec![
        refused(in_use)
            .by("wait for its end", ended)
            .by("choose another folder with --out", elsewhere),
        refused(exists).by("choose another with --out", new("f")),
        refused(open("g", true).map(drop)).by("leave --resume out", new("g")),
        refused(foreign)
            .by("move its files elsewhere", moved)
            .by("leave --resume out and choose another folder with --out", other),
        refused(none).by("give one such as runs/a", new("runs/a")),
        refused(write("folder")).by("give the name of a file", write("file")),
        refused(cells("cells.json", "seed 2"))
            .by("give the same options", cells("cells.json", "seed 1"))
            .by("start again in another folder", cells("more.json", "seed 2")),
    ];
    #[cfg(unix)]
    calls.extend(special(&at, &write));
    calls
}

/// What a path may lead to on Unix.
#[cfg(unix)]
fn special<E: Display>(
    at: &impl Fn(&str) -> std::path::PathBuf,
    write: &impl Fn(&str) -> Result<(), E>,
) -> Vec<Refused> {
    use std::os::unix::fs::symlink;
    let new = |name: &str| RunFolder::open(&at(name), false, &[]).map(drop);
    symlink(at("nowhere"), at("link")).unwrap();
    let leads_nowhere = new("link");
    let another = new("h");
    std::fs::remove_file(at("link")).unwrap();
    let removed = new("link");
    // As many as the system follows, and one more than are followed here.
    (0..40).for_each(|n| symlink(at(&format!("l{}", n + 1)), at(&format!("l{n}"))).unwrap());
    let socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
    let to_socket = write("socket");
    drop(socket);
    std::fs::write(at("old"), "").unwrap();
    let set_read_only = |is: bool| {
        let mut permissions = std::fs::metadata(at("old")).unwrap().permissions();
        permissions.set_readonly(is);
        std::fs::set_permissions(at("old"), permissions).unwrap();
    };
    set_read_only(true);
    let read_only = write("old");
    set_read_only(false);
    let changed = write("old");
    vec![
        refused(leads_nowhere)
            .by("remove it", removed)
            .by("choose another folder with --out", another),
        refused(write("l0")).by("give the file they lead to", write("l40")),
        refused(to_socket).by("give the name of a file", write("file")),
        refused(read_only)
            .by("change its permissions", changed)
            .by("give another name", write("new")),
    ]
}
