//! The command line of this process.

use std::env;

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
}
