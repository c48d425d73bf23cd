//! Text and data in pages: nothing leaves the place that it is put in.

use std::fmt::Display;

/// The style that the pages of the programs share: colours for light and dark, headings, tables, paper.
pub const BASE_STYLE: &str = include_str!("page.css");

/// Text as HTML, safe between tags and inside quoted attributes.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(letter),
        }
    }
    escaped
}

/// JSON (its text, or a value that prints as such) that may stand inside a `<script>` element: no `<` can end
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_filled_once() {
        let page = fill("<p>{{a}}</p>{{b}}", |slot| match slot {
            "a" => "{{b}}".to_owned(),
            _ => "b".to_owned(),
        });
        assert_eq!(page, "<p>{{b}}</p>b");
    }

    #[test]
    fn nothing_leaves_its_place() {
        assert_eq!(escape("<b a=\"'&'\">"), "&lt;b a=&quot;&#39;&amp;&#39;&quot;&gt;");
        let value = serde_json::json!({ "</script>": "<!-- & \u{2028}" });
        let text = script_json(&value);
        assert!(!text.contains('<') && !text.contains('>'));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
