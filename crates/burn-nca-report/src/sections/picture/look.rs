//! How the points of a picture are marked.

/// Hues of the palette; with two shapes and two shades some 40 classes look different.
const HUES: usize = 10;

/// How a point is marked.
#[derive(Default)]
pub struct Look {
    /// In one dimension each class has a lane of its own.
    pub lane: usize,
    /// The class of the style that hides it together with its like; may be empty.
    pub group: String,
    /// The class of the style that colors it, with a blank before it.
    pub style: String,
    /// Its color where the style has none, as an attribute with a blank before it.
    pub stroke: String,
    /// Whether its class was taken for another.
    pub wrong: bool,
}

impl Look {
    /// That of a class; `wrong` where it was taken for another.
    pub fn of_class(class: usize, wrong: bool) -> Self {
        let group = format!("k{class} ");
        Self { lane: class, group, style: style(class), wrong, ..Self::default() }
    }

    /// That of a color.
    pub fn of_color(color: &str) -> Self {
        let stroke = format!(" stroke=\"{color}\"");
        Self { stroke, ..Self::default() }
    }
}

/// The style classes of a class's mark, with a blank before them: hue, then square, then the second shade.
pub fn style(class: usize) -> String {
    let square = if class / HUES % 2 == 1 { " square" } else { "" };
    let shade = if class / (2 * HUES) % 2 == 1 { " shade" } else { "" };
    format!(" c{}{square}{shade}", class % HUES)
}
