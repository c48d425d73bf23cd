//! Sentences about what a preparation does, and what it did to a table.

use super::column::{PreparedColumn, Reading};
use super::config::Missing;
use super::{Preparation, list};
use crate::quoted;

impl Preparation {
    /// What it does, a sentence per thing; none where numbers stay as they are.
    pub fn sentences(&self) -> Vec<String> {
        let missing = self.missing_values();
        let (mut of_levels, mut booleans) = (Vec::new(), Vec::new());
        for column in &self.columns {
            let name = quoted(&column.name);
            match &column.reading {
                Reading::Levels(levels) => of_levels.push(format!("{name} ({})", levels.len())),
                Reading::Boolean => booleans.push(name),
                Reading::Number => {}
            }
        }
        let kinds = [
            ("categories as one feature of 0 and 1 per level (levels)", of_levels),
            ("true and false as 1 and 0", booleans),
            ("columns left out", self.left_out.clone()),
        ];
        let kinds = kinds.into_iter().filter(|(_, names)| !names.is_empty());
        missing
            .into_iter()
            .chain(kinds.map(|(kind, names)| format!("{kind}: {}", list(names))))
            .collect()
    }

    fn missing_values(&self) -> Vec<String> {
        let rule = match self.missing {
            Missing::Refuse => return Vec::new(),
            Missing::Drop => {
                return vec!["rows without a value in some column are left out".into()];
            }
            Missing::Mean => "the mean",
            Missing::Median => "the median",
            Missing::MostFrequent => "the most frequent value",
        };
        let filled = self.columns.iter().filter(|column| column.num_missing > 0).map(|column| {
            let (name, fill) = (quoted(&column.name), column.fill_text());
            format!("{name} ({} with {fill})", column.num_missing)
        });
        let filled: Vec<String> = filled.collect();
        let filled = if filled.is_empty() { "none was missing".to_string() } else { list(filled) };
        let text = self.columns.iter().any(|column| column.reading != Reading::Number);
        let of_text = match self.missing {
            Missing::MostFrequent => "",
            _ if text => " (of text the most frequent one)",
            _ => "",
        };
        let mut sentences = vec![format!(
            "missing values filled with {rule} of the training rows{of_text}: {filled}"
        )];
        let indicators = self.columns.iter().filter(|column| column.indicator).count();
        if indicators > 0 {
            sentences
                .push(format!("{indicators} features of 0 and 1 say where a value was missing"));
        }
        sentences
    }
}

impl PreparedColumn {
    fn fill_text(&self) -> String {
        match (self.fill, &self.reading) {
            (None, _) => "nothing".to_string(),
            (Some(place), Reading::Levels(levels)) => quoted(&levels[place as usize]),
            (Some(value), Reading::Boolean) => (value == 1.0).to_string(),
            (Some(value), Reading::Number) => short_number(value),
        }
    }
}

/// A number in a few digits.
fn short_number(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-3..1e7).contains(&size) {
        return format!("{value:.3e}");
    }
    format!("{value:.4}").trim_end_matches('0').trim_end_matches('.').to_string()
}
