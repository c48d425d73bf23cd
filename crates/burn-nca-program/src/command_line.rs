//! The command line of this process, for reports and for messages that say how to resume.

use std::env;
use std::ffi::OsStr;

/// The arguments of this process after `program`, quoted for a shell, without the options that only concern this
/// very run.
pub fn command_line(program: &str) -> String {
    command_line_of(program, env::args_os().skip(1))
}

/// As [`command_line`], of these arguments.
pub fn command_line_of(
    program: &str,
    arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> String {
    const OF_THIS_RUN: [&str; 3] = ["--resume", "--quiet", "-q"];
    let arguments = arguments.into_iter();
    let arguments = arguments.map(|word| word.as_ref().to_string_lossy().into_owned());
    let words = arguments.filter(|argument| !OF_THIS_RUN.contains(&argument.as_str()));
    std::iter::once(program.to_string())
        .chain(words.map(|word| shell_word(&word)))
        .collect::<Vec<_>>()
        .join(" ")
}

/// A word as a POSIX shell reads it back.
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./,:=@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_string();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_a_shell() {
        assert_eq!(shell_word("--dim=2"), "--dim=2");
        assert_eq!(shell_word("my data.csv"), "'my data.csv'");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
        assert_eq!(shell_word(""), "''");
    }
}
