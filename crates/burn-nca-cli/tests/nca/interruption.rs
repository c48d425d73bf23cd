//! Ctrl-C and --resume.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::program::Outcome;
use crate::{Place, assert_parts, wait_until, warned};

/// Starts a run that writes to `run` in this place, and waits until that file of its is there.
fn started(command: &mut Command, place: &Place, file: &str) -> Child {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until(&format!("{file} does not appear"), || {
        assert!(child.try_wait().unwrap().is_none(), "the run ended before {file} appeared");
        place.path("run.partial").join(file).exists()
    });
    child
}

fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Interrupts a run that has begun with this signal.
fn interrupt(command: &str, place: &Place, signal: &str, code: i32) {
    let mut child = started(&mut place.nca(command), place, "");
    // Signals are listened to before the folder is made.
    std::thread::sleep(Duration::from_millis(20));
    assert!(child.try_wait().unwrap().is_none(), "the fit is still running");
    send(signal, &child);
    let outcome = Outcome::of(child).code(code);
    assert_eq!(outcome.stdout(), "");
    assert_parts(&outcome.stderr(), &["interrupted after", "--resume"]);
    assert!(place.path("run.partial/checkpoint.json").exists() && !place.path("run").exists());
}

/// Resumes a run: it says these parts, and these fields are those of a run that was not interrupted.
fn assert_resumes(fit: &str, place: &Place, parts: &[&str], fields: &[&str]) {
    assert_parts(&place.nca(&format!("{fit} --out run --resume")).said(), parts);
    place.nca(&format!("{fit} --out whole")).success();
    assert!(!place.path("run.partial").exists() && !place.path("run/checkpoint.json").exists());
    let [resumed, whole] = ["run", "whole"].map(|run| place.json(&format!("{run}/report.json")));
    fields.iter().for_each(|field| assert_eq!(resumed[field], whole[field], "{field}"));
}

#[test]
fn an_interrupted_fit_continues_to_the_same_result() {
    let place = Place::new();
    let fit = "fit digits --dim 2 --optimizer adam --epochs 12 --batch-size 200";
    interrupt(&format!("{fit} --out run"), &place, "-INT", 130);
    place.nca(&format!("{fit} --out run")).fails(1, &[]);
    let fields =
        ["f", "matrix", "iterations", "evaluations", "termination", "embedding", "curve", "replay"];
    assert_resumes(fit, &place, &["resuming at iteration "], &fields);
}

#[test]
fn an_interrupted_search_continues_after_the_candidates_that_are_finished() {
    let place = Place::new();
    let fit = "fit digits --dim 2 --tune --folds 2 --repeats 1 --l2 0.01 --max-iterations 8";
    let mut child = started(&mut place.nca(&format!("{fit} --out run")), &place, "trials.json");
    send("-INT", &child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(place.path("run.partial/trials.json").exists());
    let beginning = "no checkpoint of the fit yet: it starts from the beginning";
    let parts = ["resuming search at candidate ", beginning];
    assert_resumes(fit, &place, &parts, &["matrix", "settings"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_stop_while_the_table_is_read_ends_a_command_that_keeps_nothing_before_the_fit() {
    let place = Place::new();
    let mut child = place.nca("fit - --dim 1").start();
    // Once the program listens, SIGINT waits for the thread that takes it.
    let process = child.id().to_string();
    wait_until("the program does not listen", || signals(&process, "SigBlk:") & 2 != 0);
    send("-INT", &child);
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains("stopping after") {
        assert!(stderr.read_line(&mut said).unwrap() > 0, "{said}");
    }
    let table = "a,y\n1,u\n2,v\n3,u\n4,v\n5,u\n6,v\n7,u\n8,v\n";
    child.stdin.take().unwrap().write_all(table.as_bytes()).unwrap();
    stderr.read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{said}");
    let told = "interrupted while the table was read; give the same command to start again";
    assert!(said.contains(told), "{said}");
    place.nca("fit - --dim 1").run_fed(table).success();
}

#[test]
fn a_stop_during_the_evaluation_leaves_the_replay_out_and_says_so() {
    let place = Place::new();
    let fit = "fit digits --dim 2 --no-tune --max-iterations 3 --out run";
    // The model is saved between the fit and its evaluation.
    let child = started(&mut place.nca(fit), &place, "model");
    send("-INT", &child);
    let outcome = Outcome::of(child).success();
    assert_parts(&outcome.stderr(), &["the fit is not replayed: a stop was asked for"]);
    let report = place.json("run/report.json");
    assert!(report["replay"].is_null() && report["accuracy"]["test"].is_number());
    assert!(warned(&report).contains("not_replayed: "), "{outcome}");
}

/// A fit that takes longer than any test.
const LONG: &str = "fit digits --dim 2 --optimizer adam --epochs 100000 --out run";

/// The signals in a mask of a process, such as `SigBlk:`; none where the system does not say.
fn signals(process: &str, mask: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let signals = status.lines().find_map(|line| line.strip_prefix(mask));
    signals.map_or(0, |signals| u64::from_str_radix(signals.trim(), 16).unwrap())
}

#[test]
fn a_fit_that_is_terminated_can_be_resumed_and_a_hangup_that_was_to_be_ignored_is_ignored() {
    let place = Place::new();
    for (signal, code) in [("-TERM", 143), ("-HUP", 129)] {
        // These tests may have been started to ignore SIGHUP, as by `nohup`: so do the programs that they start.
        if signal == "-TERM" || signals("self", "SigIgn:") & 1 == 0 {
            interrupt(LONG, &place, signal, code);
            place.clear("run.partial");
        }
    }
    let mut nohup = Command::new("nohup");
    nohup.arg(env!("CARGO_BIN_EXE_nca")).args(LONG.split(' ')).stdin(Stdio::null());
    let mut child = started(nohup.current_dir(place.path("")), &place, "");
    send("-HUP", &child);
    std::thread::sleep(Duration::from_millis(100));
    assert!(child.try_wait().unwrap().is_none(), "the fit is still running");
    send("-TERM", &child);
    assert_eq!(child.wait().unwrap().code(), Some(143));
}

#[test]
fn a_folder_is_not_written_by_two_processes() {
    let place = Place::new();
    let mut child = started(&mut place.nca(LONG), &place, ".lock");
    for command in [LONG, &format!("{LONG} --resume")] {
        place.nca(command).fails(1, &["another run is writing into"]);
    }
    // A lock dies with its process.
    child.kill().unwrap();
    child.wait().unwrap();
    place.nca(LONG).fails(1, &["add --resume to resume it"]);
}
