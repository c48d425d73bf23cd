//! Runs the program and checks what it did.
//!
//! A few lines instead of the crate assert_cmd, whose dependencies change the features of the whole graph:
//! tests and the program would no longer share one build of the GPU crates.

use std::io::Write;
use std::ops::{Deref, DerefMut};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

/// A run of `nca` to come.
pub struct Program(pub Command);

impl Program {
    /// Sets a variable of its environment.
    pub fn env(&mut self, name: &str, value: &str) -> &mut Self {
        self.0.env(name, value);
        self
    }

    /// Runs it to its end.
    pub fn run(&mut self) -> Outcome {
        Outcome(self.0.output().unwrap())
    }

    /// Starts it with a pipe for each stream.
    pub fn start(&mut self) -> Child {
        let (stdin, stdout, stderr) = (Stdio::piped(), Stdio::piped(), Stdio::piped());
        self.0.stdin(stdin).stdout(stdout).stderr(stderr).spawn().unwrap()
    }

    /// Runs it to its end with a pipe on stdin that gives these bytes.
    pub fn run_fed(&mut self, input: impl AsRef<[u8]>) -> Outcome {
        let mut child = self.start();
        // A program that refuses its input need not read all of it.
        let _ = child.stdin.take().unwrap().write_all(input.as_ref());
        Outcome::of(child)
    }

    /// A run that succeeds.
    #[track_caller]
    pub fn success(&mut self) -> Outcome {
        self.run().success()
    }

    /// What a successful run prints.
    #[track_caller]
    pub fn printed(&mut self) -> String {
        self.success().stdout()
    }

    /// What a successful run says on stderr.
    #[track_caller]
    pub fn said(&mut self) -> String {
        self.success().stderr()
    }

    /// The one JSON document of a successful run.
    #[track_caller]
    pub fn json(&mut self) -> Value {
        self.0.args(["--format", "json"]);
        self.success().json()
    }

    /// The message of a run that fails with this exit code, which has each of these parts.
    #[track_caller]
    pub fn fails(&mut self, code: i32, parts: &[&str]) -> String {
        let outcome = self.run().code(code);
        assert!(outcome.0.stdout.is_empty(), "nothing is printed on stdout by a run that fails");
        let (message, arguments) = (outcome.stderr(), self.0.get_args());
        let lacks = parts.iter().find(|part| !message.contains(**part));
        assert!(lacks.is_none(), "{arguments:?}: {lacks:?} is not in {message}");
        message
    }
}

impl Deref for Program {
    type Target = Command;

    fn deref(&self) -> &Command {
        &self.0
    }
}

impl DerefMut for Program {
    fn deref_mut(&mut self) -> &mut Command {
        &mut self.0
    }
}

/// What a run did.
#[derive(Debug)]
pub struct Outcome(pub Output);

impl Outcome {
    /// What a run that was started has done at its end.
    pub fn of(child: Child) -> Self {
        Self(child.wait_with_output().unwrap())
    }

    #[track_caller]
    pub fn success(self) -> Self {
        self.code(0)
    }

    #[track_caller]
    pub fn code(self, code: i32) -> Self {
        assert_eq!(self.0.status.code(), Some(code), "{self}");
        self
    }

    pub fn stdout(&self) -> String {
        String::from_utf8(self.0.stdout.clone()).unwrap()
    }

    pub fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.0.stderr).into_owned()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.0.stdout).unwrap()
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let stdout = String::from_utf8_lossy(&self.0.stdout);
        write!(f, "{}\nstdout:\n{stdout}\nstderr:\n{}", self.0.status, self.stderr())
    }
}
