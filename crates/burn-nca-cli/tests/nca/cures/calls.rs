//! Calls of the library that are refused, and other calls that do what the message says.

use std::fmt::Display;

use super::{fitted, layers, learned, measured, minimized, runs, tables};

/// A call that is refused, and its cures.
pub(super) struct Refused {
    message: String,
    /// What of the cure is not tried yet.
    rest: String,
    wrong: Vec<String>,
}

/// The error of a call.
pub(super) fn refused<T, E: Display>(result: Result<T, E>) -> Refused {
    let message = result.err().map_or(String::new(), |error| error.to_string());
    let rest = message.split_once("; ").map_or("", |(_, cure)| cure).to_string();
    Refused { message, rest, wrong: Vec::new() }
}

/// A call that is refused with the first value, and whose whole cure is the second.
pub(super) fn varied<A, T, E: Display>(
    [wrong, right]: [A; 2],
    call: impl Fn(A) -> Result<T, E>,
) -> Refused {
    refused(call(wrong)).cured(call(right))
}

/// The panic of a call, as an error.
pub(super) fn caught<T>(call: impl FnOnce() -> T) -> burn_nca_data::Result<T> {
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call));
    caught.map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
        let text = text.unwrap_or_default();
        // Two values that are to be equal are shown once more.
        let text = text.strip_prefix("assertion `left == right` failed: ").unwrap_or(&text);
        burn_nca_data::Error::data(text.split("\n  left: ").next().unwrap_or_default())
    })
}

impl Refused {
    /// The whole cure is done by this call.
    pub(super) fn cured<T, E: Display>(self, cured: Result<T, E>) -> Self {
        let cure = self.rest.clone();
        self.by(&cure, cured)
    }

    /// The part `words` of the cure is done by this call.
    pub(super) fn by<T, E: Display>(mut self, words: &str, cured: Result<T, E>) -> Self {
        if words.is_empty() || !self.rest.contains(words) {
            self.wrong.push(format!("{words:?} is not in {:?} of {:?}", self.rest, self.message));
        }
        self.rest = self.rest.replacen(words, "", 1);
        if let Err(error) = cured {
            self.wrong.push(format!("the cure {words:?} of {:?} gives: {error}", self.message));
        }
        self
    }
}

/// The messages of all calls, of which every cure was tried and works.
pub(super) fn messages() -> Vec<String> {
    let mut calls = tables::all();
    let others = [learned::all(), fitted::all(), minimized::all(), measured::all(), layers::all()];
    calls.extend(others.into_iter().flatten().chain(runs::calls()));
    let is_left = |word: &&str| !matches!(*word, "" | "or" | "and");
    let is_tried = |call: &&Refused| {
        call.wrong.is_empty() && !call.rest.split([',', ' ']).any(|word| is_left(&word))
    };
    let open = calls.iter().filter(|call| !is_tried(call));
    let open: Vec<_> = open
        .map(|call| format!("{:?} of {:?}, {:?}", call.rest, call.message, call.wrong))
        .collect();
    assert!(open.is_empty(), "not tried: {open:#?}");
    calls.into_iter().map(|call| call.message).collect()
}
