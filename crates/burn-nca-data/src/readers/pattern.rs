//! Columns by name or by pattern.

/// Whether a pattern, in which `*` is any text and `?` any letter, is that of the whole name.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let (mut pattern, mut letters) = (pattern.chars(), name.chars());
    match pattern.next() {
        None => name.is_empty(),
        Some('*') => {
            let mut starts = name.char_indices().map(|(at, _)| at).chain([name.len()]);
            starts.any(|at| matches(pattern.as_str(), &name[at..]))
        }
        Some(letter) => {
            letters.next().is_some_and(|found| letter == '?' || letter == found)
                && matches(pattern.as_str(), letters.as_str())
        }
    }
}

pub(crate) fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_question_marks_stand_for_letters() {
        let cases =
            |cases: &'static str| cases.split('|').map(|case| case.split_once(' ').unwrap());
        for (pattern, name) in cases("* |x* x12|*_cm length_cm|a?c aßc|a*b*c aXbXbc|ab ab") {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in cases("x* ax|a? a|a ab| a|*_cm cm|? ") {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}
