//! The classes of the rows of a file, and the order of their names.

use crate::tables::{decimal, distinct_names};
use crate::{TextValues, name_key};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashMap;

/// The class of each row, from 0, and the name of each class.
pub(crate) type Classes = (Vec<usize>, Vec<String>);

/// The classes of the rows that have one: by number when every name is a number (`2` before `10`), else by text in which runs
/// of digits count by their value. Spellings of one number are one class, named by the shortest.
pub(crate) fn classes_of(column: &TextValues) -> Classes {
    let mut names = distinct_names(column.distinct().iter().map(String::as_str));
    if names.iter().all(|name| decimal(&without_zeros(name)).is_some()) {
        names.sort_by(|one, other| by_number(one, other));
    } else {
        names.sort_by(|one, other| natural_order(one, other));
    }
    let classes: HashMap<Cow<'_, str>, usize> =
        names.iter().enumerate().map(|(class, name)| (name_key(name), class)).collect();
    let of: Vec<usize> =
        column.distinct().iter().map(|spelling| classes[&name_key(spelling)]).collect();
    let labels = (0..column.rows()).filter_map(|row| column.code(row)).map(|met| of[met]);
    (labels.collect(), names)
}

/// Which of these classes a name is: equal as text, as a number, or as a truth value.
#[doc(hidden)]
pub fn same_class(name: &str, class_names: &[String]) -> Option<usize> {
    let class = class_names.iter().position(|known| name_key(known) == name_key(name));
    class.or_else(|| same_truth(name, class_names))
}

/// The class of the same truth value, where the classes are truth values: Python writes True, NumPy's arrays hold true, and
/// numbers made of them are 1.
fn same_truth(name: &str, class_names: &[String]) -> Option<usize> {
    let truth = |name: &str| match &*name_key(name) {
        number if number == name_key("0") => Some(false),
        number if number == name_key("1") => Some(true),
        word => word.to_ascii_lowercase().parse::<bool>().ok(),
    };
    let known = class_names.iter().map(|name| truth(name)).collect::<Option<Vec<bool>>>()?;
    let meant = truth(name)?;
    let mut alike = (0..known.len()).filter(|&class| known[class] == meant);
    alike.next().filter(|_| alike.next().is_none())
}

/// The order of two names that are numbers, or codes of digits (`01234`), which come after the same number.
fn by_number(one: &str, other: &str) -> Ordering {
    let value = |name: &str| name.parse().unwrap_or(0.0);
    // Whole numbers beyond 2^53 of one value in f64 are distinguished by their digits.
    let digits = if one.starts_with('-') { other.cmp(one) } else { one.cmp(other) };
    f64::total_cmp(&value(one), &value(other)).then(one.len().cmp(&other.len())).then(digits)
}

/// A number without the zeros in front that make a code of it.
fn without_zeros(name: &str) -> String {
    let sign = if name.starts_with('-') { "-" } else { "" };
    let digits = name.trim_start_matches(['-', '+']).trim_start_matches('0');
    let lost = !digits.starts_with(|first: char| first.is_ascii_digit() || first == '.');
    format!("{sign}{}{digits}", if lost { "0" } else { "" })
}

/// Unicode order, but runs of digits by their value.
fn natural_order(one: &str, other: &str) -> Ordering {
    let (mut left, mut right) = (one, other);
    while let (Some(a), Some(b)) = (left.chars().next(), right.chars().next()) {
        let order = if a.is_ascii_digit() && b.is_ascii_digit() {
            let digits = (leading_number(&mut left), leading_number(&mut right));
            // Of two numbers without leading zeros the longer is the larger.
            digits.0.len().cmp(&digits.1.len()).then_with(|| digits.0.cmp(digits.1))
        } else {
            (left, right) = (&left[a.len_utf8()..], &right[b.len_utf8()..]);
            a.cmp(&b)
        };
        if order.is_ne() {
            return order;
        }
    }
    // `a01` and `a1` differ all the same.
    left.len().cmp(&right.len()).then_with(|| one.cmp(other))
}

/// Cuts a run of digits off the start; without its leading zeros.
fn leading_number<'a>(text: &mut &'a str) -> &'a str {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    *text = rest;
    number.trim_start_matches('0')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(rows: &[&str]) -> Classes {
        classes_of(&rows.iter().copied().map(Some).collect())
    }

    #[test]
    fn numbers_inside_names_are_ordered_as_people_count() {
        let (_, names) = index(&["name 10", "name 2", "a1b", "a01", "a1", "name", "ä9", "a1b"]);
        assert_eq!(names, ["a01", "a1", "a1b", "name", "name 2", "name 10", "ä9"]);
        let long = "9".repeat(40);
        assert_eq!(index(&[&format!("x{long}0"), &format!("x{long}")]).0, [1, 0]);
    }

    #[test]
    fn one_number_written_two_ways_is_one_class_and_a_code_of_digits_another() {
        let (labels, names) = index(&["1", "0", "1.0", "-0", "1e0"]);
        assert_eq!((labels, names), (vec![1, 0, 1, 0, 1], vec!["0".into(), "1".into()]));
        let (labels, names) = index(&["1234", "01234", "1234.0", "99", "001234"]);
        assert_eq!(names, ["99", "1234", "01234", "001234"]);
        assert_eq!(labels, [1, 2, 1, 0, 3]);
        assert_eq!(index(&["1.0", "2.0", "yes"]).1, ["1.0", "2.0", "yes"]);
    }
}
