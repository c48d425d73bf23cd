//! Whether a text is a date.

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
        let number = |part: &str, longest: usize| {
            (1..=longest).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        let month = |part: &str| {
            number(part, 2)
                || (part.len() == 3 && part.bytes().all(|byte| byte.is_ascii_alphabetic()))
        };
        let four = |part: &str| part.len() == 4 && number(part, 4);
        (four(first) && month(second) && number(third, 2))
            || (number(first, 2)
                && month(second)
                && (four(third) || third.len() == 2 && number(third, 2)))
    })
}

fn is_time(text: &str) -> bool {
    let parts: Vec<&str> = text.split(':').collect();
    (2..=3).contains(&parts.len())
        && parts.iter().all(|part| {
            let digits = part.split('.').next().unwrap_or(part);
            (1..=2).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_times_are_known_and_other_text_is_not() {
        for date in [
            "2024-01-31",
            "2024/1/5",
            "31.01.2024",
            "1/31/24",
            "2024-01-31T10:00:00Z",
            "31-Jan-2024",
            "2024-01-31 10:00",
            "10:45",
        ] {
            assert!(is_date(date), "{date}");
        }
        for other in ["1-2", "a-b-c", "192.168.0.1", "1.2.3456.7", "red", "12", "A:B", "2024"] {
            assert!(!is_date(other), "{other}");
        }
    }
}
