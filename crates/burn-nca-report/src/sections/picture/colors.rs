//! A sequential color scale: viridis, without its darkest end, so that marks show on light and dark paper.

use burn_nca_figures::palette::mixed;

use crate::number::{tick_labels, ticks};
use burn_nca_program::html::{escape, place};

/// Colors at equal steps from the lowest value to the highest.
const SCALE: [[u8; 3]; 7] = [
    [72, 40, 120],
    [62, 74, 137],
    [49, 104, 142],
    [38, 130, 142],
    [53, 183, 121],
    [144, 215, 67],
    [253, 231, 37],
];

/// Values from `low` to `high` as colors.
#[derive(Clone, Copy, Debug)]
pub struct Colors {
    low: f64,
    high: f64,
}

impl Colors {
    /// The scale that holds all finite values; `None` without any.
    pub fn of(values: impl Iterator<Item = f64> + Clone) -> Option<Self> {
        let finite = values.filter(|value| value.is_finite());
        let low = finite.clone().fold(f64::INFINITY, f64::min);
        let high = finite.fold(f64::NEG_INFINITY, f64::max);
        (low <= high).then_some(Self { low, high })
    }

    /// Where a value is between the lowest (0) and the highest (1); 1/2 where these are one.
    fn share(&self, value: f64) -> f64 {
        if self.high > self.low { (value - self.low) / (self.high - self.low) } else { 0.5 }
    }

    /// The color of a value, as `#rrggbb`.
    pub fn color(&self, value: f64) -> String {
        let [red, green, blue] = mixed(&SCALE, self.share(value));
        format!("#{red:02x}{green:02x}{blue:02x}")
    }

    /// The scale as a bar with its numbers.
    pub fn bar(&self, name: &str) -> String {
        let (low, range) = (self.low, self.high - self.low);
        let last = (SCALE.len() - 1) as f64;
        let stop = |at: usize| self.color(low + range * at as f64 / last);
        let stops: Vec<String> = (0..SCALE.len()).map(stop).collect();
        let marks = ticks(low, self.high, 4);
        let label = |(mark, label): (&f64, String)| {
            format!("<span style=\"left:{}\">{label}</span>", place(self.share(*mark)))
        };
        let labels: String = marks.iter().zip(tick_labels(&marks)).map(label).collect();
        format!(
            "<div class=\"colors\" role=\"img\" aria-label=\"Color scale of {0}\"><b>{0}</b><div \
             class=\"bar\" style=\"background:linear-gradient(90deg,{1})\"></div><div \
             class=\"ticks\">{labels}</div></div>\n",
            escape(name),
            stops.join(",")
        )
    }
}
