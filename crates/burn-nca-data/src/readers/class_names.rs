//! The classes of the rows of a file, and the order of their names.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::error::{Error, Result};

use crate::excerpt::quoted;

/// The class of each row and the names of the classes.
#[derive(Debug, PartialEq)]
pub(crate) struct Classes {
    /// The class of each row, from 0.
    pub(crate) labels: Vec<usize>,
    /// The name of each class.
    pub(crate) names: Vec<String>,
}

/// A column of class names as they come, each name kept once.
#[derive(Default)]
pub(crate) struct ClassColumn {
    /// The names, numbered as they were met.
    met: BTreeMap<String, usize>,
    rows: Vec<usize>,
}

impl ClassColumn {
    /// The class of the next row.
    pub(crate) fn push(&mut self, name: &str) {
        let next = self.met.len();
        let class = match self.met.get(name) {
            Some(&class) => class,
            None => *self.met.entry(name.to_owned()).or_insert(next),
        };
        self.rows.push(class);
    }

    /// The classes in an order that only their names decide: by number when every name is a number (`2` before
    /// `10`), else by text in which runs of digits count by their value (`name 2` before `name 10`).
    ///
    /// # Errors
    /// Two names of one number (`1` and `1.0`).
    pub(crate) fn index(self) -> Result<Classes> {
        let Self { met, mut rows } = self;
        let mut classes: Vec<(String, usize)> = met.into_iter().collect();
        let numbers: Option<Vec<f64>> =
            classes.iter().map(|(name, _)| finite_number(name)).collect();
        if let Some(numbers) = numbers {
            let mut numbered: Vec<_> = numbers.into_iter().zip(classes).collect();
            numbered.sort_by(|(one, _), (other, _)| one.total_cmp(other));
            if let Some(pair) = numbered.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                return Err(Error::data(format!(
                    "the classes {} and {} are the same number; write the class one way",
                    quoted(&pair[0].1.0),
                    quoted(&pair[1].1.0)
                )));
            }
            classes = numbered.into_iter().map(|(_, class)| class).collect();
        } else {
            classes.sort_by(|(one, _), (other, _)| as_people_count(one, other));
        }
        let mut place = vec![0; classes.len()];
        for (class, (_, met)) in classes.iter().enumerate() {
            place[*met] = class;
        }
        rows.iter_mut().for_each(|class| *class = place[*class]);
        let names = classes.into_iter().map(|(name, _)| name).collect();
        Ok(Classes { labels: rows, names })
    }
}

impl<'a> FromIterator<&'a str> for ClassColumn {
    fn from_iter<I: IntoIterator<Item = &'a str>>(names: I) -> Self {
        let mut column = Self::default();
        names.into_iter().for_each(|name| column.push(name));
        column
    }
}

/// Unicode order, but runs of digits by their value.
fn as_people_count(one: &str, other: &str) -> Ordering {
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

fn finite_number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(rows: &[&str]) -> Result<(Vec<usize>, Vec<String>)> {
        let classes = rows.iter().copied().collect::<ClassColumn>().index()?;
        Ok((classes.labels, classes.names))
    }

    #[test]
    fn numbers_are_ordered_by_value_and_text_by_letter() {
        let (labels, names) = index(&["10", "-1", "2", "10"]).unwrap();
        assert_eq!(names, ["-1", "2", "10"]);
        assert_eq!(labels, [2, 0, 1, 2]);
        let (labels, names) = index(&["b", "10", "a", "2"]).unwrap();
        assert_eq!(names, ["2", "10", "a", "b"]);
        assert_eq!(labels, [3, 1, 2, 0]);
    }

    #[test]
    fn numbers_inside_names_are_ordered_as_people_count() {
        let (_, names) =
            index(&["name 10", "name 2", "a1b", "a01", "a1", "name", "ä9", "a1b"]).unwrap();
        assert_eq!(names, ["a01", "a1", "a1b", "name", "name 2", "name 10", "ä9"]);
        let long = "9".repeat(40);
        assert_eq!(index(&[&format!("x{long}0"), &format!("x{long}")]).unwrap().0, [1, 0]);
    }

    #[test]
    fn one_number_written_two_ways_is_refused() {
        let error = index(&["1", "0", "1.0"]).unwrap_err().to_string();
        assert_eq!(
            error,
            "the classes \"1\" and \"1.0\" are the same number; write the class one way"
        );
        assert!(index(&["0", "-0"]).is_err());
    }
}
