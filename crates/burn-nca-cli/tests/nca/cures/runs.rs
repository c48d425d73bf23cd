//! Calls of the program's own crates that are refused, and what is done about them: what a path leads to, and what is kept.

use burn_nca_files::write_atomically;
use burn_nca_program::{Cells, RunFolder};

use super::calls::{Refused, refused};

pub(super) fn calls() -> Vec<Refused> {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    let cells = |file: &str, of: &str| {
        Cells::<String, u32>::open(at(file), of.to_string(), |_| true).map(drop)
    };
    cells("cells.json", "seed 1").unwrap();
    let open = |name: &str, resume| RunFolder::open(&at(name), resume, &[]).map(drop);
    std::fs::create_dir(at("d.partial")).unwrap();
    std::fs::write(at("d.partial/notes.txt"), "").unwrap();
    let (foreign, other) = (open("d", true), open("e", false));
    std::fs::remove_file(at("d.partial/notes.txt")).unwrap();
    let mut calls = vec![
        refused(foreign)
            .by("move its files elsewhere", open("d", true))
            .by("leave --resume out and choose another folder with --out", other),
        refused(cells("cells.json", "seed 2"))
            .by("give the same options", cells("cells.json", "seed 1"))
            .by("start again in another folder", cells("more.json", "seed 2")),
    ];
    #[cfg(unix)]
    calls.extend(special(at));
    calls
}

/// What a path may lead to on Unix.
#[cfg(unix)]
fn special(at: impl Fn(&str) -> std::path::PathBuf) -> Vec<Refused> {
    use std::os::unix::fs::symlink;
    let write = |name: &str| write_atomically(&at(name), b"text");
    let new = |name: &str| RunFolder::open(&at(name), false, &[]).map(drop);
    symlink(at("nowhere"), at("link")).unwrap();
    let (leads_nowhere, another) = (new("link"), new("h"));
    std::fs::remove_file(at("link")).unwrap();
    let removed = new("link");
    // As many as the system follows, and one more than are followed here.
    (0..40).for_each(|n| symlink(at(&format!("l{}", n + 1)), at(&format!("l{n}"))).unwrap());
    let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
    std::fs::write(at("old"), "").unwrap();
    let set_read_only = |is: bool| {
        let mut permissions = std::fs::metadata(at("old")).unwrap().permissions();
        permissions.set_readonly(is);
        std::fs::set_permissions(at("old"), permissions).unwrap();
    };
    set_read_only(true);
    let read_only = write("old");
    set_read_only(false);
    vec![
        refused(leads_nowhere)
            .by("remove it", removed)
            .by("choose another folder with --out", another),
        refused(write("l0")).cured(write("l40")),
        refused(write("socket")).cured(write("file")),
        refused(read_only)
            .by("change its permissions", write("old"))
            .by("give another name", write("new")),
    ]
}
