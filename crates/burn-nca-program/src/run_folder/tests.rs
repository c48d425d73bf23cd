//! Tests of run folders: locks, resumed runs, and what is never overwritten.

use super::*;

const STATES: &[&str] = &["trials.json", ".checkpoint.json"];

fn open(target: &Path, resume: bool) -> Result<RunFolder> {
    RunFolder::open(target, resume, STATES)
}

fn refusal(target: &Path, resume: bool) -> String {
    open(target, resume).unwrap_err().to_string()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_run_appears_complete_or_leaves_nothing() {
    let place = tempfile::tempdir().unwrap();
    let target = place.path().join("runs/a");
    let run = open(&target, false).unwrap();
    for name in ["results.json", "trials.json", "pairs.checkpoint.json"] {
        fs::write(run.file(name), "{}").unwrap();
    }
    assert!(!target.exists() && run.has_state());
    run.finish().unwrap();
    assert_eq!(names(&target), ["results.json"]);
    assert!(refusal(&target, false).contains("already exists; choose another with --out"));

    drop(open(&place.path().join("runs/b"), false).unwrap());
    assert_eq!(names(&place.path().join("runs")), ["a"]);
}

#[test]
fn an_interrupted_run_stays_and_is_resumed_only_when_asked() {
    let place = tempfile::tempdir().unwrap();
    let target = place.path().join("a");
    assert!(refusal(&target, true).contains("no interrupted run"));
    let run = open(&target, false).unwrap();
    fs::write(run.file("pairs.checkpoint.json"), "state").unwrap();
    fs::write(run.file(".nca-tmp-x"), "half of a state").unwrap();
    drop(run);
    assert!(refusal(&target, false).contains("add --resume"));
    let run = open(&target, true).unwrap();
    assert_eq!(fs::read_to_string(run.file("pairs.checkpoint.json")).unwrap(), "state");
    assert_eq!(names(run.path()).len(), 2, "the state and the lock");
}

#[test]
fn a_run_that_cannot_be_resumed_leaves_no_folder() {
    let place = tempfile::tempdir().unwrap();
    let target = place.path().join("a");
    let run = open(&target, false).unwrap();
    fs::write(run.file("pairs.checkpoint.json"), "state").unwrap();
    run.forget();
    drop(run);
    assert!(names(place.path()).is_empty());
}

#[test]
fn results_outlast_a_run_that_failed() {
    let place = tempfile::tempdir().unwrap();
    let target = place.path().join("a");
    let run = open(&target, false).unwrap();
    fs::write(run.file("model"), "weights").unwrap();
    drop(run);
    let run = open(&target, true).unwrap();
    assert!(run.file("model").exists() && !run.has_state());
}

#[test]
fn a_folder_is_written_by_one_run_at_a_time() {
    let place = tempfile::tempdir().unwrap();
    let target = place.path().join("a");
    let run = open(&target, false).unwrap();
    for resume in [false, true] {
        assert!(refusal(&target, resume).contains("another run is writing into"));
    }
    drop(run);
    assert!(open(&target, false).is_ok());
}

#[test]
fn a_folder_of_other_files_is_not_taken_for_a_run() {
    let place = tempfile::tempdir().unwrap();
    let partial = place.path().join("a.partial");
    fs::create_dir(&partial).unwrap();
    fs::write(partial.join("thesis.tex"), "").unwrap();
    let error = refusal(&place.path().join("a"), true);
    assert!(error.contains("holds \"thesis.tex\", but nothing to resume from"), "{error}");
    assert_eq!(names(&partial), ["thesis.tex"]);
}

#[test]
fn results_are_kept_where_the_name_was_taken_meanwhile() {
    let place = tempfile::tempdir().unwrap();
    let target = place.path().join("a");
    let run = open(&target, false).unwrap();
    let result = run.file("results.json");
    fs::write(&result, "{}").unwrap();
    fs::create_dir(&target).unwrap();
    let error = format!("{:#}", run.finish().unwrap_err());
    assert!(error.contains("the results are in") && error.contains("already exists"), "{error}");
    assert!(result.exists());
}

#[test]
fn a_name_that_cannot_be_a_folder_is_refused() {
    assert!(refusal(Path::new(".."), false).contains("exists"));
    assert!(refusal(Path::new("no/such/.."), false).contains("has no name"));
    #[cfg(unix)]
    {
        let place = tempfile::tempdir().unwrap();
        let link = place.path().join("link");
        std::os::unix::fs::symlink("nowhere", &link).unwrap();
        assert!(refusal(&link, false).contains("leads nowhere"));
    }
}
