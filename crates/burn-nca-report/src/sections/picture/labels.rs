//! What is written into a picture: the names of the classes, and the scale.

use super::placement::WIDTH;
use super::scatter::Scatter;
use crate::ClassCount;
use crate::number::{round_step, significant};
use burn_nca_program::html::{escape, name, place};

/// So many classes and more have their names in the picture, as far as they look different: colors alone are too many.
const NAMED: std::ops::RangeInclusive<usize> = 11..=40;

/// What rows without a class are called.
pub const NO_CLASS: &str = "no class";

impl<M> Scatter<'_, M> {
    /// The names of the classes: next to their lanes, or, where there are many, in the middle of their points.
    pub fn names(&self) -> String {
        if self.names_lanes() {
            let label = |(class, rows): (usize, &ClassCount)| {
                let (top, name) = (class as f64 * self.frame.lane(), escape(&rows.name));
                format!("<span class=\"lane\" style=\"top:{top:.1}px\">{name}</span>")
            };
            let unlabeled = ClassCount { name: NO_CLASS.to_string(), train: 0, test: 0 };
            let last = (!self.unlabeled.is_empty()).then_some(&unlabeled);
            return self.classes.iter().chain(last).enumerate().map(label).collect();
        }
        if self.frame.is_line() || !NAMED.contains(&self.classes.len()) {
            return String::new();
        }
        let label = |(class, rows): (usize, &ClassCount)| {
            let points = self.marks.iter().filter(|(_, look, _)| look.lane == class);
            let [x, y] = middle(points.map(|(_, _, place)| *place))?;
            Some(format!(
                "<span class=\"middle k{class}\" style=\"left:{};top:{}\">{}</span>",
                place(x / WIDTH),
                place(y / self.frame.height),
                name(&rows.name, 12)
            ))
        };
        self.classes.iter().enumerate().filter_map(label).collect()
    }

    /// A bar of a round length, some tenth of the width.
    pub fn scale_bar(&self) -> String {
        let length = round_step(0.1 * WIDTH / self.frame.scale);
        format!(
            "<div id=\"scale\" class=\"scale\" style=\"width:{}\"><span>distance {}</span></div>",
            place(length * self.frame.scale / WIDTH),
            significant(length, 1)
        )
    }
}

/// The median across and along; `None` without any place.
fn middle(places: impl Iterator<Item = [f64; 2]> + Clone) -> Option<[f64; 2]> {
    let median = |axis: usize| {
        let mut values: Vec<f64> = places.clone().map(|place| place[axis]).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied()
    };
    Some([median(0)?, median(1)?])
}
