//! Text and data in pages: nothing leaves the place that it is put in.

use std::fmt::Display;

/// The style that the pages of the programs share: colors for light and dark, headings, tables, paper.
pub const BASE_STYLE: &str = include_str!("page.css");

/// Text as HTML, safe between tags and inside quoted attributes.
pub fn escape(text: &str) -> String {
    let escapes = [('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;"), ('"', "&quot;"), ('\'', "&#39;")];
    escapes.into_iter().fold(text.to_owned(), |text, (letter, safe)| text.replace(letter, safe))
}

/// JSON (its text, or a value that prints as such) that may be inside a `<script>` element: no `<` can end
/// the element or open a comment.
pub fn script_json(json: &impl Display) -> String {
    json.to_string().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// Replaces every `{{slot}}` of the template, once: what a slot yields is not searched again, so data
/// that happen to contain a slot's name stay data.
///
/// # Panics
/// If the template opens a slot that it does not close.
pub fn fill(template: &str, slot: impl Fn(&str) -> String) -> String {
    let mut filled = String::with_capacity(2 * template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").expect("the template closes its slots");
        filled.push_str(before);
        filled.push_str(&slot(name));
        rest = after;
    }
    filled.push_str(rest);
    filled
}

/// A name as an element of at most `most` letters: the middle is cut, as the ends of names tell them
/// apart, and the whole is there to point at.
pub fn name(text: &str, most: usize) -> String {
    let whole = escape(text);
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= most {
        return format!("<span class=\"name\">{whole}</span>");
    }
    let head: String = letters[..most - most / 2 - 1].iter().collect();
    let tail: String = letters[letters.len() - most / 2..].iter().collect();
    format!("<span class=\"name\" title=\"{whole}\">{}…{}</span>", escape(&head), escape(&tail))
}

/// A section with a heading.
pub fn section(id: &str, heading: &str, body: &str) -> String {
    format!(
        "<section id=\"{id}\" aria-labelledby=\"{id}-heading\">\n<h2 id=\"{id}-heading\">{heading}</h2>\n\
         {body}\n</section>\n"
    )
}

/// A short note below a heading.
pub fn note(text: &str) -> String {
    format!("<p class=\"note\">{text}</p>\n")
}

/// A key figure: value, what it is, and what to hold it against.
pub fn card(label: &str, value: &str, detail: &str) -> String {
    format!(
        "<div><dt>{}</dt><dd class=\"value\">{}</dd><dd>{}</dd></div>\n",
        escape(label),
        escape(value),
        escape(detail)
    )
}

/// A place across a drawing, in percent of its width or height, short but exact to a hundredth of a pixel.
pub fn place(share: f64) -> String {
    format!("{:.3}%", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_leaves_its_place_and_slots_are_filled_once() {
        assert_eq!(escape("<b a=\"'&'\">"), "&lt;b a=&quot;&#39;&amp;&#39;&quot;&gt;");
        let value = serde_json::json!({ "</script>": "<!-- & \u{2028}" });
        let text = script_json(&value);
        assert!(!text.contains('<') && !text.contains('>'));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
        let page = fill("<p>{{a}}</p>{{b}}", |slot| if slot == "a" { "{{b}}" } else { "b" }.into());
        assert_eq!(page, "<p>{{b}}</p>b");
        assert_eq!(name("class <1>", 9), "<span class=\"name\">class &lt;1&gt;</span>");
        let cut = name("Neighborhood of class 12", 12);
        assert!(cut.ends_with("title=\"Neighborhood of class 12\">Neigh…ass 12</span>"), "{cut}");
    }
}
