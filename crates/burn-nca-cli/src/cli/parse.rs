//! Values of options, with messages that say what would be right.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use burn_nca_data::DecimalSign;
use burn_nca_report::PictureFormat;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// One of the library's values by its name; names, what they mean, and the values. A name without a meaning is not shown.
pub fn choice<T: Copy + Send + Sync + 'static>(
    choices: &'static [(&'static str, &'static str, T)],
) -> impl TypedValueParser<Value = T> {
    let value = |(name, help, _): &(&'static str, &'static str, T)| {
        PossibleValue::new(*name).help(*help).hide(help.is_empty())
    };
    PossibleValuesParser::new(choices.iter().map(value)).map(|chosen| {
        let named = choices.iter().find(|(name, ..)| *name == chosen);
        named.expect("the parser takes no other name").2
    })
}

/// A file for a picture, in an existing folder: a fit may be long, and its picture comes last.
pub fn picture(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    PictureFormat::of(&path)?;
    match path.parent() {
        Some(folder) if folder != Path::new("") && !folder.is_dir() => {
            Err(format!("the folder {} is not there; make it first", folder.display()))
        }
        _ => Ok(path),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CandidateRows {
    pub rows: usize,
    pub nearest: bool,
}

/// Rows that are candidates: a whole number of 1 or more, all, or nearest: and a number.
pub fn candidates(text: &str) -> Result<CandidateRows, String> {
    let (nearest, number) = match text.strip_prefix("nearest:") {
        Some(number) => (true, number),
        None => (false, text),
    };
    let rows = match number {
        "all" if !nearest => Ok(usize::MAX),
        _ => at_least(1)(number),
    };
    let cure = "give a whole number of 1 or more, all, or nearest:N, such as nearest:5000";
    rows.map(|rows| CandidateRows { rows, nearest }).map_err(|_| cure.to_string())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NeighborCount {
    Given(usize),
    /// The k with most training rows right, each left out in turn.
    CrossValidated,
    /// As many as the softmax of a training row counts, on average.
    Entropy,
}

impl NeighborCount {
    /// Whether a rule finds it, by the classes of the training rows.
    pub fn is_rule(self) -> bool {
        !matches!(self, Self::Given(_))
    }
}

/// A number of neighbors as the user writes it.
pub fn neighbor_count(text: &str) -> Result<NeighborCount, String> {
    match text {
        "cv" => Ok(NeighborCount::CrossValidated),
        "entropy" => Ok(NeighborCount::Entropy),
        _ => checked(text, |k| *k > 0, "a whole number of 1 or more, cv or entropy")
            .map(NeighborCount::Given),
    }
}

pub fn separator(text: &str) -> Result<char, String> {
    let mut letters = text.chars();
    match (text, letters.next(), letters.next()) {
        ("comma", ..) => Ok(','),
        ("semicolon", ..) => Ok(';'),
        ("tab" | "\\t", ..) => Ok('\t'),
        ("bar" | "pipe", ..) => Ok('|'),
        ("space", ..) => Ok(' '),
        (_, Some(letter), None) => Ok(letter),
        _ => Err("give one character, or comma, semicolon, tab, bar or space".to_string()),
    }
}

pub fn decimal_sign(text: &str) -> Result<DecimalSign, String> {
    match text {
        "." | "point" => Ok(DecimalSign::Point),
        "," | "comma" => Ok(DecimalSign::Comma),
        _ => Err("give point or comma".to_string()),
    }
}

/// Names in a list, as in `age,x*`; one that holds a comma is in quotation marks, as in `"width, cm",age`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameList(pub Vec<String>);

pub fn joined(lists: &[NameList]) -> Vec<String> {
    lists.iter().flat_map(|list| list.0.iter().cloned()).collect()
}

pub fn name_list(text: &str) -> Result<NameList, String> {
    let (mut names, mut rest) = (Vec::new(), text.trim());
    while !rest.is_empty() || !names.is_empty() {
        let (name, after) = match rest.strip_prefix('"') {
            None => {
                let (name, after) = rest.split_at(rest.find(',').unwrap_or(rest.len()));
                (name.trim().to_string(), after)
            }
            Some(quoted) => quoted_name(quoted).ok_or(
                "a quotation mark is not closed; write \"width, cm\",age, in the quotes of the shell",
            )?,
        };
        names.push(name);
        let after = after.trim_start();
        if after.is_empty() {
            break;
        }
        let next = after.strip_prefix(',');
        let next = next.ok_or("text follows a quotation mark; separate names by commas")?;
        rest = next.trim_start();
    }
    Ok(NameList(names))
}

/// As [`name_list`], where an empty text is the column without a name.
pub fn ignored_names(text: &str) -> Result<NameList, String> {
    if text.is_empty() { Ok(NameList(vec![String::new()])) } else { name_list(text) }
}

/// A name up to its closing quotation mark, which occurs twice within it, and what follows.
fn quoted_name(text: &str) -> Option<(String, &str)> {
    let mut end = 0;
    loop {
        end += text[end..].find('"')?;
        if !text[end + 1..].starts_with('"') {
            return Some((text[..end].replace("\"\"", "\""), &text[end + 1..]));
        }
        end += 2;
    }
}

/// The value that a text spells, if it is a good one; else what to give.
fn checked<T: FromStr>(text: &str, is_good: impl Fn(&T) -> bool, cure: &str) -> Result<T, String> {
    text.parse().ok().filter(is_good).ok_or_else(|| format!("give {cure}"))
}

/// A whole number of this type, whose largest is `most`.
pub fn up_to<T: FromStr + Display>(most: T) -> impl Fn(&str) -> Result<T, String> + Clone {
    let cure = format!("a whole number from 0 to {most}");
    move |text| checked(text, |_| true, &cure)
}

/// A whole number that is not below `least`.
pub fn at_least(least: usize) -> impl Fn(&str) -> Result<usize, String> + Clone {
    move |text| {
        checked(text, |number| *number >= least, &format!("a whole number of {least} or more"))
    }
}

/// A share of rows that leaves some: 0 or more, below 1.
pub fn held_out_share(text: &str) -> Result<f64, String> {
    let cure = "a share from 0 to below 1, such as 0.3 (0 holds nothing out)";
    checked(text, |share| (0.0..1.0).contains(share), cure)
}

/// A share of rows that is neither none nor all.
pub fn open_share(text: &str) -> Result<f64, String> {
    checked(text, |share| *share > 0.0 && *share < 1.0, "a share between 0 and 1, such as 0.2")
}

pub fn momentum(text: &str) -> Result<f64, String> {
    checked(text, |share| (0.0..1.0).contains(share), "a number from 0 to below 1, such as 0.9")
}

/// A finite number of 0 or more.
pub fn weight(text: &str) -> Result<f64, String> {
    let is_good = |weight: &f64| *weight >= 0.0 && weight.is_finite();
    checked(text, is_good, "a finite number of 0 or more, such as 0.001")
}

/// A perplexity: a finite number above 1, or 0 for none.
pub fn perplexity(text: &str) -> Result<f64, String> {
    let is_good = |number: &f64| *number == 0.0 || (*number > 1.0 && number.is_finite());
    checked(text, is_good, "a number above 1, such as 15, or 0 for none")
}

pub fn positive(text: &str) -> Result<f64, String> {
    checked(text, |number| *number > 0.0 && f64::is_finite(*number), "a finite number above 0")
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::Cli;
    use crate::hint::list_item;

    #[test]
    fn every_number_may_be_written_with_a_minus_so_that_its_range_is_what_is_said() {
        use std::any::TypeId;
        let numeric =
            [TypeId::of::<usize>(), TypeId::of::<u64>(), TypeId::of::<u16>(), TypeId::of::<f64>()];
        for option in Cli::command().get_subcommands().flat_map(|verb| verb.get_arguments()) {
            let kind = option.get_value_parser().type_id();
            // After `=` a minus is no option.
            let bare = numeric.iter().any(|one| kind == *one) && !option.is_require_equals_set();
            assert!(!bare || option.is_allow_negative_numbers_set(), "{}", option.get_id());
        }
    }

    #[test]
    fn names_with_commas_stand_in_quotation_marks() {
        let names = |text: &str| name_list(text).unwrap().0;
        assert_eq!(names(" a , x* "), ["a", "x*"]);
        assert_eq!(names("age, \"5\"\" pipe, cm\" "), ["age", "5\" pipe, cm"]);
        for name in ["age", "width, cm", "5\" pipe", " a", ""] {
            assert_eq!(names(&list_item(name)), [name]);
        }
        assert_eq!((names("\"\"").len(), names("").len(), names("a,").len()), (1, 0, 2));
        assert!(name_list("\"a").is_err() && name_list("\"a\"b").is_err());
    }
}
