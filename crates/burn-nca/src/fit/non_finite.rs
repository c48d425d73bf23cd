//! Numbers that may be infinite or not a number, which JSON cannot write: as text where they are.
//!
//! Finite numbers are plain: serde_json writes the shortest decimal form and, by its feature `float_roundtrip`, reads it
//! back to the same bits.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

/// A number, or the text of one that is not finite.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Number(f64),
    Text(String),
}

pub fn serialize<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if number.is_finite() || !serializer.is_human_readable() {
        number.serialize(serializer)
    } else {
        number.to_string().serialize(serializer)
    }
}

pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    if !deserializer.is_human_readable() {
        return f64::deserialize(deserializer);
    }
    match Written::deserialize(deserializer)? {
        Written::Number(number) => Ok(number),
        Written::Text(text) => {
            let number = text.parse().ok().filter(|number: &f64| !number.is_finite());
            let nonsense = || D::Error::custom(format!("{text:?} is neither infinite nor NaN"));
            number.ok_or_else(nonsense)
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Number(#[serde(with = "self")] f64);

/// Numbers one after the other.
pub mod several {
    use super::*;

    pub fn serialize<S: Serializer>(numbers: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(numbers.iter().map(|number| Number(*number)))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
        let numbers = Vec::<Number>::deserialize(deserializer)?;
        Ok(numbers.into_iter().map(|Number(number)| number).collect())
    }
}

/// A number that may be missing.
pub mod optional {
    use super::*;

    pub fn serialize<S: Serializer>(
        number: &Option<f64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        number.map(Number).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<f64>, D::Error> {
        Ok(Option::deserialize(deserializer)?.map(|Number(number)| number))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::{Deserialize, Serialize};

    #[derive(Debug, Serialize, Deserialize)]
    struct Numbers {
        #[serde(with = "super")]
        one: f64,
        #[serde(with = "super::optional")]
        other: Option<f64>,
        #[serde(with = "super::several")]
        more: Vec<f64>,
    }

    /// The bits of each number; of numbers that are none, which one is not kept.
    fn bits(numbers: &Numbers) -> (u64, Option<u64>, Vec<u64>) {
        let of = |number: f64| if number.is_nan() { f64::NAN.to_bits() } else { number.to_bits() };
        let more = numbers.more.iter().map(|number| of(*number)).collect();
        (of(numbers.one), numbers.other.map(of), more)
    }

    proptest! {
        #[test]
        fn every_number_keeps_its_bits(
            one in any::<f64>(),
            other in any::<Option<f64>>(),
            more in any::<Vec<f64>>(),
        ) {
            let edges = [-0.0, f64::MIN_POSITIVE, 5e-324, f64::MAX, f64::NEG_INFINITY, f64::NAN];
            let numbers = Numbers { one, other, more: [more, edges.to_vec()].concat() };
            let text = serde_json::to_string(&numbers).unwrap();
            let back: Numbers = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(bits(&back), bits(&numbers), "{}", text);
        }
    }

    #[test]
    fn nonsense_is_refused() {
        let error = serde_json::from_str::<Numbers>(r#"{"one": "two", "other": null, "more": []}"#);
        assert!(error.unwrap_err().to_string().contains("\"two\" is neither infinite nor NaN"));
    }
}
