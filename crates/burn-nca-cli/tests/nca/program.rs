//! Runs the program and checks what it did.
//!
//! A few lines instead of the crate assert_cmd, whose dependencies change the features of the whole graph:
//! tests and the program would no longer share one build of the GPU crates.

use std::io::Write;
use std::ops::{Deref, DerefMut};
use std::process::{Command, Output, Stdio};

use predicates::Predicate;

/// A run of `nca` to come.
pub struct Program(Command);

impl Program {
    /// The program built for this test.
    pub fn new() -> Self {
        Self(Command::new(env!("CARGO_BIN_EXE_nca")))
    }

    /// Sets a variable of its environment.
    pub fn env(&mut self, name: &str, value: &str) -> &mut Self {
        self.0.env(name, value);
        self
    }

    /// Runs it to its end with a pipe on stdin that gives these bytes.
    pub fn assert_fed(&mut self, input: &[u8]) -> Outcome {
        let (stdin, stdout, stderr) = (Stdio::piped(), Stdio::piped(), Stdio::piped());
        let mut child = self.0.stdin(stdin).stdout(stdout).stderr(stderr).spawn().unwrap();
        // A program that refuses its input need not read all of it.
        let _ = child.stdin.take().unwrap().write_all(input);
        Outcome(child.wait_with_output().unwrap())
    }

    /// Runs it to its end.
    pub fn assert(&mut self) -> Outcome {
        Outcome(self.0.output().unwrap())
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
pub struct Outcome(Output);

impl Outcome {
    pub fn success(self) -> Self {
        assert!(self.0.status.success(), "{self}");
        self
    }

    pub fn failure(self) -> Self {
        assert!(!self.0.status.success(), "{self}");
        self
    }

    pub fn code(self, code: i32) -> Self {
        assert_eq!(self.0.status.code(), Some(code), "{self}");
        self
    }

    pub fn stdout(self, expected: impl Predicate<str>) -> Self {
        let found = String::from_utf8_lossy(&self.0.stdout);
        assert!(expected.eval(&found), "stdout is not what {expected} asks for\n{self}");
        self
    }

    pub fn stderr(self, expected: impl Predicate<str>) -> Self {
        let found = String::from_utf8_lossy(&self.0.stderr);
        assert!(expected.eval(&found), "stderr is not what {expected} asks for\n{self}");
        self
    }

    pub fn get_output(&self) -> &Output {
        &self.0
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (stdout, stderr) = (&self.0.stdout, &self.0.stderr);
        writeln!(f, "status: {}", self.0.status)?;
        writeln!(f, "stdout:\n{}", String::from_utf8_lossy(stdout))?;
        write!(f, "stderr:\n{}", String::from_utf8_lossy(stderr))
    }
}
