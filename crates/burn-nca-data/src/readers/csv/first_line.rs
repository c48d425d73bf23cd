//! Whether the first line of a file holds the names of its columns, by evidence.
//!
//! A name is seldom a number, and seldom a value of its column as well. Of each column the first cell is compared with
//! those below it, as far as the beginning of the file shows them:
//!
//! | below it are | the first cell | speaks for |
//! |---|---|---|
//! | numbers (but for a few), dates | text | names |
//! | numbers | a number among them | a row |
//! | numbers | a number far from them | names, where such numbers rise or fall throughout (years, wavelengths) |
//! | few words | one of them | a row |
//! | few words | another word | names |
//! | many words, nothing | any | neither |

use std::collections::HashSet;

use crate::{Message, Setting, TextFormat, is_date};

use super::missing::Spellings;
use super::sample::{MOSTLY, Sample};
use crate::excerpt::list;

/// From so many rows on, their range tells what is among them.
const ROWS: usize = 5;
/// In a table of so many columns two rows do.
const WIDE: usize = 10;
/// From so many numbers on, a line of rising or falling ones is no coincidence.
const LONG: usize = 5;

#[derive(Debug, PartialEq)]
pub(super) enum FirstLine {
    /// Names, maybe with a remark.
    Names(Option<Message>),
    Row(Option<Message>),
    /// Numbers that may be names.
    Unclear,
}

#[derive(Default)]
struct Evidence {
    text_above_numbers: usize,
    /// Columns of few words, none of which is the first cell.
    other_words: usize,
    /// The cells that recur in their columns.
    recurring: Vec<String>,
    numbers: Vec<f64>,
    /// How many of them are among the numbers below, and how many far from these.
    near: usize,
    far: usize,
}

impl FirstLine {
    /// What the first record of a sample is, where columns are asked for by the names `wanted`.
    pub(super) fn of(sample: &Sample, format: &TextFormat, wanted: &[&str]) -> Self {
        let Some((first, below)) = sample.rows.split_first() else { return Self::Names(None) };
        let asked: HashSet<&str> = wanted.iter().copied().collect();
        if first.iter().any(|cell| asked.contains(cell.as_str())) {
            return Self::Names(None);
        }
        // A line that repeats the names, as where two files were joined, is no row.
        let mut evidence = Evidence::of(first, below.iter().filter(|row| *row != first), format);
        if evidence.text_above_numbers == 0 {
            evidence = Evidence::of(first, below.iter(), format);
        }
        let numbered = |name: &&str| {
            name.strip_prefix('x').is_some_and(|number| number.parse::<usize>().is_ok())
        };
        if !wanted.is_empty() && wanted.iter().all(numbered) && evidence.text_above_numbers == 0 {
            return Self::Row(None);
        }
        evidence.verdict(first)
    }
}

