//! Calls of the program's own crates that are refused, and what is done about them: folders of runs, files to write.

use std::fmt::Display;

use burn_nca_files::write_atomically;
use burn_nca_program::{Cells, RunFolder};

use super::calls::{Refused, refused};

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
        refused(exists).cured(new("f")),
        refused(open("g", true).map(drop)).cured(new("g")),
        refused(foreign)
            .by("move its files elsewhere", moved)
            .by("leave --resume out and choose another folder with --out", other),
        refused(none).cured(new("runs/a")),
        refused(write("folder")).cured(write("file")),
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
        refused(write("l0")).cured(write("l40")),
        refused(to_socket).cured(write("file")),
        refused(read_only)
            .by("change its permissions", changed)
            .by("give another name", write("new")),
    ]
}
