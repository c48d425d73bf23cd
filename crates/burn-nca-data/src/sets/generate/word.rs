//! A made-up set with options, as one word of a command line: `noisy-xor:alpha=.5,noise=.3/.5,seed=1`.

use crate::{Error, Labeled, Result, quoted};

use super::{NoisyXorOptions, noisy_xor};
use crate::near_name::suggestion;

const OPTIONS: [&str; 5] = ["alpha", "noise", "irrelevant", "rows", "seed"];

/// The noisy exclusive-or of such a word; `None` where the word is another.
pub(crate) fn of_word(word: &str) -> Option<Result<Labeled>> {
    let (name, given) = word.split_once(':')?;
    (name.to_lowercase().replace('_', "-") == "noisy-xor").then(|| made(given))
}

fn made(given: &str) -> Result<Labeled> {
    let (mut options, mut seed) = (NoisyXorOptions::default(), 0);
    let mut seen: Vec<&str> = Vec::new();
    for option in given.split(',').filter(|option| !option.trim().is_empty()) {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        let (name, value) = (name.trim(), value.trim());
        if seen.contains(&name) {
            return Err(Error::setting(format!("noisy-xor is given {name} twice; give it once")));
        }
        seen.push(name);
        match name {
            "alpha" => options.correlation = number(name, value)?,
            "noise" => options.noise = two_numbers(name, value)?,
            "irrelevant" => options.irrelevant = number(name, value)?,
            "rows" => options.rows = whole(name, value)?,
            "seed" => seed = whole(name, value)?,
            _ => {
                return Err(Error::setting(format!(
                    "noisy-xor has no option {}; {}the options are {}, such as noisy-xor:alpha=.5,seed=1",
                    quoted(name),
                    suggestion(name, OPTIONS),
                    OPTIONS.join(", ")
                )));
            }
        }
    }
    noisy_xor(options, seed)
}

fn number(name: &str, value: &str) -> Result<f64> {
    value.parse().map_err(|_| refused(name, value, "a number, such as .5"))
}

fn whole<T: std::str::FromStr>(name: &str, value: &str) -> Result<T> {
    value.parse().map_err(|_| refused(name, value, "a whole number, such as 100"))
}

fn two_numbers(name: &str, value: &str) -> Result<[f64; 2]> {
    let two = "two numbers, such as .3/.5";
    let (first, second) = value.split_once('/').ok_or_else(|| refused(name, value, two))?;
    match (first.trim().parse(), second.trim().parse()) {
        (Ok(first), Ok(second)) => Ok([first, second]),
        _ => Err(refused(name, value, two)),
    }
}

fn refused(name: &str, value: &str, cure: &str) -> Error {
    Error::setting(format!("{name} of noisy-xor is {}; give {cure}", quoted(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_those_of_the_generator() {
        let options =
            NoisyXorOptions { rows: 7, correlation: 0.5, noise: [0.55, 0.7], irrelevant: 1.0 };
        let word = "Noisy_xor: alpha=.5, noise=.55/.7,irrelevant=1,rows=7,seed=3";
        assert_eq!(of_word(word).unwrap().unwrap(), noisy_xor(options, 3).unwrap());
        let plain = noisy_xor(NoisyXorOptions::default(), 0).unwrap();
        assert_eq!(of_word("noisy-xor:").unwrap().unwrap(), plain);
        assert!(of_word("noisy-xor").is_none() && of_word("C:\\noisy-xor").is_none());
    }
}
