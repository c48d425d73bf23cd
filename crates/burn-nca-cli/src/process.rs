//! What the operating system knows of this process.

use std::env;

/// The largest resident memory so far, in bytes; `None` where the system does not tell.
#[cfg(target_os = "linux")]
pub fn peak_memory_bytes() -> Option<u64> {
    // Not getrusage: its peak is also that of the program that became this one, such as cargo.
    high_water_mark(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// The largest resident memory by the text of /proc/PID/status, in bytes.
#[cfg(target_os = "linux")]
fn high_water_mark(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    Some(kib * 1024)
}

/// The largest resident memory so far, in bytes; `None` where the system does not tell.
#[cfg(all(unix, not(target_os = "linux")))]
pub fn peak_memory_bytes() -> Option<u64> {
    use nix::sys::resource::{UsageWho, getrusage};
    let size = u64::try_from(getrusage(UsageWho::RUSAGE_SELF).ok()?.max_rss()).ok()?;
    // The BSDs count KiB, Apple's systems bytes.
    Some(if cfg!(target_vendor = "apple") { size } else { size * 1024 })
}

/// The largest resident memory so far, in bytes; `None` where the system does not tell.
#[cfg(not(unix))]
pub fn peak_memory_bytes() -> Option<u64> {
    None
}

/// The command line, quoted for a shell, without the options that only concern this very run.
pub fn command_line() -> String {
    const OF_THIS_RUN: [&str; 3] = ["--resume", "--quiet", "-q"];
    let arguments = env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    let words = arguments.filter(|argument| !OF_THIS_RUN.contains(&argument.as_str()));
    std::iter::once("nca".to_string())
        .chain(words.map(|word| quoted(&word)))
        .collect::<Vec<_>>()
        .join(" ")
}

/// A word as a POSIX shell reads it back.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./,:=@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_string();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The words of a [`command_line`]; `None` for a quote without its end.
pub fn words(command_line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = command_line.chars();
    while let Some(c) = rest.next() {
        match c {
            ' ' => words.extend(word.take()),
            '\\' => word.get_or_insert_default().push(rest.next()?),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match rest.next()? {
                        '\'' => break,
                        inside => word.push(inside),
                    }
                }
            }
            plain => word.get_or_insert_default().push(plain),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_words_are_read_back() {
        let written = ["nca", "my data.csv", "it's", "", "--dim=2", "a\\b"];
        let line = written.map(quoted).join(" ");
        assert_eq!(words(&line).unwrap(), written);
        assert_eq!(words("nca 'fit"), None);
    }

    #[test]
    fn words_survive_a_shell() {
        assert_eq!(quoted("--dim=2"), "--dim=2");
        assert_eq!(quoted("my data.csv"), "'my data.csv'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_high_water_mark_is_read_in_bytes() {
        let status = "Name:\tnca\nVmPeak:\t  900 kB\nVmHWM:\t   30720 kB\nThreads:\t2\n";
        assert_eq!(high_water_mark(status), Some(30 << 20));
        assert_eq!(high_water_mark("Name:\tnca\n"), None);
    }

    #[cfg(unix)]
    #[test]
    fn memory_is_in_bytes() {
        let peak = peak_memory_bytes().unwrap();
        assert!((1 << 20..1 << 40).contains(&peak), "{peak}");
    }
}
