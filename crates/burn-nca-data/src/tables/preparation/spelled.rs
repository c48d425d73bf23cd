//! Dates, and numbers in a spelling that is not read: thousands separators, currency and percent signs, parentheses.

use std::ops::RangeInclusive;

use crate::{Hint, Setting};

/// What may separate the thousands of a number.
const GROUPING: [char; 8] = [',', '.', ' ', '\u{a0}', '\u{202f}', '\'', '’', '_'];

/// The signs and codes of currencies.
const CURRENCIES: [&str; 13] =
    ["$", "€", "£", "¥", "₹", "USD", "EUR", "GBP", "JPY", "CHF", "INR", "CNY", "kr"];

const DECIMAL_POINT: &str =
    "write numbers with a decimal point and without thousands separators, as in 1234.5";

/// What to do about a text of `unread_number`: write it otherwise, or read a decimal comma.
pub fn number_hints(text: &str) -> Option<Vec<Hint>> {
    let cure = unread_number(text)?;
    let edit = Hint::edit(cure);
    Some(match cure {
        DECIMAL_POINT => vec![edit, Setting::DecimalComma.into()],
        _ => vec![edit],
    })
}

/// The cure of a text that spells a number in a way that is not read, such as `1,234.5`, `$5`, `12 %` or `(3.5)`;
/// `None` for numbers that are read, and for all other text.
fn unread_number(text: &str) -> Option<&'static str> {
    let text = text.trim();
    if is_number(text) {
        return None;
    }
    if spells(text) {
        let cure = if text.contains(',') {
            DECIMAL_POINT
        } else {
            "write numbers without thousands separators"
        };
        return Some(cure);
    }
    if text.strip_suffix('%').is_some_and(spells) {
        return Some("write numbers without the percent sign");
    }
    let is_amount = |text: &str| without_currency(text).is_some_and(spells);
    if is_amount(text.strip_prefix(['-', '\u{2212}']).unwrap_or(text)) {
        return Some("write numbers without the sign of the currency");
    }
    let inner = text.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
    let size = inner.or_else(|| text.strip_suffix('-'))?;
    let is_negative = !size.starts_with(['-', '\u{2212}']) && (spells(size) || is_amount(size));
    is_negative.then_some("write negative numbers with a minus sign in front, as in -1234.5")
}

fn without_currency(text: &str) -> Option<&str> {
    CURRENCIES.iter().find_map(|code| text.strip_prefix(code).or_else(|| text.strip_suffix(code)))
}

/// Whether a text is a finite number, read or with grouped thousands or a decimal comma.
fn spells(text: &str) -> bool {
    let text = text.trim();
    let comma = text.matches(',').count() == 1 && !text.contains('.');
    is_number(text) || (comma && is_number(&text.replace(',', "."))) || is_grouped(text)
}

pub(crate) fn is_number(text: &str) -> bool {
    text.parse::<f64>().is_ok_and(f64::is_finite)
}

/// Whether a text is digits in groups of three (or, as in India, two and at last three), with a fraction or without.
fn is_grouped(text: &str) -> bool {
    let size = text.strip_prefix(['-', '+', '\u{2212}']).unwrap_or(text);
    let Some(grouping) = size.chars().find(|sign| !sign.is_ascii_digit()) else { return false };
    if !GROUPING.contains(&grouping) {
        return false;
    }
    let fraction = |sign: char| matches!(sign, '.' | ',') && sign != grouping;
    let (whole, decimals) = size.split_once(fraction).unwrap_or((size, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let groups: Vec<&str> = whole.split(grouping).collect();
    let [first, middle @ .., last] = &groups[..] else { return false };
    digits(decimals)
        && (1..=3).contains(&first.len())
        && middle.iter().all(|group| (2..=3).contains(&group.len()))
        && last.len() == 3
        && groups.iter().all(|group| digits(group))
}

/// Whether a text reads like `2024-01-31`, `31.01.2024`, `1/31/24`, with or without a time of day, or like a time
/// alone.
pub fn is_date(text: &str) -> bool {
    is_day(text.split(['T', ' ']).next().unwrap_or(text)) || is_time(text)
}

fn is_day(text: &str) -> bool {
    ['-', '/', '.'].iter().any(|&separator| {
        let parts: Vec<&str> = text.split(separator).collect();
        let [first, second, third] = parts[..] else { return false };
        let is_name = second.len() == 3 && second.bytes().all(|byte| byte.is_ascii_alphabetic());
        let is_month = is_name || is_whole(second, 1..=2);
        let begins_with_year = is_whole(first, 4..=4) && is_whole(third, 1..=2);
        let ends_with_year = is_whole(third, 4..=4) || is_whole(third, 2..=2);
        is_month && (begins_with_year || is_whole(first, 1..=2) && ends_with_year)
    })
}

fn is_time(text: &str) -> bool {
    let parts: Vec<&str> = text.split(':').collect();
    (2..=3).contains(&parts.len())
        && parts.iter().all(|part| is_whole(part.split('.').next().unwrap_or(part), 1..=2))
}

fn is_whole(text: &str, digits: RangeInclusive<usize>) -> bool {
    digits.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_written_otherwise_have_a_cure() {
        for (cure, texts) in [
            ("thousands", "1,234.5|-1.234,56|1 234,5|1\u{a0}000|12'000|1_000_000|1,00,000|1,5"),
            ("percent", "12 %|1,5%"),
            ("currency", "$5|-$5.20|$-5.20|1.200,50 €|USD 7"),
            ("minus sign", "(3.5)|($1,000)|5-"),
        ] {
            for text in texts.split('|') {
                let found = unread_number(text).unwrap_or_else(|| panic!("{text}"));
                assert!(found.contains(cure), "{text}: {found}");
            }
        }
    }

    #[test]
    fn read_numbers_and_other_text_have_none() {
        let numbers = "1234.5|-1e5|.5";
        let groups = "1,2,3|1.2.3|1 2|12-5|192.168.0.1|555-1234|0551 234 567|2024-01-31";
        let others = "red|a 123|3 kg|A$|$|%|-|()|(a)|<5|--5";
        let texts = [numbers, groups, others].map(|texts| texts.split('|'));
        for text in texts.into_iter().flatten().chain([""]) {
            assert_eq!(unread_number(text), None, "{text}");
        }
    }

    #[test]
    fn days_and_times_are_known_and_other_text_is_not() {
        let dates = "2024-01-31|2024/1/5|31.01.2024|1/31/24|31-Jan-2024";
        let times = "2024-01-31T10:00:00Z|2024-01-31 10:00|10:45";
        for date in [dates, times].into_iter().flat_map(|texts| texts.split('|')) {
            assert!(is_date(date), "{date}");
        }
        for other in ["1-2", "a-b-c", "192.168.0.1", "1.2.3456.7", "red", "12", "A:B", "2024"] {
            assert!(!is_date(other), "{other}");
        }
    }
}
