//! Columns by name or by pattern.

/// Whether a pattern, in which `*` is any text and `?` any letter, is that of the whole name.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    // The last star, and the letters that it has taken.
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        if p < pattern.len() && pattern[p] == '*' {
            star = Some((p, n));
            p += 1;
        } else if p < pattern.len() && (pattern[p] == '?' || pattern[p] == name[n]) {
            (p, n) = (p + 1, n + 1);
        } else if let Some((at, taken)) = star {
            star = Some((at, taken + 1));
            (p, n) = (at + 1, taken + 1);
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|letter| *letter == '*')
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
