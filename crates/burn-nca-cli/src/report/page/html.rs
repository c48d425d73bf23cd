//! Pieces of the page.

pub use burn_nca_program::html::{BASE_STYLE, escape, fill, script_json};

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

/// A section with a heading; empty when there is nothing to show.
pub fn section(id: &str, heading: &str, body: &str) -> String {
    if body.is_empty() {
        return String::new();
    }
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
pub fn card(label: &str, value: &str, beside: &str) -> String {
    format!(
        "<div><dt>{}</dt><dd class=\"value\">{}</dd><dd>{}</dd></div>\n",
        escape(label),
        escape(value),
        escape(beside)
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
    fn long_names_lose_their_middle() {
        assert_eq!(name("class <1>", 9), "<span class=\"name\">class &lt;1&gt;</span>");
        let cut = name("Neighbourhood of class 12", 12);
        assert!(cut.ends_with("title=\"Neighbourhood of class 12\">Neigh…ass 12</span>"), "{cut}");
    }
}
