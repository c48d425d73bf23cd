//! What the marks of a picture mean, and the switches above it.

use std::fmt::Write;

use super::labels::NO_CLASS;
use super::look::style;
use super::scatter::Scatter;
use super::{ClassMark, Part};
use crate::ClassCount;
use crate::number::count;
use burn_nca_program::html::name;

/// The most classes in a legend, or in a table of classes.
const LISTED: usize = 60;

/// The most classes in a legend next to the picture; a longer one is below it.
const NEXT_TO_PICTURE: usize = 15;

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

/// A small mark and what it means.
fn sample(inner: &str, text: &str) -> String {
    format!(
        "<span class=\"key\"><svg viewBox=\"0 0 14 14\" aria-hidden=\"true\">{inner}</svg>{text}</span>"
    )
}

impl<M> Scatter<'_, M> {
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

    /// What the colors and the marks mean.
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
            key += &sample(&format!("<path class=\"any\" {at}"), "training");
            key +=
                &sample(&format!("<path class=\"any\" {at}<path class=\"hole\" {at}"), "held out");
        }
        if self.rings() > 0 {
            let marks: &[&str] =
                if self.judged == Part::Test { &["any", "hole"] } else { &["any"] };
            let marks = ["wrong", "gap"].iter().chain(marks);
            let inner: String =
                marks.map(|class| format!("<path class=\"{class}\" {at}")).collect();
            key += &sample(&inner, "wrong");
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
