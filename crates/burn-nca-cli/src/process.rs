//! What belongs to the whole process: its command line, its clock, its panic hook.

use std::env;
use std::ffi::OsString;
use std::panic::{set_hook, take_hook};
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

static ARGUMENTS: OnceLock<Vec<OsString>> = OnceLock::new();

/// Keeps the arguments of the program: those of the process are Python's where Python calls it.
pub fn keep_arguments(arguments: Vec<OsString>) {
    ARGUMENTS.get_or_init(|| arguments);
}

/// The command line, quoted for a shell, without the options that only concern this very run.
pub fn command_line() -> String {
    let arguments = ARGUMENTS.get().map_or(&[][..], Vec::as_slice);
    burn_nca_program::command_line_of("nca", arguments.iter().skip(1))
}

/// Does what may panic and says so by itself, such as a device that cannot be started: Rust's own message on stderr is left
/// out.
pub fn without_panic_message<T>(work: impl FnOnce() -> T) -> T {
    let hook = take_hook();
    set_hook(Box::new(|_| ()));
    let result = work();
    set_hook(hook);
    result
}

/// The date of a run in UTC, as `2026-01-31 12:00 UTC`; the time of SOURCE_DATE_EPOCH (seconds since 1970) where that is set, so that a
/// report can be made again byte for byte.
pub fn now() -> String {
    let given = env::var("SOURCE_DATE_EPOCH").ok().and_then(|seconds| seconds.parse().ok());
    let clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    written(given.unwrap_or_else(clock))
}

fn written(seconds: u64) -> String {
    let [year, month, day] = civil(seconds / 86_400);
    let (hour, minute) = (seconds / 3600 % 24, seconds / 60 % 60);
    format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02} UTC")
}

/// Year, month and day of a number of days since 1970, by eras of 400 years that begin in March, so that a leap day is
/// the last of its year.
fn civil(days: u64) -> [u64; 3] {
    let from_march_of_year_0 = days + 719_468;
    let (era, day) = (from_march_of_year_0 / 146_097, from_march_of_year_0 % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    [400 * era + year + later, month, day]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01 00:00 UTC"),
            (951_782_399, "2000-02-28 23:59 UTC"),
            (951_782_400, "2000-02-29 00:00 UTC"),
            (951_868_800, "2000-03-01 00:00 UTC"),
            (1_735_689_599, "2024-12-31 23:59 UTC"),
            (4_107_542_400, "2100-03-01 00:00 UTC"),
        ] {
            assert_eq!(written(seconds), expected);
        }
    }
}
