//! What the marks of a picture mean, and what is written into it.

use std::fmt::Write;

use burn_nca_program::html::{escape, name, place};

use super::placement::WIDTH;
use super::scatter::{Scatter, style};
use super::{ClassMark, Part};
use crate::ClassCount;
use crate::number::{count, round_step, significant};

/// The most classes in a legend, or in a table of classes.
const LISTED: usize = 60;

/// The most classes in a legend next to the picture; a longer one is below it.
const NEXT_TO_PICTURE: usize = 15;

/// So many classes and more have their names in the picture, as far as they look different: colors alone are too many.
const NAMED: std::ops::RangeInclusive<usize> = 11..=40;

/// What rows without a class are called.
pub const NO_CLASS: &str = "no class";

/// The classes to list, in their order: all, or those of most rows where there are too many.
pub fn listed(classes: &[ClassCount]) -> Vec<usize> {
    let mut listed: Vec<usize> = (0..classes.len()).collect();
    listed.sort_by_key(|&class| {
        usize::MAX - classes[class].train.saturating_add(classes[class].test)
    });
    listed.truncate(LISTED);
    listed.sort_unstable();
    listed
}

fn sample(inner: &str, text: &str) -> String {
    format!(
        "<span class=\"key\"><svg viewBox=\"0 0 14 14\" aria-hidden=\"true\">{inner}</svg>{text}</span>"
    )
}

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

    /// Filters, and zooming for those who want to look closer; only with scripts.
    pub(super) fn toolbar(&self, rings_shown: bool) -> String {
        let mut boxes = String::new();
        let mut switch = |id: &str, shown: bool, text: &str| {
            let checked = if shown { " checked" } else { "" };
            let _ = write!(
                boxes,
                "<label><input type=\"checkbox\" id=\"{id}\"{checked}> {text}</label>"
            );
        };
        if self.has(Part::Train) && self.has(Part::Test) && !self.has_cells() {
            switch("show-train", true, "training rows");
            switch("show-test", true, "held-out rows");
        }
        if self.rings() > 0 {
            let rows = if self.judged == Part::Test { "held-out rows" } else { "rows" };
            switch("mark-wrong", rings_shown, &format!("ring {rows} predicted wrongly"));
        }
        format!(
            "<div class=\"toolbar scripted\">{boxes}<span class=\"zoom\"><button type=\"button\" id=\"zoom-out\" \
             aria-label=\"Zoom out\">−</button><button type=\"button\" id=\"zoom-in\" aria-label=\"Zoom \
             in\">+</button><button type=\"button\" id=\"zoom-reset\">All</button></span></div>\n"
        )
    }

    pub(super) fn legend(&self, colors: &str) -> String {
        // Next to the picture a longer list would have to scroll.
        let wide = colors.matches("<li>").count() > NEXT_TO_PICTURE || self.names_lanes();
        let wide = if wide { " wide" } else { "" };
        let choose = match colors.contains("<li>") {
            true => "Choose a class to hide it, with Shift to see it alone. ",
            false => "",
        };
        format!(
            "<div class=\"legend{wide}\">{colors}{}<p class=\"hint scripted\">{choose}Ctrl and the wheel zoom, dragging \
             moves.</p></div>",
            self.key()
        )
    }

    /// What filled, hollow and ringed marks mean; nothing where all marks are alike.
    fn key(&self) -> String {
        let mut key = String::new();
        let at = "d=\"M7 7h0\"/>";
        if self.has(Part::Test) && !self.has_cells() {
            let any = format!("<path class=\"any\" {at}");
            key += &sample(&any, "training");
            key += &sample(&format!("{any}<path class=\"hole\" {at}"), "held out");
        }
        if self.rings() > 0 {
            let marks = ["wrong", "gap", "any", "hole"];
            let marks = &marks[..if self.judged == Part::Test { 4 } else { 3 }];
            let inner = marks.iter().map(|class| format!("<path class=\"{class}\" {at}"));
            key += &sample(&inner.collect::<String>(), "wrong");
        }
        if !self.unlabeled.is_empty() {
            key += &sample(&format!("<path class=\"none\" {at}"), NO_CLASS);
        }
        if !self.links.is_empty() {
            key += &sample("<path class=\"links\" d=\"M0 7H14\"/>", "pair");
        }
        if key.is_empty() { key } else { format!("<p class=\"keys\">{key}</p>") }
    }
}

impl Scatter<'_, ClassMark> {
    /// The classes with their marks; nothing where they are named in lanes of their own.
    pub(super) fn class_list(&self, classes: &[ClassCount]) -> String {
        if self.names_lanes() {
            return String::new();
        }
        // Beyond, neither colors nor a reader distinguish the classes.
        let listed = listed(classes);
        let entry = |&class: &usize| {
            let rows = &classes[class];
            format!(
                "<li><button type=\"button\" data-class=\"{class}\" aria-pressed=\"true\"><svg viewBox=\"0 0 14 14\" \
                 aria-hidden=\"true\"><path class=\"{}\" d=\"M7 7h0\"/></svg>{}<span \
                 class=\"n\">{}</span></button></li>\n",
                style(class).trim_start(),
                name(&rows.name, 48),
                count(rows.train.saturating_add(rows.test) as u64)
            )
        };
        let entries: String = listed.iter().map(entry).collect();
        let rest = match classes.len() - listed.len() {
            0 => String::new(),
            rest => format!(
                "<p class=\"hint\">{} of {} classes, those of most rows; {} more look like them. Point at a mark to \
                 read its class.</p>",
                listed.len(),
                count(classes.len() as u64),
                count(rest as u64)
            ),
        };
        format!("<ul>\n{entries}</ul>{rest}")
    }
}

fn middle(places: impl Iterator<Item = [f64; 2]> + Clone) -> Option<[f64; 2]> {
    let median = |axis: usize| {
        let mut values: Vec<f64> = places.clone().map(|place| place[axis]).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied()
    };
    Some([median(0)?, median(1)?])
}
