//! Numbers as people read them; the same on the page and in the terminal.

/// An accuracy or share as a percentage with one decimal, `95.6 %`; a dash when there is none.
pub fn percent(share: Option<f64>) -> String {
    match share {
        Some(share) if share.is_finite() => format!("{:.1} %", 100.0 * share),
        _ => "–".to_owned(),
    }
}

/// A count in groups of three, `12 345`; four digits stay together.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join("\u{a0}")
}

/// A count and its noun, `1 row` or `12 rows`.
pub fn counted(number: usize, noun: &str) -> String {
    let ending = match (number, noun.ends_with('s')) {
        (1, _) => "",
        (_, false) => "s",
        (_, true) => "es",
    };
    format!("{} {noun}{ending}", count(number as u64))
}

/// A text with its first letter as a sentence has it.
pub fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    first + letters.as_str()
}

/// A value with `digits` significant digits, in scientific form outside 0.001 to 999 999.
pub fn significant(value: f64, digits: usize) -> String {
    match value {
        value if value.is_nan() => return "not finite".to_owned(),
        f64::INFINITY => return "∞".to_owned(),
        f64::NEG_INFINITY => return "−∞".to_owned(),
        0.0 => return "0".to_owned(),
        _ => {}
    }
    let magnitude = value.abs().log10().floor();
    let text = if (-3.0..6.0).contains(&magnitude) {
        let decimals = (digits as f64 - 1.0 - magnitude).max(0.0) as usize;
        format!("{value:.decimals$}")
    } else {
        format!("{value:.*e}", digits.saturating_sub(1))
    };
    text.replacen('-', "−", 1)
}

/// As [`significant`], with a plain minus: a number of the terminal, to be copied.
pub fn ascii(value: f64, digits: usize) -> String {
    significant(value, digits).replace('−', "-")
}

/// A duration in the unit that suits it: `80 ms`, `2.4 s`, `3 min 20 s`, `2 h 05 min`.
pub fn duration(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return "–".to_owned();
    }
    if seconds < 0.9995 {
        return format!("{:.0} ms", 1e3 * seconds);
    }
    if seconds < 99.95 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round() as u64;
    if whole < 3600 {
        format!("{} min {:02} s", whole / 60, whole % 60)
    } else {
        format!("{} h {:02} min", whole / 3600, whole % 3600 / 60)
    }
}

/// A memory size in binary units, `183 MiB`.
pub fn bytes(size: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = size as f64;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let decimals = usize::from(value < 9.95 && unit > 0);
    format!("{value:.decimals$} {}", UNITS[unit])
}

/// Round numbers that divide low..high into some `wanted` steps, ends within the range.
pub fn ticks(low: f64, high: f64, wanted: usize) -> Vec<f64> {
    let span = high - low;
    if !span.is_finite() || span <= 0.0 {
        return vec![low];
    }
    let step = round_step(span / wanted.max(1) as f64);
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|index| index as f64 * step).collect()
}

/// The nearest of 1, 2, 5 times a power of ten, by ratio.
pub fn round_step(rough: f64) -> f64 {
    let power = 10f64.powf(rough.log10().floor());
    let lead = match rough / power {
        lead if lead < 2f64.sqrt() => 1.0,
        lead if lead < 10f64.sqrt() => 2.0,
        lead if lead < 50f64.sqrt() => 5.0,
        _ => 10.0,
    };
    lead * power
}

/// Labels for ticks: as many decimals as their step needs.
pub fn tick_labels(ticks: &[f64]) -> Vec<String> {
    let step = match ticks {
        [first, second, ..] => second - first,
        [only] => return vec![significant(*only, 4)],
        [] => return Vec::new(),
    };
    let largest = ticks.iter().fold(0f64, |largest, tick| largest.max(tick.abs()));
    if largest >= 1e6 || step < 1e-5 {
        return ticks.iter().map(|tick| significant(*tick, 3)).collect();
    }
    let decimals = (-(step.log10() + 1e-9).floor()).max(0.0) as usize;
    ticks.iter().map(|tick| format!("{tick:.decimals$}").replacen('-', "−", 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_people_read_them() {
        for (found, expected) in [
            (percent(Some(43.0 / 45.0)), "95.6 %"),
            (percent(None), "–"),
            (counted(1, "row"), "1 row"),
            (counted(60_000, "row"), "60\u{a0}000 rows"),
            (counted(3, "class"), "3 classes"),
            (significant(-98.327, 4), "−98.33"),
            (significant(0.001234, 3), "0.00123"),
            (significant(1.5e-7, 2), "1.5e−7"),
            (ascii(-1.5e-7, 2), "-1.5e-7"),
            (significant(123_456.0, 3), "123456"),
            (significant(f64::NEG_INFINITY, 3), "−∞"),
            (duration(0.0804), "80 ms"),
            (duration(2.44), "2.4 s"),
            (duration(200.0), "3 min 20 s"),
            (duration(7500.0), "2 h 05 min"),
            (bytes(512), "512 B"),
            (bytes(183 << 20), "183 MiB"),
            (bytes(1_610_612_736), "1.5 GiB"),
            (tick_labels(&ticks(-1.0, 1.0, 4)).join(" "), "−1.0 −0.5 0.0 0.5 1.0"),
        ] {
            assert_eq!(found, expected);
        }
        assert_eq!(ticks(0.0, 42.0, 5), [0.0, 10.0, 20.0, 30.0, 40.0]);
        assert_eq!(ticks(3.0, 3.0, 5), [3.0]);
    }
}
