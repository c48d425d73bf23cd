//! The order of the classes of a file.

use std::collections::BTreeMap;

use burn_nca::{Error, Result};

/// The class of each row and the names of the classes, in an order that only the names decide:
/// by number when every name is a number (`2` before `10`), else by Unicode text.
///
/// # Errors
/// Two names of one number (`1` and `1.0`).
pub(crate) fn index_classes(rows: &[String]) -> Result<(Vec<usize>, Vec<String>)> {
    let mut classes: BTreeMap<&str, usize> = rows.iter().map(|name| (name.as_str(), 0)).collect();
    let mut names: Vec<&str> = classes.keys().copied().collect();
    let numbers: Option<Vec<f64>> = names.iter().map(|name| finite_number(name)).collect();
    if let Some(numbers) = numbers {
        let mut numbered: Vec<(f64, &str)> = numbers.into_iter().zip(names).collect();
        numbered.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        if let Some(pair) = numbered.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(Error::data(format!(
                "the classes {:?} and {:?} are the same number; write the class one way",
                pair[0].1, pair[1].1
            )));
        }
        names = numbered.into_iter().map(|(_, name)| name).collect();
    }
    for (class, name) in names.iter().enumerate() {
        classes.insert(name, class);
    }
    let labels = rows.iter().map(|name| classes[name.as_str()]).collect();
    Ok((labels, names.into_iter().map(String::from).collect()))
}

fn finite_number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(rows: &[&str]) -> Result<(Vec<usize>, Vec<String>)> {
        index_classes(&rows.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn numbers_are_ordered_by_value_and_text_by_letter() {
        let (labels, names) = index(&["10", "-1", "2", "10"]).unwrap();
        assert_eq!(names, ["-1", "2", "10"]);
        assert_eq!(labels, [2, 0, 1, 2]);
        let (labels, names) = index(&["b", "10", "a", "2"]).unwrap();
        assert_eq!(names, ["10", "2", "a", "b"]);
        assert_eq!(labels, [3, 0, 2, 1]);
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
