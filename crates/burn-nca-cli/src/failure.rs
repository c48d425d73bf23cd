//! Errors as the user sees them: one line, and an exit code.

use std::borrow::Cow;
use std::io;

use burn_nca_data::{Hint, Message};
use burn_nca_files::is_closed_stdout;
use burn_nca_learn::Error;
use burn_nca_program::Interrupted;

use crate::hint::{CommandKind, hint_text};

/// Options that contradict each other: exit code 2, as for an option that does not exist.
#[derive(Debug)]
pub struct Usage(pub Error);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Usage {}

/// An error for options that contradict each other, and what to do about it.
pub fn usage(text: impl Into<String>, hint: impl Into<Cow<'static, str>>) -> anyhow::Error {
    anyhow::Error::new(Usage(error(text, hint)))
}

pub fn hinted(text: impl Into<String>, hint: impl Into<Cow<'static, str>>) -> anyhow::Error {
    anyhow::Error::new(error(text, hint))
}

/// Refuses an option without an effect, where it is `given`.
pub fn refusal(
    given: bool,
    text: impl Into<String>,
    hint: impl Into<Cow<'static, str>>,
) -> anyhow::Result<()> {
    if given { Err(usage(text, hint)) } else { Ok(()) }
}

/// Refuses an option that is `given`, for this reason, which leaving it out cures.
pub fn idle(option: &str, given: bool, reason: &str) -> anyhow::Result<()> {
    refusal(given, format!("{option} {reason}"), format!("leave {option} out"))
}

fn error(text: impl Into<String>, hint: impl Into<Cow<'static, str>>) -> Error {
    Error::data(Message::from(text.into()).with_hint(Hint::edit(hint)))
}

/// The error with hints that a cause is, if it is one.
fn with_hints<'a>(cause: &'a (dyn std::error::Error + 'static)) -> Option<&'a Error> {
    cause.downcast_ref::<Usage>().map(|usage| &usage.0).or_else(|| cause.downcast_ref())
}

/// 2 for wrong usage, 1 for work that failed, 128 and the signal's number for work that a signal stopped.
pub fn exit_code(error: &anyhow::Error) -> u8 {
    let stopped = error.chain().find_map(|cause| cause.downcast_ref::<Interrupted>());
    match stopped {
        Some(stopped) => stopped.exit_code,
        None if error.is::<Usage>() => 2,
        None => 1,
    }
}

/// Whether stdout was closed by its reader; any other pipe that was closed has lost results.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(is_closed_stdout))
}

/// The message and its causes, each said once, with the hint for a fitted model after it.
pub fn in_one_line(error: &anyhow::Error) -> String {
    burn_nca_data::in_one_line(text(error), hint(error, CommandKind::Use))
}

pub fn hint(error: &anyhow::Error, command: CommandKind) -> Option<String> {
    hint_text(error.chain().filter_map(with_hints).flat_map(Error::hints), command)
}

/// The message and its causes, each said once, without hints.
pub fn text(error: &anyhow::Error) -> String {
    let mut line = String::new();
    for cause in error.chain() {
        let text = with_hints(cause).map_or_else(|| cause.to_string(), Error::text);
        // Many errors repeat their cause at their end.
        if !line.ends_with(&text) {
            if !line.is_empty() {
                line.push_str(": ");
            }
            line.push_str(&text);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_that_the_message_holds_already_is_not_repeated() {
        let cause = io::Error::new(io::ErrorKind::NotFound, "no such file");
        let error = anyhow::Error::from(Error::io("a.csv", cause)).context("reading the data");
        assert_eq!(in_one_line(&error), "reading the data: a.csv: no such file");
    }
}
