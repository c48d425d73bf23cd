//! Damages JSON as a hand that edits it does: values replaced, fields left out, lists cut and repeated, by a seed.

use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};
use serde_json::{Value, json};

use super::mutate;

/// What a value is replaced by.
const VALUES: &str = r#"[0, -1, 18446744073709551615, 4294967296, 1000000000000, 1e300, "@number@", "x", "", "inf", "NaN",
    "1e300", null, true, [], {}]"#;

/// A document with one to three edits, and now and then damaged bytes on top.
pub fn edited(documents: &[Value], rng: &mut impl Rng) -> Vec<u8> {
    let mut document = documents.choose(rng).cloned().unwrap_or_default();
    for _ in 0..rng.random_range(1..=3) {
        let other = documents.choose(rng).cloned().unwrap_or_default();
        edit(&mut document, &other, rng);
    }
    // JSON has larger numbers than f64 holds, and readers that take NaN for one.
    let text = document.to_string();
    let number = *["1e400", "-1e400", "NaN", "1e-320", "00"].choose(rng).unwrap_or(&"0");
    let text = text.replace("\"@number@\"", number).into_bytes();
    if rng.random_range(0..4) == 0 { mutate::damaged(&[text], rng) } else { text }
}

/// Edits the value at a random place.
fn edit(document: &mut Value, other: &Value, rng: &mut impl Rng) {
    let place = place(document, rng);
    let (parent, name) = place.rsplit_once('/').unwrap_or(("", ""));
    match rng.random_range(0..8) {
        0 => match document.pointer_mut(parent) {
            Some(Value::Object(fields)) => drop(fields.remove(name)),
            Some(Value::Array(items)) => items.truncate(name.parse().unwrap_or(0)),
            _ => (),
        },
        1 => match document.pointer_mut(parent) {
            Some(Value::Array(items)) if !items.is_empty() => {
                let again = items[items.len() - 1].clone();
                items.extend(std::iter::repeat_n(again, 1 << rng.random_range(0..10)));
            }
            Some(Value::Object(fields)) => drop(fields.insert("more".to_string(), json!(1))),
            _ => (),
        },
        2 => {
            let from = self::place(other, rng);
            let value = other.pointer(&from).cloned().unwrap_or_default();
            set(document, &place, value);
        }
        3 => {
            let number = document.pointer(&place).and_then(Value::as_f64).unwrap_or(1.0);
            let factor = *[-1.0, 0.0, 2.0, 0.5, 1e30, 1e300, 1e-300].choose(rng).unwrap_or(&1.0);
            set(document, &place, json!(number * factor));
        }
        4 => {
            let number = document.pointer(&place).and_then(Value::as_u64).unwrap_or(0);
            let step = rng.random_range(0..3);
            set(document, &place, json!(number.saturating_add(step).saturating_sub(1)));
        }
        _ => {
            let values: Vec<Value> = serde_json::from_str(VALUES).unwrap_or_default();
            set(document, &place, values.choose(rng).cloned().unwrap_or_default());
        }
    }
}

fn set(document: &mut Value, place: &str, value: Value) {
    if let Some(at) = document.pointer_mut(place) {
        *at = value;
    }
}

/// A random place, as a JSON pointer: every way down ends at a leaf or, now and then, before.
fn place(document: &Value, rng: &mut impl Rng) -> String {
    let (mut at, mut place) = (document, String::new());
    loop {
        let next = match at {
            Value::Object(fields) if !fields.is_empty() => {
                let number = rng.random_range(0..fields.len());
                fields.iter().nth(number).map(|(name, value)| (name.clone(), value))
            }
            Value::Array(items) if !items.is_empty() => {
                let number = rng.random_range(0..items.len());
                Some((number.to_string(), &items[number]))
            }
            _ => None,
        };
        let stop = !place.is_empty() && rng.random_range(0..6) == 0;
        let Some((name, value)) = next.filter(|_| !stop) else { return place };
        place.push('/');
        place.push_str(&name.replace('~', "~0").replace('/', "~1"));
        at = value;
    }
}
