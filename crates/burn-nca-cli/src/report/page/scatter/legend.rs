use std::fmt::Write;

use super::{Scatter, look};
use crate::report::number::count;
use crate::report::page::html::name;
use crate::report::{ClassCount, Part};

/// The most classes in a legend, or in a table of classes.
const LISTED: usize = 60;

/// The most classes in a legend beside the picture; a longer one stands below it.
const BESIDE: usize = 15;

/// The classes to list, in their order: all, or those of most rows where there are too many.
pub fn listed(classes: &[ClassCount]) -> Vec<usize> {
    let mut listed: Vec<usize> = (0..classes.len()).collect();
    listed.sort_by_key(|&class| usize::MAX - classes[class].train - classes[class].test);
    listed.truncate(LISTED);
    listed.sort_unstable();
    listed
}

impl Scatter<'_> {
    /// Filters, and zooming for those who want to look closer; only with scripts.
    pub(super) fn toolbar(&self) -> String {
        let has = |part| self.marks.iter().any(|(point, _)| point.part == part);
        let mut boxes = String::new();
        if has(Part::Train) && has(Part::Test) {
            boxes.push_str(
                "<label><input type=\"checkbox\" id=\"show-train\" checked> training rows</label>\
                 <label><input type=\"checkbox\" id=\"show-test\" checked> held-out rows</label>",
            );
        }
        if self.marks.iter().any(|(point, _)| self.is_marked(point)) {
            let rows = if self.judged == Part::Test { "held-out rows" } else { "rows" };
            let _ = write!(
                boxes,
                "<label><input type=\"checkbox\" id=\"mark-wrong\" checked> ring {rows} predicted \
                 wrongly</label>"
            );
        }
        format!(
            "<div class=\"toolbar scripted\">{boxes}<span class=\"zoom\"><button type=\"button\" id=\"zoom-out\" \
             aria-label=\"Zoom out\">−</button><button type=\"button\" id=\"zoom-in\" aria-label=\"Zoom \
             in\">+</button><button type=\"button\" id=\"zoom-reset\">All</button></span></div>\n"
        )
    }

    /// The classes with their marks, and what the marks mean.
    pub(super) fn legend(&self) -> String {
        // Beyond, neither colours nor a reader tell the classes apart.
        let listed = listed(self.classes);
        let entries: String = listed
            .iter()
            .map(|&class| {
                let rows = &self.classes[class];
                let mark = "<svg viewBox=\"0 0 14 14\" aria-hidden=\"true\">";
                format!(
                    "<li><button type=\"button\" data-class=\"{class}\" aria-pressed=\"true\">{mark}<path \
                     class=\"{}\" d=\"M7 7h0\"/></svg>{}<span class=\"n\">{}</span></button></li>\n",
                    look(class),
                    name(&rows.name, 48),
                    count((rows.train + rows.test) as u64)
                )
            })
            .collect();
        // Beside the picture a longer list would have to scroll.
        let wide = if listed.len() > BESIDE { " wide" } else { "" };
        let rest = match self.classes.len() - listed.len() {
            0 => String::new(),
            rest => format!(
                "<p class=\"hint\">{} of {} classes, those of most rows; {} more look like them. Point at a mark to \
                 read its class.</p>",
                listed.len(),
                count(self.classes.len() as u64),
                count(rest as u64)
            ),
        };
        format!(
            "<div class=\"legend{wide}\"><ul>\n{entries}</ul>{rest}{}<p class=\"hint scripted\">Choose a class to hide \
             it, with Shift to see it alone. Ctrl and the wheel zoom, dragging moves.</p></div>",
            self.key()
        )
    }

    /// What filled, hollow and ringed marks mean; nothing where all marks are alike.
    fn key(&self) -> String {
        let mut key = Vec::new();
        let sample = |inner: &str, text: &str| {
            format!(
                "<span class=\"key\"><svg viewBox=\"0 0 14 14\" aria-hidden=\"true\">{inner}</svg>{text}</span>"
            )
        };
        let at = "d=\"M7 7h0\"/>";
        if self.marks.iter().any(|(point, _)| point.part == Part::Test) {
            key.push(sample(&format!("<path class=\"any\" {at}"), "training"));
            key.push(sample(
                &format!("<path class=\"any\" {at}<path class=\"hole\" {at}"),
                "held out",
            ));
        }
        if self.marks.iter().any(|(point, _)| self.is_marked(point)) {
            let marks = if self.judged == Part::Test { "any,hole" } else { "any" };
            let inner: String = "wrong,gap,"
                .split_terminator(',')
                .chain(marks.split(','))
                .map(|class| format!("<path class=\"{class}\" {at}"))
                .collect();
            key.push(sample(&inner, "wrong"));
        }
        if key.is_empty() {
            String::new()
        } else {
            format!("<p class=\"keys\">{}</p>", key.concat())
        }
    }
}
