//! Whether a text is a date.

use std::ops::RangeInclusive;

/// Whether a text reads like `2024-01-31`, `31.01.2024`, `1/31/24`, with or without a time of day, or like a time
/// alone.
pub fn is_date(text: &str) -> bool {
    let day = text.split(['T', ' ']).next().unwrap_or(text);
    is_day(day) || is_time(text)
}

fn is_day(text: &str) -> bool {
    ['-', '/', '.'].iter().any(|&separator| {
        let parts: Vec<&str> = text.split(separator).collect();
        let [first, second, third] = parts[..] else { return false };
        let is_name = second.len() == 3 && second.bytes().all(|byte| byte.is_ascii_alphabetic());
        let is_month = is_name || is_number(second, 1..=2);
        let begins_with_year = is_number(first, 4..=4) && is_number(third, 1..=2);
        let ends_with_year = is_number(third, 4..=4) || is_number(third, 2..=2);
        is_month && (begins_with_year || is_number(first, 1..=2) && ends_with_year)
    })
}

fn is_time(text: &str) -> bool {
    let parts: Vec<&str> = text.split(':').collect();
    (2..=3).contains(&parts.len())
        && parts.iter().all(|part| is_number(part.split('.').next().unwrap_or(part), 1..=2))
}

/// Whether a text is a number of so many digits.
fn is_number(text: &str, digits: RangeInclusive<usize>) -> bool {
    digits.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

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
