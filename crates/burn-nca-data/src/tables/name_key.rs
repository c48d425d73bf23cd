//! Names of classes and levels that are the same: equal as text, or as numbers.

use std::borrow::Cow;
use std::collections::HashSet;

use super::are_same_letters;

/// What two names of one class, level or group have in common: the number, where both are numbers, else the text.
///
/// `1`, `1.0` and `1e0` are one number, whatever its length: no two whole numbers share a key. A zero in front makes a
/// code of digits, which is text: `01234` and `1234` are two names.
pub fn name_key(name: &str) -> Cow<'_, str> {
    decimal(name).map_or(name.into(), Cow::Owned)
}

/// The known name that another is but for case, spaces, dots or the encoding of accents: the one it may be meant for.
///
/// # Examples
/// ```
/// use burn_nca_data::meant_name;
///
/// assert_eq!(meant_name("Setosa.", ["virginica", "setosa"]), Some("setosa"));
/// assert_eq!(meant_name("cafe\u{301}", ["caf\u{e9}"]), Some("caf\u{e9}"));
/// assert_eq!(meant_name("<5", ["5"]), None);
/// ```
pub fn meant_name<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |name: &str| {
        name.trim_matches(|sign: char| !sign.is_alphanumeric() && !"<>=+-".contains(sign))
            .to_lowercase()
    };
    let is_meant =
        |known: &&str| plain(known) == plain(name) || are_same_but_for_accents(known, name);
    known.into_iter().find(is_meant)
}

/// In what a name differs from the one that it may be meant for.
#[doc(hidden)]
pub fn difference(name: &str, meant: &str) -> &'static str {
    match are_same_but_for_accents(name, meant) {
        true => "but for the encoding of accents",
        false => "but for case, spaces or dots",
    }
}

fn are_same_but_for_accents(one: &str, other: &str) -> bool {
    are_same_letters(&one.to_lowercase(), &other.to_lowercase())
}

/// Each of the names once, in text order; of several spellings of one number the shortest.
pub(crate) fn distinct_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut spellings: Vec<&str> = names.into_iter().collect();
    spellings.sort_unstable();
    spellings.dedup();
    spellings.sort_by_key(|name| name.len());
    let mut keys = HashSet::new();
    spellings.retain(|name| keys.insert(name_key(name)));
    spellings.sort_unstable();
    spellings.into_iter().map(String::from).collect()
}

/// The number that a text spells, if it is one and no code: `±0.DIGITSeEXPONENT`, without zeros at either end of the digits.
pub(crate) fn decimal(text: &str) -> Option<String> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let size = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    let is_code = whole.len() > 1 && whole.starts_with('0');
    let all = format!("{whole}{fraction}");
    if is_code || all.is_empty() || !all_digits(&all) || !all_digits(size) || size.len() > 4 {
        return None;
    }
    let exponent = exponent.parse::<i64>().ok()? + whole.len() as i64;
    let digits = all.trim_start_matches('0');
    if digits.is_empty() {
        return Some("0.e0".into());
    }
    let exponent = exponent - (all.len() - digits.len()) as i64;
    let sign = if text.starts_with('-') { "-" } else { "" };
    Some(format!("{sign}0.{}e{exponent}", digits.trim_end_matches('0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_number_has_its_key_and_other_text_its_own() {
        for same in [
            &["1", "1.0", "1.", "+1", "1e0", "10e-1", "0.1E+1", "1.000"][..],
            &["0", "-0", "0.0", "0e5", ".0", "-0.00"],
            &["-2.5", "-2.50", "-25e-1", "-0.25e1"],
            &["1189850876250608328701", "1189850876250608328701.0"],
        ] {
            assert!(same.iter().all(|name| name_key(name) == name_key(same[0])), "{same:?}");
            // A key is a number's own spelling.
            assert_eq!(name_key(&name_key(same[0])), name_key(same[0]));
        }
        let words = "1 01 001 01.0 -1 10 1.01 1e99999 0x1 1_0 inf nan - . e5 1e one 9007199254740992 \
                     9007199254740993 1189850876250608328701 1189850876250608328702 18446744073709551615";
        let distinct: Vec<&str> = words.split(' ').chain(["", "1 "]).collect();
        let keys: std::collections::BTreeSet<_> =
            distinct.iter().map(|name| name_key(name)).collect();
        assert_eq!(keys.len(), distinct.len());
    }

    #[test]
    fn of_several_spellings_the_shortest_stays() {
        let names = ["b", "1.0", "01", "1", "1e0", "b", "2.0", "2.00"];
        assert_eq!(distinct_names(names), ["01", "1", "2.0", "b"]);
    }
}