impl Evidence {
    fn of<'a>(
        first: &[String],
        below: impl Iterator<Item = &'a Vec<String>> + Clone,
        format: &TextFormat,
    ) -> Self {
        let missing = Spellings::new(format.missing.as_ref());
        let mut evidence = Self::default();
        for (column, cell) in first.iter().enumerate() {
            let rows = below.clone().filter(|row| row.len() == first.len());
            let cells = rows.map(|row| row[column].as_str());
            let cells: Vec<&str> = cells.filter(|cell| !missing.is_missing(cell)).collect();
            if !cells.is_empty() && !missing.is_missing(cell) {
                evidence.add(cell, &cells, (first.len(), format));
            }
        }
        evidence
    }

    fn add(&mut self, first: &str, cells: &[&str], (width, format): (usize, &TextFormat)) {
        let number = |cell: &str| format.decimal.parse(cell).filter(|number| number.is_finite());
        let below: Vec<f64> = cells.iter().filter_map(|cell| number(cell)).collect();
        if !below.is_empty() && below.len() as f64 >= MOSTLY * cells.len() as f64 {
            match number(first) {
                Some(first) => self.add_number(first, &below, width),
                None => self.text_above_numbers += 1,
            }
        } else if cells.iter().all(|cell| is_date(cell)) {
            let is_row = is_date(first);
            self.near += usize::from(is_row);
            self.text_above_numbers += usize::from(!is_row);
        } else if cells.contains(&first) {
            self.recurring.push(first.to_string());
        } else {
            let distinct: HashSet<&&str> = cells.iter().collect();
            self.other_words += usize::from(2 * distinct.len() <= cells.len());
        }
    }

    fn add_number(&mut self, first: f64, below: &[f64], width: usize) {
        self.numbers.push(first);
        if below.len() < ROWS && (below.len() < 2 || width < WIDE) {
            return;
        }
        let least = below.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let margin = largest / 2.0 - least / 2.0;
        let is_near = (least - margin..=largest + margin).contains(&first);
        self.near += usize::from(is_near);
        self.far += usize::from(!is_near);
    }

    fn verdict(&self, first: &[String]) -> FirstLine {
        let (recurring, near, far) = (self.recurring.len(), self.near, self.far);
        let row = || {
            let text = format!(
                "the first line ({}) is like the rows below and is read as a row; the columns are called x1 to x{}",
                list(first),
                first.len()
            );
            FirstLine::Row(Some(Message::from(text).with_hint(Setting::Header(true))))
        };
        let doubtful = || {
            let text =
                format!("the first line ({}) is read as the names of the columns", list(first));
            FirstLine::Names(Some(Message::from(text).with_hint(Setting::Header(false))))
        };
        if self.text_above_numbers > 0 {
            let like_a_row = near + recurring > self.text_above_numbers + self.other_words + far;
            return if like_a_row { row() } else { FirstLine::Names(None) };
        }
        if self.numbers.is_empty() {
            let words = self.other_words;
            return match recurring + near {
                0 => FirstLine::Names(None),
                like if like > words => row(),
                _ => doubtful(),
            };
        }
        let like_names = recurring == 0 && (self.counts() || self.is_monotone(LONG) && far >= near);
        let rises = recurring == 0 && near == 0 && far > 0 && self.is_monotone(3);
        let sure = near == 0 || self.numbers.len() >= LONG && self.counts();
        match (like_names, rises) {
            (true, _) if sure => FirstLine::Names(None),
            (true, _) | (_, true) => doubtful(),
            _ if near + recurring > far => row(),
            _ => FirstLine::Unclear,
        }
    }

    /// 0, 1, 2, … or 1, 2, 3, …
    fn counts(&self) -> bool {
        let [first, .., _] = self.numbers[..] else { return false };
        (first == 0.0 || first == 1.0)
            && self.numbers.windows(2).all(|pair| pair[1] - pair[0] == 1.0)
    }

    /// Whether there are so many numbers, each larger than the one before, or each smaller.
    fn is_monotone(&self, many: usize) -> bool {
        let mut steps = self.numbers.windows(2).map(|pair| pair[1] - pair[0]);
        let rising = self.numbers.windows(2).all(|pair| pair[1] > pair[0]);
        self.numbers.len() >= many && (rising || steps.all(|step| step < 0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, wanted: &[&str]) -> FirstLine {
        FirstLine::of(&Sample::of(text.as_bytes(), b','), &TextFormat::default(), wanted)
    }

    /// Many rows below a first line.
    fn table(first: &str, row: impl Fn(usize) -> String) -> String {
        let rows: String = (0..40).map(|at| row(at) + "\n").collect();
        format!("{first}\n{rows}")
    }

    fn words(at: usize) -> String {
        let pick =
            |words: &[&str], step: usize| words[(at * step + at / 3) % words.len()].to_string();
        [pick(&["sunny", "rain", "fog"], 1), pick(&["hot", "mild"], 1), pick(&["yes", "no"], 3)]
            .join(",")
    }

    fn measures(at: usize) -> String {
        format!("{}.5,{},{}", 4 + at % 4, at * 7 % 30, ["a", "b"][at % 2])
    }

    #[test]
    fn a_row_of_words_or_numbers_is_known_by_those_below() {
        for text in [
            table("sunny,hot,no", words),
            table("sunny,dry,no", words),
            table("5.5,12,a", measures),
            table("5.5,,a", measures),
            table("4,30,b", measures),
            table("cat", |at| ["cat", "dog"][at % 2].to_string()),
            table("1", |at| (at % 2).to_string()),
            table("2024-01-05,a", |at| {
                format!("2024-01-{:02},{}", 1 + at % 28, ["a", "b"][at % 2])
            }),
            // A spelling of a missing value that is not known.
            table("unknown,7,a", measures),
        ] {
            assert!(matches!(of(&text, &[]), FirstLine::Row(_)), "{text}");
        }
    }

    #[test]
    fn names_are_known_by_the_values_below() {
        for text in [
            table("weather,heat,play", words),
            table("length,count,kind", measures),
            table("length,2019,kind", measures),
            table("day,kind", |at| format!("2024-01-{:02},{}", 1 + at % 28, ["a", "b"][at % 2])),
            table("name,text", |at| format!("n{at},t{}", at * at)),
            // Two files with their names, one after the other.
            table("length,count,kind", |at| {
                if at == 20 { "length,count,kind".into() } else { measures(at) }
            }),
            "length,count,kind\n1,2,a\nlength,count,kind\n3,4,b\n".to_string(),
            table("0,1,2,3,4,kind", |at| format!("{at},{at},1,2,3,{}", ["a", "b"][at % 2])),
            "city,class\nRome,a\nOslo,b\n".to_string(),
            "a,b\n".to_string(),
            String::new(),
        ] {
            assert_eq!(of(&text, &[]), FirstLine::Names(None), "{text}");
        }
        let wavelengths = table("400,402.5,405,410,420", |at| format!("0.{at},0.1,0.2,0.3,0.{at}"));
        assert_eq!(of(&wavelengths, &[]), FirstLine::Names(None));
        let years =
            table("2019,2020,2021,kind", |at| format!("{at},1{at},{at}.5,{}", ["a", "b"][at % 2]));
        assert!(matches!(of(&years, &[]), FirstLine::Names(Some(_))));
        // One word recurs, as a name may.
        assert!(matches!(of(&table("weather,hot,play", words), &[]), FirstLine::Names(Some(_))));
    }

    #[test]
    fn what_is_asked_for_by_name_decides_and_what_may_be_either_is_asked_for() {
        assert_eq!(of(&table("sunny,hot,no", words), &["hot"]), FirstLine::Names(None));
        assert!(matches!(of(&table("windy,cold,maybe", words), &["x1", "x3"]), FirstLine::Row(_)));
        assert_eq!(of("1,5,2\n3,4,1\n", &[]), FirstLine::Unclear);
        assert_eq!(of("2.5,x\n3,y\n", &[]), FirstLine::Unclear);
        assert_eq!(of(&table("900,700,a1", measures), &[]), FirstLine::Unclear);
    }
}
