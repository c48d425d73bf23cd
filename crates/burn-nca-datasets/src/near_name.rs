//! The name a user may have meant.

/// The nearest of `known` to `wanted`, if it is near enough to be a slip of the keyboard.
///
/// Near means: equal but for case, or at most one edit for every three letters of `wanted` (an edit
/// inserts, deletes or replaces a letter, or swaps two).
pub(crate) fn nearest<'a>(
    wanted: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let wanted = wanted.to_lowercase();
    let allowed = wanted.chars().count() / 3;
    known
        .into_iter()
        .map(|name| (edits(&wanted, &name.to_lowercase()), name))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// `did you mean "x"? ` with the nearest name, or nothing.
pub(crate) fn suggestion<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(wanted, known).map_or_else(String::new, |name| format!("did you mean {name:?}? "))
}

/// The edit distance of Damerau and Levenshtein (two letters in the wrong order are one edit).
fn edits(from: &str, to: &str) -> usize {
    let from: Vec<char> = from.chars().collect();
    let to: Vec<char> = to.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut previous: Vec<usize> = (0..=to.len()).collect();
    for i in 0..from.len() {
        let mut current = vec![i + 1];
        for j in 0..to.len() {
            let replaced = previous[j] + usize::from(from[i] != to[j]);
            let mut fewest = replaced.min(previous[j + 1] + 1).min(current[j] + 1);
            if i > 0 && j > 0 && from[i] == to[j - 1] && from[i - 1] == to[j] {
                fewest = fewest.min(before[j - 1] + 1);
            }
            current.push(fewest);
        }
        before = previous;
        previous = current;
    }
    previous[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        assert_eq!(edits("", "abc"), 3);
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("label", "label"), 0);
        assert_eq!(edits("lable", "label"), 1);
    }

    #[test]
    fn only_a_near_name_is_suggested() {
        assert_eq!(nearest("LABEL", ["width", "label"]), Some("label"));
        assert_eq!(suggestion("irsi", ["wine"]), "");
        assert_eq!(suggestion("irsi", ["wine", "iris"]), "did you mean \"iris\"? ");
        assert_eq!(nearest("species", ["width", "height"]), None);
        assert_eq!(nearest("a", ["b"]), None);
    }
}
